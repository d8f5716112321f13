package codex

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTheHandshakeAsksForWhatTheBridgeNeeds(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	var params string
	e.d.auto["initialize"] = func(p json.RawMessage) (any, *refuse) {
		params = string(p)
		return map[string]any{"userAgent": "deskbridge/0.171.0 (Debian)"}, nil
	}
	e.start()
	const want = `{"clientInfo":{"name":"deskbridge","title":"Desk bridge","version":"1"},"capabilities":{"experimentalApi":true}}`
	if params != want {
		t.Errorf("initialize %s, want %s", params, want)
	}
	e.conn().called("initialize", "initialized")
	if got := e.c.Status(); !got.Connected || got.Version != "0.171.0" || e.ready != 1 {
		t.Errorf("status %+v, ready %d times", got, e.ready)
	}
}

func TestReconnectingIsTriedEverMoreSlowlyUntilAConnectionLasts(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	from := e.v.Now()
	var dials []time.Duration
	note := func(limit time.Duration) {
		t.Helper()
		before := e.d.dials
		if !e.v.AdvanceUntil(limit, func() bool { return e.d.dials > before }) {
			t.Fatalf("no dial within %v", limit)
		}
		e.v.Settle()
		dials = append(dials, e.v.Now().Sub(from))
	}
	e.d.down = errLost
	e.start()
	for range 9 {
		note(time.Minute)
	}
	const ms, s = time.Millisecond, time.Second
	want := []time.Duration{200 * ms, 600 * ms, 1400 * ms, 3 * s, 6200 * ms, 12600 * ms, 25400 * ms, 51 * s, 81 * s}
	if diff := cmp.Diff(want, dials); diff != "" {
		t.Errorf("dials at (-want +got):\n%s", diff)
	}

	e.d.down = nil
	note(time.Minute)
	e.conn().drop() // at once: a server that falls over again and again
	from, dials = e.v.Now(), nil
	note(time.Minute)
	e.v.Advance(e.c.RetryMax)
	e.conn().drop() // after a while
	from = e.v.Now()
	note(time.Minute)
	if diff := cmp.Diff([]time.Duration{30 * s, 200 * ms}, dials); diff != "" {
		t.Errorf("waits after a drop (-want +got):\n%s", diff)
	}
}

func TestChanceSpreadsTheAttemptsToConnect(t *testing.T) {
	t.Parallel()
	e := newDesk(t, func(o *Options) { o.Rand = func() float64 { return 0.5 } })
	e.d.down = errLost
	e.start()
	e.v.Advance(150*time.Millisecond - 1)
	if e.d.dials != 1 {
		t.Fatalf("%d dials", e.d.dials)
	}
	e.v.Advance(1)
	if e.d.dials != 2 {
		t.Fatalf("%d dials", e.d.dials)
	}
}

func TestAServerThatDoesNotGreetIsGivenUp(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	delete(e.d.auto, "initialize")
	e.start()
	e.v.Advance(30 * time.Second)
	if !e.d.conns[0].closed || e.c.Status().Connected || e.ready != 0 {
		t.Error("not given up")
	}
	e.v.Advance(time.Second)
	e.conn().refuse("initialize", -32600, "no")
	if !e.d.conns[1].closed || len(e.troubles) != 2 {
		t.Errorf("troubles %q", e.troubles)
	}
}

func TestAServerThatIsTooBusyToGreetIsNoTrouble(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.auto["initialize"] = refuses(codeOverloaded, "Server overloaded; retry later.")
	e.start()
	e.v.Advance(time.Second)
	if e.d.dials < 2 || len(e.troubles) != 0 {
		t.Errorf("%d dials, troubles %q", e.d.dials, e.troubles)
	}
}

func TestAnOldServerIsNotTalkedTo(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.auto["initialize"] = answers(map[string]any{"userAgent": "deskbridge/0.130.0 (Debian)"})
	e.watch(true)
	e.start()
	e.conn().called("initialize")
	if e.ready != 0 || len(e.troubles) != 1 || e.c.Status().Trouble.Kind != TooOld {
		t.Errorf("ready %d times, troubles %q", e.ready, e.troubles)
	}
}

func TestATroubleIsToldOnceUntilItChangesAndItsEndOnce(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	missing := func() *Trouble { return &Trouble{Kind: BinaryMissing, What: "no program", Remedy: "install it"} }
	e.d.down = missing()
	e.start()
	e.v.Advance(time.Minute)
	e.d.down = errLost // nothing an operator could do
	e.v.Advance(time.Minute)
	e.d.down = &Trouble{Kind: CannotStart, What: "no start", Remedy: "look", Err: errLost}
	e.v.Advance(time.Minute)
	e.d.down = nil
	e.v.Advance(time.Minute)
	want := []string{"no program; install it", "no start: " + errLost.Error() + "; look"}
	if diff := cmp.Diff(want, e.troubles); diff != "" || e.recovered != 1 {
		t.Errorf("recovered %d times, troubles (-want +got):\n%s", e.recovered, diff)
	}
	e.conn().drop()
	e.d.down = missing()
	e.v.Advance(time.Minute)
	if len(e.troubles) != 3 {
		t.Errorf("a trouble that came back is not told: %q", e.troubles)
	}
}

func TestARequestOfTheServerIsDeclinedAndNeverApproved(t *testing.T) {
	t.Parallel()
	e := connected(t)
	for _, id := range []any{0, "x"} {
		e.conn().say(map[string]any{
			"id": id, "method": "item/commandExecution/requestApproval", "params": map[string]any{"threadId": thread1},
		})
	}
	e.v.Settle()
	want := []sent{
		{ID: json.RawMessage(`0`), Error: &refuse{-32601, "not supported by this client"}},
		{ID: json.RawMessage(`"x"`), Error: &refuse{-32601, "not supported by this client"}},
	}
	if diff := cmp.Diff(want, e.conn().replies); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
	if e.c.Status().Counts.Declined != 2 {
		t.Errorf("counts %+v", e.c.Status().Counts)
	}
}

func TestWhatIsNotUnderstoodIsCountedAndHarmsNothing(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.watch(true)
	for _, raw := range []string{
		`{`, `[]`, `{"id":99,"result":{}}`, `{"id":1,"result":{}}`,
		`{"method":"codex/event/x","params":{"threadId":"thread-1"}}`, `{"method":"turn/completed","params":{"threadId":"unknown"}}`,
		`{"method":"turn/completed","params":"x"}`, `{"method":"item/started","params":{"threadId":"thread-1","item":5}}`,
	} {
		e.v.Post(func() { e.conn().h.Frame([]byte(raw)) })
	}
	e.v.Settle()
	want := Counts{Connections: 1, Junk: 2, Strays: 2, Skipped: 3}
	if diff := cmp.Diff(want, e.c.Status().Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	e.facts()
	e.conn().called("initialize", "initialized")
}

func TestWhatAnEarlierConnectionStillSaysIsNotHeard(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.watch(true, "turn-1")
	old := e.conn()
	old.drop()
	e.v.Advance(500 * time.Millisecond)
	if e.d.dials != 2 {
		t.Fatalf("%d dials", e.d.dials)
	}
	old.notify("item/started", map[string]any{"turnId": "turn-1", "item": userItem("om_1")})
	old.drop()
	old.h.Opened(old)
	e.v.Settle()
	e.facts()
	if !e.c.Status().Connected || e.c.Status().Counts.Connections != 2 {
		t.Errorf("status %+v", e.c.Status())
	}
}
