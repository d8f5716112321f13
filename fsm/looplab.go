package fsm

import (
	"context"
	"errors"
	"fmt"

	looplab "github.com/looplab/fsm"
)

// arc is one allowed transition: the event is unique in the whole relation.
type arc struct{ event, from, to string }

// relation is the transition relation, executed by looplab/fsm. It has no
// callbacks and no metadata, and every arc has an event name of its own, because
// looplab keeps silently only the last of two arcs with the same event and
// source, drops misspelt callbacks silently, and returns callback errors after
// the state has moved.
type relation struct {
	machine *looplab.FSM
	from    map[string]string // event → source
}

func newRelation(initial string, arcs []arc) *relation {
	r := &relation{from: make(map[string]string, len(arcs))}
	events := make(looplab.Events, 0, len(arcs))
	for _, a := range arcs {
		r.from[a.event] = a.from
		events = append(events, looplab.EventDesc{Name: a.event, Src: []string{a.from}, Dst: a.to})
	}
	r.machine = looplab.NewFSM(initial, events, nil)
	return r
}

// fire puts the machine into the given state, fires the event and returns the
// state it leads to. looplab accepts any string in SetState, so the source is
// compared first; a transition that stays is an error to looplab
// (NoTransitionError) and a success to us.
func (r *relation) fire(state, event string) (string, error) {
	if from, ok := r.from[event]; !ok || from != state {
		return "", fmt.Errorf("fsm: event %q does not leave state %q", event, state)
	}
	r.machine.SetState(state)
	if err := r.machine.Event(context.Background(), event); err != nil {
		if stays, ok := errors.AsType[looplab.NoTransitionError](err); !ok || stays.Err != nil {
			return "", fmt.Errorf("fsm: event %q in state %q: %w", event, state, err)
		}
	}
	return r.machine.Current(), nil
}
