package feishu

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wholeFrame has every field; the bytes were laid out by hand from the protobuf
// definition.
var wholeFrame = frame{
	SeqID: 1, LogID: 300, Service: -1, Method: methodData,
	Headers:         []frameHeader{{"type", "event"}, {"sum", ""}},
	PayloadEncoding: "e", PayloadType: "t", Payload: []byte("{}"), LogIDNew: "l",
}

const wholeBytes = "\x08\x01" + "\x10\xac\x02" + "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + "\x20\x01" +
	"\x2a\x0d\x0a\x04type\x12\x05event" + "\x2a\x07\x0a\x03sum\x12\x00" +
	"\x32\x01e" + "\x3a\x01t" + "\x42\x02{}" + "\x4a\x01l"

func TestFrameBytes(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(wholeBytes, string(wholeFrame.encode())); diff != "" {
		t.Error(diff)
	}
	got, err := decodeFrame([]byte(wholeBytes))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wholeFrame, got); diff != "" {
		t.Error(diff)
	}
	if got.header("type") != "event" || got.header("none") != "" {
		t.Errorf("headers %v", got.Headers)
	}
}

func TestRequiredFieldsAreWrittenWhenTheyAreZero(t *testing.T) {
	t.Parallel()
	const want = "\x08\x00\x10\x00\x18\x00\x20\x00" + "\x32\x00\x3a\x00\x4a\x00"
	if diff := cmp.Diff(want, string(frame{}.encode())); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownFieldsOfAFrameAreSkipped(t *testing.T) {
	t.Parallel()
	const unknown = "\x50\x01" + "\x5a\x02xy" + "\x61\x01\x02\x03\x04\x05\x06\x07\x08" + "\x6d\x01\x02\x03\x04"
	got, err := decodeFrame([]byte(unknown + wholeBytes + unknown))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wholeFrame, got); diff != "" {
		t.Error(diff)
	}
}

func TestMalformedFramesAreRefused(t *testing.T) {
	t.Parallel()
	const required = "\x08\x00\x10\x00\x18\x00\x20\x00"
	for name, b := range map[string]string{
		"empty":                     "",
		"required field missing":    "\x08\x00\x10\x00\x18\x00",
		"cut in a tag":              required + "\x80",
		"cut in a number":           required + "\x50\xff",
		"number over 64 bits":       required + "\x50\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
		"cut in a string":           required + "\x42\x05{}",
		"string longer than memory": required + "\x42\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
		"cut in a fixed number":     required + "\x61\x01",
		"group":                     required + "\x53",
		"field 0":                   required + "\x00\x00",
		"number as string":          "\x0a\x00" + required,
		"string as number":          required + "\x40\x01",
		"number as fixed":           "\x0d\x01\x02\x03\x04" + required,
		"header without value":      required + "\x2a\x03\x0a\x01a",
		"header without key":        required + "\x2a\x03\x12\x01a",
		"header key as number":      required + "\x2a\x02\x08\x01",
		"header cut":                required + "\x2a\x02\x0a\x05",
	} {
		if f, err := decodeFrame([]byte(b)); err == nil {
			t.Errorf("%s: decoded as %+v", name, f)
		}
	}
}

func TestAckCode(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]int{
		`{"code":200,"headers":null,"data":null}`: 200, `{"code":500}`: 500, `{}`: 0, ``: 0, `{"code":"200"}`: 0,
	} {
		if got := ackCode([]byte(payload)); got != want {
			t.Errorf("%s: %d, want %d", payload, got, want)
		}
	}
}

func FuzzDecodeFrame(f *testing.F) {
	f.Add([]byte(wholeBytes))
	f.Add([]byte(frame{}.encode()))
	f.Add([]byte("\x08\x01\x2a\x03\x0a\x01a"))
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := decodeFrame(b)
		if err != nil {
			return
		}
		second, err := decodeFrame(first.encode())
		if err != nil {
			t.Fatalf("what was decoded cannot be decoded again: %v", err)
		}
		if len(first.Payload) == 0 {
			first.Payload = nil // an empty payload is not written
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Error(diff)
		}
	})
}
