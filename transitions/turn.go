package transitions

import "deskbridge/fsm"

// The moves of a turn.
const (
	moveIdentify  = "identify"
	moveComplete  = "end_completed"
	moveInterrupt = "end_interrupted"
	moveFail      = "end_failed"
	moveVanish    = "vanish"
)

// endMove names the move for an end as the protocol words it.
var endMove = map[EndStatus]string{
	EndCompleted:   moveComplete,
	EndInterrupted: moveInterrupt,
	EndFailed:      moveFail,
}

type (
	turnRow    = fsm.Row[TurnState, Turn, Move, Effect]
	turnGuard  = fsm.Guard[Turn, Move]
	turnAction = fsm.Action[Turn, Move, Effect]
)

var (
	answersUs = turnGuard{
		Term:  term("answers_us", "A message of ours is in the turn, or its stop was asked for here."),
		Holds: func(_ *Turn, f Move) bool { return f.AnswerTo != "" },
	}
	hasReason = turnGuard{
		Term:  term("has_reason", "The server says why."),
		Holds: func(_ *Turn, f Move) bool { return f.Said != "" },
	}
	hasReply = turnGuard{
		Term:  term("has_reply", "The turn has an agent message."),
		Holds: func(_ *Turn, f Move) bool { return f.Reply != "" },
	}
	stopRecorded = turnGuard{
		Term:  term("stop_recorded", "A /stop is recorded for this very turn."),
		Holds: func(t *Turn, _ Move) bool { return t.StopBy != "" },
	}
	noteID = turnAction{
		Term: term("note_id", "The turn's id is known."),
		Do:   func(t *Turn, f Move, _ func(Effect)) { t.ID, t.Missing, t.Lost = f.Turn, 0, false },
	}
	noteEnd = turnAction{
		Term: term("note_end", "The turn remembers its id and why it failed."),
		Do:   func(t *Turn, f Move, _ func(Effect)) { t.ID, t.Said = f.Turn, f.Said },
	}
	deliverReply = deliverOutcome("deliver_reply", "Codex's reply is the outcome.", func(f Move) Body { return Body{Text: f.Reply} })
	deliverStop  = deliverOutcome("deliver_stopped", "That it was stopped is the outcome.", func(Move) Body { return Body{Sentence: SaidStopped} })
	deliverBreak = deliverOutcome("deliver_interrupted", "That it was cut short is the outcome.", func(Move) Body { return Body{Sentence: SaidInterrupted} })
	deliverFail  = deliverOutcome("deliver_failure", "The reason of the failure is the outcome.", func(f Move) Body { return Body{Sentence: SaidFailed, Args: []string{f.Said}} })
	deliverBlank = deliverOutcome("deliver_failure_without_reason", "That it failed is the outcome.", func(Move) Body { return Body{Sentence: SaidFailedMute} })
	deliverMute  = deliverOutcome("deliver_no_reply", "That it ended without a reply is the outcome.", func(Move) Body { return Body{Sentence: SaidNoReply} })
	deliverGone  = deliverOutcome("deliver_vanished", "That there is no record of it is the outcome.", func(Move) Body { return Body{Sentence: SaidVanished} })
)

// deliverOutcome makes the action that sends a turn's one outcome. The
// delivery's id follows from the turn, so a turn cannot have two.
func deliverOutcome(name, doc string, body func(Move) Body) turnAction {
	return turnAction{
		Term:  term(name, doc),
		Emits: []string{"deliver"},
		Do: func(_ *Turn, f Move, emit func(Effect)) {
			id := "outcome:" + f.Turn
			emit(Deliver{Delivery: id, ReplyTo: f.AnswerTo, UUID: uuidOf(id), Kind: Outcome, Body: body(f)})
		},
	}
}

// TurnMachine declares what can become of one turn, and what its outcome is.
func TurnMachine() fsm.Declaration[TurnState, Turn, Move, Effect] {
	return fsm.Declaration[TurnState, Turn, Move, Effect]{
		Term:    term("turn", "One turn of the thread, from its start to its outcome."),
		Initial: TurnUnknown,
		States: []fsm.State[TurnState]{
			{Name: TurnUnknown, Doc: "Asked for, or believed to be over, and without proof."},
			{Name: TurnInFlight, Doc: "Codex works on it."},
			{Name: TurnCompleted, Doc: "It ended by itself.", Settled: true},
			{Name: TurnInterrupted, Doc: "It was ended before it was done.", Settled: true},
			{Name: TurnFailed, Doc: "It ended with an error.", Settled: true},
			{Name: TurnAbsent, Doc: "Proven never to have begun, or to have left no trace.", Settled: true},
		},
		Facts: []fsm.Term{
			term(moveIdentify, "The turn is running under this id."),
			term(moveDoubt, "The server denies that it is the active turn."),
			term(moveComplete, "It ended with status completed."),
			term(moveInterrupt, "It ended with status interrupted."),
			term(moveFail, "It ended with status failed."),
			term(moveVanish, "It is proven that the thread has no such turn."),
		},
		Effects: []fsm.Term{term("deliver", "Says something in the chat.")},
		Rows:    turnRows(),
		Clone:   func(t Turn) Turn { return t },
	}
}

func turnRows() []turnRow {
	open := []TurnState{TurnUnknown, TurnInFlight}
	over := []TurnState{TurnCompleted, TurnInterrupted, TurnFailed, TurnAbsent}
	guards := func(g ...turnGuard) []turnGuard { return g }
	do := func(a ...turnAction) []turnAction { return append([]turnAction{noteEnd}, a...) }
	foreign := fsm.Not(answersUs)
	rows := []turnRow{
		{In: []TurnState{TurnUnknown}, On: moveIdentify, To: TurnInFlight, Do: []turnAction{noteID}, Why: "An answer, an item or a read names it."},
		{In: []TurnState{TurnInFlight}, On: moveIdentify, Ignore: true, Why: "It is known to be running."},
		{In: []TurnState{TurnInFlight}, On: moveDoubt, To: TurnUnknown, Why: "Whether it ended, only a read of the stored turns can tell."},
		{In: []TurnState{TurnUnknown}, On: moveDoubt, Ignore: true, Why: "It is in doubt already."},

		{In: open, On: moveComplete, If: guards(foreign), To: TurnCompleted, Do: do(), Why: "The outcome of a turn without a message of ours is not pushed."},
		{In: open, On: moveComplete, If: guards(answersUs, hasReply, fsm.Not(stopRecorded)), To: TurnCompleted, Do: do(deliverReply), Why: "The reply is the outcome."},
		{In: open, On: moveComplete, If: guards(answersUs, hasReply, stopRecorded), To: TurnCompleted, Do: do(deliverReply), Why: "A turn that ended by itself although a /stop was sent delivers its reply."},
		{In: open, On: moveComplete, If: guards(answersUs, fsm.Not(hasReply)), To: TurnCompleted, Do: do(deliverMute), Why: "Ending without a reply is an outcome too: nobody waits for nothing."},

		{In: open, On: moveInterrupt, If: guards(foreign), To: TurnInterrupted, Do: do(), Why: "The outcome of a turn without a message of ours is not pushed."},
		{In: open, On: moveInterrupt, If: guards(answersUs, hasReply), To: TurnInterrupted, Do: do(deliverReply), Why: "A turn that did not complete but has a reply delivers the reply."},
		{In: open, On: moveInterrupt, If: guards(answersUs, fsm.Not(hasReply), stopRecorded), To: TurnInterrupted, Do: do(deliverStop), Why: "Stopped: a /stop for this very turn and the status interrupted, both on record."},
		{In: open, On: moveInterrupt, If: guards(answersUs, fsm.Not(hasReply), fsm.Not(stopRecorded)), To: TurnInterrupted, Do: do(deliverBreak), Why: "Without a recorded /stop an interrupted turn is never called stopped: a decision to cancel ends one too, and so may others."},

		{In: open, On: moveFail, If: guards(foreign), To: TurnFailed, Do: do(), Why: "The outcome of a turn without a message of ours is not pushed."},
		{In: open, On: moveFail, If: guards(answersUs, hasReply), To: TurnFailed, Do: do(deliverReply), Why: "A turn that did not complete but has a reply delivers the reply."},
		{In: open, On: moveFail, If: guards(answersUs, fsm.Not(hasReply), hasReason), To: TurnFailed, Do: do(deliverFail), Why: "A failed turn says why, and frees the conversation."},
		{In: open, On: moveFail, If: guards(answersUs, fsm.Not(hasReply), fsm.Not(hasReason)), To: TurnFailed, Do: do(deliverBlank), Why: "A failed turn frees the conversation, even where the server does not say why."},

		{In: open, On: moveVanish, If: guards(foreign), To: TurnAbsent, Do: do(), Why: "It never began, or nothing of ours was in it."},
		{In: open, On: moveVanish, If: guards(answersUs), To: TurnAbsent, Do: do(deliverGone), Why: "Our message was in it, so it may have done something: that is said, and nothing is repeated."},
	}
	for _, move := range []string{moveIdentify, moveDoubt, moveComplete, moveInterrupt, moveFail, moveVanish} {
		rows = append(rows, turnRow{In: over, On: move, Ignore: true, Why: "It is over; a turn ends once."})
	}
	return rows
}
