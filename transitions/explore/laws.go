package explore

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"deskbridge/fsm"
	"deskbridge/transitions"
)

// A law of a small machine: in these states, these moves change nothing. Many of
// them the conversation never makes, since it takes off the track what is over;
// the tables declare them all the same, and here is what they have to say.
type law struct {
	machine       string
	states, moves []string // no moves: all of them
	but           []string // the moves that do something all the same
}

var (
	waits  = []string{string(transitions.MessageKept), string(transitions.MessageHeld)}
	unsent = []string{string(transitions.MessageKept), string(transitions.MessageHeld), string(transitions.MessageFetching), string(transitions.MessageAsked)}
	called = []string{string(transitions.MessageOffered), string(transitions.MessageAccepted), string(transitions.MessageUncertain)}
	// unasked are those whose call is not known to have been answered.
	unasked = []string{string(transitions.MessageOffered), string(transitions.MessageUncertain)}
	laws    = []law{
		{machine: "message", states: []string{string(transitions.MessageAnswered), string(transitions.MessageRefused), string(transitions.MessageMoved), string(transitions.MessageUnresolved), string(transitions.MessageWithdrawn)}},
		{machine: "message", states: []string{string(transitions.MessageProven)}, but: []string{"answer"}},
		{machine: "message", states: called, moves: []string{"hold", "offer", "answer", "move_on", "fetch", "ready", "want"}},
		{machine: "message", states: called[1:], moves: []string{"ask"}},
		{machine: "message", states: unsent, moves: []string{"accept", "doubt", "lose", "strand", "answer", "ask"}},
		{machine: "message", states: unsent[1:2], moves: []string{"fetch", "ready", "want"}},
		{machine: "message", states: unsent[:1], moves: []string{"prove", "ready", "want"}},
		{machine: "message", states: unsent[2:3], moves: []string{"want"}},
		{machine: "message", states: unsent[2:], moves: []string{"hold", "offer", "fetch", "refuse"}},
		{machine: "message", states: unsent[3:], moves: []string{"move_on", "ready"}},
		{machine: "message", states: called[:1], moves: []string{"strand"}},
		{machine: "message", states: called[1:2], moves: []string{"accept", "refuse"}},
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
		{machine: "delivery", states: []string{string(transitions.DeliveryFailed)}, but: []string{"confirm", "resend", "part"}},
		{machine: "delivery", states: []string{string(transitions.DeliveryInDoubt)}, moves: []string{"doubt", "archive", "resend"}},
		{machine: "delivery", states: []string{string(transitions.DeliveryReady)}, moves: []string{"resend"}},
	}
)

// An outcome of a small machine: where a move leads, and what has to come of it.
type outcome struct {
	machine string
	states  []string
	move    string
	barred  transitions.Bar // of a message that has this bar
	foreign bool            // of a turn that nothing of ours is in
	mute    bool            // of an end that the server gives no reason for
	to      string
	emits   string // the name of an effect; empty: it need not have any
	keeps   string // what the data must say afterwards, as Go prints it
}

var (
	hidden   = []string{string(transitions.RequestHidden), string(transitions.RequestUnshown)}
	seen     = []string{string(transitions.RequestShown), string(transitions.RequestDecided)}
	openTurn = []string{string(transitions.TurnUnknown), string(transitions.TurnInFlight)}
	outcomes = []outcome{
		{machine: "message", states: waits, move: "hold", to: string(transitions.MessageHeld)},
		{machine: "message", states: waits, move: "offer", to: string(transitions.MessageOffered), keeps: "Turn:t2"},
		{machine: "message", states: unsent[:3], move: "move_on", to: string(transitions.MessageMoved)},
		{machine: "message", states: unsent, move: "fence", to: string(transitions.MessageRefused), emits: "deliver"},
		{machine: "message", states: unsent, move: "recall", to: string(transitions.MessageWithdrawn)},
		{machine: "message", states: unsent, move: "expel", to: string(transitions.MessageRefused), emits: "deliver"},
		{machine: "message", states: unsent[:1], move: "fetch", to: string(transitions.MessageFetching)},
		{machine: "message", states: unsent[2:3], move: "ready", to: string(transitions.MessageKept), keeps: "Path:p"},
		{machine: "message", states: unsent[3:], move: "want", to: string(transitions.MessageKept), keeps: "Confirmed:true"},
		{machine: "message", states: called[:1], move: "ask", to: string(transitions.MessageAsked), emits: "deliver"},
		{machine: "message", states: called[:1], move: "ask", barred: transitions.BarFence, to: string(transitions.MessageRefused), emits: "deliver"},
		{machine: "message", states: called[:1], move: "ask", barred: transitions.BarRecall, to: string(transitions.MessageWithdrawn)},
		{machine: "message", states: called[:1], move: "ask", barred: transitions.BarDismissal, to: string(transitions.MessageRefused), emits: "deliver"},
		{machine: "message", states: called, move: "lose", barred: transitions.BarRecall, to: string(transitions.MessageWithdrawn)},
		{machine: "message", states: called, move: "lose", barred: transitions.BarDismissal, to: string(transitions.MessageRefused), emits: "deliver"},
		{machine: "message", states: called[:1], move: "recall", to: called[0], keeps: "Barred:recall"},
		{machine: "message", states: called[1:2], move: "recall", to: called[1], keeps: "Barred:recall"},
		{machine: "message", states: called[2:], move: "recall", to: called[2], keeps: "Barred:recall"},
		{machine: "message", states: called[:1], move: "expel", to: called[0], keeps: "Barred:dismissal"},
		{machine: "message", states: called[1:2], move: "expel", to: called[1], keeps: "Barred:dismissal"},
		{machine: "message", states: called[2:], move: "expel", to: called[2], keeps: "Barred:dismissal"},
		{machine: "message", states: slices.Concat(called, unsent[1:]), move: "prove", to: string(transitions.MessageProven), keeps: "Turn:t2"},
		{machine: "message", states: slices.Concat(unasked, waits), move: "refuse", to: string(transitions.MessageRefused), emits: "deliver"},
		{machine: "message", states: unasked, move: "accept", to: string(transitions.MessageAccepted)},
		{machine: "message", states: called[:1], move: "doubt", to: string(transitions.MessageUncertain)},
		{machine: "message", states: called, move: "lose", to: string(transitions.MessageHeld)},
		{machine: "message", states: called, move: "lose", barred: transitions.BarFence, to: string(transitions.MessageRefused), emits: "deliver"},
		{machine: "message", states: called[1:], move: "strand", to: string(transitions.MessageUnresolved), emits: "deliver"},
		{machine: "message", states: called[:1], move: "fence", to: called[0], keeps: "Barred:fence"},
		{machine: "message", states: called[1:2], move: "fence", to: called[1], keeps: "Barred:fence"},
		{machine: "message", states: called[2:], move: "fence", to: called[2], keeps: "Barred:fence"},
		{machine: "message", states: []string{string(transitions.MessageProven)}, move: "answer", to: string(transitions.MessageAnswered)},
		{machine: "turn", states: openTurn[:1], move: "identify", to: string(transitions.TurnInFlight), keeps: "ID:t2"},
		{machine: "turn", states: openTurn[1:], move: "doubt", to: string(transitions.TurnUnknown)},
		{machine: "turn", states: openTurn, move: "end_completed", to: string(transitions.TurnCompleted), keeps: "ID:t2", emits: "deliver"},
		{machine: "turn", states: openTurn, move: "end_interrupted", to: string(transitions.TurnInterrupted), keeps: "ID:t2", emits: "deliver"},
		{machine: "turn", states: openTurn, move: "end_failed", to: string(transitions.TurnFailed), keeps: "Said:no", emits: "deliver"},
		{machine: "turn", states: openTurn, move: "vanish", to: string(transitions.TurnAbsent), keeps: "ID:t2", emits: "deliver"},
		{machine: "turn", states: openTurn, move: "end_failed", mute: true, to: string(transitions.TurnFailed), keeps: "ID:t2", emits: "deliver"},
		{machine: "turn", states: openTurn, move: "end_completed", foreign: true, to: string(transitions.TurnCompleted), keeps: "ID:t2"},
		{machine: "turn", states: openTurn, move: "end_interrupted", foreign: true, to: string(transitions.TurnInterrupted), keeps: "ID:t2"},
		{machine: "turn", states: openTurn, move: "end_failed", foreign: true, to: string(transitions.TurnFailed), keeps: "Said:no"},
		{machine: "turn", states: openTurn, move: "vanish", foreign: true, to: string(transitions.TurnAbsent), keeps: "ID:t2"},
		{machine: "request", states: hidden, move: "show", to: string(transitions.RequestShown), keeps: "Shown:shown"},
		{machine: "request", states: seen[1:], move: "show", to: string(transitions.RequestDecided), keeps: "Shown:shown", emits: "close_request"},
		{machine: "request", states: hidden[:1], move: "unshow", to: string(transitions.RequestUnshown), emits: "deliver"},
		{machine: "request", states: hidden[:1], move: "repeat", to: hidden[0]},
		{machine: "request", states: hidden[1:], move: "repeat", to: hidden[1]},
		{machine: "request", states: append(hidden, seen[0]), move: "decide", to: string(transitions.RequestDecided), keeps: "Decision:yes", emits: "answer_request"},
		{machine: "request", states: seen[1:], move: "repeat", to: string(transitions.RequestDecided), emits: "answer_request"},
		{machine: "request", states: hidden[:1], move: "resume", to: hidden[0], keeps: "Unreplayed:c2"},
		{machine: "request", states: hidden[1:], move: "resume", to: hidden[1], keeps: "Unreplayed:c2"},
		{machine: "request", states: seen[:1], move: "resume", to: seen[0], keeps: "Unreplayed:c2"},
		{machine: "request", states: seen[1:], move: "resume", to: seen[1], keeps: "Unreplayed:c2"},
		{machine: "request", states: hidden, move: "resolve", to: string(transitions.RequestEnded)},
		{machine: "request", states: seen, move: "resolve", to: string(transitions.RequestEnded), emits: "close_request"},
		{machine: "request", states: hidden, move: "die", to: string(transitions.RequestDead)},
		{machine: "request", states: seen, move: "die", to: string(transitions.RequestDead), emits: "close_request"},
		{machine: "delivery", states: []string{string(transitions.DeliveryReady), string(transitions.DeliveryInDoubt), string(transitions.DeliveryFailed)}, move: "confirm", to: string(transitions.DeliveryShown), keeps: "Shown:shown"},
		{machine: "delivery", states: []string{string(transitions.DeliveryReady), string(transitions.DeliveryInDoubt)}, move: "refuse", to: string(transitions.DeliveryFailed), keeps: "Said:no"},
		{machine: "delivery", states: []string{string(transitions.DeliveryFailed)}, move: "resend", to: string(transitions.DeliveryReady), emits: "deliver"},
		{machine: "delivery", states: []string{string(transitions.DeliveryReady)}, move: "part", to: string(transitions.DeliveryReady), keeps: "Sent:7"},
		{machine: "delivery", states: []string{string(transitions.DeliveryInDoubt)}, move: "part", to: string(transitions.DeliveryInDoubt), keeps: "Sent:7"},
		{machine: "delivery", states: []string{string(transitions.DeliveryFailed)}, move: "part", to: string(transitions.DeliveryFailed), keeps: "Sent:7"},
		{machine: "delivery", states: []string{string(transitions.DeliveryReady)}, move: "doubt", to: string(transitions.DeliveryInDoubt)},
		{machine: "delivery", states: []string{string(transitions.DeliveryReady)}, move: "archive", to: string(transitions.DeliveryArchived)},
	}
)

// Laws holds the small machines of some tables against their laws.
func Laws(t *transitions.Tables) (broken []string) {
	broken = append(broken, lawful(t.Messages, transitions.Message{ID: "m1"})...)
	broken = append(broken, lawful(t.Turns, transitions.Turn{ID: "t1"})...)
	broken = append(broken, lawful(t.Requests, transitions.Request{ID: "r1"})...)
	broken = append(broken, lawful(t.Deliveries, transitions.Delivery{ID: "outcome:t1"})...)
	for _, bar := range []transitions.Bar{"", transitions.BarFence, transitions.BarRecall, transitions.BarDismissal} {
		broken = append(broken, leads(t.Messages, transitions.Message{ID: "m1", Barred: bar}, bar)...)
	}
	broken = append(broken, leads(t.Turns, transitions.Turn{ID: "t1"}, "")...)
	broken = append(broken, leads(t.Requests, transitions.Request{ID: "r1"}, "")...)
	return append(broken, leads(t.Deliveries, transitions.Delivery{ID: "outcome:t1"}, "")...)
}

// moveOf is a move that says everything that any move says.
func moveOf(kind string) transitions.Move {
	return transitions.Move{
		Kind: kind, Turn: "t2", Said: "no", Reply: "reply", AnswerTo: "m2", Shown: "shown", By: "ou_a", Decision: "yes",
		Files: []transitions.File{{Key: "k", Path: "p"}}, Connection: "c2", UpTo: 7,
	}
}

func lawful[S ~string, D any](m *fsm.Machine[S, D, transitions.Move, transitions.Effect], data D) (broken []string) {
	decl := m.Declaration()
	for _, l := range laws {
		if l.machine != decl.Name {
			continue
		}
		for _, f := range decl.Facts {
			if slices.Contains(l.but, f.Name) || len(l.moves) > 0 && !slices.Contains(l.moves, f.Name) {
				continue
			}
			for _, s := range l.states {
				res, err := m.Step(S(s), data, moveOf(f.Name))
				if err != nil || string(res.State) != s || len(res.Effects) > 0 || !reflect.DeepEqual(res.Data, data) {
					broken = append(broken, fmt.Sprintf("%s: in %s, %s must change nothing: %v", decl.Name, s, f.Name, err))
				}
			}
		}
	}
	return broken
}

func leads[S ~string, D any](m *fsm.Machine[S, D, transitions.Move, transitions.Effect], data D, barred transitions.Bar) (broken []string) {
	decl := m.Declaration()
	for _, o := range outcomes {
		if o.machine != decl.Name || o.barred != barred {
			continue
		}
		for _, s := range o.states {
			move := moveOf(o.move)
			if o.foreign {
				move.AnswerTo = ""
			}
			if o.mute {
				move.Said, move.Reply = "", ""
			}
			res, err := m.Step(S(s), data, move)
			emitted := o.emits == "" || slices.ContainsFunc(res.Effects, func(e transitions.Effect) bool { return e.EffectName() == o.emits })
			if err != nil || string(res.State) != o.to || !emitted || !strings.Contains(fmt.Sprintf("%+v", res.Data), o.keeps) {
				broken = append(broken, fmt.Sprintf("%s: in %s, %s must lead to %s (%s, %s): %v", decl.Name, s, o.move, o.to, o.emits, o.keeps, err))
			}
		}
	}
	return broken
}
