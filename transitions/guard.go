package transitions

import (
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
	transcriptGiven   = transcriptIs("transcript_given", "The new thread has been given what was said in the lost one.", TranscriptGiven)
	transcriptMissing = transcriptIs("transcript_missing", "What was said in the lost thread could not be given to the new one.", TranscriptMissing)
	nothingOwed       = guard{
		Term:  term("nothing_owed", "An outcome has been delivered, and none is owed."),
		Holds: func(d *Data, _ Fact) bool { return d.Answered && !d.owes() },
	}
	textKept = guard{
		Term:  term("text_kept", "A message waits to be offered to Codex, or for its files."),
		Holds: func(d *Data, _ Fact) bool { return d.keeps(anyMessage) },
	}
	textReady = guard{
		Term:  term("text_ready", "A message can be offered to Codex."),
		Holds: func(d *Data, _ Fact) bool { return !d.shut() && d.keeps((*Message).waits) },
	}
	anyTurn = guard{
		Term:  term("any_turn", "A turn is in flight, or not known to be over."),
		Holds: func(d *Data, _ Fact) bool { return len(d.Turns) > 0 },
	}
	textUnproven = guard{
		Term: term("text_unproven", "A message is in no turn that we know of."),
		Holds: func(d *Data, _ Fact) bool {
			return slices.ContainsFunc(d.Messages, func(m Message) bool { return m.State != MessageProven })
		},
	}
	startPending = guard{
		Term:  term("start_pending", "The message's turn/start has no turn yet."),
		Holds: func(d *Data, f Fact) bool { return d.startOf(messageOf(f)) != nil },
	}
	startUnderWay = guard{
		Term: term("start_under_way", "A turn/start is to be answered yet."),
		Holds: func(d *Data, _ Fact) bool {
			return slices.ContainsFunc(d.Turns, func(t Turn) bool { return t.ID == "" && !t.Lost })
		},
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
	messageBarred = guard{
		Term: term("message_barred", "The message is never to be offered again."),
		Holds: func(d *Data, f Fact) bool {
			m := d.message(messageOf(f))
			return m != nil && m.Barred != ""
		},
	}
	behindFence = guard{
		Term: term("behind_fence", "A /stop or /new came while the message was on its way from the former track."),
		Holds: func(d *Data, f Fact) bool {
			r, ok := f.(MessageReceived)
			return ok && r.From != "" && d.FencedAt != 0 && r.Created <= d.FencedAt
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
		Term: term("thread_gone", "The thread is neither loaded nor stored, or was archived."),
		Holds: func(_ *Data, f Fact) bool {
			r, ok := f.(TurnStartRefused)
			return ok && r.Refusal == ThreadGone
		},
	}
	identifies = guard{
		Term:  term("identifies", "The fact names the turn that was unknown."),
		Holds: func(d *Data, f Fact) bool { return d.identified(f) != nil },
	}
	turnNamed = guard{
		Term:  term("turn_named", "The answer names a turn."),
		Holds: func(_ *Data, f Fact) bool { return turnOf(f) != "" },
	}
	oursIn = guard{
		Term:  term("ours_in", "The turn was asked for here, or has a message of ours."),
		Holds: func(d *Data, f Fact) bool { return d.ours(turnOf(f)) },
	}
	deliveryPending = guard{
		Term: term("delivery_pending", "The delivery is not settled."),
		Holds: func(d *Data, f Fact) bool {
			return d.delivery(deliveryOf(f)) != nil
		},
	}
	failureTold = guard{
		Term: term("failure_told", "The delivery is no outcome, or whom it answers knows that it could not be posted."),
		Holds: func(d *Data, f Fact) bool {
			del := d.delivery(deliveryOf(f))
			return del != nil && (del.Kind != Outcome || del.ToldFailed)
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

func transcriptIs(name, doc string, fate Transcript) guard {
	return guard{
		Term: term(name, doc),
		Holds: func(_ *Data, f Fact) bool {
			o, ok := f.(ThreadOpened)
			return ok && o.Transcript == fate
		},
	}
}

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

// newlyMissing says that the read is the first to lack the turn. One that is earlier
// than the first is another: the clock was set back.
func (t Turn) newlyMissing(pull PullAnswered) bool {
	return t.missing(pull) && (t.Missing == 0 || pull.At < t.Missing)
}

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
