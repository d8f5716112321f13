package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
)

// walSuffix names SQLite's log of what is committed and not yet in the ledger's file.
const walSuffix = "-wal"

// The log's format is described in https://www.sqlite.org/fileformat2.html#walformat.
const (
	walHeaderSize   = 32
	walMagic        = 0x377f0682 // the last bit says that checksums are of big-endian words
	frameHeaderSize = 24
)

// inspectWAL refuses a log in which commits are damaged that were on disk. SQLite itself
// ends at the first frame that it cannot read and drops all that follow, without a word:
// after a power cut that is right, as the frames are of a transaction of which nobody was
// told. But each commit is on disk before the next transaction is written. Hence the log
// is damaged if
//
//   - its header cannot be read, which is on disk before the first frame is written;
//   - behind the frame that cannot be read there is a run of frames, each written after
//     the one before it, with two commits in it: the first was on disk before the second.
//
// Damage that leaves less behind it looks like a power cut, as does a log that was cut.
func inspectWAL(path string) error {
	log, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(log) <= walHeaderSize {
		return nil
	}
	if err != nil {
		return err
	}
	w, ok := newWAL(log)
	if ok {
		ok = w.commitsBehind(w.readable()) < 2
	}
	if ok {
		return nil
	}
	return &Error{
		Op: "open", Path: path, Err: errors.New("messages that were committed are in it, and it is damaged"),
		Hint: "Put a backup in place of the ledger and move this file away, or move only this file away to go on without what it holds",
	}
}

// wal is a log whose header is whole.
type wal struct {
	order  binary.ByteOrder // of the words of checksums
	salts  []byte
	sum    checksum // of the header
	frames [][]byte
}

type checksum [2]uint32

func newWAL(log []byte) (w wal, ok bool) {
	header, rest := log[:walHeaderSize], log[walHeaderSize:]
	magic, page := binary.BigEndian.Uint32(header), binary.BigEndian.Uint32(header[8:])
	w.order = binary.LittleEndian
	if magic&1 == 1 {
		w.order = binary.BigEndian
	}
	w.salts = header[16:24]
	w.sum = w.add(checksum{}, header[:24])
	if magic&^1 != walMagic || page < 512 || page > 65536 || w.sum != stored(header[24:]) {
		return w, false
	}
	for size := frameHeaderSize + int(page); len(rest) >= size; rest = rest[size:] {
		w.frames = append(w.frames, rest[:size])
	}
	return w, true
}

// add goes on with a checksum over bytes, whose number is a multiple of eight.
func (w *wal) add(sum checksum, b []byte) checksum {
	for ; len(b) >= 8; b = b[8:] {
		sum[0] += w.order.Uint32(b) + sum[1]
		sum[1] += w.order.Uint32(b[4:]) + sum[0]
	}
	return sum
}

// stored is a checksum as it is written down.
func stored(b []byte) checksum {
	return checksum{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// follows reports whether a frame was written after one with that checksum.
func (w *wal) follows(frame []byte, before checksum) bool {
	return bytes.Equal(frame[8:16], w.salts) &&
		w.add(w.add(before, frame[:8]), frame[frameHeaderSize:]) == stored(frame[16:])
}

// readable is how many frames can be read.
func (w *wal) readable() int {
	sum := w.sum
	for i, frame := range w.frames {
		if !w.follows(frame, sum) {
			return i
		}
		sum = stored(frame[16:])
	}
	return len(w.frames)
}

// commitsBehind is how many commits are in the longest run of frames behind one.
func (w *wal) commitsBehind(broken int) (most int) {
	commits := 0
	for i := broken + 2; i < len(w.frames); i++ {
		switch frame := w.frames[i]; {
		case !w.follows(frame, stored(w.frames[i-1][16:])):
			commits = 0
		case binary.BigEndian.Uint32(frame[4:]) != 0:
			commits++
			most = max(most, commits)
		}
	}
	return most
}
