package explore

import (
	"slices"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

// readMoves are the ways in which the bridge learns of the turns of a track's
// thread.
func (w *world) readMoves(tr int) (moves []explore.Move) {
	d := &w.Tracks[tr].Data
	if w.Down || d.Thread == "" {
		return nil
	}
	if len(w.Late) > 0 {
		if tr != w.LateTo {
			return nil
		}
		return []explore.Move{w.lateMove()}
	}
	moves = append(moves, w.readMove(tr))
	if len(w.Pipe) > 0 || slices.ContainsFunc(d.Turns, func(t transitions.Turn) bool { return t.Missing != 0 }) {
		moves = append(moves, w.move(d.Thread+" is read at once", func(n *world) { n.tell(n.snapshot(tr)...) }))
	}
	if w.Left.Faults > 0 {
		moves = append(moves, w.move(d.Thread+" is read, which is told later", func(n *world) {
			n.Left.Faults--
			for _, f := range n.snapshot(tr) {
				n.Late = append(n.Late, f.fact)
			}
			n.LateTo = tr
		}))
	}
	return append(moves, w.noticeMoves(tr)...)
}

// readMove reads the thread after the settle time. By then the server has read
// what was left on an old connection.
func (w *world) readMove(tr int) explore.Move {
	return w.move(w.Tracks[tr].Data.Thread+" is read after a while", func(n *world) {
		n.now += settle
		n.readPipe()
		n.tell(n.snapshot(tr)...)
	})
}

func (w *world) lateMove() explore.Move {
	return w.move("the late read is told", func(n *world) {
		facts := n.Late
		n.Late = nil
		n.tell(to(n.LateTo, facts...)...)
		n.LateTo = 0
	})
}

// noticeMoves: word of a turn that began, or of its items, comes when the turn is
// over.
func (w *world) noticeMoves(tr int) (moves []explore.Move) {
	th := w.bound(tr)
	if th == nil || w.Left.Faults == 0 {
		return nil
	}
	for j := range th.Turns {
		t := &th.Turns[j]
		if t.Status != inProgress && !w.ended(t.ID) {
			moves = append(moves, w.move("late word comes that "+t.ID+" runs", func(n *world) {
				n.Left.Faults--
				n.tell(toTrack{tr, transitions.TurnRunning{Turn: t.ID, Messages: t.Items}})
			}))
		}
	}
	return moves
}

// snapshot reads a track's thread.
func (w *world) snapshot(tr int) []toTrack {
	d := &w.Tracks[tr].Data
	th := w.bound(tr)
	answer := transitions.PullAnswered{Idle: th.active() == nil, Link: w.Link, At: w.now, Settle: settle}
	for i := range w.Calls {
		// The client does not call a thread idle while it asks for a turn.
		if e, start := w.Calls[i].Effect.(transitions.StartTurn); start && w.Calls[i].Sent && e.Thread == d.Thread {
			answer.Idle = false
		}
	}
	if th == nil {
		return to(tr, answer)
	}
	var facts []transitions.Fact
	watch := d.Watch()
	for j := range th.Turns {
		t := &th.Turns[j]
		answer.Turns = append(answer.Turns, t.ID)
		switch {
		case t.Status == inProgress:
			facts = append(facts, transitions.TurnRunning{Turn: t.ID, Messages: t.Items})
		case w.ended(t.ID):
		case slices.Contains(watch.Turns, t.ID), len(t.Items) > 0:
			facts = append(facts, endOf(t))
		}
	}
	return to(tr, append(facts, answer)...)
}

// readPipe lets the server carry out what came over a connection that has ended;
// nobody hears its answers.
func (w *world) readPipe() {
	late := w.Pipe
	w.Pipe = nil
	for _, e := range late {
		w.serve(e)
	}
}

// reason is why turns fail.
const reason = "reason"

// endOf is the fact that the turn is over.
func endOf(t *turn) transitions.Fact {
	f := transitions.TurnEnded{Turn: t.ID, Status: transitions.EndStatus(t.Status), Messages: t.Items, Reply: t.Reply}
	if f.Status == transitions.EndFailed {
		f.Said = reason
	}
	return f
}
