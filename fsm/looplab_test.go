package fsm

import (
	"context"
	"errors"
	"testing"

	looplab "github.com/looplab/fsm"
)

// The traps of looplab/fsm, each with what closes it. If an upgrade removes one,
// its first half fails, and the guard against it can go.

// TestTwoArcsFromOneStateBothLive: looplab keeps only the last of two arcs with
// the same event and source; ours have an event each.
func TestTwoArcsFromOneStateBothLive(t *testing.T) {
	t.Parallel()
	trap := looplab.NewFSM("a", looplab.Events{
		{Name: "go", Src: []string{"a"}, Dst: "b"},
		{Name: "go", Src: []string{"a"}, Dst: "c"},
	}, nil)
	if err := trap.Event(context.Background(), "go"); err != nil || trap.Current() != "c" {
		t.Errorf("looplab no longer drops the first silently: %v, %s", err, trap.Current())
	}
	r := newRelation("a", []arc{{"a.go.1", "a", "b"}, {"a.go.2", "a", "c"}})
	for event, want := range map[string]string{"a.go.1": "b", "a.go.2": "c"} {
		if got, err := r.fire("a", event); err != nil || got != want {
			t.Errorf("%s leads to %q, %v", event, got, err)
		}
	}
}

// TestATransitionThatStaysIsASuccess: looplab returns NoTransitionError, an
// error that means success.
func TestATransitionThatStaysIsASuccess(t *testing.T) {
	t.Parallel()
	trap := looplab.NewFSM("a", looplab.Events{{Name: "stay", Src: []string{"a"}, Dst: "a"}}, nil)
	var stays looplab.NoTransitionError
	if err := trap.Event(context.Background(), "stay"); !errors.As(err, &stays) {
		t.Errorf("looplab no longer calls it an error: %v", err)
	}
	r := newRelation("a", []arc{{"a.stay.1", "a", "a"}})
	if got, err := r.fire("a", "a.stay.1"); err != nil || got != "a" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestAStateThatDoesNotExistIsRefused: looplab's SetState takes any string.
func TestAStateThatDoesNotExistIsRefused(t *testing.T) {
	t.Parallel()
	arcs := []arc{{"a.go.1", "a", "b"}, {"b.go.1", "b", "a"}}
	trap := newRelation("a", arcs).machine
	if trap.SetState("nowhere"); trap.Current() != "nowhere" {
		t.Errorf("looplab no longer takes any string: %s", trap.Current())
	}
	r := newRelation("a", arcs)
	for _, c := range []struct{ state, event string }{
		{"nowhere", "a.go.1"}, // a state that does not exist
		{"b", "a.go.1"},       // an event of another state
		{"a", "a.goo.1"},      // an event that does not exist
		{"", ""},
	} {
		if got, err := r.fire(c.state, c.event); err == nil || got != "" {
			t.Errorf("event %q in state %q: %q, %v", c.event, c.state, got, err)
		}
		if r.machine.Current() != "a" {
			t.Fatalf("event %q in state %q moved the engine to %s", c.event, c.state, r.machine.Current())
		}
	}
	if got, err := r.fire("a", "a.go.1"); err != nil || got != "b" {
		t.Errorf("after refusals: %q, %v", got, err)
	}
}

// TestTheEngineHasNoCallbacks: looplab drops a misspelt callback silently and
// returns a callback's error after the state has moved; we hand it none.
func TestTheEngineHasNoCallbacks(t *testing.T) {
	t.Parallel()
	called := false
	note := func(context.Context, *looplab.Event) { called = true }
	trap := looplab.NewFSM("a", looplab.Events{{Name: "go", Src: []string{"a"}, Dst: "b"}},
		looplab.Callbacks{"before_goo": note})
	if err := trap.Event(context.Background(), "go"); err != nil || called {
		t.Errorf("looplab no longer drops a misspelt callback: %v, %v", err, called)
	}
	failure := errors.New("too late")
	trap = looplab.NewFSM("a", looplab.Events{{Name: "go", Src: []string{"a"}, Dst: "b"}},
		looplab.Callbacks{"enter_b": func(_ context.Context, e *looplab.Event) { e.Err = failure }})
	if err := trap.Event(context.Background(), "go"); !errors.Is(err, failure) || trap.Current() != "b" {
		t.Errorf("looplab no longer fails after it has moved: %v, %s", err, trap.Current())
	}
	// Ours fails before anything moves, or not at all.
	r := newRelation("a", []arc{{"a.go.1", "a", "b"}})
	if _, err := r.fire("b", "a.go.1"); err == nil || r.machine.Current() != "a" {
		t.Errorf("%v, and the engine is in %s", err, r.machine.Current())
	}
}

// TestAnInstanceLeavesNothingInTheEngine: the engine is one a machine, not one
// an instance, so that what one instance did must not show in the next.
func TestAnInstanceLeavesNothingInTheEngine(t *testing.T) {
	t.Parallel()
	r := newRelation("a", []arc{{"a.go.1", "a", "b"}, {"b.go.1", "b", "c"}})
	for range 3 {
		if got, err := r.fire("b", "b.go.1"); err != nil || got != "c" {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := r.fire("a", "a.go.1"); err != nil || got != "b" {
			t.Errorf("%q, %v", got, err)
		}
	}
}
