package transitions

import "deskbridge/fsm"

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
		{"thread_resumed", do(noteResumed, expectReplay, pull), "what is open is sent again now, or is dead."},
		{"pull_impossible", do(pullLater), "its turn's end has to be proven, so the read is repeated."},
	} {
		rows = append(rows,
			row{In: over, On: c.on, If: when(anyTurn), Do: c.act, Why: late + c.why},
			row{In: over, On: c.on, If: when(fsm.Not(anyTurn)), Ignore: true, Why: late + "nothing runs here any more."},
		)
	}
	rows = append(rows, unwantedRows(over)...)
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

		row{In: over, On: "stale_answered", If: when(senderAsked, bySender, wanted), Do: do(reviveStale, tellNewThread, handOverQueue), Why: "Its sender wants it sent all the same: it goes to the next track."},

		row{In: over, On: "model_requested", Do: do(say(SaidSendAgain)), Why: late + "the choice would hold for nothing, and whoever made it is told."},
	)
}
