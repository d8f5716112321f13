package transitions

import (
	"slices"

	"deskbridge/fsm"
)

// takingBackRows: what its sender takes back, or may no longer ask for.
func takingBackRows() []row {
	const recalled, dismissed = "message_recalled", "sender_dismissed"
	rows := []row{
		{In: append(in(Idle), flying...), On: recalled, If: when(fsm.Not(takesAny), messageKnown), Ignore: true, Why: "Codex has it, and that is not pretended away."},
		{In: in(Delivered), On: recalled, If: when(fsm.Not(takesAny)), Do: do(noteRecall), Why: "It may be on its way from the former track, or the recall came first: it is not sent when it comes."},
		{In: append(in(Idle), flying...), On: recalled, If: when(fsm.Not(takesAny), fsm.Not(messageKnown)), Do: do(noteRecall), Why: "It may be on its way from the former track, or the recall came first: it is not sent when it comes."},
		{In: live, On: dismissed, If: when(fsm.Not(takesAny)), Do: do(noteDismissal), Why: "What Codex has is not pretended away; what is on its way from the former track is not sent."},
	}
	rows = append(rows, takenRows(recalled, do(takeBack, withdrawText), "What is not sent can be taken back")...)
	return append(rows, takenRows(dismissed, do(noteDismissal, expel, withdrawText), "Nothing more is sent for somebody who is not admitted")...)
}

// takenRows writes the rows for a fact that takes messages back which the track has.
func takenRows(on string, acts []action, because string) []row {
	return []row{
		{In: in(Idle), On: on, If: when(takesAny, nothingOwed, takesLast), To: Delivered, Do: acts, Why: because + "; nothing else waits, and nothing is owed to the chat."},
		{In: in(Idle), On: on, If: when(takesAny, nothingOwed, fsm.Not(takesLast)), Do: acts, Why: because + "; other text still waits."},
		{In: in(Idle), On: on, If: when(takesAny, fsm.Not(nothingOwed)), Do: acts, Why: because + "; an outcome is on its way, or there never was one."},
		{In: append(in(Delivered), flying...), On: on, If: when(takesAny), Do: acts, Why: because + "; what a call has is not sent again if it proves to be in no turn."},
	}
}

// staleRows: a text that grew old before it could be sent, and what its sender says.
func staleRows() []row {
	const stale, answered = "message_stale", "stale_answered"
	settledWhy := "The message is in no call that could be held back."
	aside := when(fsm.Not(startPending))
	rows := []row{
		{In: live, On: stale, If: slices.Concat(aside, when(steerPending)), Do: do(askStale),
			Why: "The steer was held back, and its sender is asked; nothing else waits for the answer."},
		{In: live, On: stale, If: slices.Concat(aside, when(fsm.Not(steerPending))), Ignore: true, Why: settledWhy},
	}
	rows = append(rows, unwantedRows(live)...)
	rows = append(rows, afterStart(stale, when(startPending), askStale, "The start was held back, and its sender is asked")...)
	return append(rows, arrivalRows(quiet, answered, when(senderAsked, bySender, wanted), do(reviveStale), "Its sender wants it sent all the same")...)
}

// unwantedRows: an answer about a stale message after which nothing is sent.
func unwantedRows(states []State) []row {
	const answered = "stale_answered"
	return []row{
		{In: states, On: answered, If: when(severalAsked), Do: do(say(SaidWhich)), Why: "It is not clear which message is meant: nothing is guessed, and whoever answered is asked."},
		{In: states, On: answered, If: when(fsm.Not(severalAsked), fsm.Not(senderAsked)), Do: do(say(SaidNotAsked)), Why: "Nobody is asked about that message: the answer was not used, and whoever gave it is told."},
		{In: states, On: answered, If: when(senderAsked, fsm.Not(bySender)), Do: do(say(SaidNotSender)), Why: "Whether a message is still wanted, its sender says."},
		{In: states, On: answered, If: when(senderAsked, bySender, fsm.Not(wanted)), Do: do(dropStale, say(SaidDropped)), Why: "Its sender does not want it sent any more, and hears that it is not."},
	}
}
