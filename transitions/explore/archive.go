package explore

import (
	"slices"
	"strings"

	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// archive forgets what is over and cannot come up again, so that worlds are the
// same that differ only in how they came about. What is forgotten has been held
// against the invariants before.
func (w *world) archive() {
	w.plain()
	turns, messages, requests := w.pastTurns(), w.pastMessages(), w.pastRequests()
	if len(turns) == 0 && len(messages) == 0 && len(requests) == 0 && !w.toldClick() {
		w.forgetTrack()
		return
	}
	v := w.view()
	w.broken = append(w.broken, invariant.Check(&v)...)
	for _, id := range turns {
		for i := range w.Threads {
			th := &w.Threads[i]
			for _, t := range th.Turns {
				if t.ID == id {
					messages = append(messages, t.Items...)
					th.Stored = th.Stored || !t.Gone
				}
			}
			th.Turns = without(th.Turns, func(t turn) bool { return t.ID == id })
		}
		w.Ledger.Turns = without(w.Ledger.Turns, func(t transitions.Turn) bool { return t.ID == id })
		w.forget(func(d transitions.Delivery) bool { return d.Kind == transitions.Outcome && d.Turn == id })
		w.Ended = without(w.Ended, func(t string) bool { return t == id })
	}
	for _, id := range requests {
		w.Ledger.Requests = without(w.Ledger.Requests, func(r transitions.Request) bool { return r.ID == id })
		w.Requests = without(w.Requests, func(r request) bool { return r.ID == id })
		w.forget(func(d transitions.Delivery) bool { return strings.HasPrefix(d.ID, "notice:"+id+":") })
	}
	w.forget(func(d transitions.Delivery) bool { return strings.HasPrefix(d.ReplyTo, clicked) })
	for _, id := range messages {
		w.Ledger.Messages = without(w.Ledger.Messages, func(m invariant.Message) bool { return m.ID == id })
		w.Written = without(w.Written, func(m written) bool { return m.ID == id })
		w.forget(func(d transitions.Delivery) bool { return d.Kind == transitions.Notice && d.ReplyTo == id })
	}
}

// plain makes those turns the same that Codex has lost, and those that are over
// and that the bridge has never heard of; what it cannot hear of any more is
// forgotten.
func (w *world) plain() {
	for i := range w.Threads {
		th := &w.Threads[i]
		for j := range th.Turns {
			t := &th.Turns[j]
			unheard := t.Status != inProgress && len(t.Items) == 0 && !w.heard(t.ID)
			if t.Gone || unheard {
				*t = turn{ID: t.ID, Status: string(transitions.EndInterrupted), Items: t.Items, Seen: t.Seen, Gone: t.Gone}
			}
			if unheard && (t.Gone || w.Left.Faults == 0) {
				th.Stored = th.Stored || !t.Gone
				t.ID = ""
			}
		}
		th.Turns = slices.DeleteFunc(th.Turns, func(t turn) bool { return t.ID == "" })
	}
}

// heard says that the ledger, the track or a call has the turn.
func (w *world) heard(id string) bool {
	return slices.ContainsFunc(w.Ledger.Turns, func(t transitions.Turn) bool { return t.ID == id }) ||
		w.mentioned(func(_, turn string) bool { return turn == id })
}

// forget takes deliveries out of the ledger and the chat.
func (w *world) forget(which func(transitions.Delivery) bool) {
	for _, d := range w.Ledger.Deliveries {
		if which(d) {
			w.Chat = without(w.Chat, func(id string) bool { return id == d.ID })
		}
	}
	w.Ledger.Deliveries = without(w.Ledger.Deliveries, which)
}

func without[T any](all []T, which func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), which)
}

// pastTurns are the turns that are over for the ledger and for Codex, with their
// outcome in the chat, and that nothing is left of that could tell of them.
func (w *world) pastTurns() (past []string) {
	for i := range w.Ledger.Turns {
		row := &w.Ledger.Turns[i]
		if open(row.State) || !w.pastTurn(row.ID) {
			continue
		}
		settled := !slices.ContainsFunc(w.Ledger.Deliveries, func(d transitions.Delivery) bool {
			return d.Turn == row.ID && d.State != transitions.DeliveryShown && d.State != transitions.DeliveryArchived
		})
		if settled && !w.mentioned(func(_, turn string) bool { return turn == row.ID }) {
			past = append(past, row.ID)
		}
	}
	return past
}

func open(s transitions.TurnState) bool {
	return s == transitions.TurnUnknown || s == transitions.TurnInFlight
}

func (w *world) pastTurn(id string) bool {
	for i := range w.Threads {
		for j := range w.Threads[i].Turns {
			t := &w.Threads[i].Turns[j]
			if t.ID != id {
				continue
			}
			if t.Status == inProgress || !t.Gone && !slices.Contains(w.Ended, id) || slices.ContainsFunc(t.Items, w.live) {
				return false
			}
		}
	}
	return !w.remembers(func(m *transitions.Message) bool { return m.Turn == id })
}

// pastMessages are the commands, and the messages that were given back and that
// nobody has any more.
func (w *world) pastMessages() (past []string) {
	for i := range w.Ledger.Messages {
		m := &w.Ledger.Messages[i]
		if m.Kind == invariant.Command || over(m.State) && !w.live(m.ID) && !w.has(m.ID) && !w.owed(m.ID) {
			past = append(past, m.ID)
		}
	}
	return past
}

// owed says that the chat refused word about the message, which is kept.
func (w *world) owed(message string) bool {
	return slices.ContainsFunc(w.Ledger.Deliveries, func(d transitions.Delivery) bool {
		return d.ReplyTo == message && d.Kind == transitions.Notice && d.State == transitions.DeliveryFailed
	})
}

// over says that the message was given back or taken back.
func over(s transitions.MessageState) bool {
	return s == transitions.MessageRefused || s == transitions.MessageUnresolved || s == transitions.MessageWithdrawn
}

// pastRequests are those that are over everywhere, and whose card says so.
func (w *world) pastRequests() (past []string) {
	for i := range w.Requests {
		r := &w.Requests[i]
		row := slices.IndexFunc(w.Ledger.Requests, func(q transitions.Request) bool { return q.ID == r.ID })
		onItsWay := slices.ContainsFunc(w.Calls, func(c call) bool { return strings.Contains(nameOf(c.Effect), r.ID) })
		switch {
		case r.Open || onItsWay || r.Card && !r.Closed:
		case row >= 0 && w.Ledger.Requests[row].State != transitions.RequestEnded && w.Ledger.Requests[row].State != transitions.RequestDead:
		default:
			past = append(past, r.ID)
		}
	}
	return past
}

// toldClick says that whoever clicked was told something.
func (w *world) toldClick() bool {
	return slices.ContainsFunc(w.Ledger.Deliveries, func(d transitions.Delivery) bool { return strings.HasPrefix(d.ReplyTo, clicked) })
}

// forgetTrack forgets the oldest track if it is superseded and nothing of it, of
// its thread or of its calls is left.
func (w *world) forgetTrack() {
	d := &w.Tracks[0].Data
	th := w.bound(0)
	if w.stillThere(d.Thread) {
		return
	}
	busy := len(d.Messages)+len(d.Turns)+len(d.Requests)+len(d.Deliveries)+len(w.Late)+len(w.Pipe) > 0 || d.Opening ||
		th != nil && len(th.Turns) > 0 || slices.ContainsFunc(w.Calls, func(c call) bool { return c.Track == 0 })
	if busy || w.Tracks[0].State != transitions.Superseded || len(w.Tracks) < 2 {
		return
	}
	w.Threads = without(w.Threads, func(t thread) bool { return t.ID == d.Thread })
	w.Tracks = slices.Clone(w.Tracks[1:])
	for i := range w.Calls {
		w.Calls[i].Track--
	}
}

// stillThere says that a message which a turn of the thread has, lost or not, is still
// alive somewhere.
func (w *world) stillThere(thread string) bool {
	for i := range w.Threads {
		for _, t := range w.Threads[i].Turns {
			if w.Threads[i].ID == thread && slices.ContainsFunc(t.Items, w.live) {
				return true
			}
		}
	}
	return false
}

// live says that the track or a call still has the message.
func (w *world) live(message string) bool {
	return w.remembers(func(m *transitions.Message) bool { return m.ID == message }) ||
		w.mentioned(func(m, _ string) bool { return m == message })
}

// remembers says that a track remembers a message of that kind.
func (w *world) remembers(is func(*transitions.Message) bool) bool {
	for tr := range w.Tracks {
		for i := range w.Tracks[tr].Data.Messages {
			if is(&w.Tracks[tr].Data.Messages[i]) {
				return true
			}
		}
	}
	return false
}

// has says that Codex has the message, as an item or on its way to be one.
func (w *world) has(message string) bool {
	for i := range w.Threads {
		for j := range w.Threads[i].Turns {
			t := &w.Threads[i].Turns[j]
			if slices.Contains(t.Items, message) || slices.Contains(t.Pending, message) {
				return true
			}
		}
	}
	return false
}

// mentioned says that a call, or what is on its way, is about a message or turn.
func (w *world) mentioned(is func(message, turn string) bool) bool {
	about := func(e transitions.Effect) bool {
		switch e := e.(type) {
		case transitions.StartTurn:
			return is(e.Message, "")
		case transitions.SteerTurn:
			return is(e.Message, e.Turn)
		case transitions.HandOver:
			return is(e.Message, "")
		case transitions.InterruptTurn:
			return is("", e.Turn)
		}
		return false
	}
	return len(w.Late) > 0 || slices.ContainsFunc(w.Pipe, about) ||
		slices.ContainsFunc(w.Calls, func(c call) bool {
			if answer, ok := c.Answer.(transitions.TurnStartAccepted); ok && is(answer.Message, answer.Turn) {
				return true
			}
			return about(c.Effect)
		})
}
