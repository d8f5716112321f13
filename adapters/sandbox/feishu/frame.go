package feishu

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// frame is one message of the long connection: protobuf (proto2, pbbp2.Frame) in a
// binary websocket message.
//
//	1 SeqID    uint64 required    5 headers          repeated {1 key, 2 value}
//	2 LogID    uint64 required    6 payload_encoding string
//	3 service  int32  required    7 payload_type     string
//	4 method   int32  required    8 payload          bytes, JSON
//	                              9 LogIDNew         string
type frame struct {
	SeqID, LogID    uint64
	Service         int32
	Method          int32 // methodControl or methodData
	Headers         []frameHeader
	PayloadEncoding string
	PayloadType     string
	Payload         []byte
	LogIDNew        string
}

type frameHeader struct{ Key, Value string }

const (
	methodControl int32 = 0 // ping and pong
	methodData    int32 = 1 // events and their acknowledgements
)

// header returns the first value of a header, empty if there is none.
func (f frame) header(key string) string {
	for _, h := range f.Headers {
		if h.Key == key {
			return h.Value
		}
	}
	return ""
}

// The wire types of protobuf.
const (
	wireVarint = 0
	wireFixed8 = 1
	wireLength = 2
	wireFixed4 = 5
)

// encode writes the required fields even when they are 0, since decoders insist on
// them, and the empty strings as the SDK's own encoder does.
func (f frame) encode() []byte {
	var b []byte
	b = appendVarint(b, 1, f.SeqID)
	b = appendVarint(b, 2, f.LogID)
	b = appendVarint(b, 3, uint64(int64(f.Service)))
	b = appendVarint(b, 4, uint64(int64(f.Method)))
	for _, h := range f.Headers {
		entry := appendBytes(nil, 1, []byte(h.Key))
		entry = appendBytes(entry, 2, []byte(h.Value))
		b = appendBytes(b, 5, entry)
	}
	b = appendBytes(b, 6, []byte(f.PayloadEncoding))
	b = appendBytes(b, 7, []byte(f.PayloadType))
	if len(f.Payload) > 0 {
		b = appendBytes(b, 8, f.Payload)
	}
	return appendBytes(b, 9, []byte(f.LogIDNew))
}

func appendVarint(b []byte, field int, v uint64) []byte {
	b = binary.AppendUvarint(b, uint64(field)<<3|wireVarint)
	return binary.AppendUvarint(b, v)
}

func appendBytes(b []byte, field int, v []byte) []byte {
	b = binary.AppendUvarint(b, uint64(field)<<3|wireLength)
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

var errTruncated = errors.New("frame: truncated")

// decodeFrame reads a frame; unknown fields are skipped, missing required ones are
// an error.
func decodeFrame(b []byte) (frame, error) {
	var f frame
	var seen [5]bool
	err := eachField(b, func(field uint64, v uint64, bytes []byte) error {
		if field <= 4 && bytes != nil || field >= 5 && field <= 9 && bytes == nil {
			return fmt.Errorf("frame: field %d has the wrong wire type", field)
		}
		switch field {
		case 1:
			f.SeqID = v
		case 2:
			f.LogID = v
		case 3:
			f.Service = int32(v)
		case 4:
			f.Method = int32(v)
		case 5:
			h, err := decodeHeader(bytes)
			if err != nil {
				return err
			}
			f.Headers = append(f.Headers, h)
		case 6:
			f.PayloadEncoding = string(bytes)
		case 7:
			f.PayloadType = string(bytes)
		case 8:
			f.Payload = append([]byte(nil), bytes...)
		case 9:
			f.LogIDNew = string(bytes)
		}
		if field < uint64(len(seen)) {
			seen[field] = true
		}
		return nil
	})
	if err != nil {
		return frame{}, err
	}
	for field := 1; field < len(seen); field++ {
		if !seen[field] {
			return frame{}, fmt.Errorf("frame: required field %d is missing", field)
		}
	}
	return f, nil
}

func decodeHeader(b []byte) (frameHeader, error) {
	var h frameHeader
	var key, value bool
	err := eachField(b, func(field uint64, _ uint64, bytes []byte) error {
		if field <= 2 && bytes == nil {
			return fmt.Errorf("frame: header field %d has the wrong wire type", field)
		}
		switch field {
		case 1:
			h.Key, key = string(bytes), true
		case 2:
			h.Value, value = string(bytes), true
		}
		return nil
	})
	if err == nil && !(key && value) {
		err = errors.New("frame: a header lacks its key or value")
	}
	return h, err
}

// eachField calls f with every field of a protobuf message: bytes is nil unless the
// field is of the length-delimited type, value is 0 unless it is a varint. Fixed
// numbers are not used by frames, and are skipped.
func eachField(b []byte, f func(field, value uint64, bytes []byte) error) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return errTruncated
		}
		b = b[n:]
		field := tag >> 3
		if field == 0 {
			return errors.New("frame: field 0")
		}
		var value uint64
		var bytes []byte
		switch tag & 7 {
		case wireVarint:
			if value, n = binary.Uvarint(b); n <= 0 {
				return errTruncated
			}
			b = b[n:]
		case wireLength:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return errTruncated
			}
			bytes = b[n : n+int(size) : n+int(size)]
			b = b[n+int(size):]
		case wireFixed8, wireFixed4:
			size := 8
			if tag&7 == wireFixed4 {
				size = 4
			}
			if len(b) < size {
				return errTruncated
			}
			b = b[size:]
			if field <= 9 {
				return fmt.Errorf("frame: field %d has the wrong wire type", field)
			}
			continue
		default:
			return fmt.Errorf("frame: unknown wire type %d", tag&7)
		}
		if err := f(field, value, bytes); err != nil {
			return err
		}
	}
	return nil
}
