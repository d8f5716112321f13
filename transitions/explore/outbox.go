package explore

import (
	"slices"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// emit takes an effect into the outbox, and returns the facts that follow from it
// at once.
func (w *world) emit(tr int, e transitions.Effect) []transitions.Fact {
	switch e := e.(type) {
	case transitions.StartTurn:
		w.offered(e.Message)
		e.Created = 0 // how old a message is, is chance
		w.enqueue(tr, e)
		return nil
	case transitions.SteerTurn:
		w.offered(e.Message)
		e.Created = 0
		w.enqueue(tr, e)
		return nil
	case transitions.OpenTrack:
		w.Tracks = append(w.Tracks, track{State: transitions.Idle, Data: e.Data()})
	case transitions.HandOver:
		w.once(e.Message) // what is behind a fence, the next track gives back
	case transitions.Withdraw:
		return w.withdraw(tr)
	case transitions.Pull, transitions.ShowReceipt, transitions.ShowProgress:
		return nil // a read, and what may be lost, may come at any time
	case transitions.CloseRequest:
		if r := w.request(e.Request); r != nil {
			r.Closed = true
		}
		return nil
	case transitions.Deliver:
		v := w.view()
		w.broken = append(w.broken, invariant.SaidNow(&v, e)...)
		if e.Kind == transitions.Notice {
			// What becomes of a notice moves nothing but its own row: whether it
			// happens now or later makes no difference to anything else.
			if w.ChatShut {
				return []transitions.Fact{transitions.DeliveryRefused{Delivery: e.Delivery, Code: 230002, Said: "no"}}
			}
			w.show(e.Delivery)
			return []transitions.Fact{transitions.DeliveryConfirmed{Delivery: e.Delivery, Shown: "shown:" + e.Delivery}}
		}
	}
	if d, ok := e.(transitions.Deliver); ok {
		d.UUID = "" // follows from its id
		e = d
	}
	w.enqueue(tr, e)
	return nil
}

func (w *world) enqueue(tr int, e transitions.Effect) {
	if !transitions.Handle(e).Record {
		w.Calls = append(w.Calls, call{Track: tr, Effect: e})
	}
}

// offered notes when what is behind a fence, or is in a turn, goes out to Codex.
func (w *world) offered(message string) {
	if i := w.writtenAt(message); i >= 0 && w.Written[i].Fenced {
		w.Written[i].Behind = true
	}
	w.once(message)
}

// once holds that what is in a turn goes nowhere else.
func (w *world) once(message string) {
	for i := range w.Threads {
		for j := range w.Threads[i].Turns {
			if t := &w.Threads[i].Turns[j]; !t.Gone && slices.Contains(t.Items, message) {
				w.fault("%s is an item of %s, and goes on its way again", message, t.ID)
			}
		}
	}
}

// withdraw takes what is unsent and carries text to Codex out of the outbox.
func (w *world) withdraw(tr int) (back []transitions.Fact) {
	w.Calls = slices.DeleteFunc(w.Calls, func(c call) bool {
		h := transitions.Handle(c.Effect)
		if c.Sent || c.Track != tr || h.IfWithdrawn == nil {
			return false
		}
		back = append(back, h.IfWithdrawn)
		return true
	})
	return back
}

// lane is where calls of one track keep their order.
type lane struct {
	track int
	name  string
}

// dispatch sends what can be sent: of a lane, the first.
func (w *world) dispatch() {
	busy := map[lane]bool{}
	for i := range w.Calls {
		c := &w.Calls[i]
		h := transitions.Handle(c.Effect)
		in := lane{c.Track, h.Lane}
		if !busy[in] && !(w.Down && toCodex(c.Effect)) {
			c.Sent = true
		}
		busy[in] = h.Lane != ""
	}
}

func toCodex(e transitions.Effect) bool {
	switch e.(type) {
	case transitions.Deliver, transitions.ShowRequest, transitions.HandOver, transitions.FetchFiles:
		return false
	}
	return true
}

// callMoves are the ways in which calls get on.
func (w *world) callMoves() (moves []explore.Move) {
	for i := range w.Calls {
		c := &w.Calls[i]
		switch {
		case !c.Sent:
		case c.Answer != nil:
			moves = append(moves, w.move("the answer to "+nameOf(c.Effect)+" is read", func(n *world) { n.settleCall(i, c.Answer) }))
		default:
			moves = append(moves, w.carryOut(i, c.Effect)...)
		}
	}
	return moves
}

// urgent says that the call is carried out before anything else happens, unless it
// is slow, which counts as a fault. Calls with text, and interrupts, take their
// time: what happens meanwhile is an ordinary thing.
func (c *call) urgent() bool {
	switch c.Effect.(type) {
	case transitions.StartTurn, transitions.SteerTurn, transitions.InterruptTurn, transitions.FetchFiles, transitions.BindThread:
		return false
	}
	return c.Sent && !c.Slow && c.Answer == nil
}

func (w *world) urgentMoves(i int) []explore.Move {
	c := &w.Calls[i]
	moves := w.carryOut(i, c.Effect)
	if w.Left.Faults > 0 {
		moves = append(moves, w.move(nameOf(c.Effect)+" takes its time", func(n *world) {
			n.Left.Faults--
			n.Calls[i].Slow = true
		}))
	}
	return moves
}

// carryOut are the ways in which a call is carried out, the plain one first.
func (w *world) carryOut(i int, e transitions.Effect) []explore.Move {
	switch e := e.(type) {
	case transitions.HandOver:
		return []explore.Move{w.handMove(i, e)}
	case transitions.Deliver:
		return w.chatMoves(i, e.Delivery)
	case transitions.ShowRequest:
		return w.cardMoves(i, e.Request)
	case transitions.FetchFiles:
		return w.fetchMoves(i, e)
	}
	return append(w.serveMoves(i, e), w.oddCallMoves(i, e)...)
}

// handMove gives a message to the next track.
func (w *world) handMove(i int, e transitions.HandOver) explore.Move {
	return w.move(e.Message+" is handed to the next track", func(n *world) {
		from := n.Calls[i].Track
		n.tell(toTrack{from + 1, e.Received(n.Tracks[from].Data.Track)})
		n.settleCall(i, transitions.HandedOver{Message: e.Message})
	})
}

// settleCall ends a call with a fact.
func (w *world) settleCall(i int, f transitions.Fact) {
	tr := w.Calls[i].Track
	w.Calls = slices.Delete(w.Calls, i, i+1)
	w.tell(toTrack{tr, f})
}

// first is the first call of that kind that has left.
func (w *world) first(is func(*call) bool) int {
	return slices.IndexFunc(w.Calls, func(c call) bool { return c.Sent && is(&c) })
}

func nameOf(e transitions.Effect) string {
	switch e := e.(type) {
	case transitions.StartTurn:
		return "the start with " + e.Message
	case transitions.SteerTurn:
		return "the steer of " + e.Message + " into " + e.Turn
	case transitions.InterruptTurn:
		return "the interrupt of " + e.Turn
	case transitions.Deliver:
		return e.Delivery
	case transitions.HandOver:
		return e.Message + " for the next track"
	case transitions.FetchFiles:
		return "the files of " + e.Message
	case transitions.ShowRequest:
		return "request " + e.Request
	case transitions.AnswerRequest:
		return "the decision " + e.Decision
	}
	return e.EffectName()
}
