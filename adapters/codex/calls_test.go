package codex

import (
	"encoding/json"
	"testing"
	"time"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

var (
	start     = transitions.StartTurn{Thread: thread1, Message: "om_1", Text: "hello"}
	steer     = transitions.SteerTurn{Thread: thread1, Turn: "turn-1", Message: "om_2", Text: "also"}
	interrupt = transitions.InterruptTurn{Thread: thread1, Turn: "turn-1"}
	link1     = transitions.Link{Connection: "run-1", Generation: "g1"}
)

// TestEachAnswerSettlesItsEffect plays one answer to one effect.
func TestEachAnswerSettlesItsEffect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		effect transitions.Effect
		method string
		result any
		code   int
		said   string
		want   transitions.Fact
	}{
		{"a thread", transitions.OpenThread{}, methodOpen, threadIs("idle"), 0, "", transitions.ThreadOpened{Thread: thread1, Version: "0.171.0"}},
		{"a start", start, methodStart, turnIs("turn-1"), 0, "", transitions.TurnStartAccepted{Message: "om_1", Turn: "turn-1"}},
		{"a start refused", start, methodStart, nil, -32600, "input must not be empty",
			transitions.TurnStartRefused{Message: "om_1", Refusal: transitions.OtherRefusal, Said: "input must not be empty"}},
		{"a steer", steer, methodSteer, map[string]any{"turnId": "turn-1"}, 0, "", transitions.SteerAccepted{Message: "om_2", Turn: "turn-1"}},
		{"a steer after the end", steer, methodSteer, nil, -32600, "no active turn to steer",
			transitions.SteerRefused{Message: "om_2", Turn: "turn-1", Refusal: transitions.NoActiveTurn, Said: "no active turn to steer"}},
		{"a steer of another turn", steer, methodSteer, nil, -32600, "expected active turn id `turn-1` but found `turn-2`",
			transitions.SteerRefused{Message: "om_2", Turn: "turn-1", Refusal: transitions.OtherTurn, Said: "expected active turn id `turn-1` but found `turn-2`"}},
		{"a steer of a review", steer, methodSteer, nil, -32600, "cannot steer a review turn",
			transitions.SteerRefused{Message: "om_2", Turn: "turn-1", Refusal: transitions.NotSteerable, Said: "cannot steer a review turn"}},
		{"an interrupt", interrupt, methodInterrupt, map[string]any{}, 0, "", transitions.InterruptAccepted{Turn: "turn-1"}},
		{"an interrupt refused", interrupt, methodInterrupt, nil, -32600, "no active turn to interrupt",
			transitions.InterruptRefused{Turn: "turn-1", Said: "no active turn to interrupt"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := connected(t)
			e.execute(test.effect)
			if test.result != nil {
				e.conn().answer(test.method, test.result)
			} else {
				e.conn().refuse(test.method, test.code, test.said)
			}
			e.settled(test.want)
		})
	}
}

func TestCallsSayWhatTheProtocolWants(t *testing.T) {
	t.Parallel()
	e := connected(t, func(o *Options) {
		o.Workdir, o.ApprovalPolicy, o.Sandbox = "/desk", "on-request", "read-only"
	})
	delete(e.d.auto, methodResume)
	e.execute(transitions.OpenThread{})
	e.execute(start)
	e.execute(steer)
	e.execute(interrupt)
	got := map[string]string{}
	record := func(f sent) { got[f.Method] = string(f.Params) }
	record(e.conn().answer(methodOpen, map[string]any{"thread": map[string]any{"id": "another"}}))
	record(e.conn().answer(methodResume, map[string]any{}))
	record(e.conn().answer(methodStart, turnIs("turn-1")))
	record(e.conn().answer(methodSteer, map[string]any{}))
	record(e.conn().answer(methodInterrupt, map[string]any{}))
	want := map[string]string{
		methodOpen:   `{"cwd":"/desk","approvalPolicy":"on-request","sandbox":"read-only"}`,
		methodResume: `{"threadId":"thread-1","excludeTurns":true,"approvalPolicy":"on-request","sandbox":"read-only"}`,
		methodStart: `{"threadId":"thread-1","input":[{"type":"text","text":"hello","text_elements":[]}],` +
			`"clientUserMessageId":"om_1"}`,
		methodSteer: `{"threadId":"thread-1","expectedTurnId":"turn-1","input":[{"type":"text","text":"also","text_elements":[]}],` +
			`"clientUserMessageId":"om_2"}`,
		methodInterrupt: `{"threadId":"thread-1","turnId":"turn-1"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}

func TestWithoutAConnectionNothingIsSentAndNothingLost(t *testing.T) {
	t.Parallel()
	for _, effect := range []transitions.Effect{transitions.OpenThread{}, start, steer, interrupt} {
		e := newDesk(t)
		e.execute(effect) // before Start
		e.again(false)
		e.reports, e.d.down = nil, errLost
		e.start()
		e.execute(effect)
		e.again(false)
		if e.ready != 0 {
			t.Error("ready without a connection")
		}
		e.d.down = nil
		e.v.Advance(time.Second)
		if e.ready != 1 {
			t.Errorf("ready %d times after the connection came up, want once", e.ready)
		}
	}
}

// TestALostConnectionLeavesWhatWasSentUnknown drops the connection with each
// call under way.
func TestALostConnectionLeavesWhatWasSentUnknown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		effect transitions.Effect
		want   transitions.Fact // nil: again, perhaps sent
	}{
		{transitions.OpenThread{}, nil},
		{start, transitions.TurnStartUnknown{Message: "om_1", Link: link1}},
		{steer, transitions.SteerUnknown{Message: "om_2", Turn: "turn-1"}},
		{interrupt, transitions.InterruptUnknown{Turn: "turn-1"}},
	}
	for _, test := range tests {
		e := newDesk(t)
		e.d.generation = "g1"
		e.start()
		e.execute(test.effect)
		e.conn().drop()
		if test.want == nil {
			e.again(true)
		} else {
			e.settled(test.want)
		}
		if !e.conn().closed {
			t.Error("the connection was not closed from this side")
		}
	}
}

func TestAnAnswerThatDoesNotComeGivesTheConnectionUp(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.generation = "g1"
	e.start()
	e.execute(start)
	e.v.Advance(30*time.Second - 1)
	if len(e.reports) != 0 || e.conn().closed {
		t.Fatal("given up too early")
	}
	e.v.Advance(1)
	e.settled(transitions.TurnStartUnknown{Message: "om_1", Link: link1})
	if !e.d.conns[0].closed {
		t.Error("the connection that carried the call is still open")
	}
	e.v.Advance(time.Second)
	if len(e.d.conns) != 2 || !e.c.Status().Connected {
		t.Error("not connected again")
	}
	e.conn().respond(sent{ID: json.RawMessage("3")}, turnIs("late"), nil)
	e.v.Settle()
	if len(e.reports) != 1 || e.c.Status().Counts.Strays != 1 {
		t.Errorf("%d reports, counts %+v after a late answer", len(e.reports), e.c.Status().Counts)
	}
	if len(e.troubles) != 1 || e.recovered != 1 {
		t.Errorf("troubles %q, recovered %d times", e.troubles, e.recovered)
	}
}

func TestAnInterruptWithoutAnswerIsGivenUpAlone(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.execute(interrupt)
	e.v.Advance(10 * time.Second)
	e.settled(transitions.InterruptUnknown{Turn: "turn-1"})
	if e.conn().closed || len(e.troubles) != 0 {
		t.Error("the connection was given up for it")
	}
	e.conn().answer(methodInterrupt, map[string]any{}) // answered when a later turn was
	if len(e.reports) != 1 {
		t.Error("reported twice")
	}
}

func TestAnAnswerWithoutTheTurnIsAsGoodAsNone(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.generation = "g1"
	e.start()
	e.execute(start)
	e.conn().answer(methodStart, map[string]any{"turn": "?"})
	e.settled(transitions.TurnStartUnknown{Message: "om_1", Link: link1})
	if !e.conn().closed {
		t.Error("absence could never be proven on the connection that is still open")
	}
}

func TestAnOverloadedServerIsAskedAgainLaterAndLater(t *testing.T) {
	t.Parallel()
	for _, effect := range []transitions.Effect{transitions.OpenThread{}, start, steer, interrupt} {
		e := connected(t)
		for _, method := range []string{methodOpen, methodStart, methodSteer, methodInterrupt} {
			e.d.auto[method] = refuses(codeOverloaded, "Server overloaded; retry later.")
		}
		var waits []time.Duration
		for _, number := range []int{1, 2, 3, 20} {
			e.c.Execute(track, effect, transitions.Attempt{Number: number}, func(r transitions.Report) {
				if r.Again == nil || r.Again.Sent {
					t.Fatalf("%s: %+v, want again, not sent", effect.EffectName(), r)
				}
				waits = append(waits, r.Again.After)
			})
			e.v.Settle()
		}
		want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 30 * time.Second}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Errorf("%s: waits (-want +got):\n%s", effect.EffectName(), diff)
		}
	}
}

func TestAThreadIsResumedBeforeItsFirstCallOnAConnection(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.d.auto[methodStart], e.d.auto[methodSteer] = answers(turnIs("turn-1")), answers(map[string]any{})
	e.conn().called("initialize", "initialized")
	e.execute(start)
	e.execute(steer)
	e.conn().called(methodResume, methodStart, methodSteer)

	e.conn().drop()
	e.v.Advance(time.Second)
	e.execute(steer)
	e.execute(start)
	e.conn().called("initialize", "initialized", methodResume, methodSteer, methodStart)
}

func TestAThreadThatTheServerDropsIsResumedAgain(t *testing.T) {
	t.Parallel()
	drops := map[string]map[string]any{
		"thread/closed":         {},
		"thread/status/changed": {"status": map[string]any{"type": "notLoaded"}},
	}
	for method, params := range drops {
		e := connected(t)
		e.d.auto[methodSteer] = answers(map[string]any{})
		e.execute(steer)
		e.conn().notify(method, params)
		e.execute(steer)
		e.conn().called("initialize", "initialized", methodResume, methodSteer, methodResume, methodSteer)
	}
}

func TestAThreadOpenedOnThisConnectionNeedsNoResume(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.execute(transitions.OpenThread{})
	e.conn().answer(methodOpen, threadIs("idle"))
	e.execute(start)
	e.conn().called("initialize", "initialized", methodOpen, methodStart)
}

func TestCallsThatWaitForAResumeShareIt(t *testing.T) {
	t.Parallel()
	e := connected(t)
	delete(e.d.auto, methodResume)
	e.execute(start)
	e.execute(steer)
	e.watch(true)
	e.v.Advance(time.Second) // a pull
	e.conn().called("initialize", "initialized", methodResume)
	e.conn().answer(methodResume, map[string]any{})
	e.conn().called(methodStart, methodSteer, methodList)
}

// TestAResumeThatFails says what becomes of the start behind it.
func TestWhatAResumeSaysDecidesAboutTheStartBehindIt(t *testing.T) {
	t.Parallel()
	const missing = "thread not found: thread-1"
	gone := transitions.TurnStartRefused{Message: "om_1", Refusal: transitions.ThreadGone, Said: missing}
	accepted := transitions.TurnStartAccepted{Message: "om_1", Turn: "turn-1"}
	archived := "session thread-1 is archived. Run `codex unarchive thread-1` to unarchive it first."
	tests := []struct {
		name        string
		resume      reaction
		start       reaction // nil: must not be called
		want        transitions.Fact
		resumeAgain bool
	}{
		{"stored nowhere, loaded nowhere", refuses(-32600, "no rollout found for thread id thread-1"), refuses(-32600, missing), gone, false},
		{"loaded, before its first turn", refuses(-32600, "no rollout found for thread id thread-1"), answers(turnIs("turn-1")), accepted, false},
		{"loaded, its first turn not on disk", refuses(-32601, "list_turns is not supported yet"), answers(turnIs("turn-1")), accepted, false},
		{"dropped in between", answers(map[string]any{}), refuses(-32600, missing), nil, true},
		{"archived", refuses(-32600, archived), nil,
			transitions.TurnStartRefused{Message: "om_1", Refusal: transitions.ThreadGone, Said: archived}, false},
		{"overloaded", refuses(codeOverloaded, "later"), nil, nil, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := connected(t)
			e.d.auto[methodResume] = test.resume
			e.d.auto[methodStart] = test.start
			e.execute(start)
			if test.want != nil {
				e.settled(test.want)
			} else {
				e.again(false)
			}
			if len(e.conn().open) != 0 {
				t.Errorf("open calls: %+v", e.conn().open)
			}
			e.conn().log = nil
			e.d.auto[methodResume], e.d.auto[methodStart] = answers(map[string]any{}), answers(turnIs("turn-1"))
			e.execute(start)
			if resumed := e.conn().log[0] == methodResume; test.resumeAgain && !resumed {
				t.Error("a thread that was dropped is not resumed again")
			}
		})
	}
}

func TestAConnectionLostWhileResumingLeavesTheMessageUnsent(t *testing.T) {
	t.Parallel()
	e := connected(t)
	delete(e.d.auto, methodResume)
	e.execute(start)
	e.conn().drop()
	e.again(false)
}

func TestStoppingReportsNothing(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.watch(true, "turn-1")
	e.execute(start)
	e.v.Post(e.c.Stop)
	e.v.Advance(time.Hour)
	if len(e.reports) != 0 || len(e.emitted) != 0 || e.d.dials != 1 || !e.conn().closed {
		t.Errorf("after Stop: reports %+v, facts %+v, %d dials", e.reports, e.emitted, e.d.dials)
	}
	if _, ok := e.v.Next(); ok {
		t.Error("a timer is left")
	}
}

// TestWhatIsTooOldIsNotSent holds calls back whose message is older than the limit when
// they are about to be written, unless its sender wants it sent all the same.
func TestWhatIsTooOldIsNotSent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		age  time.Duration
		wish bool
		held bool
		// ahead is how much the scheduler's clock, which never goes back, is before the
		// wall clock: that was set right.
		ahead time.Duration
	}{
		"young":                                  {30 * time.Minute, false, false, 0},
		"old":                                    {30*time.Minute + time.Millisecond, false, true, 0},
		"old, and wanted":                        {24 * time.Hour, true, false, 0},
		"from a clock before us":                 {-time.Hour, false, false, 0},
		"young, by the clock that was set right": {time.Second, false, false, 8 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, c := range []struct {
				effect       func(transitions.Millis) transitions.Effect
				method       string
				result       any
				stale, taken transitions.Fact
			}{
				{func(created transitions.Millis) transitions.Effect {
					e := start
					e.Created, e.Confirmed = created, test.wish
					return e
				}, methodStart, turnIs("turn-1"), transitions.MessageStale{Message: "om_1"}, transitions.TurnStartAccepted{Message: "om_1", Turn: "turn-1"}},
				{func(created transitions.Millis) transitions.Effect {
					e := steer
					e.Created, e.Confirmed = created, test.wish
					return e
				}, methodSteer, map[string]any{}, transitions.MessageStale{Message: "om_2", Turn: "turn-1"}, transitions.SteerAccepted{Message: "om_2", Turn: "turn-1"}},
			} {
				var e *desk
				wall := func() time.Time { return e.v.Now().Add(-test.ahead) }
				e = connected(t, func(o *Options) { o.Wall = wall })
				e.execute(c.effect(transitions.Millis(wall().Add(-test.age).UnixMilli())))
				if test.held {
					e.settled(c.stale)
					continue
				}
				e.conn().answer(c.method, c.result)
				e.settled(c.taken)
			}
		})
	}
}
