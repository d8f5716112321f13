package matrix

import (
	"encoding/json"

	"deskbridge/adapters/sandbox/appserver"
)

// Desktop is another client of the app-server, such as the one on the machine itself.
type Desktop struct {
	world *World
	conn  *appserver.Conn
	calls int
}

// Desktop connects another client.
func (w *World) Desktop() *Desktop {
	d := &Desktop{world: w}
	d.conn = w.Codex.Connect(func([]byte) {}, func() {})
	d.call("initialize", map[string]any{"clientInfo": map[string]any{"name": "desktop", "version": "1"}})
	return d
}

// Start begins a turn in a thread, which need not be loaded.
func (d *Desktop) Start(thread, text string) {
	d.world.note("desktop", text)
	d.world.elsewhere = append(d.world.elsewhere, text)
	d.call("thread/resume", map[string]any{"threadId": thread, "excludeTurns": true})
	d.call("turn/start", map[string]any{
		"threadId": thread,
		"input":    []any{map[string]any{"type": "text", "text": text, "text_elements": []any{}}},
	})
}

func (d *Desktop) call(method string, params map[string]any) {
	d.calls++
	frame, err := json.Marshal(map[string]any{"id": d.calls, "method": method, "params": params})
	if err != nil {
		panic(err) // of plain values
	}
	d.world.Time.Post(func() { d.conn.Receive(frame) })
}

// DropCodex breaks the bridge's connection to the app-server, which goes on.
func (w *World) DropCodex() {
	w.note("codex", "the connection breaks")
	w.Codex.Drop()
}
