package codex

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

// pulling is a client in the middle of its first pull: the list is asked for.
func pulling(t *testing.T, turns ...string) *desk {
	t.Helper()
	e := newDesk(t)
	e.watch(true, turns...)
	e.start()
	return e
}

func TestASnapshotTellsItsTurnsAndThatItIsOne(t *testing.T) {
	t.Parallel()
	e := pulling(t, "turn-1")
	f := e.conn().answer(methodList, listOf(
		aTurn("turn-2", "inProgress", userItem("om_2")),
		aTurn("turn-1", "completed", userItem("om_1"), agentItem("final_answer", "done")),
	))
	if want := `{"threadId":"thread-1","limit":20,"itemsView":"full"}`; string(f.Params) != want {
		t.Errorf("asked for %s, want %s", f.Params, want)
	}
	e.facts( // at once, whatever the status is
		transitions.TurnEnded{Turn: "turn-1", Status: transitions.EndCompleted, Messages: []string{"om_1"}, Reply: "done"},
		transitions.TurnRunning{Turn: "turn-2", Messages: []string{"om_2"}},
	)
	f = e.conn().answer(methodRead, threadIs("active"))
	if want := `{"threadId":"thread-1","includeTurns":false}`; string(f.Params) != want {
		t.Errorf("asked for %s, want %s", f.Params, want)
	}
	e.facts(e.snapshot(false, "turn-2", "turn-1"))
}

// TestASnapshotIsIdleOnlyIfNothingCanHaveMoved plays what happens between the
// two reads of a pull.
func TestASnapshotIsIdleOnlyIfNothingCanHaveMoved(t *testing.T) {
	t.Parallel()
	done := aTurn("turn-1", "completed")
	tests := []struct {
		name    string
		turns   []any
		between func(*desk)
		status  string
		want    bool
	}{
		{"nothing there", nil, nil, "idle", true},
		{"all over", []any{done}, nil, "idle", true},
		{"all over, the last one badly", []any{aTurn("turn-1", "failed")}, nil, "systemError", true},
		{"active", []any{done}, nil, "active", false},
		{"a status without a name", []any{done}, nil, "resting", false},
		{"ended after it was listed", []any{aTurn("turn-1", "inProgress")}, nil, "idle", false},
		{"a turn in a state without a name", []any{aTurn("turn-1", "paused")}, nil, "idle", false},
		{"not loaded, though resumed", []any{done}, nil, "notLoaded", false},
		{"another client's turn came and went", []any{done}, func(e *desk) {
			e.conn().notify("turn/started", map[string]any{"turn": map[string]any{"id": "turn-9"}})
			e.conn().notify("turn/completed", map[string]any{"turn": map[string]any{"id": "turn-9"}})
		}, "idle", false},
		{"our start is under way", []any{done}, func(e *desk) { e.execute(start) }, "idle", false},
		{"our start was answered, and nothing shows it yet", []any{done}, func(e *desk) {
			e.execute(start)
			e.conn().answer(methodStart, turnIs("turn-2"))
		}, "idle", false},
		{"an item came", []any{done}, func(e *desk) {
			e.conn().notify("item/completed", map[string]any{"turnId": "turn-1", "item": agentItem("commentary", "x")})
		}, "idle", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := connected(t)
			e.watch(true)
			e.v.Advance(time.Second)
			e.conn().answer(methodList, listOf(test.turns...))
			if test.between != nil {
				test.between(e)
			}
			e.conn().answer(methodRead, threadIs(test.status))
			last := e.emitted[len(e.emitted)-1].(transitions.PullAnswered)
			if last.Idle != test.want {
				t.Errorf("idle %v, want %v", last.Idle, test.want)
			}
		})
	}
}

func TestAStartedTurnThatNeverShowsMayBeMissedAfterTheSettleTime(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.d.auto[methodList], e.d.auto[methodRead] = answers(listOf()), answers(threadIs("idle"))
	e.execute(start)
	e.conn().answer(methodStart, turnIs("phantom"))
	started := e.v.Now()
	e.watch(true, "phantom")
	for range 4 {
		e.emitted = nil
		e.v.AdvanceUntil(time.Minute, func() bool { return len(e.emitted) > 0 })
		e.facts(e.snapshot(e.v.Now().Sub(started) >= 5*time.Second))
	}
}

// TestATurnThatReadsAsSeveredIsDoubtedAtFirst plays what a real server says when
// a turn has just begun, and when the server before it was killed.
func TestATurnThatReadsAsSeveredIsDoubtedAtFirst(t *testing.T) {
	t.Parallel()
	severed := aTurn("turn-1", "interrupted", userItem("om_1"))
	interrupted := transitions.TurnEnded{Turn: "turn-1", Status: transitions.EndInterrupted, Messages: []string{"om_1"}}
	pull := func(e *desk, status string, turns ...any) {
		e.emitted = nil
		e.d.auto[methodList], e.d.auto[methodRead] = answers(listOf(turns...)), answers(threadIs(status))
		e.v.AdvanceUntil(time.Minute, func() bool { return len(e.emitted) > 0 })
	}
	e := newDesk(t)
	e.watch(true, "turn-1")
	e.start()
	for _, status := range []string{"active", "idle", "idle", "active", "idle"} {
		e.conn().log = nil
		if e.d.auto[methodList] == nil {
			e.conn().answer(methodList, listOf(severed))
			e.conn().answer(methodRead, threadIs(status))
		} else {
			pull(e, status, severed)
		}
		e.facts(e.snapshot(false, "turn-1"))
		e.d.auto[methodList] = answers(listOf(severed))
	}
	since := e.v.Now()
	for len(e.emitted) < 2 { // until the end is told
		pull(e, "idle", severed)
	}
	e.facts(interrupted, e.snapshot(true, "turn-1"))
	if waited := e.v.Now().Sub(since); waited < 5*time.Second || waited > 10*time.Second {
		t.Errorf("believed after %v", waited)
	}
	ended := severed
	ended["completedAt"] = 1796077499
	e = connected(t)
	e.watch(true, "turn-1")
	pull(e, "idle", ended)
	e.facts(interrupted, e.snapshot(true, "turn-1"))
	delete(severed, "completedAt")
	e = connected(t)
	e.watch(true, "turn-1")
	pull(e, "active", aTurn("turn-2", "inProgress"), severed)
	e.facts(interrupted, transitions.TurnRunning{Turn: "turn-2"}, e.snapshot(false, "turn-2", "turn-1"))
}

func TestAStartedTurnThatIsListedAsOverHidesNothing(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.d.auto[methodList], e.d.auto[methodRead] = answers(listOf(aTurn("turn-1", "completed", userItem("om_1")))), answers(threadIs("idle"))
	e.execute(start)
	e.conn().answer(methodStart, turnIs("turn-1"))
	e.watch(true, "turn-1")
	e.v.Advance(time.Second)
	e.facts(
		transitions.TurnEnded{Turn: "turn-1", Status: transitions.EndCompleted, Messages: []string{"om_1"}},
		e.snapshot(true, "turn-1"),
	)
}

func TestPagesAreReadUntilAllThatIsWaitedForIsFound(t *testing.T) {
	t.Parallel()
	e := pulling(t, "turn-2")
	c := e.conn()
	paged := func(next any, turns ...any) map[string]any {
		list := listOf(turns...)
		list["nextCursor"] = next
		return list
	}
	c.answer(methodList, paged("p2", aTurn("turn-5", "completed"), aTurn("turn-4", "completed")))
	// turn-6 began meanwhile, so that turn-4 is listed a second time.
	f := c.answer(methodList, paged("p3", aTurn("turn-4", "completed"), aTurn("turn-2", "completed")))
	if want := `{"threadId":"thread-1","limit":20,"itemsView":"full","cursor":"p2"}`; string(f.Params) != want {
		t.Errorf("asked for %s, want %s", f.Params, want)
	}
	c.answer(methodRead, threadIs("idle"))
	e.facts(
		transitions.TurnEnded{Turn: "turn-2", Status: transitions.EndCompleted},
		e.snapshot(true, "turn-5", "turn-4", "turn-2"),
	)
}

// A pull after one that told of ended turns asks for the newest alone, and for more
// where these do not reach back to what was told.
func TestAPullReachesBackToTheLastOne(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.auto[methodRead] = answers(threadIs("idle"))
	e.watch(true)
	e.start()
	asked := func(want string, next any, turns ...any) {
		t.Helper()
		list := listOf(turns...)
		list["nextCursor"] = next
		if f := e.conn().answer(methodList, list); string(f.Params) != want {
			t.Errorf("asked for %s, want %s", f.Params, want)
		}
	}
	const whole, newest = `{"threadId":"thread-1","limit":20,"itemsView":"full"}`, `{"threadId":"thread-1","limit":2,"itemsView":"full"}`
	ours := func(id string) any { return aTurn(id, "completed", userItem("om_"+id)) }
	told := func(id string) transitions.Fact {
		return transitions.TurnEnded{Turn: id, Status: transitions.EndCompleted, Messages: []string{"om_" + id}}
	}
	asked(whole, "p2", ours("1"))
	e.facts(told("1"), e.snapshot(true, "1"))

	e.v.Advance(2 * time.Second)
	asked(newest, "p2", ours("2"), ours("1"))
	e.facts(told("2"), e.snapshot(true, "2", "1"))

	e.v.Advance(4 * time.Second)
	asked(newest, "p2", ours("5"), ours("4"))
	asked(`{"threadId":"thread-1","limit":20,"itemsView":"full","cursor":"p2"}`, "p3", ours("3"), ours("2"), ours("1"))
	e.facts(told("3"), told("4"), told("5"), e.snapshot(true, "5", "4", "3", "2", "1"))

	e.conn().drop() // another connection begins anew
	e.v.Advance(time.Second)
	asked(whole, "p2", ours("5"))
	e.facts(told("5"), e.snapshot(true, "5"))
}

func TestASearchThatIsCutShortProvesNoAbsence(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"for ever new pages", "the same page"} {
		e := newDesk(t)
		pages := 0
		e.d.auto[methodList] = func(json.RawMessage) (any, *refuse) {
			pages++
			list := listOf(aTurn(fmt.Sprint("t", pages), "completed"))
			list["nextCursor"] = "same"
			if name == "for ever new pages" {
				list["nextCursor"] = fmt.Sprint("c", pages)
			}
			return list, nil
		}
		e.watch(true, "lost")
		e.start()
		e.conn().answer(methodRead, threadIs("idle"))
		if last := e.emitted[len(e.emitted)-1].(transitions.PullAnswered); last.Idle || pages > maxPages {
			t.Errorf("%s: idle %v after %d pages", name, last.Idle, pages)
		}
	}
}

func TestAThreadThatIsNeitherLoadedNorStoredHasNoTurns(t *testing.T) {
	t.Parallel()
	missing := refuses(-32600, "thread not loaded: thread-1")
	tests := []struct {
		name               string
		resume, list, read reaction
		emits, idle        bool
	}{
		{"gone", refuses(-32600, "no rollout found for thread id thread-1"), missing, missing, true, true},
		{"loaded, before its first turn", refuses(-32600, "no rollout found for thread id thread-1"),
			refuses(-32600, "thread thread-1 is not materialized yet; thread/turns/list is unavailable"), answers(threadIs("idle")), true, true},
		{"loaded, its first turn not on disk", refuses(-32601, "list_turns is not supported yet"),
			refuses(-32601, "list_turns is not supported yet"), answers(threadIs("active")), true, false},
		{"stored, and being written", refuses(-32603, "failed to read session metadata /x"),
			refuses(-32603, "failed to read session metadata /x"), refuses(-32603, "failed to read session metadata /x"), false, false},
		{"dropped between resume and list", answers(map[string]any{}), missing, missing, false, false},
		{"dropped between the reads", answers(map[string]any{}), answers(listOf()), missing, false, false},
		{"not listed, but there", refuses(-32600, "no rollout found for thread id thread-1"), missing, answers(threadIs("idle")), true, false},
		{"archived", refuses(-32600, "session thread-1 is archived."), answers(listOf()), answers(threadIs("notLoaded")), true, true},
		{"overloaded", refuses(codeOverloaded, "later"), nil, nil, false, false},
		{"a list overloaded", answers(map[string]any{}), refuses(codeOverloaded, "later"), nil, false, false},
		{"a status overloaded", answers(map[string]any{}), answers(listOf()), refuses(codeOverloaded, "later"), false, false},
		{"no way to list", answers(map[string]any{}), refuses(-32600, "unknown variant `thread/turns/list`, expected"),
			refuses(-32600, "Invalid request: unknown variant `thread/read`, expected"), false, false},
		{"held by another server", refuses(-32600, "thread thread-1 already has an active writer"), nil, nil, false, false},
		{"a list that says nothing", answers(map[string]any{}), answers(map[string]any{}), nil, false, false},
		{"a status that says nothing", answers(map[string]any{}), answers(listOf()), answers(map[string]any{}), false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := newDesk(t)
			e.d.auto[methodResume], e.d.auto[methodList], e.d.auto[methodRead] = test.resume, test.list, test.read
			e.watch(true)
			e.start()
			if test.emits {
				e.facts(e.snapshot(test.idle))
			} else {
				e.facts()
			}
			if len(e.conn().open) != 0 {
				t.Errorf("open calls: %+v", e.conn().open)
			}
			calls := len(e.conn().log)
			e.v.Advance(10 * time.Second)
			if len(e.conn().log) == calls {
				t.Error("an unsettled thread is not read again")
			}
		})
	}
}

func TestHalfAListProvesNothing(t *testing.T) {
	t.Parallel()
	e := pulling(t, "turn-1")
	list := listOf(aTurn("turn-3", "completed"))
	list["nextCursor"] = "p2"
	e.conn().answer(methodList, list)
	e.conn().refuse(methodList, -32600, "thread not loaded: thread-1")
	e.facts()
	if len(e.conn().open) != 0 {
		t.Errorf("open calls: %+v", e.conn().open)
	}
}

func TestAPullThatLosesItsConnectionIsMadeOnTheNextOne(t *testing.T) {
	t.Parallel()
	e := pulling(t)
	e.conn().answer(methodList, listOf())
	e.conn().drop()
	e.v.Advance(time.Second)
	e.conn().answer(methodList, listOf())
	e.conn().answer(methodRead, threadIs("idle"))
	e.facts(e.snapshot(true))
	if e.d.dials != 2 {
		t.Errorf("%d dials", e.d.dials)
	}
}

func TestAnEndThatNobodyWaitsForByIDIsToldOnceAConnection(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.auto[methodList] = answers(listOf(aTurn("turn-2", "completed"), aTurn("turn-1", "completed", userItem("om_1"))))
	e.d.auto[methodRead] = answers(threadIs("idle"))
	ended := transitions.TurnEnded{Turn: "turn-1", Status: transitions.EndCompleted, Messages: []string{"om_1"}}
	e.watch(true)
	e.start()
	e.facts(ended, e.snapshot(true, "turn-2", "turn-1"))
	e.v.Advance(time.Second)
	e.facts(e.snapshot(true, "turn-2", "turn-1"))

	e.watch(true, "turn-1") // waited for by its id: told as often as it is read
	e.v.Advance(time.Second)
	e.facts(ended, e.snapshot(true, "turn-2", "turn-1"))

	e.watch(true)
	e.conn().drop()
	e.v.AdvanceUntil(time.Second, func() bool { return len(e.emitted) > 0 })
	e.facts(ended, e.snapshot(true, "turn-2", "turn-1"))
}

// TestAFailureThatIsStoredAsCompletedKeepsItsReason plays versions that forget it.
func TestAFailureThatIsStoredAsCompletedKeepsItsReason(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.watch(true, "turn-1", "turn-2")
	e.d.auto[methodList] = answers(listOf(
		aTurn("turn-2", "completed", userItem("om_2"), agentItem("final_answer", "done")), aTurn("turn-1", "completed", userItem("om_1")),
	))
	e.d.auto[methodRead] = answers(threadIs("idle"))
	for _, turn := range []string{"turn-1", "turn-2"} {
		e.conn().notify("turn/completed", map[string]any{"turn": map[string]any{
			"id": turn, "status": "failed", "error": map[string]any{"message": "boom"},
		}})
	}
	e.v.Advance(time.Second)
	want := []transitions.Fact{
		transitions.TurnEnded{Turn: "turn-1", Status: transitions.EndFailed, Messages: []string{"om_1"}, Said: "boom"},
		// What is stored with an answer is not called failed.
		transitions.TurnEnded{Turn: "turn-2", Status: transitions.EndCompleted, Messages: []string{"om_2"}, Reply: "done"},
	}
	if diff := cmp.Diff(want, e.emitted[:2]); diff != "" {
		t.Error(diff)
	}
}
