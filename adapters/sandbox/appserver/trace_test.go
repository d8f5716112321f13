package appserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A trace is a recording of one scenario on the real server: what clients sent
// and got on their connections (lanes), and what was done to the server.
type trace struct {
	name   string
	events []event
}

// event is one line of a recording.
type event struct {
	At   int64           `json:"ms"`
	Lane string          `json:"conn"`
	Dir  string          `json:"dir"` // "out": to the server, "in": from it, "note"
	Msg  json.RawMessage `json:"msg"`
}

// note is the text of a note.
func (e event) note(t *testing.T) string {
	t.Helper()
	var text string
	if err := json.Unmarshal(e.Msg, &text); err != nil {
		t.Fatalf("note %s: %v", e.Msg, err)
	}
	return text
}

// readTrace reads a recording from testdata.
func readTrace(t *testing.T, name string) trace {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	recorded := trace{name: name}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		recorded.events = append(recorded.events, e)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return recorded
}

// world is a server that a trace is replayed against.
type world interface {
	// connect opens a lane.
	connect(lane string)
	// close ends a lane from the client's side.
	close(lane string)
	// send sends a frame on a lane.
	send(lane string, frame []byte)
	// frames are those that came on a lane so far.
	frames(lane string) [][]byte
	// kill ends the server at once, launch starts it again.
	kill()
	launch()
	// until lets time pass up to the recorded moment, and on until the condition
	// holds or it takes too long. At the moment 0 it lets no time pass, and
	// nothing arrive, if the condition holds already.
	until(at time.Duration, done func() bool)
}

// replay does to a world what was done to the recorded server, and returns what
// came on each lane: as recorded, and from the world.
func replay(t *testing.T, recorded trace, w world) (want, got map[string][]any) {
	t.Helper()
	expected := map[string][][]byte{}
	ids := renaming{}
	// Before something is sent or done, everything that the recorded server had
	// sent by then must have come: it may be the answer that it builds on.
	settle := func(at int64) {
		w.until(time.Duration(at)*time.Millisecond, func() bool {
			for lane, frames := range expected {
				if len(compared(w.frames(lane))) < len(frames) {
					return false
				}
			}
			return true
		})
		for lane, frames := range expected {
			ids.learn(frames, compared(w.frames(lane)))
		}
	}
	for _, e := range recorded.events {
		switch e.Dir {
		case "in":
			expected[e.Lane] = append(expected[e.Lane], compared([][]byte{e.Msg})...)
		case "out":
			settle(e.At)
			w.send(e.Lane, ids.apply(e.Msg))
		case "note":
			act(t, w, e, settle)
		default:
			t.Fatalf("%s: unknown direction %q", recorded.name, e.Dir)
		}
	}
	settle(recorded.events[len(recorded.events)-1].At)
	want, got = map[string][]any{}, map[string][]any{}
	for lane, frames := range expected {
		want[lane] = normaliseAll(t, frames)
		got[lane] = normaliseAll(t, compared(w.frames(lane)))
	}
	return want, got
}

// act does what a note says.
func act(t *testing.T, w world, e event, settle func(int64)) {
	t.Helper()
	text := e.note(t)
	verb, rest, _ := strings.Cut(text, " ")
	switch {
	case verb == "connect":
		settle(e.At)
		w.connect(rest)
	case verb == "connection" && strings.HasSuffix(rest, " ended"):
		// What had not come by then is lost with the connection.
		settle(0)
		w.close(strings.TrimSuffix(rest, " ended"))
	case text == "server killed":
		w.until(time.Duration(e.At)*time.Millisecond, func() bool { return true })
		w.kill()
	case text == "server up":
		w.launch()
	case strings.HasPrefix(text, "no turn/completed within"):
		settle(e.At)
	default:
		t.Fatalf("unknown note %q", text)
	}
}

// renaming maps the ids of a recording to those of the world.
type renaming map[string]string

// learn pairs the ids in frames that correspond to each other.
func (r renaming) learn(recorded, actual [][]byte) {
	for i := range min(len(recorded), len(actual)) {
		from, to := uuid.FindAll(recorded[i], -1), uuid.FindAll(actual[i], -1)
		if len(from) != len(to) {
			continue // A difference in shape, which the comparison shows.
		}
		for j := range from {
			if _, known := r[string(from[j])]; !known {
				r[string(from[j])] = string(to[j])
			}
		}
	}
}

// apply renames the ids in a frame.
func (r renaming) apply(frame []byte) []byte {
	return uuid.ReplaceAllFunc(frame, func(id []byte) []byte {
		if to, known := r[string(id)]; known {
			return []byte(to)
		}
		return id
	})
}

// uncompared are the notifications that are left out on both sides.
var uncompared = []string{
	// The recorder dropped these. All but the first are not modelled.
	"deprecationNotice",
	"account/rateLimits/updated",
	"configWarning",
	"remoteControl/status/changed",
	"thread/goal/cleared",
	"thread/readState/changed",
	"thread/tokenUsage/updated",
	"warning",
	// How a command's output is cut into deltas is chance, and none is modelled.
	"item/commandExecution/outputDelta",
}

// compared are the frames that take part in the comparison.
func compared(frames [][]byte) [][]byte {
	var kept [][]byte
	for _, frame := range frames {
		if !slices.ContainsFunc(uncompared, func(method string) bool {
			return bytes.Contains(frame, []byte(`"method":"`+method+`"`))
		}) {
			kept = append(kept, frame)
		}
	}
	return kept
}

func normaliseAll(t *testing.T, frames [][]byte) []any {
	t.Helper()
	n := normaliser{ids: map[string]string{}}
	var all []any
	for _, frame := range frames {
		var value any
		if err := json.Unmarshal(frame, &value); err != nil {
			t.Fatalf("%s: %v", frame, err)
		}
		all = append(all, n.value("", value))
	}
	return all
}

// summary names a frame for a failure's first line.
func summary(frame any) string {
	members, ok := frame.(map[string]any)
	if !ok {
		return fmt.Sprint(frame)
	}
	if method, ok := members["method"]; ok {
		return fmt.Sprint(method)
	}
	return fmt.Sprint("answer ", members["id"])
}

// recordingFiles are the names of the traces in testdata, sorted.
func recordingFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".jsonl"))
	}
	slices.Sort(names)
	return names
}
