package transitions

import (
	"cmp"
	"slices"

	"deskbridge/fsm"
)

type (
	guard  = fsm.Guard[Data, Fact]
	action = fsm.Action[Data, Fact, Effect]
	row    = fsm.Row[State, Data, Fact, Effect]
)

var (
	threadOpen = guard{
		Term:  term("thread_open", "The track has a Codex thread."),
		Holds: func(d *Data, _ Fact) bool { return d.Thread != "" },
	}
	threadOpening = guard{
		Term:  term("thread_opening", "A thread has been asked for."),
		Holds: func(d *Data, _ Fact) bool { return d.Opening },
	}
	nothingOwed = guard{
		Term:  term("nothing_owed", "An outcome has been delivered, and none is owed."),
		Holds: func(d *Data, _ Fact) bool { return d.Answered && !d.owes() },
	}
	textWaits = guard{
		Term:  term("text_waits", "A message waits to be offered to Codex."),
		Holds: func(d *Data, _ Fact) bool { return len(d.queue()) > 0 },
	}
	startPending = guard{
		Term:  term("start_pending", "The message's turn/start has no turn yet."),
		Holds: func(d *Data, f Fact) bool { return d.startOf(messageOf(f)) != nil },
	}
	stopPending = guard{
		Term: term("stop_pending", "A /stop is recorded for a turn that is not over."),
		Holds: func(d *Data, _ Fact) bool {
			return slices.ContainsFunc(d.Turns, func(t Turn) bool { return t.StopBy != "" })
		},
	}
	steerPending = guard{
		Term: term("steer_pending", "The message's turn/steer into that turn is without answer."),
		Holds: func(d *Data, f Fact) bool {
			m := d.message(messageOf(f))
			return m != nil && m.Turn == turnOf(f) && m.State == MessageOffered
		},
	}
	messageFenced = guard{
		Term: term("message_fenced", "A /stop came after the message."),
		Holds: func(d *Data, f Fact) bool {
			m := d.message(messageOf(f))
			return m != nil && m.Fenced
		},
	}
	turnOpen = guard{
		Term:  term("turn_open", "The turn is in flight, or not known to be over."),
		Holds: func(d *Data, f Fact) bool { return d.turn(turnOf(f)) != nil },
	}
	turnClosed = guard{
		Term:  term("turn_closed", "The turn is known to be over."),
		Holds: func(d *Data, f Fact) bool { return slices.Contains(d.Closed, turnOf(f)) },
	}
	misrouted = guard{
		Term: term("misrouted", "The server has no such active turn."),
		Holds: func(_ *Data, f Fact) bool {
			r, ok := f.(SteerRefused)
			return ok && (r.Refusal == NoActiveTurn || r.Refusal == OtherTurn || r.Refusal == ThreadGone)
		},
	}
	notSteerable = guard{
		Term: term("not_steerable", "The active turn takes no text."),
		Holds: func(_ *Data, f Fact) bool {
			r, ok := f.(SteerRefused)
			return ok && r.Refusal == NotSteerable
		},
	}
	reroutable = guard{
		Term:  term("reroutable", "The server did not take the text now, and may take it in another way."),
		Holds: func(d *Data, f Fact) bool { return misrouted.Holds(d, f) || notSteerable.Holds(d, f) },
	}
	threadGone = guard{
		Term: term("thread_gone", "The thread is neither loaded nor stored."),
		Holds: func(_ *Data, f Fact) bool {
			r, ok := f.(TurnStartRefused)
			return ok && r.Refusal == ThreadGone
		},
	}
	identifies = guard{
		Term:  term("identifies", "The fact names the turn that was unknown."),
		Holds: func(d *Data, f Fact) bool { return d.identified(f) != nil },
	}
	otherUnknown = guard{
		Term: term("other_unknown", "Another turn is unknown too."),
		Holds: func(d *Data, f Fact) bool {
			named := d.identified(f)
			return slices.ContainsFunc(d.Turns, func(t Turn) bool {
				return t.State == TurnUnknown && (named == nil || t != *named)
			})
		},
	}
	deliveryPending = guard{
		Term: term("delivery_pending", "The delivery is not settled."),
		Holds: func(d *Data, f Fact) bool {
			return d.delivery(deliveryOf(f)) != nil
		},
	}
	lastOwed = guard{
		Term: term("last_owed", "The delivery is the only outcome that the chat is owed."),
		Holds: func(d *Data, f Fact) bool {
			del := d.delivery(deliveryOf(f))
			return del != nil && del.Kind == Outcome && !slices.ContainsFunc(d.Deliveries, func(o Delivery) bool {
				return o.Kind == Outcome && o.ID != del.ID
			})
		},
	}
	tracelessFirst = guard{
		Term: term("traceless_first", "A turn that is waited for left no trace in this read, and that is new."),
		Holds: func(d *Data, f Fact) bool {
			return d.anyTurn(f, Turn.newlyMissing) && !d.anyTurn(f, Turn.provenAbsent)
		},
	}
	proveAbsent = guard{
		Term:  term("proves_absent", "This read and an earlier one prove that a turn does not exist."),
		Holds: func(d *Data, f Fact) bool { return d.anyTurn(f, Turn.provenAbsent) },
	}
)

// identified returns the unknown turn that a TurnRunning names: by its id, or
// by the message whose start asked for it.
func (d *Data) identified(f Fact) *Turn {
	r, ok := f.(TurnRunning)
	if !ok {
		return nil
	}
	for i := range d.Turns {
		t := &d.Turns[i]
		if t.State == TurnUnknown && (t.ID == r.Turn || t.ID == "" && slices.Contains(r.Messages, t.Start)) {
			return t
		}
	}
	return nil
}

func (d *Data) anyTurn(f Fact, is func(Turn, PullAnswered) bool) bool {
	pull, ok := f.(PullAnswered)
	return ok && slices.ContainsFunc(d.Turns, func(t Turn) bool { return is(t, pull) })
}

// missing says that a read of the idle thread shows no trace of the turn. While
// its start may still be answered, nothing follows from that.
func (t Turn) missing(pull PullAnswered) bool {
	if !pull.Idle {
		return false
	}
	if t.ID == "" {
		return t.Lost && t.Link.Connection != pull.Link.Connection
	}
	return !slices.Contains(pull.Turns, t.ID)
}

func (t Turn) newlyMissing(pull PullAnswered) bool { return t.missing(pull) && t.Missing == 0 }

// provenAbsent says that the thread is idle, on another connection than the one
// that carried the start, and lacks the turn in two reads far enough apart; or
// that the server is another process than the one that was asked.
func (t Turn) provenAbsent(pull PullAnswered) bool {
	if !t.missing(pull) {
		return false
	}
	otherProcess := t.ID == "" && t.Link.Generation != "" && pull.Link.Generation != "" &&
		t.Link.Generation != pull.Link.Generation
	return otherProcess || t.Missing != 0 && pull.At-t.Missing >= pull.Settle
}

// outlook is what remains of a track once a fact has taken its turns away.
type outlook string

const (
	leavesUnknown outlook = "leaves_unknown" // another turn is unknown
	leavesRunning outlook = "leaves_running" // another turn runs
	leavesText    outlook = "leaves_text"    // no turn, and text waits
	leavesDebt    outlook = "leaves_debt"    // no turn, no text, an outcome is owed or there never was one
	leavesNothing outlook = "leaves_nothing" // all is delivered
)

// outlookOf looks ahead: which turns does the fact take away, which messages
// does it put back into the queue, and what is left then.
func outlookOf(d *Data, f Fact) outlook {
	taken := d.takenBy(f)
	left := leavesNothing
	for i := range d.Turns {
		switch t := &d.Turns[i]; {
		case slices.Contains(taken, i):
		case t.State == TurnUnknown:
			return leavesUnknown
		default:
			left = leavesRunning
		}
	}
	if left == leavesRunning {
		return left
	}
	for i := range d.Messages {
		if m := &d.Messages[i]; m.waits() && !proves(f, m) || d.requeues(f, taken, m) {
			return leavesText
		}
	}
	if !d.Answered || d.owes() || d.outcomeFor(f) != "" {
		return leavesDebt
	}
	return leavesNothing
}

// takenBy lists the indices of the turns that the fact ends or disproves.
func (d *Data) takenBy(f Fact) []int {
	var taken []int
	for i := range d.Turns {
		t := &d.Turns[i]
		var gone bool
		switch f := f.(type) {
		case TurnEnded:
			gone = t.ID == f.Turn || t.ID == "" && slices.Contains(f.Messages, t.Start)
		case TurnStartRefused:
			// A thread that is gone has no turns at all.
			gone = f.Refusal == ThreadGone || t.ID == "" && t.Start == f.Message
		case TurnStartWithdrawn:
			gone = t.ID == "" && t.Start == f.Message
		case PullAnswered:
			gone = t.provenAbsent(f)
		}
		if gone {
			taken = append(taken, i)
		}
	}
	return taken
}

// proves says that the fact shows the message among a turn's items.
func proves(f Fact, m *Message) bool {
	end, ok := f.(TurnEnded)
	return ok && slices.Contains(end.Messages, m.ID)
}

// requeues says that the fact puts the message back into the queue.
func (d *Data) requeues(f Fact, taken []int, m *Message) bool {
	if m.Fenced {
		return false
	}
	switch f := f.(type) {
	case TurnEnded:
		return m.handed() && m.Turn == f.Turn && !proves(f, m)
	case TurnStartRefused:
		return f.Refusal == ThreadGone && (m.ID == f.Message || m.handed() && d.carriedBy(taken, m))
	case TurnStartWithdrawn:
		return m.ID == f.Message
	case PullAnswered:
		return m.handed() && d.carriedBy(taken, m)
	}
	return false
}

// carriedBy says that a call into one of these turns had the message.
func (d *Data) carriedBy(taken []int, m *Message) bool {
	return slices.ContainsFunc(taken, func(i int) bool { return d.Turns[i].carried(m) })
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
	case PullAnswered, TurnStartRefused:
		for _, i := range d.takenBy(f) {
			answer = cmp.Or(d.provenIn(&d.Turns[i]), answer)
		}
	}
	return answer
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
	thenText    = leaves(leavesText, "No turn is left, and text waits.")
	thenDebt    = leaves(leavesDebt, "No turn and no text is left; an outcome is owed, or there never was one.")
	thenNothing = leaves(leavesNothing, "Nothing is left, and every outcome is delivered.")
)

func messageOf(f Fact) string {
	switch f := f.(type) {
	case MessageReceived:
		return f.Message
	case StopRequested:
		return f.Message
	case TurnStartAccepted:
		return f.Message
	case TurnStartRefused:
		return f.Message
	case TurnStartUnknown:
		return f.Message
	case TurnStartWithdrawn:
		return f.Message
	case SteerAccepted:
		return f.Message
	case SteerRefused:
		return f.Message
	case SteerUnknown:
		return f.Message
	case SteerWithdrawn:
		return f.Message
	case ReceiptShown:
		return f.Message
	case ReceiptDropped:
		return f.Message
	}
	return ""
}

func turnOf(f Fact) string {
	switch f := f.(type) {
	case TurnStartAccepted:
		return f.Turn
	case SteerAccepted:
		return f.Turn
	case SteerRefused:
		return f.Turn
	case SteerUnknown:
		return f.Turn
	case SteerWithdrawn:
		return f.Turn
	case InterruptAccepted:
		return f.Turn
	case InterruptRefused:
		return f.Turn
	case InterruptUnknown:
		return f.Turn
	case TurnRunning:
		return f.Turn
	case TurnEnded:
		return f.Turn
	}
	return ""
}

func deliveryOf(f Fact) string {
	switch f := f.(type) {
	case DeliveryConfirmed:
		return f.Delivery
	case DeliveryRefused:
		return f.Delivery
	case DeliveryUnknown:
		return f.Delivery
	}
	return ""
}
