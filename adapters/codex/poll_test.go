package codex

import (
	"encoding/json"
	"testing"
	"time"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

// polled is a client whose pulls are answered at once; times collects when each
// began, counted from now.
func polled(t *testing.T, turns ...any) (e *desk, times *[]time.Duration) {
	t.Helper()
	e = connected(t)
	from := e.v.Now()
	times = &[]time.Duration{}
	e.d.auto[methodList] = func(json.RawMessage) (any, *refuse) {
		*times = append(*times, e.v.Now().Sub(from))
		return listOf(turns...), nil
	}
	e.d.auto[methodRead] = answers(threadIs("active"))
	return e, times
}

func wantTimes(t *testing.T, got *[]time.Duration, want ...time.Duration) {
	t.Helper()
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("pulls at (-want +got):\n%s", diff)
	}
	*got = nil
}

func TestAnUnsettledThreadIsReadEverMoreSlowlyAndASettledOneNever(t *testing.T) {
	t.Parallel()
	e, times := polled(t)
	e.watch(true, "turn-1")
	e.v.Advance(4 * time.Minute)
	const s = time.Second
	wantTimes(t, times, 1*s, 2*s, 4*s, 8*s, 16*s, 32*s, 64*s, 124*s, 184*s)

	e.watch(false)
	e.v.Advance(time.Hour)
	wantTimes(t, times)
	if _, ok := e.v.Next(); ok {
		t.Error("a timer is left")
	}
}

func TestAMoveOfWhatIsWaitedForMakesTheReadsQuickAgain(t *testing.T) {
	t.Parallel()
	e, times := polled(t)
	e.watch(true, "turn-1")
	e.v.Advance(40 * time.Second)
	*times = nil
	e.watch(true, "turn-1") // nothing new
	e.v.Advance(time.Second)
	wantTimes(t, times)
	e.watch(true, "turn-1", "turn-2")
	e.v.Advance(time.Second)
	wantTimes(t, times, 42*time.Second)
}

func TestChanceSpreadsTheReads(t *testing.T) {
	t.Parallel()
	e, times := polled(t)
	e.c.Rand = func() float64 { return 0.5 }
	e.watch(true)
	e.v.Advance(5 * time.Second)
	wantTimes(t, times, time.Second, 1900*time.Millisecond, 3700*time.Millisecond)
}

func TestAHintReadsAtOnceAndOnlyOnceForIdleAndCompleted(t *testing.T) {
	t.Parallel()
	e, times := polled(t, aTurn("turn-1", "completed"))
	e.watch(true, "turn-1")
	e.conn().notify("thread/status/changed", map[string]any{"status": map[string]any{"type": "idle"}})
	e.conn().notify("turn/completed", map[string]any{"turn": map[string]any{"id": "turn-1"}})
	wantTimes(t, times, 0)
	e.watch(false) // what the snapshot proved settles it
	e.v.Advance(time.Minute)
	wantTimes(t, times)
}

func TestWordThatAThreadIsIdleIsEnoughToReadIt(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"idle", "systemError"} {
		e, times := polled(t)
		e.watch(true, "turn-1")
		e.conn().notify("thread/status/changed", map[string]any{"status": map[string]any{"type": status}})
		e.v.Advance(100 * time.Millisecond)
		wantTimes(t, times, idlePause)
	}
}

func TestAnEndThatTheListDoesNotShowYetIsLookedForSoon(t *testing.T) {
	t.Parallel()
	e, times := polled(t, aTurn("turn-1", "inProgress"))
	e.watch(true, "turn-1")
	e.conn().notify("turn/completed", map[string]any{"turn": map[string]any{"id": "turn-1"}})
	e.v.Advance(4 * time.Second)
	const ms = time.Millisecond
	wantTimes(t, times, 0, 50*ms, 150*ms, 350*ms, 750*ms, 1550*ms, 2550*ms)
}

func TestOnePullATimeAndAHintMeanwhileCausesOneMore(t *testing.T) {
	t.Parallel()
	e := pulling(t, "turn-1")
	e.conn().called("initialize", "initialized", methodResume, methodList)
	for range 3 {
		e.conn().notify("turn/completed", map[string]any{"turn": map[string]any{"id": "turn-1"}})
		e.v.Advance(time.Second)
	}
	e.conn().called()
	e.conn().answer(methodList, listOf(aTurn("turn-1", "inProgress")))
	e.conn().called(methodRead)
	e.conn().answer(methodRead, threadIs("active"))
	e.conn().called(methodList)
	e.conn().answer(methodList, listOf(aTurn("turn-1", "completed")))
	e.conn().answer(methodRead, threadIs("idle"))
	e.conn().called(methodRead)
	if last := e.emitted[len(e.emitted)-1].(transitions.PullAnswered); !last.Idle {
		t.Error("the pull that the hint caused does not say idle")
	}
}

func TestAPullThatWasAskedForComesInItsTime(t *testing.T) {
	t.Parallel()
	e, times := polled(t)
	e.execute(transitions.Pull{Thread: thread1})
	wantTimes(t, times, 0)
	if r := e.report(); r.Again != nil || len(r.Facts) != 0 {
		t.Errorf("report %+v", r)
	}
	e.watch(true)
	e.v.Advance(20 * time.Second)
	*times = nil // the rhythm reads next at 31 s
	e.execute(transitions.Pull{Thread: thread1, After: 5000})
	e.v.Advance(10 * time.Second)
	wantTimes(t, times, 25*time.Second)
}

func TestAPullThatWasAskedForIsNotForgottenOverAnEarlierOne(t *testing.T) {
	t.Parallel()
	e, times := polled(t)
	e.watch(true)
	e.v.Advance(500 * time.Millisecond)
	e.execute(transitions.Pull{Thread: thread1, After: 5000})
	e.v.Advance(7 * time.Second)
	const s = time.Second
	wantTimes(t, times, 1*s, 2*s, 4*s, 5500*time.Millisecond)
}

func TestAPullAskedForWithoutAConnectionIsMadeOnceThereIsOne(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.down = errLost
	e.start()
	e.execute(transitions.Pull{Thread: thread1, After: 1000})
	e.d.down = nil
	e.v.Advance(time.Second)
	e.conn().called("initialize", "initialized", methodResume, methodList)
}

func TestAfterAReconnectOnlyUnsettledThreadsAreRead(t *testing.T) {
	t.Parallel()
	e := newDesk(t, func(o *Options) { o.Emit = func(string, []transitions.Fact) {} })
	watch := func(name string, unsettled bool) {
		e.c.Watch("track of "+name, transitions.Watch{Thread: name, Unsettled: unsettled})
	}
	watch("c", true)
	watch("a", true)
	watch("b", false)
	var read []string
	e.d.auto[methodList] = func(params json.RawMessage) (any, *refuse) {
		var p listParams
		decode(params, &p)
		read = append(read, p.ThreadID)
		return listOf(), nil
	}
	e.d.auto[methodRead] = answers(threadIs("idle"))
	e.start()
	if diff := cmp.Diff([]string{"a", "c"}, read); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
}

func TestATrackThatGoesOnToAnotherThreadIsNotReadInTheOldOne(t *testing.T) {
	t.Parallel()
	e := pulling(t, "turn-1")
	e.c.Watch(track, transitions.Watch{Thread: "thread-2"})
	e.conn().answer(methodList, listOf(aTurn("turn-1", "completed")))
	e.conn().answer(methodRead, threadIs("idle"))
	e.conn().notify("turn/completed", map[string]any{"turn": map[string]any{"id": "turn-1"}})
	e.v.Advance(time.Minute)
	e.facts()
	e.c.Watch(track, transitions.Watch{})
	if len(e.c.threads) != 0 {
		t.Errorf("threads left: %v", e.c.threads)
	}
}

func TestAMessageInARunningTurnIsToldOnceAConnection(t *testing.T) {
	t.Parallel()
	e, _ := polled(t, aTurn("turn-1", "completed", userItem("om_1")))
	e.watch(true)
	told := func(method, turn, client string) {
		e.conn().notify(method, map[string]any{"turnId": turn, "item": userItem(client)})
	}
	told("item/started", "turn-1", "om_1")
	told("item/completed", "turn-1", "om_1")
	told("item/started", "turn-1", "om_2")
	told("item/started", "turn-1", "")
	told("item/started", "", "om_3")
	e.facts(
		transitions.TurnRunning{Turn: "turn-1", Messages: []string{"om_1"}},
		transitions.TurnRunning{Turn: "turn-1", Messages: []string{"om_2"}},
	)
	e.v.Advance(time.Second) // read as over
	e.emitted = nil
	told("item/started", "turn-1", "om_3")
	e.facts()
}
