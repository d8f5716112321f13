package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sched"
	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

const (
	track   = "track-1"
	thread1 = "thread-1"
)

// desk is a client on virtual time, and a server that the test plays.
type desk struct {
	t testing.TB
	v *sched.Virtual
	c *Client
	d *scriptedDialer
	// emitted are the facts of the track, less those that its thread was resumed, which
	// are resumes; reports are those of the effects.
	emitted   []transitions.Fact
	resumes   []transitions.ThreadResumed
	reports   []transitions.Report
	ready     int
	troubles  []string
	recovered int
}

// newDesk is a client that has not started yet.
func newDesk(t testing.TB, adjust ...func(*Options)) *desk {
	t.Helper()
	v := sched.NewVirtual(time.UnixMilli(1_000_000))
	e := &desk{t: t, v: v, d: &scriptedDialer{t: t, v: v, auto: map[string]reaction{}}}
	e.d.auto["initialize"] = answers(map[string]any{"userAgent": "deskbridge/0.171.0 (Debian)"})
	e.d.auto[methodResume] = answers(map[string]any{"thread": map[string]any{"id": thread1}})
	o := Options{
		Scheduler: v, Dialer: e.d, RunID: "run", Version: "1",
		Emit: func(of string, facts []transitions.Fact) {
			if of != track {
				t.Errorf("facts of track %q", of)
			}
			for _, f := range facts {
				if r, ok := f.(transitions.ThreadResumed); ok {
					e.resumes = append(e.resumes, r)
				} else {
					e.emitted = append(e.emitted, f)
				}
			}
		},
		OnReady:     func() { e.ready++ },
		OnTrouble:   func(trouble *Trouble) { e.troubles = append(e.troubles, trouble.Error()) },
		OnRecovered: func() { e.recovered++ },
	}
	for _, f := range adjust {
		f(&o)
	}
	e.c = New(o)
	return e
}

// connected is a client that is up.
func connected(t testing.TB, adjust ...func(*Options)) *desk {
	t.Helper()
	e := newDesk(t, adjust...)
	e.start()
	if !e.c.Status().Connected {
		t.Fatal("not connected")
	}
	return e
}

func (e *desk) start() {
	e.v.Post(e.c.Start)
	e.v.Settle()
}

// conn is the latest connection.
func (e *desk) conn() *scriptedConn {
	e.t.Helper()
	if len(e.d.conns) == 0 {
		e.t.Fatal("no connection")
	}
	return e.d.conns[len(e.d.conns)-1]
}

// watch posts a watch and settles.
func (e *desk) watch(unsettled bool, turns ...string) {
	e.v.Post(func() {
		e.c.Watch(track, transitions.Watch{Thread: thread1, Turns: turns, Unsettled: unsettled, ResumedBy: "0.171.0"})
	})
	e.v.Settle()
}

// execute hands an effect on and settles.
func (e *desk) execute(effect transitions.Effect) {
	e.v.Post(func() {
		e.c.Execute(track, effect, transitions.Attempt{Number: 1}, func(r transitions.Report) {
			e.reports = append(e.reports, r)
		})
	})
	e.v.Settle()
}

// report is the one report there is.
func (e *desk) report() transitions.Report {
	e.t.Helper()
	if len(e.reports) != 1 {
		e.t.Fatalf("%d reports, want 1: %+v", len(e.reports), e.reports)
	}
	return e.reports[0]
}

// settled wants the one report to hold exactly this fact.
func (e *desk) settled(want transitions.Fact) {
	e.t.Helper()
	if diff := cmp.Diff([]transitions.Fact{want}, e.report().Facts); diff != "" {
		e.t.Errorf("facts (-want +got):\n%s", diff)
	}
}

// again wants the one report to ask for another attempt.
func (e *desk) again(sent bool) {
	e.t.Helper()
	again := e.report().Again
	if again == nil || again.Sent != sent || again.Err == nil {
		e.t.Errorf("report %+v (%+v), want again with sent %v and a reason", e.report(), again, sent)
	}
}

// facts takes the emitted facts.
func (e *desk) facts(want ...transitions.Fact) {
	e.t.Helper()
	if diff := cmp.Diff(want, e.emitted); diff != "" {
		e.t.Errorf("emitted (-want +got):\n%s", diff)
	}
	e.emitted = nil
}

// snapshot is the fact that closes a pull of the latest connection.
func (e *desk) snapshot(idle bool, turns ...string) transitions.PullAnswered {
	return transitions.PullAnswered{
		Idle: idle, Turns: turns, At: transitions.Millis(e.v.Now().UnixMilli()), Settle: 5000,
		Link: transitions.Link{Connection: fmt.Sprintf("run-%d", e.d.dials), Generation: e.conn().generation},
	}
}

// reaction answers a call: with a result, or a refusal.
type reaction func(params json.RawMessage) (any, *refuse)

func answers(result any) reaction {
	return func(json.RawMessage) (any, *refuse) { return result, nil }
}

func refuses(code int, message string) reaction {
	return func(json.RawMessage) (any, *refuse) { return nil, &refuse{code, message} }
}

// scriptedDialer opens connections whose other side the test plays.
type scriptedDialer struct {
	t testing.TB
	v *sched.Virtual
	// auto answers calls by themselves; the others wait for the test.
	auto map[string]reaction
	// down, if set, is why dialing fails.
	down       error
	generation string
	dials      int
	conns      []*scriptedConn
}

func (d *scriptedDialer) Dial(h Handler) func() {
	d.dials++
	if down := d.down; down != nil {
		d.v.Post(func() { h.Closed(down) })
		return func() {}
	}
	c := &scriptedConn{dialer: d, h: h, generation: d.generation}
	d.conns = append(d.conns, c)
	d.v.Post(func() { h.Opened(c) })
	return c.Close
}

// sent is a frame of the client.
type sent struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Error  *refuse         `json:"error"`
}

type scriptedConn struct {
	dialer     *scriptedDialer
	h          Handler
	generation string
	closed     bool
	log        []string // the methods called so far
	open       []sent   // calls without answer
	replies    []sent   // answers to requests
}

func (c *scriptedConn) Send(raw []byte) {
	if c.closed {
		return
	}
	var f sent
	if err := json.Unmarshal(raw, &f); err != nil {
		c.dialer.t.Errorf("sent %s: %v", raw, err)
	}
	if f.Method == "" {
		c.replies = append(c.replies, f)
		return
	}
	c.log = append(c.log, f.Method)
	if f.ID == nil {
		return
	}
	if react := c.dialer.auto[f.Method]; react != nil {
		result, refusal := react(f.Params)
		c.respond(f, result, refusal)
		return
	}
	c.open = append(c.open, f)
}

func (c *scriptedConn) Close()             { c.closed = true }
func (c *scriptedConn) Generation() string { return c.generation }

// respond posts the answer of a call.
func (c *scriptedConn) respond(f sent, result any, refusal *refuse) {
	frame := map[string]any{"id": f.ID}
	if refusal != nil {
		frame["error"] = refusal
	} else {
		frame["result"] = result
	}
	c.say(frame)
}

// say posts a frame of the server.
func (c *scriptedConn) say(frame any) {
	raw, err := json.Marshal(frame)
	if err != nil {
		c.dialer.t.Fatal(err)
	}
	c.dialer.v.Post(func() { c.h.Frame(raw) })
}

// notify says a notification and settles.
func (c *scriptedConn) notify(method string, params map[string]any) {
	params["threadId"] = thread1
	c.say(map[string]any{"method": method, "params": params})
	c.dialer.v.Settle()
}

// take takes the oldest open call, which must be of the method.
func (c *scriptedConn) take(method string) sent {
	c.dialer.t.Helper()
	i := slices.IndexFunc(c.open, func(f sent) bool { return f.Method == method })
	if i < 0 {
		c.dialer.t.Fatalf("no open %s; called so far: %s", method, strings.Join(c.log, ", "))
	}
	f := c.open[i]
	c.open = slices.Delete(c.open, i, i+1)
	return f
}

// answer answers the oldest open call of the method and settles.
func (c *scriptedConn) answer(method string, result any) sent {
	c.dialer.t.Helper()
	f := c.take(method)
	c.respond(f, result, nil)
	c.dialer.v.Settle()
	return f
}

// refuse refuses it.
func (c *scriptedConn) refuse(method string, code int, message string) {
	c.dialer.t.Helper()
	c.respond(c.take(method), nil, &refuse{code, message})
	c.dialer.v.Settle()
}

// tooLarge answers the oldest open call of the method with more than can be kept, and
// settles.
func (c *scriptedConn) tooLarge(method string) {
	c.dialer.t.Helper()
	f := c.take(method)
	c.dialer.v.Post(func() { c.h.Cut(fmt.Appendf(nil, `{"id":%s,"result":{"data":[{"id":"turn-`, f.ID), 2*maxFrame) })
	c.dialer.v.Settle()
}

// drop ends the connection from the server's side and settles.
func (c *scriptedConn) drop() {
	c.dialer.v.Post(func() { c.h.Closed(errors.New("dropped")) })
	c.dialer.v.Settle()
}

// called wants exactly these methods to have been called since the last time.
func (c *scriptedConn) called(want ...string) {
	c.dialer.t.Helper()
	if diff := cmp.Diff(want, c.log); diff != "" {
		c.dialer.t.Errorf("called (-want +got):\n%s", diff)
	}
	c.log = nil
}

// The server's answers.

func listOf(turns ...any) map[string]any {
	if turns == nil {
		turns = []any{}
	}
	return map[string]any{"data": turns, "nextCursor": nil}
}

func aTurn(id, status string, items ...any) map[string]any {
	if items == nil {
		items = []any{}
	}
	return map[string]any{"id": id, "status": status, "itemsView": "full", "items": items, "error": nil}
}

func userItem(client string) map[string]any {
	return map[string]any{"type": "userMessage", "clientId": client}
}

func agentItem(phase, text string) map[string]any {
	return map[string]any{"type": "agentMessage", "phase": phase, "text": text}
}

func threadIs(status string) map[string]any {
	return map[string]any{"thread": map[string]any{"id": thread1, "status": map[string]any{"type": status}}}
}

func turnIs(id string) map[string]any {
	return map[string]any{"turn": map[string]any{"id": id, "status": "inProgress", "items": []any{}}}
}
