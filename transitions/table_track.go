package transitions

import "deskbridge/fsm"

// supersedingRows: /new is a fence like /stop, and the end of the track.
func supersedingRows() []row {
	return []row{
		{In: flying, On: "new_requested", If: when(fsm.Not(mayCommand)), Do: do(say(SaidNotYours)),
			Why: "Only who wrote to the turn, or is entitled anyway, leaves it behind; whoever asked is told."},
		{In: quiet, On: "new_requested", To: Superseded, Do: do(raiseFence, supersede, say(SaidNewTrack)),
			Why: "The conversation goes on in a new track; what was not sent in this one goes back."},
		{In: flying, On: "new_requested", If: when(mayCommand), To: Superseded, Do: do(recordNew, raiseFence, interruptTurns, declineRequests, supersede, say(SaidNewTrack)),
			Why: "The conversation goes on in a new track; this one ends its turn, declines its requests and closes its books."},
		{In: live, On: "handed_over", Ignore: true, Why: "Nothing is handed over before the track is superseded."},
	}
}

// supersededRows: a superseded track interrupts until the end of its turns is
// proven, declines what it is asked, and takes no text.
func supersededRows() []row {
	over := in(Superseded)
	late := "The track is superseded; "
	rows := []row{
		{In: over, On: "message_received", If: when(behindFence), Do: do(sendBack), Why: "It was on its way from the former track when the /stop or /new came, so it goes back to its sender."},
		{In: over, On: "message_received", If: when(fsm.Not(behindFence)), Do: do(passOn), Why: late + "text that still came here goes to the newest track."},
		{In: over, On: "stop_requested", Do: do(say(SaidSendAgain)), Why: late + "the command was meant for the newest one, which is just beginning: it is to be sent again."},
		{In: over, On: "new_requested", Do: do(say(SaidSendAgain)), Why: late + "the command was meant for the newest one, which is just beginning: it is to be sent again."},
		{In: over, On: "handed_over", Ignore: true, Why: "The next track has it as a message of its own."},
		{In: over, On: "thread_refused", Ignore: true, Why: late + "it needs no thread."},
		{In: over, On: "thread_opened", Do: do(bindThread), Why: late + "the thread stays empty."},

		{In: over, On: "turn_start_accepted", If: when(startPending, fsm.Not(turnNamed)), Do: do(doubtStart, pull), Why: "An answer that names no turn proves nothing: a read decides."},
		{In: over, On: "turn_start_accepted", If: when(startPending, turnNamed, fsm.Not(turnClosed)), Do: do(acceptStart, interruptTurns), Why: late + "the turn that its start began is interrupted."},
		{In: over, On: "turn_start_accepted", If: when(startPending, turnNamed, turnClosed), Do: do(loseStart), Why: late + "the text went into a turn that is over and does not have it."},
		{In: over, On: "turn_start_accepted", If: when(fsm.Not(startPending)), Ignore: true, Why: "The turn of that start is known already."},
		{In: over, On: "turn_start_unknown", If: when(startPending), Do: do(doubtStart, pull), Why: late + "whether the start began a turn, a read tells."},
		{In: over, On: "turn_start_unknown", If: when(fsm.Not(startPending)), Ignore: true, Why: "The turn of that start is known already."},
		{In: over, On: "turn_start_refused", If: when(startPending, fsm.Not(threadGone)), Do: do(refuseStart), Why: late + "Codex refused the text, and its sender learns why."},
		{In: over, On: "turn_start_refused", If: when(startPending, threadGone), Do: do(archiveVanished, loseMessage, tellNewThread, handOverQueue), Why: late + "the thread is gone with its turns: behind a /new its text goes back, else to the next track."},
		{In: over, On: "turn_start_refused", If: when(fsm.Not(startPending)), Ignore: true, Why: "A turn was proven to have the text."},
		{In: over, On: "turn_start_withdrawn", If: when(startPending), Do: do(loseStart), Why: late + "the start was never sent, and its text goes back."},
		{In: over, On: "turn_start_withdrawn", If: when(fsm.Not(startPending)), Ignore: true, Why: "The start has been settled otherwise."},

		{In: over, On: "interrupt_accepted", Ignore: true, Why: "Whether the turn was stopped by it, only its end says."},
		{In: over, On: "turn_running", If: when(turnClosed), Ignore: true, Why: "A late word about a turn that is over."},
		{In: over, On: "turn_running", If: when(fsm.Not(turnClosed), identifies), Do: do(identifyTurn, proveMessages, interruptTurns), Why: late + "the turn that was unknown runs, and is interrupted."},
		{In: over, On: "turn_running", If: when(fsm.Not(turnClosed), fsm.Not(identifies), turnOpen), Do: do(proveMessages, interruptTurns), Why: late + "its turn runs on: an interrupt that was refused or lost is repeated."},
		{In: over, On: "turn_running", If: when(fsm.Not(turnClosed), fsm.Not(identifies), fsm.Not(turnOpen)), Ignore: true, Why: late + "what another client runs on its thread is that client's."},
		{In: over, On: "turn_ended", If: when(turnClosed), Ignore: true, Why: "A turn ends once."},
		{In: over, On: "turn_ended", If: when(fsm.Not(turnClosed)), Do: do(archiveTurn), Why: late + "the outcome is kept, and found by asking."},

		{In: over, On: "pull_answered", If: when(fsm.Not(tracelessFirst), fsm.Not(proveAbsent)), Do: do(forgetMissing), Why: "The turn shows a trace, the thread is busy, or the second read came too soon: nothing is proven."},
		{In: over, On: "pull_answered", If: when(tracelessFirst), Do: do(noteMissing), Why: "The idle thread lacks the turn: that is proven only by a second read, a while apart."},
		{In: over, On: "pull_answered", If: when(proveAbsent), Do: do(archiveVanished), Why: late + "a turn that does not exist needs no interrupt."},

		{In: over, On: "delivery_confirmed", If: when(deliveryPending), Do: do(confirmDelivery), Why: "It was owed while the track was the newest, and stands in the chat."},
		{In: over, On: "delivery_confirmed", If: when(fsm.Not(deliveryPending)), Ignore: true, Why: "It is settled already."},
		{In: over, On: "receipt_shown", Ignore: true, Why: "The reaction is for the eye; nothing depends on it."},

		{In: over, On: "request_opened", If: when(requestGone), Ignore: true, Why: "It was resolved, or its turn is over, so nobody waits on it."},
		{In: over, On: "request_opened", If: when(fsm.Not(requestGone), requestKnown), Do: do(repeatRequest), Why: "The server did not get the decision: it is sent again."},
		{In: over, On: "request_opened", If: when(fsm.Not(requestGone), fsm.Not(requestKnown), turnOpen), Do: do(declineNew), Why: late + "what it is asked is declined, and shown to nobody."},
		{In: over, On: "request_opened", If: when(fsm.Not(requestGone), fsm.Not(requestKnown), fsm.Not(turnOpen)), Ignore: true, Why: late + "what another client's turn on its thread asks is that client's to answer."},
		{In: over, On: "request_visible", If: when(requestKnown), Do: do(seeRequest), Why: "The card came after the request was declined: it is closed."},
		{In: over, On: "request_visible", If: when(fsm.Not(requestKnown)), Do: do(closeLate), Why: "The card came after its request was over."},
		{In: over, On: "request_unshowable", Ignore: true, Why: late + "nobody needs to see its requests."},
		{In: over, On: "visibility_overdue", Ignore: true, Why: late + "nobody needs to see its requests."},
		{In: over, On: "request_answered", Do: do(say(SaidDecided)), Why: late + "its requests were declined with it."},
		{In: over, On: "decision_written", Ignore: true, Why: "Writing proves nothing: that it took effect, request_resolved says."},
		{In: over, On: "decision_unknown", Ignore: true, Why: "If the server did not get it, it sends the request again."},
		{In: over, On: "thread_status_changed", If: when(threadActive), Do: do(noteWaiting), Why: late + "its turn is being interrupted, whatever it waits for."},
		{In: over, On: "thread_status_changed", If: when(fsm.Not(threadActive)), Do: do(noteWaiting, pull), Why: late + "how its turn ended, a read tells."},
		{In: over, On: "generation_changed", Do: do(dropGeneration, pull), Why: "Requests do not survive the server process that asked."},
	}
	for _, c := range []struct {
		on  string
		act action
		is  guard
	}{{"request_resolved", endRequest, requestKnown}, {"replay_overdue", buryRequest, unreplayed}} {
		rows = append(rows,
			row{In: over, On: c.on, If: when(c.is), Do: do(c.act), Why: "Codex waits for it no longer."},
			row{In: over, On: c.on, If: when(fsm.Not(c.is)), Ignore: true, Why: "The request is over, or was sent again."},
		)
	}
	for _, c := range []struct {
		on  string
		act action
	}{{"delivery_part_shown", showPart}, {"delivery_unknown", doubtDelivery}} {
		rows = append(rows,
			row{In: over, On: c.on, If: when(deliveryPending), Do: do(c.act), Why: "It was owed while the track was the newest; what became of it is kept."},
			row{In: over, On: c.on, If: when(fsm.Not(deliveryPending)), Ignore: true, Why: "It is settled already."},
		)
	}
	rows = append(rows,
		row{In: over, On: "delivery_refused", If: when(deliveryPending, fsm.Not(failureTold)), Do: do(refuseDelivery, tellFailed), Why: "It was owed while the track was the newest; that it could not be posted is kept, and said once."},
		row{In: over, On: "delivery_refused", If: when(deliveryPending, failureTold), Do: do(refuseDelivery), Why: "It was owed while the track was the newest; what became of it is kept."},
		row{In: over, On: "delivery_refused", If: when(fsm.Not(deliveryPending)), Ignore: true, Why: "It is settled already."},
	)
	for _, on := range []string{"interrupt_refused", "interrupt_unknown"} {
		rows = append(rows,
			row{In: over, On: on, If: when(turnOpen), Do: do(interruptOver, pull), Why: late + "it keeps interrupting until its turn's end is proven."},
			row{In: over, On: on, If: when(fsm.Not(turnOpen)), Ignore: true, Why: "The turn is over."},
		)
	}
	return append(rows, supersededSteerRows()...)
}

// supersededSteerRows: the steers that were under way when the track was
// superseded; their text is behind the fence.
func supersededSteerRows() []row {
	over := in(Superseded)
	var rows []row
	for _, on := range []string{"steer_accepted", "steer_unknown", "steer_refused", "steer_withdrawn"} {
		rows = append(rows, row{In: over, On: on, If: when(fsm.Not(steerPending)), Ignore: true, Why: "The message's fate is known already."})
	}
	return append(rows,
		row{In: over, On: "steer_accepted", If: when(steerPending, turnOpen), Do: do(acceptSteer), Why: "Only an item, or the turn's end without it, decides."},
		row{In: over, On: "steer_accepted", If: when(steerPending, fsm.Not(turnOpen)), Do: do(loseMessage, tellNewThread, handOverQueue), Why: "The turn ended without the text: behind a /new it goes back, else to the next track."},
		row{In: over, On: "steer_unknown", If: when(steerPending, turnOpen), Do: do(doubtSteer, pull), Why: "The turn's items decide."},
		row{In: over, On: "steer_unknown", If: when(steerPending, fsm.Not(turnOpen)), Do: do(loseMessage, tellNewThread, handOverQueue), Why: "The turn ended without the text: behind a /new it goes back, else to the next track."},
		row{In: over, On: "steer_refused", If: when(steerPending, reroutable), Do: do(loseMessage, tellNewThread, handOverQueue), Why: "The server did not take the text: behind a /new it goes back, else to the next track."},
		row{In: over, On: "steer_refused", If: when(steerPending, fsm.Not(reroutable)), Do: do(refuseSteer), Why: "A refusal is definite, and its sender learns why."},
		row{In: over, On: "steer_withdrawn", If: when(steerPending), Do: do(loseMessage, tellNewThread, handOverQueue), Why: "The steer was never sent: behind a /new its text goes back, else to the next track."},
	)
}
