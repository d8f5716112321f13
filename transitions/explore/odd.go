package explore

import (
	"fmt"
	"slices"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

// odd makes a move that counts as an oddity.
func (w *world) odd(name string, happen func(*world)) explore.Move {
	return w.move(name, func(n *world) {
		n.Left.Oddities--
		happen(n)
	})
}

// oddMoves are what else can happen, and what follows from it.
func (w *world) oddMoves() (moves []explore.Move) {
	if why := w.closed(); why != "" {
		moves = append(moves, w.reopenMove(why))
	}
	if id := w.asked(); id != "" {
		moves = append(moves, w.answerMove(id, true), w.answerMove(id, false))
	}
	if w.Left.Oddities == 0 {
		return moves
	}
	tr := w.newest()
	tell := func(name string, f transitions.Fact) {
		moves = append(moves, w.odd(name, func(n *world) { n.tell(toTrack{tr, f}) }))
	}
	if w.Left.Messages > 0 {
		id := fmt.Sprintf("m%d", w.made.Messages+1)
		moves = append(moves, w.odd("somebody writes "+id+" with a file", func(n *world) { n.write(tr, id, transitions.File{Key: "k"}) }))
	}
	for _, why := range []transitions.Closing{transitions.ClosedByPolicy, transitions.ClosedByChat} {
		if !slices.Contains(w.Tracks[tr].Data.Shut, why) {
			moves = append(moves, w.odd("the "+string(why)+" closes the track", func(n *world) {
				n.ChatShut = n.ChatShut || why == transitions.ClosedByChat
				n.tell(toTrack{tr, closedFor(why)})
			}))
		}
	}
	for of := range w.Tracks {
		if questions(&w.Tracks[of].Data) > 1 {
			moves = append(moves, w.odd(writer+" says that it is wanted, and not what", func(n *world) {
				n.tell(toTrack{of, transitions.StaleAnswered{Message: "a9", By: writer, Run: true}})
			}))
		}
	}
	tell("somebody chooses a model", transitions.ModelRequested{Message: "c1", Sender: writer, Model: "small"})
	tell("a stranger chooses a model", transitions.ModelRequested{Message: "c1", Sender: stranger, Model: "small"})
	if w.resumable() {
		moves = append(moves, w.odd(writer+" goes on with another thread", func(n *world) { n.resume(tr) }))
	}
	if tr > 0 {
		for _, f := range []transitions.Fact{
			transitions.StopRequested{Message: "s8", Sender: admin, Created: w.now + 1, Entitled: true},
			transitions.NewRequested{Message: "s8", Sender: admin, Created: w.now + 1, Entitled: true},
			transitions.ModelRequested{Message: "s8", Sender: admin, Model: "small", Entitled: true},
			transitions.ThreadsRequested{Message: "s8", Sender: admin},
			transitions.ResumeRequested{Message: "s8", Sender: admin, Created: w.now + 1, Number: 1, Entitled: true},
		} {
			moves = append(moves, w.odd(f.FactName()+" comes to the former track", func(n *world) { n.tell(toTrack{tr - 1, f}) }))
		}
	}
	moves = append(moves, w.strangerMoves()...)
	return append(append(moves, w.takeBackMoves()...), w.hintMoves()...)
}

// closedFor is the fact that a track is closed.
func closedFor(why transitions.Closing) transitions.Fact {
	if why == transitions.ClosedByChat {
		return transitions.ChatClosed{}
	}
	return transitions.TrackClosed{Why: why}
}

// closed is a reason for which a track that is not left is closed; empty: there is
// none.
func (w *world) closed() transitions.Closing {
	for _, why := range w.Tracks[w.newest()].Data.Shut {
		if why != transitions.ClosedByResume { // which ends by itself
			return why
		}
	}
	if w.ChatShut {
		return transitions.ClosedByChat // it was so when the track before was left
	}
	return ""
}

func (w *world) reopenMove(why transitions.Closing) explore.Move {
	return w.move("the "+string(why)+" closes the track no longer", func(n *world) {
		opened := transitions.Fact(transitions.TrackOpened{Why: why})
		if why == transitions.ClosedByChat {
			n.ChatShut, opened = false, transitions.ChatReopened{}
		}
		for tr := range n.Tracks {
			n.tell(toTrack{tr, opened})
		}
	})
}

// asked is a message whose sender is asked whether it is still wanted.
func (w *world) asked() string {
	for tr := range w.Tracks {
		for i := range w.Tracks[tr].Data.Messages {
			if m := &w.Tracks[tr].Data.Messages[i]; m.State == transitions.MessageAsked {
				return m.ID
			}
		}
	}
	return ""
}

// questions counts the messages of a track about which somebody is asked.
func questions(d *transitions.Data) (n int) {
	for i := range d.Messages {
		if d.Messages[i].State == transitions.MessageAsked {
			n++
		}
	}
	return n
}

// answerMove: whoever is asked about one message only does not say which.
func (w *world) answerMove(id string, run bool) explore.Move {
	return w.move(fmt.Sprintf("%s says of %s whether it is wanted: %t", writer, id, run), func(n *world) {
		for tr := range n.Tracks {
			if slices.ContainsFunc(n.Tracks[tr].Data.Messages, func(m transitions.Message) bool { return m.ID == id }) {
				if !run {
					n.bar(func(m string) bool { return m == id })
				}
				about := id
				if questions(&n.Tracks[tr].Data) == 1 {
					about = ""
				}
				n.tell(toTrack{tr, transitions.StaleAnswered{Message: clicked + id, About: about, By: writer, Run: run}})
				return
			}
		}
	})
}

// strangerMoves: somebody who wrote to no turn commands, and answers for another.
func (w *world) strangerMoves() (moves []explore.Move) {
	tr := w.newest()
	denied := func(name string, f transitions.Fact) {
		moves = append(moves, w.odd("a stranger writes "+name, func(n *world) {
			if len(n.Tracks[tr].Data.Turns) == 0 {
				n.fence() // where nothing runs, anybody may
			}
			n.tell(toTrack{tr, f})
		}))
	}
	denied("/stop", transitions.StopRequested{Message: "s9", Sender: stranger, Created: w.now + 1})
	denied("/new", transitions.NewRequested{Message: "s9", Sender: stranger, Created: w.now + 1})
	if id := w.asked(); id != "" {
		moves = append(moves, w.odd("a stranger says of "+id+" that it is wanted", func(n *world) {
			for tr := range n.Tracks {
				n.tell(toTrack{tr, transitions.StaleAnswered{Message: clicked + id, About: id, By: stranger, Run: true}})
			}
		}))
	}
	return moves
}

// takeBackMoves: what was written is taken back.
func (w *world) takeBackMoves() (moves []explore.Move) {
	gone := func(name string, meant func(string) bool, f transitions.Fact) {
		moves = append(moves, w.odd(name, func(n *world) {
			n.bar(meant)
			for tr := range n.Tracks {
				n.tell(toTrack{tr, f})
			}
		}))
	}
	for i := range w.Written {
		id := w.Written[i].ID
		gone(id+" is taken back", func(m string) bool { return m == id }, transitions.MessageRecalled{Message: id})
	}
	if len(w.Written) > 0 {
		gone(writer+" is not admitted any more", func(string) bool { return true }, transitions.SenderDismissed{Sender: writer})
	}
	return moves
}

// hintMoves: deadlines pass, and hints come, which are true.
func (w *world) hintMoves() (moves []explore.Move) {
	for tr := range w.Tracks {
		d := &w.Tracks[tr].Data
		hint := func(name string, f transitions.Fact) {
			key := f.FactKey()
			if key != "" && slices.Contains(w.Once, key) {
				return // the journal takes it once
			}
			moves = append(moves, w.odd(name, func(n *world) {
				if key != "" {
					n.Once = with(n.Once, key)
				}
				n.tell(toTrack{tr, f})
			}))
		}
		for i := range d.Messages {
			if m := &d.Messages[i]; m.State != transitions.MessageProven {
				hint(m.ID+" is unsent for long", transitions.SendOverdue{Message: m.ID})
			}
		}
		for i := range d.Turns {
			t := &d.Turns[i]
			if t.ID == "" {
				continue
			}
			hint("nothing is heard of "+t.ID+" for long", transitions.TurnSilent{Turn: t.ID})
			hint("what "+t.ID+" asks does not arrive", transitions.WaitingOverdue{Turn: t.ID})
			hint(t.ID+" says something on the way", transitions.AgentMessageCompleted{Turn: t.ID, Item: "i", Text: "so far"})
		}
		if d.Thread == "" || w.Down {
			continue
		}
		hint("a read is impossible just now", transitions.PullImpossible{Said: "rollout is empty", After: settle})
		if w.bound(tr) == nil {
			hint(d.Thread+" is said to be lost", transitions.ThreadLost{Said: "no rollout found"})
		} else {
			hint("the status of "+d.Thread+" is told", w.status(tr))
		}
	}
	return moves
}

// fetchMoves are what can become of the files of a message.
func (w *world) fetchMoves(i int, e transitions.FetchFiles) []explore.Move {
	got := []transitions.File{{Key: "k", Path: "p"}}
	moves := []explore.Move{w.move("the files of "+e.Message+" are there", func(n *world) {
		n.settleCall(i, transitions.AttachmentsReady{Message: e.Message, Files: got})
	})}
	if w.Left.Faults > 0 {
		moves = append(moves, w.move("the files of "+e.Message+" are lost", func(n *world) {
			n.Left.Faults--
			n.settleCall(i, transitions.AttachmentsFailed{Message: e.Message, Files: []transitions.File{{Key: "k", Lost: "no"}}})
		}))
	}
	return moves
}

// oddCallMoves: a call is held back since its message is too old, or an interrupt does
// nothing.
func (w *world) oddCallMoves(i int, e transitions.Effect) []explore.Move {
	if stop, ok := e.(transitions.InterruptTurn); ok && w.Left.Oddities > 0 {
		return []explore.Move{w.odd("Codex accepts the interrupt of "+stop.Turn+", and it runs on", func(n *world) {
			n.settleCall(i, transitions.InterruptAccepted{Turn: stop.Turn})
		})}
	}
	hold := func(f transitions.MessageStale) []explore.Move {
		return []explore.Move{w.odd(f.Message+" is too old to be sent", func(n *world) { n.settleCall(i, f) })}
	}
	switch e := e.(type) {
	case transitions.StartTurn:
		if w.Left.Oddities > 0 && !e.Confirmed {
			return hold(transitions.MessageStale{Message: e.Message})
		}
	case transitions.SteerTurn:
		if w.Left.Oddities > 0 && !e.Confirmed {
			return hold(transitions.MessageStale{Message: e.Message, Turn: e.Turn})
		}
	}
	return nil
}
