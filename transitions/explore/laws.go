package explore

import (
	"fmt"
	"reflect"
	"slices"

	"deskbridge/fsm"
	"deskbridge/transitions"
)

// A law of a small machine: in these states, these moves change nothing. Many of
// them the conversation never makes, since it takes off the track what is over;
// the tables declare them all the same, and here is what they have to say.
type law struct {
	machine       string
	states, moves []string // no moves: all of them
	but           string   // the one move that does something all the same
}

var (
	waits  = []string{string(transitions.MessageKept), string(transitions.MessageHeld)}
	called = []string{string(transitions.MessageOffered), string(transitions.MessageAccepted), string(transitions.MessageUncertain)}
	laws   = []law{
		{machine: "message", states: []string{string(transitions.MessageAnswered), string(transitions.MessageRefused), string(transitions.MessageMoved)}},
		{machine: "message", states: []string{string(transitions.MessageProven)}, but: "answer"},
		{machine: "message", states: called, moves: []string{"hold", "offer", "answer", "move_on"}},
		{machine: "message", states: waits, moves: []string{"accept", "doubt", "lose", "strand", "answer"}},
		{machine: "message", states: []string{string(transitions.MessageAccepted), string(transitions.MessageUncertain)}, moves: []string{"doubt"}},
		{machine: "turn", states: []string{
			string(transitions.TurnCompleted), string(transitions.TurnInterrupted), string(transitions.TurnFailed), string(transitions.TurnAbsent),
		}},
		{machine: "turn", states: []string{string(transitions.TurnUnknown)}, moves: []string{"doubt"}},
		{machine: "turn", states: []string{string(transitions.TurnInFlight)}, moves: []string{"identify"}},
		{machine: "request", states: []string{string(transitions.RequestEnded), string(transitions.RequestDead)}},
		{machine: "request", states: []string{string(transitions.RequestDecided)}, moves: []string{"decide", "unshow"}},
		{machine: "request", states: []string{string(transitions.RequestShown)}, moves: []string{"show", "unshow", "repeat"}},
		{machine: "delivery", states: []string{string(transitions.DeliveryShown), string(transitions.DeliveryArchived)}},
		{machine: "delivery", states: []string{string(transitions.DeliveryFailed)}, but: "confirm"},
		{machine: "delivery", states: []string{string(transitions.DeliveryInDoubt)}, moves: []string{"doubt"}},
	}
)

// Laws holds the small machines of some tables against their laws.
func Laws(t *transitions.Tables) (broken []string) {
	broken = append(broken, lawful(t.Messages, transitions.Message{ID: "m1"})...)
	broken = append(broken, lawful(t.Turns, transitions.Turn{ID: "t1"})...)
	broken = append(broken, lawful(t.Requests, transitions.Request{ID: "r1"})...)
	return append(broken, lawful(t.Deliveries, transitions.Delivery{ID: "outcome:t1"})...)
}

func lawful[S ~string, D any](m *fsm.Machine[S, D, transitions.Move, transitions.Effect], data D) (broken []string) {
	decl := m.Declaration()
	for _, l := range laws {
		if l.machine != decl.Name {
			continue
		}
		for _, f := range decl.Facts {
			if f.Name == l.but || len(l.moves) > 0 && !slices.Contains(l.moves, f.Name) {
				continue
			}
			for _, s := range l.states {
				res, err := m.Step(S(s), data, transitions.Move{Kind: f.Name, Turn: "t2", Said: "no", Reply: "reply", AnswerTo: "m2", Shown: "shown"})
				if err != nil || string(res.State) != s || len(res.Effects) > 0 || !reflect.DeepEqual(res.Data, data) {
					broken = append(broken, fmt.Sprintf("%s: in %s, %s must change nothing: %v", decl.Name, s, f.Name, err))
				}
			}
		}
	}
	return broken
}
