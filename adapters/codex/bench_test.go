package codex

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// answering serves websocket connections that answer every call at once, until the
// benchmark ends.
func answering(b *testing.B, network, address string) net.Listener {
	b.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		b.Fatal(err)
	}
	var upgrader websocket.Upgrader
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			b.Error(err)
			return
		}
		defer ws.Close()
		for {
			var call struct {
				ID     int64           `json:"id"`
				Method string          `json:"method"`
				Params json.RawMessage `json:"params"`
			}
			if ws.ReadJSON(&call) != nil {
				return
			}
			if call.ID == 0 {
				continue
			}
			if ws.WriteJSON(map[string]any{"id": call.ID, "result": map[string]any{
				"userAgent": "deskbridge/0.171.0", "thread": map[string]any{"id": thread1, "status": map[string]any{"type": "idle"}},
			}}) != nil {
				return
			}
		}
	})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // until it is closed
	}()
	b.Cleanup(func() {
		if err := server.Close(); err != nil {
			b.Error(err)
		}
		<-served
	})
	return listener
}

// BenchmarkCall is what a call costs beyond the same call by the packages alone.
func BenchmarkCall(b *testing.B) {
	for _, network := range []string{"unix", "tcp"} {
		b.Run(map[string]string{"unix": "unix", "tcp": "ws"}[network], func(b *testing.B) {
			address := map[string]string{"unix": filepath.Join(b.TempDir(), "s"), "tcp": "127.0.0.1:0"}[network]
			address = answering(b, network, address).Addr().String()
			l := loop(b)
			var dialer Dialer = &WSDialer{Endpoint: "ws://" + address, Post: l.Post}
			if network == "unix" {
				dialer = &UnixDialer{Socket: address, Post: l.Post}
			}
			ready := make(chan struct{})
			c := New(Options{Scheduler: l, Dialer: dialer, Emit: discard, RunID: "run", OnReady: func() { close(ready) }})
			l.Post(c.Start)
			defer func() {
				if err := l.Call(b.Context(), c.Stop); err != nil {
					b.Error(err)
				}
			}()
			<-ready
			plain := websocket.Dialer{NetDial: func(string, string) (net.Conn, error) { return net.Dial(network, address) }}
			ws, _, err := plain.Dial("ws://codex/", nil)
			if err != nil {
				b.Fatal(err)
			}
			defer ws.Close()

			answered := make(chan error, 1)
			bridge := func() error {
				l.Post(func() {
					c.up().call(methodRead, readParams{ThreadID: thread1}, time.Minute, func(result json.RawMessage, err error) {
						if err == nil {
							_, err = decodeThread(result)
						}
						answered <- err
					})
				})
				return <-answered
			}
			id := int64(0)
			floor := func() error {
				id++
				if err := ws.WriteJSON(request{ID: id, Method: methodRead, Params: readParams{ThreadID: thread1}}); err != nil {
					return err
				}
				var answer struct {
					ID     int64 `json:"id"`
					Result struct {
						Thread struct {
							ID     string `json:"id"`
							Status struct {
								Type string `json:"type"`
							} `json:"status"`
						} `json:"thread"`
					} `json:"result"`
				}
				if err := ws.ReadJSON(&answer); err != nil || answer.ID != id {
					return fmt.Errorf("answer %+v: %w", answer, err)
				}
				return nil
			}
			beside(b, "call", bridge, floor)
		})
	}
}

// beside runs both in turns and reports what the first takes beside the second.
func beside(b *testing.B, name string, of, floor func() error) {
	const turn = 50
	var took, least time.Duration
	n := 0
	for b.Loop() {
		for _, side := range []struct {
			run  func() error
			took *time.Duration
		}{{of, &took}, {floor, &least}} {
			from := time.Now()
			for range turn {
				if err := side.run(); err != nil {
					b.Fatal(err)
				}
			}
			*side.took += time.Since(from)
		}
		n += turn
	}
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(n) }
	b.ReportMetric(0, "ns/op") // of fifty of each
	b.ReportMetric(micros(took), name+"-µs")
	b.ReportMetric(micros(least), "floor-µs")
	b.ReportMetric(micros(took-least), "beyond-µs")
	b.ReportMetric(float64(took)/float64(least), name+"/floor")
}

// BenchmarkDecodePage reads a page of 2 KB: a turn with six commands and an answer.
func BenchmarkDecodePage(b *testing.B) {
	items := []any{userItem("om_1")}
	for i := range 6 {
		items = append(items, map[string]any{
			"type": "commandExecution", "id": fmt.Sprint("call_", i), "command": "go test ./...", "status": "completed",
			"exitCode": 0, "aggregatedOutput": strings.Repeat("ok \t", 40),
		})
	}
	turn := aTurn("01a00000-0000-7000-8000-000000000001", "completed", append(items, agentItem(phaseFinal, strings.Repeat("done. ", 20)))...)
	turn["completedAt"] = 1796138448
	raw, err := json.Marshal(listOf(turn))
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d bytes", len(raw))
	beside(b, "page", func() error {
		_, err := decodePage(raw)
		return err
	}, func() error {
		var all struct {
			Data []struct {
				ID, Status, ItemsView string
				CompletedAt           *float64
				Error                 struct{ Message string }
				Items                 []struct{ Type, ClientID, Text, Phase string }
			}
			NextCursor string
		}
		return json.Unmarshal(raw, &all)
	})
}
