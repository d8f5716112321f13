package matrix

import (
	"encoding/json"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/appserver"
)

// desktop is another client of the app-server, on the machine itself.
type desktop struct {
	t      *testing.T
	w      *World
	conn   *appserver.Conn
	frames [][]byte
	serial int
}

func newDesktop(t *testing.T, w *World) *desktop {
	t.Helper()
	d := &desktop{t: t, w: w}
	d.conn = w.Codex.Connect(func(frame []byte) { d.frames = append(d.frames, frame) }, func() {})
	d.call("initialize", map[string]any{"clientInfo": map[string]any{"name": "desktop", "version": "1"}})
	return d
}

// call makes a call and returns its result.
func (d *desktop) call(method string, params any) (result json.RawMessage) {
	d.t.Helper()
	d.serial++
	frame, err := json.Marshal(map[string]any{"id": d.serial, "method": method, "params": params})
	if err != nil {
		d.t.Fatal(err)
	}
	d.conn.Receive(frame)
	d.w.Rest(time.Millisecond)
	for _, raw := range d.frames {
		var answer struct {
			ID     int
			Result json.RawMessage
		}
		if json.Unmarshal(raw, &answer) == nil && answer.ID == d.serial {
			return answer.Result
		}
	}
	d.t.Fatalf("no answer to %s", method)
	return nil
}

// begin begins a thread in a folder with a text.
func (d *desktop) begin(folder, text string) (thread string) {
	d.t.Helper()
	var started struct{ Thread struct{ ID string } }
	if err := json.Unmarshal(d.call("thread/start", map[string]any{"cwd": folder}), &started); err != nil {
		d.t.Fatal(err)
	}
	d.say(started.Thread.ID, text)
	return started.Thread.ID
}

func (d *desktop) say(thread, text string) {
	d.t.Helper()
	d.call("turn/start", map[string]any{"threadId": thread, "input": []map[string]any{{"type": "text", "text": text}}})
	d.w.note("desktop", text)
}

// threads is work that goes on in the chat: it was begun at the desk, is listed, and
// goes on, once while nothing runs and once while the desktop's own turn does. What is
// chosen wrongly is told.
func threads(t *testing.T) string {
	t.Helper()
	w, boot := start(t)
	d := newDesktop(t, w)
	w.Say("/threads")
	w.Rest(time.Second)
	w.Say("/resume 1")
	w.Rest(time.Second)

	d.begin("/elsewhere", "not for the chat")
	d.begin(simFolder+"/shop", "Repair the login page:\nthe button does nothing on phones, and nobody knows why")
	w.Rest(40 * time.Minute)
	slow := d.begin(simFolder, "count the words")
	w.Rest(5 * time.Minute)
	w.Say("hello")
	w.Rest(2 * time.Second)
	w.Say("/threads")
	w.Rest(time.Second)
	w.Say("/resume 9")
	w.Rest(time.Second)
	w.Say("/resume 1")
	w.Rest(time.Second)

	w.Say("/resume 3")
	w.Say("and what did you find?")
	w.Rest(2 * time.Second)
	w.Say("/resume 2") // the list still stands in the chat
	w.Rest(time.Second)
	d.say(slow, "slow")
	w.Rest(500 * time.Millisecond)
	w.Say("only the long ones")
	w.Rest(2 * time.Second)

	kill(t, w)
	boot()
	w.Say("and now?")
	w.Rest(2 * time.Second)
	w.EndCodex()
	w.Say("/threads")
	w.Rest(5 * time.Minute)
	w.BeginCodex()
	w.Say("/threads")
	w.Rest(time.Minute)
	return finish(t, w)
}
