package codex

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
)

// methodFirst is how a notification begins, in every version.
const methodFirst = `{"method":"`

// skipDelta reports whether a frame is a piece of something that comes in whole
// later, such as item/agentMessage/delta, and counts it if it is. There may be
// thousands in a turn, and nothing in the bridge reads more of them than that they
// came: a turn that sends them is not silent. It may be called from any goroutine.
func (c *Client) skipDelta(raw []byte) bool {
	f, ok := deltaOf(raw)
	if ok {
		var of struct {
			ThreadID string `json:"threadId"`
		}
		decode(f.Params, &of)
		c.deltas.add(of.ThreadID)
	}
	return ok
}

// deltaOf looks at the method first, which costs next to nothing. Only what is
// named as a delta is decoded, to be sure that nobody waits for an answer to it.
func deltaOf(raw []byte) (frame, bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(methodFirst))
	if !ok {
		return frame{}, false
	}
	method, _, ok := bytes.Cut(rest, []byte{'"'})
	if !ok || !deltaMethod(string(method)) {
		return frame{}, false
	}
	f := decodeFrame(raw)
	return f, f.Kind == frameNotification
}

// deltas are those that were skipped. Its methods may be called from any goroutine.
type deltas struct {
	mu      sync.Mutex
	count   int
	threads map[string]bool // of which some came since it was asked last
}

func (d *deltas) add(thread string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count++
	if d.threads == nil || len(d.threads) > maxReported*maxReported {
		d.threads = map[string]bool{} // of a server that makes threads up
	}
	d.threads[thread] = true
}

func (d *deltas) total() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

// came reports whether some came for the thread since it was asked last.
func (d *deltas) came(thread string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	came := d.threads[thread]
	delete(d.threads, thread)
	return came
}

// deltaMethod reports whether notifications of this method carry pieces: all those,
// and no others, are called …/delta or …Delta.
func deltaMethod(method string) bool {
	return strings.HasSuffix(method, "/delta") || strings.HasSuffix(method, "Delta")
}

// errTooLarge says that an answer came which is too large to be kept.
var errTooLarge = errors.New("codex: the answer is too large")

// cut takes in a message that is too large, as far as its beginning tells what it
// is: a call that it answers is settled, a request is declined.
func (c *Client) cut(s *session, head []byte, size int64) {
	c.counts.Cut++
	f := decodeHead(head)
	c.Log.Debug("Codex sent a message that is too large to be read", "connection", s.link.Connection, "bytes", size, "method", f.Method)
	switch f.Kind {
	case frameAnswer:
		if !s.tooLarge(f.Number) {
			c.counts.Strays++
		}
	case frameRequest:
		c.decline(s, f)
	case frameNotification:
		c.skip(f.Method)
	default:
		c.counts.Junk++
	}
}

// decodeHead reads what the beginning of a message tells: its id and its method,
// up to the first member that is neither.
func decodeHead(head []byte) frame {
	var f frame
	tokens := json.NewDecoder(bytes.NewReader(head))
	if t, err := tokens.Token(); err != nil || t != json.Delim('{') {
		return f
	}
	for {
		name, err := tokens.Token()
		if err != nil {
			return frame{}
		}
		switch name {
		case "id":
			err = tokens.Decode(&f.ID)
		case "method":
			err = tokens.Decode(&f.Method)
		default:
			return f.headed(name == "result" || name == "error")
		}
		if err != nil {
			return frame{}
		}
	}
}

// headed is the frame with its kind, by its id and method, and by whether an outcome
// follows.
func (f frame) headed(outcome bool) frame {
	number, err := strconv.ParseInt(string(f.ID), 10, 64)
	switch {
	case f.Method != "" && present(f.ID):
		f.Kind = frameRequest
	case f.Method != "":
		f.Kind = frameNotification
	case err == nil && outcome:
		f.Kind, f.Number, f.ID = frameAnswer, number, nil
	}
	return f
}
