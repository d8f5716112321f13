package explore

import (
	"fmt"
	"slices"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

func (w *world) thread(id string) *thread {
	for i := range w.Threads {
		if w.Threads[i].ID == id && !w.Threads[i].Gone {
			return &w.Threads[i]
		}
	}
	return nil
}

// active is the turn that runs.
func (th *thread) active() *turn {
	if th == nil || len(th.Turns) == 0 {
		return nil
	}
	if t := &th.Turns[len(th.Turns)-1]; t.Status == inProgress {
		return t
	}
	return nil
}

// serveMoves are the ways in which Codex can take a call.
func (w *world) serveMoves(i int, e transitions.Effect) []explore.Move {
	moves := []explore.Move{w.move("Codex gets "+nameOf(e)+", and answers", func(n *world) { n.settleCall(i, n.serve(e)) })}
	if w.Left.Faults == 0 {
		return moves
	}
	if _, decision := e.(transitions.AnswerRequest); decision {
		return moves
	}
	moves = append(moves, w.move("Codex gets "+nameOf(e)+"; its answer is slow", func(n *world) {
		n.Left.Faults--
		n.Calls[i].Answer = n.serve(e)
	}))
	if start, ok := e.(transitions.StartTurn); ok {
		moves = append(moves, w.move("Codex gets "+nameOf(e)+", answers, and does not begin yet", func(n *world) {
			n.Left.Faults--
			n.settleCall(i, n.accept(start, false))
		}), w.move("Codex gets "+nameOf(e)+", answers, begins, and its word of that is lost", func(n *world) {
			n.Left.Faults--
			n.settleCall(i, n.accept(start, true))
			n.word = nil
		}))
	}
	refusal := refusalOf(e)
	if refusal == nil {
		return moves
	}
	moves = append(moves, w.move("Codex refuses "+nameOf(e), func(n *world) {
		n.Left.Faults--
		n.settleCall(i, refusal)
	}))
	if start, ok := e.(transitions.StartTurn); ok && w.thread(start.Thread) != nil {
		moves = append(moves, w.move("Codex answers the start with "+start.Message+" with a turn that never begins", func(n *world) {
			n.Left.Faults--
			if t := n.thread(start.Thread).active(); t != nil && !t.Deaf {
				t.Pending = with(t.Pending, start.Message)
			}
			n.settleCall(i, transitions.TurnStartAccepted{Message: start.Message, Turn: n.newTurnID()})
		}))
	}
	return moves
}

// refusalOf is a refusal that nothing explains.
func refusalOf(e transitions.Effect) transitions.Fact {
	switch e := e.(type) {
	case transitions.OpenThread:
		return transitions.ThreadRefused{Said: "no"}
	case transitions.StartTurn:
		return transitions.TurnStartRefused{Message: e.Message, Refusal: transitions.OtherRefusal, Said: "no"}
	case transitions.SteerTurn:
		return transitions.SteerRefused{Message: e.Message, Turn: e.Turn, Refusal: transitions.OtherRefusal, Said: "no"}
	case transitions.InterruptTurn:
		return transitions.InterruptRefused{Turn: e.Turn, Said: "no"}
	case transitions.BindThread:
		return transitions.ThreadUnavailable{Message: e.Message, Why: transitions.ServerRefused, Said: "no"}
	}
	return nil
}

// serve lets Codex carry a call out, and answer.
func (w *world) serve(e transitions.Effect) transitions.Fact {
	switch e := e.(type) {
	case transitions.OpenThread:
		w.made.Threads++
		id := fmt.Sprintf("th%d", w.made.Threads)
		w.Threads = append(w.Threads, thread{ID: id})
		opened := transitions.ThreadOpened{Thread: id}
		if e.Rebuild {
			opened.Transcript = transitions.TranscriptGiven
		}
		return opened
	case transitions.StartTurn:
		return w.accept(e, true)
	case transitions.SteerTurn:
		return w.serveSteer(e)
	case transitions.InterruptTurn:
		t := w.thread(e.Thread).active()
		if t == nil || t.ID != e.Turn {
			return transitions.InterruptRefused{Turn: e.Turn, Said: "no active turn to interrupt"}
		}
		w.end(t, transitions.EndInterrupted, false)
		return transitions.InterruptAccepted{Turn: e.Turn}
	case transitions.BindThread:
		return w.serveBind(e)
	case transitions.AnswerRequest:
		w.serveDecision(e)
		return transitions.DecisionWritten{Request: e.Request}
	}
	panic("explore: nobody carries out " + e.EffectName())
}

func (w *world) newTurnID() string {
	w.made.Turns++
	return fmt.Sprintf("t%d", w.made.Turns)
}

// accept starts a turn, and begins it: its text is an item.
func (w *world) accept(e transitions.StartTurn, begin bool) transitions.Fact {
	th := w.thread(e.Thread)
	if th == nil {
		return transitions.TurnStartRefused{Message: e.Message, Refusal: transitions.ThreadGone, Said: "thread not found"}
	}
	t := th.active()
	if t == nil {
		th.Turns = append(th.Turns, turn{ID: w.newTurnID(), Status: inProgress})
		t = &th.Turns[len(th.Turns)-1]
	} else {
		begin = false // the text is folded into the turn that runs
	}
	t.Starts = with(t.Starts, e.Message)
	if begin {
		t.Items = with(t.Items, e.Message)
		w.announce(t)
	} else {
		t.Pending = with(t.Pending, e.Message)
	}
	if i := w.writtenAt(e.Message); i >= 0 && w.Written[i].Stopped {
		t.MustStop = true
	}
	return transitions.TurnStartAccepted{Message: e.Message, Turn: t.ID}
}

func (w *world) serveSteer(e transitions.SteerTurn) transitions.Fact {
	refused := transitions.SteerRefused{Message: e.Message, Turn: e.Turn}
	th := w.thread(e.Thread)
	switch t := th.active(); {
	case th == nil:
		refused.Refusal = transitions.ThreadGone
	case t == nil:
		refused.Refusal = transitions.NoActiveTurn
	case t.ID != e.Turn:
		refused.Refusal = transitions.OtherTurn
	case t.Deaf:
		refused.Refusal = transitions.NotSteerable
	default:
		t.Pending = with(t.Pending, e.Message)
		return transitions.SteerAccepted{Message: e.Message, Turn: e.Turn}
	}
	return refused
}

// end ends a turn; accepted text that no item carries is gone, and so is what it
// asked.
func (w *world) end(t *turn, status transitions.EndStatus, reply bool) {
	w.endRequests(t.ID)
	t.Status, t.Pending = string(status), nil
	if reply {
		t.Reply = replyOf(t.ID)
	}
}

// begun says that the text that the turn was started with is an item of it: a turn
// does not end by itself before.
func (t *turn) begun() bool {
	return t.Foreign || len(t.Starts) == 0 || !slices.Contains(t.Pending, t.Starts[0])
}

// ends are the ways in which a turn ends, the plain one first.
var ends = []struct {
	status transitions.EndStatus
	reply  bool
	words  string
}{
	{transitions.EndCompleted, true, "completes with a reply"},
	{transitions.EndCompleted, false, "completes without a reply"},
	{transitions.EndInterrupted, false, "is interrupted by somebody else"},
	{transitions.EndInterrupted, true, "is interrupted by somebody else after it replied"},
	{transitions.EndFailed, false, "fails"},
	{transitions.EndFailed, true, "fails after it replied"},
}

// turnMoves are the ways in which the turns of a track's thread get on.
func (w *world) turnMoves(tr int) (moves []explore.Move) {
	th := w.bound(tr)
	if th == nil {
		return nil
	}
	id := th.ID
	t := th.active()
	if t == nil {
		if w.Left.Faults > 0 {
			moves = append(moves, w.foreignMove(id, false), w.foreignMove(id, true))
		}
		return moves
	}
	if len(t.Pending) > 0 && !w.asks(t.ID) {
		moves = append(moves, w.takeMove(id))
		if w.Left.Faults > 0 {
			take := w.takeMove(id)
			moves = append(moves, w.move(take.Name+", and its word of that is lost", func(n *world) {
				n.Left.Faults--
				n.take(n.thread(id).active())
			}))
		}
	}
	for _, e := range ends {
		odd := e != ends[0]
		if e.status != transitions.EndInterrupted && (!t.begun() || w.asks(t.ID)) || odd && w.Left.Faults == 0 {
			continue
		}
		moves = append(moves, w.move(t.ID+" "+e.words, func(n *world) {
			if odd {
				n.Left.Faults--
			}
			n.end(n.thread(id).active(), e.status, e.reply)
		}))
	}
	return moves
}

func (w *world) takeMove(threadID string) explore.Move {
	return w.move("Codex makes items of what "+w.thread(threadID).active().ID+" accepted", func(n *world) {
		t := n.thread(threadID).active()
		n.take(t)
		n.announce(t)
	})
}

// take makes items of what the turn accepted.
func (w *world) take(t *turn) {
	for _, id := range t.Pending {
		t.Items = with(t.Items, id)
	}
	t.Pending = nil
}

// announce says which items a turn has.
func (w *world) announce(t *turn) {
	w.say(t.ID, transitions.TurnRunning{Turn: t.ID, Messages: t.Items})
}

func (w *world) foreignMove(threadID string, deaf bool) explore.Move {
	what := "a turn"
	if deaf {
		what = "a turn that takes no text"
	}
	return w.move("another client starts "+what, func(n *world) {
		n.Left.Faults--
		th := n.thread(threadID)
		th.Turns = append(th.Turns, turn{ID: n.newTurnID(), Status: inProgress, Deaf: deaf, Foreign: true})
	})
}

// with adds to a list without changing the array that others share.
func with(list []string, more string) []string { return append(slices.Clip(list), more) }
