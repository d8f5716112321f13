package transitions

import (
	"cmp"
	"slices"
)

// outlook is what remains of a track once a fact has taken its turns away.
type outlook string

const (
	leavesUnknown outlook = "leaves_unknown" // another turn is unknown
	leavesRunning outlook = "leaves_running" // another turn runs
	leavesText    outlook = "leaves_text"    // no turn, and text can be sent
	leavesDebt    outlook = "leaves_debt"    // no turn, no text to send; text is kept, an outcome is owed, or there never was one
	leavesNothing outlook = "leaves_nothing" // all is delivered
)

// outlookOf looks ahead: which turns does the fact take away, which messages
// does it put back into the queue, and what is left then.
func outlookOf(d *Data, f Fact) outlook {
	left := leavesNothing
	for i := range d.Turns {
		switch t := &d.Turns[i]; {
		case t.takenBy(f):
		case t.State == TurnUnknown:
			return leavesUnknown
		default:
			left = leavesRunning
		}
	}
	if left == leavesRunning {
		return left
	}
	kept := false
	for i := range d.Messages {
		switch m := &d.Messages[i]; {
		case m.waits() && !proves(f, m) || d.requeues(f, m):
			if !d.shut() {
				return leavesText
			}
			kept = true
		case m.State == MessageFetching && !proves(f, m):
			kept = true
		}
	}
	if kept || !d.Answered || d.owes() || d.outcomeFor(f) != "" {
		return leavesDebt
	}
	return leavesNothing
}

// takenBy lists the indices of the turns that the fact ends or disproves.
func (d *Data) takenBy(f Fact) []int {
	var taken []int
	for i := range d.Turns {
		if d.Turns[i].takenBy(f) {
			taken = append(taken, i)
		}
	}
	return taken
}

// takenBy says that the fact ends or disproves the turn.
func (t *Turn) takenBy(f Fact) bool {
	switch f := f.(type) {
	case TurnEnded:
		return t.ID == f.Turn || t.ID == "" && slices.Contains(f.Messages, t.Start)
	case TurnStartRefused:
		// A thread that is gone has no turns at all.
		return f.Refusal == ThreadGone || t.ID == "" && t.Start == f.Message
	case TurnStartWithdrawn, TurnStartAccepted, MessageStale: // accepted into a turn that is over
		return t.ID == "" && t.Start == messageOf(f)
	case ThreadLost:
		return true
	case PullAnswered:
		return t.provenAbsent(f)
	}
	return false
}

// takesTurn says that the fact takes a turn of that sort away.
func (d *Data) takesTurn(f Fact, is func(*Turn) bool) bool {
	for i := range d.Turns {
		if t := &d.Turns[i]; t.takenBy(f) && is(t) {
			return true
		}
	}
	return false
}

// proves says that the fact shows the message among a turn's items.
func proves(f Fact, m *Message) bool {
	end, ok := f.(TurnEnded)
	return ok && slices.Contains(end.Messages, m.ID)
}

// requeues says that the fact puts the message back into the queue.
func (d *Data) requeues(f Fact, m *Message) bool {
	if m.Barred != "" {
		return false
	}
	switch f := f.(type) {
	case TurnEnded:
		return m.handed() && m.Turn == f.Turn && !proves(f, m)
	case TurnStartRefused:
		return f.Refusal == ThreadGone && m.ID == f.Message
	case TurnStartWithdrawn, TurnStartAccepted:
		return m.ID == messageOf(f)
	case PullAnswered:
		return m.handed() && d.takesTurn(f, func(t *Turn) bool {
			return t.carried(m) && !d.mayHaveBegun(t, f) // a call into it had the message
		})
	}
	return false
}

// carried says that a call into this turn had the message.
func (t *Turn) carried(m *Message) bool {
	return t.ID != "" && m.Turn == t.ID || t.Start == m.ID
}

// outcomeFor is the message that the outcome of the turns taken away answers:
// the last of ours that is proven in one; for a stopped turn without any, the
// /stop itself. Empty: the fact brings no outcome.
func (d *Data) outcomeFor(f Fact) string {
	var answer string
	switch f := f.(type) {
	case TurnEnded:
		for _, id := range f.Messages {
			if d.message(id) != nil {
				answer = id
			}
		}
		if t := d.turn(f.Turn); answer == "" && t != nil {
			answer = cmp.Or(d.provenIn(t), t.StopBy)
		}
	case PullAnswered, TurnStartRefused, ThreadLost:
		for i := range d.Turns {
			if t := &d.Turns[i]; t.takenBy(f) {
				answer = cmp.Or(d.vanished(t), answer)
			}
		}
	}
	return answer
}

// vanished is the message that is answered with the loss of a turn that left no
// record: of one that took a message of ours in, or that was to be stopped.
func (d *Data) vanished(t *Turn) string {
	answer := d.provenIn(t)
	if answer == "" && t.ID != "" {
		answer = t.StopBy
	}
	return answer
}

// ours says that the turn was asked for here, or has a message of ours.
func (d *Data) ours(turn string) bool {
	t := d.turn(turn)
	return t != nil && d.answerTo(t) != ""
}

// provenIn is the last message of ours that was seen in the turn.
func (d *Data) provenIn(t *Turn) string {
	var last string
	for i := range d.Messages {
		if m := &d.Messages[i]; m.State == MessageProven && t.ID != "" && m.Turn == t.ID {
			last = m.ID
		}
	}
	return last
}

func leaves(o outlook, doc string) guard {
	return guard{
		Term:  term(string(o), doc),
		Holds: func(d *Data, f Fact) bool { return outlookOf(d, f) == o },
	}
}

var (
	thenUnknown = leaves(leavesUnknown, "Another turn is unknown.")
	thenRunning = leaves(leavesRunning, "Another turn is in flight.")
	thenText    = leaves(leavesText, "No turn is left, and text can be sent.")
	thenDebt    = leaves(leavesDebt, "No turn is left and no text can be sent; some is kept, an outcome is owed, or there never was one.")
	thenNothing = leaves(leavesNothing, "Nothing is left, and every outcome is delivered.")
)
