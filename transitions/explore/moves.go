package explore

import (
	"slices"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

// Moves lists everything that can happen. What is carried out at once comes before
// anything else.
func (w *world) Moves() (moves []explore.Move) {
	if i := w.first((*call).urgent); i >= 0 {
		return w.urgentMoves(i)
	}
	moves = append(w.personMoves(), w.callMoves()...)
	for tr := range w.Tracks {
		moves = append(moves, w.turnMoves(tr)...)
		moves = append(moves, w.requestMoves(tr)...)
		moves = append(moves, w.readMoves(tr)...)
	}
	moves = append(moves, w.laterMoves()...)
	moves = append(moves, w.oddMoves()...)
	moves = append(moves, w.echoMoves()...)
	return append(moves, w.faultMoves()...)
}

// echoMoves: what was told is told once more, and changes nothing.
func (w *world) echoMoves() []explore.Move {
	if w.made.Messages == 0 || len(w.Calls) > 0 {
		return nil
	}
	return []explore.Move{w.move("what was told is told again", func(n *world) {
		for tr := range w.Tracks {
			n.tell(to(tr, w.echoes(tr)...)...)
		}
	})}
}

// echoes are facts that a track must make nothing of, but for an answer.
func (w *world) echoes(tr int) []transitions.Fact {
	facts := []transitions.Fact{
		transitions.ReceiptShown{Message: "m0", Reaction: "Get"},
		transitions.EffectDropped{Effect: "show_receipt", Subject: "m0", Said: "no"},
		transitions.HandedOver{Message: "m0"},
	}
	if w.odds {
		facts = append(facts, w.oddEchoes(tr)...)
	}
	for i := range w.Ledger.Deliveries {
		if d := &w.Ledger.Deliveries[i]; d.State == transitions.DeliveryShown && w.home(d.Turn) == tr {
			facts = append(facts, transitions.DeliveryConfirmed{Delivery: d.ID, Shown: d.Shown})
		}
	}
	if th := w.bound(tr); th != nil {
		for _, t := range th.Turns {
			if w.ended(t.ID) {
				facts = append(facts, transitions.TurnRunning{Turn: t.ID, Messages: t.Items})
			}
		}
	}
	for i := range w.Requests {
		switch r := &w.Requests[i]; {
		case w.home(r.Turn) != tr:
		case r.Open:
			facts = append(facts, clickOn(r.ID, stranger, "accept"))
		case r.Told:
			facts = append(facts, transitions.RequestResolved{Request: r.ID}, clickOn(r.ID, writer, "accept"))
		}
	}
	return facts
}

// oddEchoes are those of them that belong to oddities.
func (w *world) oddEchoes(tr int) []transitions.Fact {
	facts := []transitions.Fact{
		transitions.AttachmentsReady{Message: "m0"},
		transitions.AttachmentsFailed{Message: "m0"},
		transitions.MessageStale{Message: "m0"},
		transitions.SendOverdue{Message: "m0"},
		transitions.TurnSilent{Turn: "t0"},
		transitions.WaitingOverdue{Turn: "t0"},
		transitions.AgentMessageCompleted{Turn: "t0"},
	}
	if !w.ChatShut {
		facts = append(facts, transitions.ChatReopened{})
	}
	if w.Left.Oddities == 0 || len(w.Tracks[tr].Data.Shut) == 0 {
		facts = append(facts, transitions.TrackOpened{Why: transitions.ClosedByVersion})
	}
	for _, why := range w.Tracks[tr].Data.Shut {
		if why != transitions.ClosedByResume {
			facts = append(facts, closedFor(why))
		}
	}
	return facts
}

// Fair is what happens next when nothing goes wrong and everybody does what they
// ought to: calls are carried out and answered, turns take in what they accepted
// and end, unless they are to be stopped, and the thread is read as long as
// anything is open.
func (w *world) Fair() (explore.Move, bool) {
	answered := w.first(func(c *call) bool { return c.Answer != nil })
	waiting := w.first(func(c *call) bool { return c.Answer == nil })
	switch {
	case w.Down:
		return w.reconnectMove(), true
	case w.closed() != "":
		return w.reopenMove(w.closed()), true
	case len(w.Late) > 0:
		return w.lateMove(), true
	case answered >= 0:
		c := w.Calls[answered]
		return w.move("the answer to "+nameOf(c.Effect)+" is read", func(n *world) { n.settleCall(answered, c.Answer) }), true
	case waiting >= 0:
		return w.carryOut(waiting, w.Calls[waiting].Effect)[0], true
	case w.asked() != "":
		return w.answerMove(w.asked(), true), true
	case w.unanswered() != nil:
		return w.fairAnswer(w.unanswered()), true
	}
	for tr := range w.Tracks {
		if move, ok := w.fairTrack(tr); ok {
			return move, true
		}
	}
	return explore.Move{}, false
}

// fairTrack is what happens next with the turns of a track.
func (w *world) fairTrack(tr int) (explore.Move, bool) {
	th := w.bound(tr)
	t := th.active()
	switch {
	case t != nil && len(t.Pending) > 0 && !w.asks(t.ID):
		return w.takeMove(th.ID), true
	case t != nil && w.ignoredStop(tr, t.ID):
		return w.move("nothing is heard of "+t.ID+" for long", func(n *world) { n.tell(toTrack{tr, transitions.TurnSilent{Turn: t.ID}}) }), true
	case t != nil && !t.MustStop && !w.asks(t.ID):
		return w.move(t.ID+" "+ends[0].words, func(n *world) {
			n.end(n.bound(tr).active(), ends[0].status, ends[0].reply)
		}), true
	case w.Tracks[tr].Data.Thread != "" && (len(w.Pipe) > 0 || w.unread(tr)):
		return w.readMove(tr), true
	}
	return explore.Move{}, false
}

// ignoredStop says that the turn was interrupted, that the call is over, and that it
// runs on.
func (w *world) ignoredStop(tr int, turn string) bool {
	return slices.ContainsFunc(w.Tracks[tr].Data.Turns, func(t transitions.Turn) bool {
		return t.ID == turn && t.State == transitions.TurnInFlight && t.Interrupting
	})
}

// unanswered is a request that waits for somebody: the bridge has no decision.
func (w *world) unanswered() *request {
	for i := range w.Requests {
		r := &w.Requests[i]
		tr := w.home(r.Turn)
		if !r.Open || tr < 0 {
			continue
		}
		decided := slices.ContainsFunc(w.Tracks[tr].Data.Requests, func(q transitions.Request) bool {
			return q.ID == r.ID && q.State == transitions.RequestDecided
		})
		if !decided {
			return r
		}
	}
	return nil
}

// fairAnswer: what is asked arrives, and is answered by somebody who may, here or,
// if it cannot be shown here, elsewhere.
func (w *world) fairAnswer(r *request) explore.Move {
	if !r.Told {
		return w.arriveMove(r.ID)
	}
	tr := w.home(r.Turn)
	for i := range w.Tracks[tr].Data.Requests {
		if d := &w.Tracks[tr].Data.Requests[i]; d.ID == r.ID && d.State == transitions.RequestShown {
			return w.clickMove(tr, d.ID, admin, "accept")
		}
	}
	return w.move("another client answers "+r.ID, func(n *world) { n.resolve(r.ID) })
}

// unread says that a read of the track's thread would tell something.
func (w *world) unread(tr int) bool {
	if w.Tracks[tr].Data.Watch().Unsettled {
		return true
	}
	th := w.bound(tr)
	if th == nil || w.Tracks[tr].State == transitions.Superseded {
		return false // what others do on a thread that is left is theirs
	}
	for j := range th.Turns {
		t := &th.Turns[j]
		if t.Status == inProgress || len(t.Items) > 0 && !w.ended(t.ID) {
			return true
		}
	}
	return false
}
