package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/feishu"
	"deskbridge/adapters/sched"
	"deskbridge/fsm/durable"
	"deskbridge/fsm/floor"
	"deskbridge/store"
	t "deskbridge/transitions"
)

// BenchmarkRecovery is how long a bridge takes that starts with 10,000 conversations
// in its ledger, of which 1,000 have a turn that ran when the last one was killed,
// until the first new message may be acknowledged. The message comes as soon as the
// bridge has started, while the turns are being read; the app-server answers at once.
//
//	open-ms      the ledger is opened
//	start-ms     … then what it holds is taken up
//	receipt-ms   … then the first message is committed; 10 ms of it are waited
//	whole-ms     all of that; read-ms is the floor, reading the file from end to end
//	whole/read   the ratio of the two
//	settled-ms   … and all turns are read, and what was read is committed
func BenchmarkRecovery(b *testing.B) {
	const conversations, unsettled = 10_000, 1_000
	pristine := b.TempDir()
	makeLedger(b, pristine, conversations, unsettled)
	read := floor.Read(b, filepath.Join(pristine, "ledger.db"))
	times := map[string]floor.Times{}
	for b.Loop() {
		took := takeUp(b, copied(b, pristine), unsettled)
		took["read-ms"] = floor.Took(read)
		took["whole-ms"] = took["open-ms"] + took["start-ms"] + took["receipt-ms"]
		took["settled-ms"] += took["whole-ms"]
		for name, d := range took {
			times[name] = append(times[name], d)
		}
	}
	for name, of := range times {
		b.ReportMetric(float64(of.Median())/float64(time.Millisecond), name)
	}
	b.ReportMetric(float64(times["whole-ms"].Median())/float64(times["read-ms"].Median()), "whole/read")
}

// takeUp lets a bridge take up the ledger of a folder, and says how long each part
// took. The turns read are so many.
func takeUp(b *testing.B, dir string, turns int) map[string]time.Duration {
	b.Helper()
	took := map[string]time.Duration{}
	var ledger *store.Ledger
	took["open-ms"] = floor.Took(func() {
		var err error
		ledger, err = store.Open(b.Context(), dir)
		must(b, err)
	})
	loop := sched.NewLoop()
	server := &answering{loop: loop}
	running, end := context.WithCancel(b.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		loop.Run(running)
	}()
	settled := make(chan struct{})
	bridge := New(Parts{
		Scheduler: loop, Ledger: ledger,
		Codex: codex.Options{Dialer: server}, API: server,
		Access: feishu.Access{AllowUsers: []string{"ou_a"}}, Language: t.Chinese,
		RunID: "benchmark", Rand: func() float64 { return 0.5 }, Log: slog.New(slog.DiscardHandler),
		Journalled: func(e store.Entry) {
			if _, ok := e.Fact.(t.PullAnswered); ok {
				if turns--; turns == 0 {
					close(settled)
				}
			}
		},
	})
	took["start-ms"] = floor.Took(func() {
		var err error
		must(b, loop.Call(b.Context(), func() { err = bridge.Start(b.Context()) }))
		must(b, err)
	})
	took["receipt-ms"] = floor.Took(func() {
		acknowledged := make(chan error, 1)
		loop.Post(func() { bridge.Receive(newMessage, func(err error) { acknowledged <- err }) })
		must(b, <-acknowledged)
	})
	took["settled-ms"] = floor.Took(func() { <-settled })
	stopped := make(chan struct{})
	loop.Post(func() { bridge.Stop(func() { close(stopped) }) })
	<-stopped
	end()
	<-ended
	must(b, ledger.Close())
	return took
}

// makeLedger leads conversations in a new ledger. Each has one message; in the first
// of them its turn still runs, in the others it is over and answered.
func makeLedger(b *testing.B, dir string, conversations, unsettled int) {
	b.Helper()
	ledger, err := store.Open(b.Context(), dir)
	must(b, err)
	clock := sched.NewVirtual(time.UnixMilli(1_000_000))
	engine := durable.New(durable.Options[t.State, t.Data, t.Fact, t.Effect]{
		Scheduler: clock, Store: ledger, Machine: t.Conversation(), Handle: t.Handle,
		Executor: durable.ExecutorFunc[t.Fact, t.Effect](func(track string, e t.Effect, _ t.Attempt, done func(t.Report)) {
			clock.Post(func() { done(t.Settled(resultOf(track, e))) })
		}),
		Hint:    func(string, t.Effect) {},
		Stepped: func(store.Entry) {},
		Backoff: func(int) time.Duration { return time.Second },
		Trouble: func(err error) { must(b, err) },
	})
	must(b, engine.Start())
	for i := range conversations {
		track, message := fmt.Sprintf("oc_%d/1", i), fmt.Sprint("om_", i)
		engine.Submit(track, t.MessageReceived{Message: message, Sender: "ou_a", Text: "what is new?", Created: 1}, nil)
	}
	clock.Settle()
	for i := range conversations {
		track, message := fmt.Sprintf("oc_%d/1", i), fmt.Sprint("om_", i)
		turn := turnOf(threadOf(track))
		engine.Submit(track, t.TurnRunning{Turn: turn, Messages: []string{message}}, nil)
		if i >= unsettled {
			engine.Submit(track, t.TurnEnded{Turn: turn, Status: t.EndCompleted, Messages: []string{message}, Reply: "nothing much"}, nil)
		}
	}
	clock.Settle()
	states := map[t.State]int{}
	tracks, err := ledger.Tracks(b.Context())
	must(b, err)
	for _, tr := range tracks {
		states[tr.State]++
	}
	if states[t.Steerable] != unsettled || states[t.Delivered] != conversations-unsettled {
		b.Fatalf("the ledger has %v", states)
	}
	must(b, ledger.Close())
}

// resultOf is what comes of an effect where nothing goes wrong.
func resultOf(track string, e t.Effect) t.Fact {
	switch e := e.(type) {
	case t.OpenThread:
		return t.ThreadOpened{Thread: threadOf(track)}
	case t.StartTurn:
		return t.TurnStartAccepted{Message: e.Message, Turn: turnOf(e.Thread)}
	case t.Deliver:
		return t.DeliveryConfirmed{Delivery: e.Delivery, Shown: "shown " + e.Delivery}
	case t.ShowReceipt:
		return t.ReceiptShown{Message: e.Message}
	}
	panic("nothing comes of " + e.EffectName())
}

func threadOf(track string) string { return "thread of " + track }
func turnOf(thread string) string  { return "turn of " + thread }

func copied(b *testing.B, from string) (dir string) {
	b.Helper()
	dir = b.TempDir()
	in, err := os.Open(filepath.Join(from, "ledger.db"))
	must(b, err)
	out, err := os.Create(filepath.Join(dir, "ledger.db"))
	must(b, err)
	_, err = io.Copy(out, in)
	must(b, err)
	must(b, in.Close())
	must(b, out.Sync())
	must(b, out.Close())
	return dir
}

var newMessage = feishu.Event{Type: "im.message.receive_v1", Body: []byte(`{"header":{"event_id":"ev_1","event_type":"im.message.receive_v1"},
	"event":{"sender":{"sender_id":{"open_id":"ou_a"},"sender_type":"user"},
	"message":{"message_id":"om_new","chat_id":"oc_new","chat_type":"p2p","create_time":"2000000","message_type":"text","content":"{\"text\":\"hello\"}"}}}`)}

// answering is what is beyond both edges: an app-server in which the one turn of
// each thread runs, and a platform that takes everything.
type answering struct {
	loop *sched.Loop
}

// Dial implements [codex.Dialer].
func (s *answering) Dial(h codex.Handler) (cancel func()) {
	s.loop.Post(func() { h.Opened(&connection{server: s, frame: h.Frame}) })
	return func() {}
}

// Do implements [feishu.API].
func (s *answering) Do(_ feishu.Request, done func(feishu.Response)) {
	s.loop.Post(func() { done(feishu.Response{HTTPStatus: 200, MessageID: "om_shown", ReactionID: "r"}) })
}

type connection struct {
	server *answering
	frame  func([]byte)
}

// Send implements [codex.Conn].
func (c *connection) Send(frame []byte) {
	var call struct {
		ID     int64
		Method string
		Params struct{ ThreadID string }
	}
	if err := json.Unmarshal(frame, &call); err != nil {
		panic(err)
	}
	thread := call.Params.ThreadID
	answer := map[string]any{}
	switch call.Method {
	case "initialized":
		return
	case "initialize":
		answer["userAgent"] = "deskbridge/0.171.0 (Debian)"
	case "thread/turns/list":
		answer["data"] = []any{map[string]any{"id": turnOf(thread), "status": "inProgress", "itemsView": "full", "items": []any{}}}
	default:
		answer["thread"] = map[string]any{"id": thread, "status": map[string]any{"type": "active"}}
	}
	raw, err := json.Marshal(map[string]any{"id": call.ID, "result": answer})
	if err != nil {
		panic(err)
	}
	c.server.loop.Post(func() { c.frame(raw) })
}

// Close implements [codex.Conn].
func (c *connection) Close() {}

// Generation implements [codex.Conn].
func (c *connection) Generation() string { return "server" }

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
