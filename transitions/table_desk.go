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

		{In: live, On: answered, If: when(fsm.Not(senderAsked)), Do: do(say(SaidNotAsked)), Why: "Nobody is asked about that message: the answer was not used, and whoever gave it is told."},
		{In: live, On: answered, If: when(senderAsked, fsm.Not(bySender)), Do: do(say(SaidNotSender)), Why: "Whether a message is still wanted, its sender says."},
		{In: live, On: answered, If: when(senderAsked, bySender, fsm.Not(wanted)), Do: do(dropStale), Why: "Its sender does not want it sent any more."},
	}
	rows = append(rows, afterStart(stale, when(startPending), askStale, "The start was held back, and its sender is asked")...)
	return append(rows, arrivalRows(quiet, answered, when(senderAsked, bySender, wanted), do(reviveStale), "Its sender wants it sent all the same")...)
}

// closingRows: a track that is closed to sending, for a time, for one reason or
// several.
func closingRows() []row {
	const closed, chat = "track_closed", "chat_closed"
	acts := do(shutTrack, withdrawText, holdQueue)
	rows := []row{
		{In: live, On: closed, If: when(shutSo), Ignore: true, Why: "The track is closed for this reason already."},
		{In: live, On: closed, If: when(fsm.Not(shutSo)), Do: append(acts, tellShut), Why: "Nothing more is sent: text is held, and its senders are told so; what runs goes on."},

		{In: live, On: chat, If: when(shutSo), Ignore: true, Why: "The chat is known to be closed."},
		{In: quiet, On: chat, If: when(fsm.Not(shutSo)), Do: acts, Why: "Nobody would hear of what is sent: text and outcomes are kept."},
	}
	rows = append(rows, afterRequests(chat, when(fsm.Not(shutSo)), slices.Concat(acts, do(cutTurns, interruptTurns, declineOurs)),
		"Nobody would hear of the turn that was asked for here: it is interrupted, its requests are declined, text and outcomes are kept",
		outlooks{Steerable: in(viewClear), PendingVisibility: in(viewHidden, viewClear), WaitingVisible: in(viewVisible, viewHidden, viewClear)})...)
	rows = append(rows, openingRows("track_opened", do(openTrack))...)
	return append(rows, openingRows("chat_reopened", do(openTrack, resend, askAgain, spareTurns))...)
}

// openingRows writes the rows for a fact that takes away a reason to send nothing.
func openingRows(on string, acts []action) []row {
	then := func(more ...action) []action { return slices.Concat(acts, more) }
	last := when(shutSo, fsm.Not(shutOtherwise))
	g := func(extra ...guard) []guard { return slices.Concat(last, extra) }
	return []row{
		{In: live, On: on, If: when(fsm.Not(shutSo)), Ignore: true, Why: "The track was not closed for this reason."},
		{In: live, On: on, If: when(shutSo, shutOtherwise), Do: then(tellShut), Why: "The track stays closed for another reason."},
		{In: in(Delivered), On: on, If: g(), Do: acts, Why: "The track is open to sending again; nothing waits."},
		{In: in(Idle), On: on, If: g(fsm.Not(textWaits)), Do: acts, Why: "The track is open to sending again; nothing waits that is ready."},
		{In: in(Idle), On: on, If: g(textWaits, threadOpen), To: RecoveryPending, Do: then(startNext), Why: "The track is open to sending again, and the oldest text that waited starts a turn."},
		{In: in(Idle), On: on, If: g(textWaits, fsm.Not(threadOpen), threadOpening), Do: acts, Why: "The track is open to sending again; the thread is on its way."},
		{In: in(Idle), On: on, If: g(textWaits, fsm.Not(threadOpen), fsm.Not(threadOpening)), Do: then(openThread), Why: "The track is open to sending again, and the text that waited asks for its thread."},
		{In: in(Steerable, PendingVisibility), On: on, If: g(), Do: then(steerQueue), Why: "The track is open to sending again, and what waited goes into the turn."},
		{In: in(WaitingVisible), On: on, If: g(), Do: then(tellHeld), Why: "The track is open to sending again; what waits is held for the visible request, and its senders are told."},
		{In: in(RecoveryPending), On: on, If: g(), Do: then(tellUnknown), Why: "The track is open to sending again; what waits is held until it is known which turn is active."},
	}
}

// deskRows: deadlines, restarts, progress, and what a person chooses for the track.
func deskRows() []row {
	const progress, waiting, silent, overdue, restarted, impossible, model = "agent_message_completed", "waiting_overdue",
		"turn_silent", "send_overdue", "bridge_started", "pull_impossible", "model_requested"
	return []row{
		{In: quiet, On: progress, Ignore: true, Why: "No turn is in flight."},
		{In: flying, On: progress, If: when(oursIn), Do: do(showProgress), Why: "It is not the answer: it is shown as progress, which may be lost."},
		{In: flying, On: progress, If: when(fsm.Not(oursIn)), Ignore: true, Why: "Nothing of ours is in that turn."},

		{In: quiet, On: waiting, Ignore: true, Why: "No turn is in flight."},
		{In: in(Steerable, WaitingVisible), On: waiting, Ignore: true, Why: "Codex waits on nobody, or what it asks has arrived."},
		{In: in(PendingVisibility, RecoveryPending), On: waiting, If: when(oursIn, flagAlone), Do: do(tellUnarrived), Why: "Codex waits, and nobody knows for what: that is said, with the way out, and holds no text."},
		{In: in(PendingVisibility, RecoveryPending), On: waiting, If: when(oursIn, fsm.Not(flagAlone)), Ignore: true, Why: "What Codex asks has arrived, or it waits no longer."},
		{In: in(PendingVisibility, RecoveryPending), On: waiting, If: when(fsm.Not(oursIn)), Ignore: true, Why: "Nothing of ours is in that turn."},

		{In: quiet, On: silent, Ignore: true, Why: "No turn is in flight."},
		{In: in(Steerable, RecoveryPending), On: silent, If: when(turnOpen, oursIn), Do: do(interruptOver, interruptTurns, pull, tellSilent), Why: "Whether it runs on, a read tells; that nothing is heard of it is true, and is said once. An interrupt that did nothing is repeated."},
		{In: in(Steerable, RecoveryPending), On: silent, If: when(turnOpen, fsm.Not(oursIn)), Do: do(interruptOver, interruptTurns, pull), Why: "Whether it runs on, a read tells; nobody here waits for it. An interrupt that did nothing is repeated."},
		{In: in(PendingVisibility, WaitingVisible), On: silent, If: when(turnOpen), Do: do(interruptOver, interruptTurns, pull), Why: "It waits for a person, so silence is natural; whether it runs on, a read tells. An interrupt that did nothing is repeated."},
		{In: flying, On: silent, If: when(fsm.Not(turnOpen)), Ignore: true, Why: "The turn is over."},

		{In: live, On: overdue, If: when(unsent), Do: do(tellUnsent), Why: "It is in the ledger and not sent: its sender is told once that it is kept."},
		{In: live, On: overdue, If: when(fsm.Not(unsent)), Ignore: true, Why: "It is sent, or its sender knows what it waits for."},

		{In: quiet, On: restarted, Ignore: true, Why: "No turn is in flight; the outbox goes on by itself."},
		{In: flying, On: restarted, Do: do(pull), Why: "What happened meanwhile, a read tells."},

		{In: quiet, On: impossible, Ignore: true, Why: "No turn is waited for."},
		{In: flying, On: impossible, Do: do(pullLater), Why: "\"list_turns is not supported yet\" and \"rollout is empty\" are transient: they prove nothing, and the read is repeated."},

		{In: quiet, On: model, Do: do(noteModel, sayModel), Why: "It holds from the next turn on."},
		{In: flying, On: model, If: when(mayCommand), Do: do(noteModel, sayModel), Why: "It holds from the next turn on; the one in flight keeps its model."},
		{In: flying, On: model, If: when(fsm.Not(mayCommand)), Do: do(say(SaidNotYours)), Why: "Only who wrote to the turn, or is entitled anyway, chooses for it; whoever asked is told."},

		{In: live, On: "effect_dropped", Ignore: true, Why: "It was for the eye; nothing depends on it."},
	}
}

// supersededDeskRows are the rows of these facts for a superseded track.
func supersededDeskRows() []row {
	over := in(Superseded)
	late := "The track is superseded; "
	var rows []row
	for _, on := range []string{"message_recalled", "sender_dismissed"} {
		act := map[string]action{"message_recalled": takeBack, "sender_dismissed": expel}[on]
		rows = append(rows,
			row{In: over, On: on, If: when(takesAny), Do: do(act), Why: late + "what a call still has is not sent again if it proves to be in no turn."},
			row{In: over, On: on, If: when(fsm.Not(takesAny)), Ignore: true, Why: late + "it has nothing that could be kept from Codex."},
		)
	}
	for _, on := range []string{"attachments_ready", "attachments_failed"} {
		rows = append(rows, row{In: over, On: on, Ignore: true, Why: late + "the next one fetches the files for itself."})
	}
	for _, on := range []string{"waiting_overdue", "agent_message_completed", "send_overdue", "effect_dropped", "track_closed", "track_opened", "chat_closed"} {
		rows = append(rows, row{In: over, On: on, Ignore: true, Why: late + "it takes no text, pushes nothing, and ends its turn anyway."})
	}
	for _, c := range []struct {
		on  string
		act []action
		why string
	}{
		{"bridge_started", do(pull), "what happened meanwhile, a read tells."},
		{"thread_resumed", do(expectReplay, pull), "what is open is sent again now, or is dead."},
		{"pull_impossible", do(pullLater), "its turn's end has to be proven, so the read is repeated."},
	} {
		rows = append(rows,
			row{In: over, On: c.on, If: when(anyTurn), Do: c.act, Why: late + c.why},
			row{In: over, On: c.on, If: when(fsm.Not(anyTurn)), Ignore: true, Why: late + "nothing runs here any more."},
		)
	}
	return append(rows,
		row{In: over, On: "chat_reopened", Do: do(resend, askAgain), Why: late + "what the closed chat refused was owed while it was the newest, and is sent again."},
		row{In: over, On: "thread_lost", If: when(startUnderWay), Ignore: true, Why: "The start that is under way is answered with the same, which settles its text too."},
		row{In: over, On: "thread_lost", If: when(anyTurn, fsm.Not(startUnderWay)), Do: do(archiveVanished, tellNewThread, handOverQueue), Why: late + "the thread is gone with its turns, which needs no interrupt; what they never took in goes to the next track."},
		row{In: over, On: "thread_lost", If: when(fsm.Not(anyTurn)), Ignore: true, Why: late + "nothing runs here any more."},

		row{In: over, On: "turn_silent", If: when(turnOpen), Do: do(interruptOver, interruptTurns, pull), Why: late + "whether its turn runs on, a read tells; an interrupt that did nothing is repeated."},
		row{In: over, On: "turn_silent", If: when(fsm.Not(turnOpen)), Ignore: true, Why: "The turn is over."},

		row{In: over, On: "message_stale", If: when(startPending), Do: do(loseStart), Why: late + "the start was held back, and its text goes back."},
		row{In: over, On: "message_stale", If: when(fsm.Not(startPending), steerPending), Do: do(loseMessage, tellNewThread, handOverQueue), Why: "The steer was held back: behind a /new its text goes back, else to the next track."},
		row{In: over, On: "message_stale", If: when(fsm.Not(startPending), fsm.Not(steerPending)), Ignore: true, Why: "The message is in no call that could be held back."},

		row{In: over, On: "stale_answered", If: when(fsm.Not(senderAsked)), Do: do(say(SaidNotAsked)), Why: "Nobody is asked about that message: the answer was not used, and whoever gave it is told."},
		row{In: over, On: "stale_answered", If: when(senderAsked, fsm.Not(bySender)), Do: do(say(SaidNotSender)), Why: "Whether a message is still wanted, its sender says."},
		row{In: over, On: "stale_answered", If: when(senderAsked, bySender, fsm.Not(wanted)), Do: do(dropStale), Why: "Its sender does not want it sent any more."},
		row{In: over, On: "stale_answered", If: when(senderAsked, bySender, wanted), Do: do(reviveStale, tellNewThread, handOverQueue), Why: "Its sender wants it sent all the same: it goes to the next track."},

		row{In: over, On: "model_requested", Do: do(say(SaidSendAgain)), Why: late + "the choice would hold for nothing, and whoever made it is told."},
	)
}
