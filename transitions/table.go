package transitions

import (
	"slices"

	"deskbridge/fsm"
)

var (
	quiet    = []State{Idle, Delivered}
	inFlight = []State{Steerable, PendingVisibility, WaitingVisible}
	flying   = []State{Steerable, PendingVisibility, WaitingVisible, RecoveryPending}
	settled  = []State{Idle, Steerable, PendingVisibility, WaitingVisible, Delivered} // no turn is unknown
	live     = []State{Idle, Steerable, PendingVisibility, WaitingVisible, RecoveryPending, Delivered}
)

// ConversationMachine declares the machine of a track.
func ConversationMachine() fsm.Declaration[State, Data, Fact, Effect] {
	return fsm.Declaration[State, Data, Fact, Effect]{
		Term:    term("conversation", "One track: a conversation bound to one Codex thread."),
		Initial: Idle,
		States: []fsm.State[State]{
			{Name: Idle, Doc: "No turn in flight; nothing yet, or an outcome is still on its way to the chat."},
			{Name: Steerable, Doc: "A turn is in flight, and text goes into it."},
			{Name: PendingVisibility, Doc: "Codex waits on a request that nobody can act on yet."},
			{Name: WaitingVisible, Doc: "At least one open request is proven visible."},
			{Name: RecoveryPending, Doc: "Which turn is active, if any, is not known: a start, or a turn's end, is without outcome."},
			{Name: Delivered, Doc: "No turn in flight, and no outcome of the track undelivered.", Settled: true},
			{Name: Superseded, Doc: "Overtaken by a newer track: ends its turn and closes its books, takes no text.", Settled: true},
		},
		Facts:   conversationFacts(),
		Effects: conversationEffects(),
		Rows:    conversationRows(),
		Clone:   Data.Clone,
	}
}

func conversationRows() []row {
	var rows []row
	for _, part := range [][]row{
		receivingRows(), stoppingRows(), threadRows(), threadWordRows(), startRows(), steerRows(), interruptRows(),
		conversationTurnRows(), pullRows(), requestFactRows(), supersedingRows(), deliveryRows(),
		takingBackRows(), staleRows(), closingRows(), deskRows(), threadsRows(), supersededRows(), supersededDeskRows(), supersededThreadsRows(),
	} {
		rows = append(rows, part...)
	}
	return rows
}

func when(g ...guard) []guard { return g }
func do(a ...action) []action { return a }
func in[S any](s ...S) []S    { return s }

// receivingRows: ordinary text, and where each state sends it.
func receivingRows() []row {
	const on = "message_received"
	g := func(extra guard) []guard {
		return when(fsm.Not(recalledBefore), fsm.Not(dismissedBefore), fsm.Not(behindFence), extra)
	}
	rows := []row{
		{In: live, On: on, If: when(recalledBefore), Do: do(takeArrived),
			Why: "Its sender took it back before it came here, so it is not sent."},
		{In: live, On: on, If: when(fsm.Not(recalledBefore), dismissedBefore), Do: do(expelArrived),
			Why: "It was on its way from the former track when its sender was dismissed, so it is not sent."},
		{In: live, On: on, If: when(fsm.Not(recalledBefore), fsm.Not(dismissedBefore), behindFence), Do: do(sendBack),
			Why: "It was on its way from the former track when the /stop came, so it goes back to its sender."},
		{In: quiet, On: on, If: g(hasFiles), To: Idle, Do: do(keepMessage, resend, askAgain, fetchFiles),
			Why: "The message goes to Codex with its files, and waits for them; nothing else waits for it."},
		{In: flying, On: on, If: g(hasFiles), Do: do(keepMessage, resend, askAgain, fetchFiles),
			Why: "The message goes to Codex with its files, and waits for them; nothing else waits for it."},
	}
	rows = append(rows, arrivalRows(quiet, on, g(fsm.Not(hasFiles)), do(keepMessage, resend, askAgain), "The text is written down")...)
	rows = append(rows, openingThreadRows(on, g(fsm.Not(hasFiles)), do(keepMessage, resend, askAgain), "The text is written down")...)
	for _, c := range []struct {
		on      string
		acts    []action
		because string
	}{
		{"attachments_ready", do(takeFiles), "The message has its files"},
		{"attachments_failed", do(takeFiles, say(SaidFilesLost)), "The message goes on without what could not be fetched, and both its sender and Codex are told"},
	} {
		awaiting := append(in(Idle), flying...)
		rows = append(rows,
			row{In: in(Delivered), On: c.on, Ignore: true, Why: "No message waits for files."},
			row{In: awaiting, On: c.on, If: when(fsm.Not(filesAwaited)), Ignore: true, Why: "The message does not wait for files: it was given back or taken back, or told of before."})
		rows = append(rows, arrivalRows(in(Idle), c.on, when(filesAwaited), c.acts, c.because)...)
		rows = append(rows, openingThreadRows(c.on, when(filesAwaited), c.acts, c.because)...)
	}
	return rows
}

// arrivalRows writes the rows for a fact after which a text is ready to go to Codex;
// from says in which of the quiet states that can be.
func arrivalRows(from []State, on string, cond []guard, acts []action, because string) []row {
	g := func(extra ...guard) []guard { return slices.Concat(cond, extra) }
	then := func(more ...action) []action { return slices.Concat(acts, more) }
	return []row{
		{In: from, On: on, If: g(open, threadOpen), To: RecoveryPending, Do: then(startNext),
			Why: because + "; no turn is in flight, so it starts one; until the answer, which turn is active is not known."},
		{In: in(Steerable, PendingVisibility), On: on, If: g(open), Do: then(steerQueue),
			Why: because + "; a turn is in flight, and text goes into it: it waits neither for its end nor for what nobody can see."},
		{In: in(WaitingVisible), On: on, If: g(open), Do: then(holdQueue, tellHeld),
			Why: because + "; a visible request waits for a person: other text is held, and its sender is told for what."},
		{In: in(RecoveryPending), On: on, If: g(open), Do: then(holdQueue, tellUnknown),
			Why: because + "; it is held until it is known which turn is active, then routed as that demands; if no answer will say, its sender is told."},
		{In: from, On: on, If: g(shut), To: Idle, Do: then(holdQueue, tellShut),
			Why: because + "; the track is closed to sending: text is held, and its sender is told so if that may take long."},
		{In: flying, On: on, If: g(shut), Do: then(holdQueue, tellShut),
			Why: because + "; the track is closed to sending: text is held, and its sender is told so if that may take long."},
	}
}

// openingThreadRows are the rows of such a fact for a track without a thread, which
// has never had a turn and so is idle.
func openingThreadRows(on string, cond []guard, acts []action, because string) []row {
	g := func(extra ...guard) []guard { return slices.Concat(cond, when(open, fsm.Not(threadOpen)), extra) }
	return []row{
		{In: in(Idle), On: on, If: g(fsm.Not(threadOpening)), Do: slices.Concat(acts, do(openThread)),
			Why: because + "; the first text of a track asks for its thread, and waits in the ledger."},
		{In: in(Idle), On: on, If: g(threadOpening), Do: acts,
			Why: because + "; the thread is on its way, and text keeps its order behind the first."},
	}
}

// stoppingRows: /stop is a fence in every state.
func stoppingRows() []row {
	const on = "stop_requested"
	return []row{
		{In: flying, On: on, If: when(fsm.Not(mayCommand)), Do: do(say(SaidNotYours)),
			Why: "Only who wrote to the turn, or is entitled anyway, stops it; whoever asked is told."},
		{In: quiet, On: on, If: when(fsm.Not(textUnproven)), Do: do(noteFence, say(SaidNothingToStop)),
			Why: "No turn is in flight, and there is nothing to take back."},
		{In: quiet, On: on, If: when(textUnproven, fsm.Not(textKept)), Do: do(raiseFence),
			Why: "No turn is in flight, but a steer into the last one is without answer, or a sender was asked about a message: it came before the /stop, and goes back if it was not sent."},
		{In: in(Idle), On: on, If: when(textKept, fsm.Not(nothingOwed)), Do: do(raiseFence),
			Why: "Text that waits came before the /stop, so it goes back to its sender."},
		{In: in(Idle), On: on, If: when(textKept, nothingOwed), To: Delivered, Do: do(raiseFence),
			Why: "Text that waits came before the /stop, so it goes back; nothing else is owed to the chat."},
		{In: inFlight, On: on, If: when(mayCommand, fsm.Not(stopPending)), Do: do(recordStop, raiseFence, interruptTurns),
			Why: "The running turn is interrupted; that it stopped is said when its end proves it."},
		{In: in(RecoveryPending), On: on, If: when(mayCommand, fsm.Not(stopPending)), Do: do(recordStop, raiseFence, interruptTurns),
			Why: "An unsent start is withdrawn; otherwise the /stop applies to the turn that an answer or a read reveals."},
		{In: flying, On: on, If: when(mayCommand, stopPending), Do: do(recordStop, raiseFence, interruptTurns, say(SaidStopping)),
			Why: "The stop is under way, and its interrupt is not repeated; a turn seen since is stopped too, and what was written since goes back."},
	}
}

// threadRows: the thread that the track is bound to. A track without one is idle:
// whatever has had a turn has it.
func threadRows() []row {
	const opened, refused = "thread_opened", "thread_refused"
	hasWhy := "The track has its thread; a second one, opened by a repeated call, stays empty."
	elsewhere := append(in(Delivered), flying...)
	return []row{
		{In: in(Idle), On: opened, If: when(threadOpening, textReady, fsm.Not(transcriptGiven), fsm.Not(transcriptMissing)), To: RecoveryPending, Do: do(bindThread, startNext),
			Why: "The oldest text that waited for the thread starts its first turn."},
		{In: in(Idle), On: opened, If: when(threadOpening, textReady, transcriptGiven), To: RecoveryPending, Do: do(bindThread, tellRebuilt, startNext),
			Why: "The thread takes the place of a lost one and has been given what was said there; who wrote learns what Codex may not know."},
		{In: in(Idle), On: opened, If: when(threadOpening, textReady, transcriptMissing), To: RecoveryPending, Do: do(bindThread, tellForgotten, startNext),
			Why: "The thread takes the place of a lost one, and what was said there could not be given to it: who wrote learns so."},
		{In: in(Idle), On: opened, If: when(threadOpening, fsm.Not(textReady)), Do: do(bindThread),
			Why: "Nothing can be sent any more, or yet; the thread serves the next text."},
		{In: in(Idle), On: opened, If: when(fsm.Not(threadOpening)), Ignore: true, Why: hasWhy},
		{In: elsewhere, On: opened, Ignore: true, Why: hasWhy},

		{In: in(Idle), On: refused, If: when(threadOpening), Do: do(refuseQueue),
			Why: "Codex opens no thread, because of how it is set up: who waits learns why, and the next text asks anew."},
		{In: in(Idle), On: refused, If: when(fsm.Not(threadOpening)), Ignore: true, Why: "No thread is asked for."},
		{In: elsewhere, On: refused, Ignore: true, Why: "The track has its thread."},
	}
}

// threadWordRows: what else is heard of the thread.
func threadWordRows() []row {
	rows := []row{
		{In: quiet, On: "thread_lost", Ignore: true, Why: "Nothing is in flight: the next text finds that out, and its sender is told then."},
		{In: in(RecoveryPending), On: "thread_lost", If: when(startUnderWay), Ignore: true, Why: "The start that is under way is answered with the same, which settles its text too."},
		{In: flying, On: "thread_lost", If: when(fsm.Not(startUnderWay)), To: Superseded, Do: do(leaveThread, supersede, tellNewThread, handOverQueue),
			Why: "The thread is lost for good, as one without a finished first turn can be, and its turns with it: what waits moves to a new track, in order, and is told so; what may have been executed is not repeated."},
		{In: quiet, On: "thread_resumed", Do: do(noteResumed, pull), Why: "What others did on it meanwhile, a read tells."},
		{In: flying, On: "thread_resumed", Do: do(noteResumed, expectReplay, pull), Why: "What is open is sent again now, or is dead; what happened meanwhile, a read tells."},

		{In: quiet, On: "thread_status_changed", If: when(threadActive), Do: do(pull), Why: "A turn that we do not know runs: a read tells which, so that text goes into it."},
		{In: quiet, On: "thread_status_changed", If: when(fsm.Not(threadActive)), Ignore: true, Why: "No turn is in flight."},
	}
	rows = append(rows, afterRequests("thread_status_changed", when(threadActive), do(noteWaiting), "The flag says that Codex waits on a person, before the request itself arrives, or that it does so no longer",
		outlooks{Steerable: in(viewHidden, viewClear), PendingVisibility: in(viewHidden, viewClear), WaitingVisible: in(viewVisible)})...)
	return append(rows, afterRequests("thread_status_changed", when(fsm.Not(threadActive)), do(noteWaiting, pull), "A thread that is not active waits on nobody; how its turn ended, a read tells",
		outlooks{Steerable: in(viewClear), PendingVisibility: in(viewHidden, viewClear), WaitingVisible: in(viewVisible)})...)
}

// startRows: what became of a turn/start.
func startRows() []row {
	lateWhy := "The turn of that start is known already: its item, its end or a read came before the answer."
	rows := []row{
		{In: in(RecoveryPending), On: "turn_start_accepted", If: when(fsm.Not(startPending)), Ignore: true, Why: lateWhy},
		{In: settled, On: "turn_start_accepted", Ignore: true, Why: lateWhy},

		{In: in(RecoveryPending), On: "turn_start_unknown", If: when(startPending), Do: do(doubtStart, tellUnknown, pull),
			Why: "It may have taken effect: it is neither repeated nor called failed, a read decides; who wrote since is told what their text waits for."},
		{In: in(RecoveryPending), On: "turn_start_unknown", If: when(fsm.Not(startPending)), Ignore: true, Why: lateWhy},
		{In: settled, On: "turn_start_unknown", Ignore: true, Why: lateWhy},

		{In: in(RecoveryPending), On: "turn_start_accepted", If: when(startPending, fsm.Not(turnNamed)), Do: do(doubtStart, tellUnknown, pull),
			Why: "An answer that names no turn proves nothing: a read decides."},

		{In: in(RecoveryPending), On: "turn_start_refused", If: when(startPending, threadGone), To: Superseded, Do: do(leaveThread, supersede, tellNewThread, handOverQueue),
			Why: "The thread is lost for good, which proves that this text was not executed: what waits moves to a new track, in order, and is told so; what a /stop came after goes back."},
		{In: in(RecoveryPending), On: "turn_start_refused", If: when(fsm.Not(startPending)), Ignore: true,
			Why: "A turn was proven to have the text; a proof stands against any refusal."},
		{In: settled, On: "turn_start_refused", Ignore: true, Why: lateWhy},

		{In: in(RecoveryPending), On: "turn_start_withdrawn", If: when(fsm.Not(startPending)), Ignore: true,
			Why: "The start has been settled otherwise."},
		{In: settled, On: "turn_start_withdrawn", Ignore: true, Why: lateWhy},
	}
	rows = append(rows, underWay(RecoveryPending, "turn_start_accepted", when(startPending, turnNamed, fsm.Not(turnClosed)), do(acceptStart, interruptTurns),
		"The answer names the turn, even where the text was folded into one that was active")...)
	rows = append(rows, afterStart("turn_start_accepted", when(startPending, turnNamed, turnClosed), loseStart,
		"The text went into a turn that is over by now and does not have it")...)
	rows = append(rows, afterStart("turn_start_refused", when(startPending, fsm.Not(threadGone)), refuseStart,
		"Codex refused the text for good, and its sender learns why")...)
	return append(rows, afterStart("turn_start_withdrawn", when(startPending), loseStart,
		"The start was never sent: behind a /stop its text goes back to its sender")...)
}

// steerRows: what became of a turn/steer. Whatever the conversation's state, the
// message alone moves, unless the server denies the turn itself.
func steerRows() []row {
	settledWhy := "The message's fate is known already: an item came before the answer, or its story is over."
	gone := fsm.Not(turnOpen)
	var rows []row
	for _, on := range []string{"steer_accepted", "steer_unknown", "steer_refused", "steer_withdrawn"} {
		rows = append(rows, row{In: live, On: on, If: when(fsm.Not(steerPending)), Ignore: true, Why: settledWhy})
	}
	rows = append(rows,
		row{In: flying, On: "steer_accepted", If: when(steerPending, turnOpen), Do: do(acceptSteer),
			Why: "An accepted steer is no proof of execution: only an item, or the turn's end without it, decides."},
		row{In: flying, On: "steer_unknown", If: when(steerPending, turnOpen), Do: do(doubtSteer, pull),
			Why: "It may have been taken in: the turn's items decide, and it holds no other text."},
		row{In: live, On: "steer_refused", If: when(steerPending, fsm.Not(reroutable)), Do: do(refuseSteer),
			Why: "A refusal is definite, and its sender learns why."},
		row{In: in(Steerable, PendingVisibility), On: "steer_refused", If: when(steerPending, notSteerable, turnOpen), Do: do(loseMessage, tellDeaf, tellShut),
			Why: "The turn takes no text: the text waits for its end, and its sender is told."},
		row{In: in(RecoveryPending), On: "steer_refused", If: when(steerPending, notSteerable, turnOpen), Do: do(loseMessage, tellShut, tellUnknown),
			Why: "The turn takes no text: the text waits until it is known which turn is active."},
		row{In: in(WaitingVisible), On: "steer_refused", If: when(steerPending, notSteerable, turnOpen), Do: do(loseMessage, tellHeld, tellShut),
			Why: "The turn takes no text, and a visible request waits for a person: the text waits for both, and its sender is told."},
		row{In: inFlight, On: "steer_refused", If: when(steerPending, misrouted, turnOpen), To: RecoveryPending, Do: do(loseMessage, tellShut, doubtTurn, pull),
			Why: "The server denies that the turn is active: its end went by unseen, and a read has to tell."},
		row{In: in(RecoveryPending), On: "steer_refused", If: when(steerPending, misrouted, turnOpen), Do: do(loseMessage, tellShut, tellUnknown),
			Why: "Which turn is active is being found out; the text waits for that."},
	)
	rows = append(rows, lostSteer("steer_accepted", when(gone), "The turn ended without the text, though it was accepted: accepted text that no item carries is gone")...)
	rows = append(rows, lostSteer("steer_unknown", when(gone), "The turn ended without the text, which proves that it was not executed")...)
	rows = append(rows, lostSteer("steer_refused", when(gone, reroutable), "The turn is over, and the server did not take the text")...)
	return append(rows, lostSteer("steer_withdrawn", nil, "The steer was never sent")...)
}

// lostSteer writes the rows for a message that no turn has. That accepted text is
// gone then was measured on Codex 0.136.0, 0.155.0 and 0.171.0, with 1,200 steers
// around a turn's normal end: none of the 535 accepted was without an item when the
// turn ended, and none became an item of the next turn, so that it is not run twice
// by being offered again (docs/codex.md, "Steers around a turn's end").
func lostSteer(on string, cond []guard, because string) []row {
	g := func(extra ...guard) []guard { return slices.Concat(when(steerPending), cond, extra) }
	return []row{
		{In: in(Steerable, PendingVisibility), On: on, If: g(), Do: do(loseMessage, steerQueue, tellShut), Why: because + "; without a /stop it goes into the turn that runs now."},
		{In: in(WaitingVisible), On: on, If: g(), Do: do(loseMessage, tellHeld, tellShut), Why: because + "; without a /stop it waits for the answer to the visible request, and its sender is told."},
		{In: in(RecoveryPending), On: on, If: g(), Do: do(loseMessage, tellShut, tellUnknown), Why: because + "; without a /stop it waits to be routed."},
		{In: quiet, On: on, If: g(messageBarred), Do: do(loseMessage), Why: because + "; behind a /stop it goes back to its sender."},
		{In: quiet, On: on, If: g(fsm.Not(messageBarred), open), To: RecoveryPending, Do: do(loseMessage, startNext), Why: because + "; it is offered again, as a start."},
		{In: quiet, On: on, If: g(fsm.Not(messageBarred), shut), To: Idle, Do: do(loseMessage, tellShut), Why: because + "; it waits until the track is open to sending."},
	}
}

// interruptRows: what became of a turn/interrupt. The end of the turn decides,
// never the answer.
func interruptRows() []row {
	rows := []row{
		{In: live, On: "interrupt_accepted", Ignore: true, Why: "Whether the turn was stopped by it, only its end says."},
	}
	for _, on := range []string{"interrupt_refused", "interrupt_unknown"} {
		rows = append(rows,
			row{In: flying, On: on, If: when(turnOpen), Do: do(interruptOver, pull), Why: "The turn may be over, or run on: a read tells, and if it runs the interrupt is repeated."},
			row{In: flying, On: on, If: when(fsm.Not(turnOpen)), Ignore: true, Why: "The turn is over."},
			row{In: quiet, On: on, Ignore: true, Why: "No turn is in flight."},
		)
	}
	return rows
}

// conversationTurnRows: what is known of a turn itself.
func conversationTurnRows() []row {
	const running, ended = "turn_running", "turn_ended"
	noThreadWhy := "The track has no thread, so it is the turn of another."
	rows := []row{
		{In: live, On: running, If: when(turnClosed), Ignore: true,
			Why: "A late word about a turn that is over says nothing about any other."},
		{In: in(Idle), On: running, If: when(fsm.Not(turnClosed), fsm.Not(threadOpen)), Ignore: true, Why: noThreadWhy},
		{In: in(Idle), On: running, If: when(fsm.Not(turnClosed), threadOpen), To: Steerable, Do: do(noteForeign, proveMessages, steerQueue),
			Why: "Another client of the thread started a turn: text goes into it rather than beside it."},
		{In: in(Delivered), On: running, If: when(fsm.Not(turnClosed)), To: Steerable, Do: do(noteForeign, proveMessages, steerQueue),
			Why: "Another client of the thread started a turn: text goes into it rather than beside it."},
		{In: inFlight, On: running, If: when(fsm.Not(turnClosed), turnOpen), Do: do(proveMessages, interruptTurns),
			Why: "The turn runs; what its items carry is proven, and a stop that was refused or lost is repeated."},
		{In: flying, On: running, If: when(fsm.Not(turnClosed), fsm.Not(turnOpen), fsm.Not(identifies)), Do: do(noteForeign, proveMessages),
			Why: "Another turn than those we know is in flight."},
		{In: in(RecoveryPending), On: running, If: when(fsm.Not(turnClosed), turnOpen, fsm.Not(identifies)), Do: do(proveMessages, interruptTurns),
			Why: "It is known to run; another turn is unknown."},
		{In: live, On: ended, If: when(turnClosed), Ignore: true,
			Why: "A turn ends once, whoever tells it again."},
	}
	rows = append(rows, underWay(RecoveryPending, running, when(fsm.Not(turnClosed), identifies), do(identifyTurn, proveMessages, interruptTurns),
		"The turn that was unknown is this one, and runs")...)
	endWhy := "The turn's end is proven, and its outcome goes to the chat"
	rows = append(rows, row{In: in(Idle), On: ended, If: when(fsm.Not(turnClosed), fsm.Not(threadOpen)), Ignore: true, Why: noThreadWhy})
	rows = append(rows,
		row{In: in(Idle), On: ended, If: when(fsm.Not(turnClosed), threadOpen), Do: do(endTurn), Why: "A turn of another client came and went; its outcome goes to the chat if a message of ours is in it."},
		row{In: in(Delivered), On: ended, If: when(fsm.Not(turnClosed), thenDebt), To: Idle, Do: do(endTurn), Why: endWhy + ", late."},
		row{In: in(Delivered), On: ended, If: when(fsm.Not(turnClosed), thenNothing), Do: do(endTurn), Why: "A turn of another client came and went, and nothing of ours is in it."},
	)
	return append(rows, afterTurns(flying, ended, when(fsm.Not(turnClosed)), endTurn, endWhy)...)
}

// pullRows: what a read of the newest turns proves by what it lacks.
func pullRows() []row {
	const on = "pull_answered"
	rows := []row{
		{In: quiet, On: on, Ignore: true, Why: "No turn is waited for; what the read shows was told by facts of its own."},
		{In: flying, On: on, If: when(fsm.Not(tracelessFirst), fsm.Not(proveAbsent)), Do: do(forgetMissing),
			Why: "Every turn that is waited for shows a trace, the thread is busy, or the second read came too soon: nothing is proven."},
		{In: flying, On: on, If: when(tracelessFirst), Do: do(noteMissing),
			Why: "The idle thread lacks the turn: that is proven only by a second read, a while apart."},
	}
	return append(rows, afterTurns(flying, on, when(proveAbsent), vanishTurns,
		"The turn does not exist: what it never took in is offered again")...)
}

// afterTurns writes the rows for a fact that takes turns away: where the track
// goes depends on what is left.
func afterTurns(states []State, on string, cond []guard, act action, because string) []row {
	g := func(then guard) []guard { return slices.Concat(cond, when(then)) }
	rows := quietRows(states, on, cond, act, because)
	for _, from := range states {
		if from == RecoveryPending {
			rows = append(rows, row{In: in(from), On: on, If: g(thenUnknown), Do: do(act, tellShut, tellUnknown),
				Why: because + "; another turn is still unknown."})
		}
		rows = append(rows, underWay(from, on, g(thenRunning), do(act), because+", and another is in flight")...)
	}
	return rows
}

// afterStart writes the rows for a fact that takes a start away. It is the only
// turn that is unknown: a start is made where no turn is, and only one is doubted.
func afterStart(on string, cond []guard, act action, because string) []row {
	rows := quietRows(in(RecoveryPending), on, cond, act, because)
	return append(rows, underWay(RecoveryPending, on, slices.Concat(cond, when(thenRunning)), do(act), because+", and another is in flight")...)
}

// quietRows are those of them that leave no turn.
func quietRows(states []State, on string, cond []guard, act action, because string) []row {
	g := func(then guard) []guard { return slices.Concat(cond, when(then)) }
	return []row{
		{In: states, On: on, If: g(thenText), To: RecoveryPending, Do: do(act, startNext),
			Why: because + "; text waits, and starts the next turn."},
		{In: states, On: on, If: g(thenDebt), To: Idle, Do: do(act, tellShut),
			Why: because + "; no turn is in flight."},
		{In: states, On: on, If: g(thenNothing), To: Delivered, Do: do(act),
			Why: because + "; nothing is owed to the chat."},
	}
}

// deliveryRows: what became of a send, and of the receipt's reaction.
func deliveryRows() []row {
	elsewhere := append(in(Delivered), flying...)
	owing := append(in(Idle), flying...)
	rows := []row{
		{In: in(Idle), On: "delivery_confirmed", If: when(lastOwed, fsm.Not(textKept)), To: Delivered, Do: do(confirmDelivery),
			Why: "The last outcome that the chat was owed stands in it."},
		{In: in(Idle), On: "delivery_confirmed", If: when(lastOwed, textKept), Do: do(confirmDelivery),
			Why: "It stands in the chat; text still waits for a thread."},
		{In: in(Idle), On: "delivery_confirmed", If: when(deliveryPending, fsm.Not(lastOwed)), Do: do(confirmDelivery),
			Why: "It stands in the chat; another outcome is still on its way, or none was owed."},
		{In: elsewhere, On: "delivery_confirmed", If: when(deliveryPending), Do: do(confirmDelivery),
			Why: "It stands in the chat; nothing else is touched by that."},
		{In: live, On: "delivery_confirmed", If: when(fsm.Not(deliveryPending)), Ignore: true, Why: "It is settled already."},
		{In: live, On: "delivery_part_shown", If: when(deliveryPending), Do: do(showPart),
			Why: "The part stands in the chat; the rest is under way."},
		{In: live, On: "delivery_part_shown", If: when(fsm.Not(deliveryPending)), Ignore: true, Why: "It is settled already."},
		{In: owing, On: "delivery_refused", If: when(deliveryPending, fsm.Not(failureTold)), Do: do(refuseDelivery, tellFailed),
			Why: "A definite refusal is a failure that is kept, to be seen; the outcome stays owed, and that is said once."},
		{In: owing, On: "delivery_refused", If: when(deliveryPending, failureTold), Do: do(refuseDelivery),
			Why: "A definite refusal is a failure that is kept, to be seen; an outcome stays owed."},
		{In: in(Delivered), On: "delivery_refused", If: when(deliveryPending), Do: do(refuseDelivery),
			Why: "A notice that is true for good is kept, and tried again; no outcome is owed."},
		{In: live, On: "delivery_refused", If: when(fsm.Not(deliveryPending)), Ignore: true, Why: "It is settled already."},
		{In: live, On: "delivery_unknown", If: when(deliveryPending), Do: do(doubtDelivery),
			Why: "It may stand in the chat: not sent again blindly, and not called failed."},
		{In: live, On: "delivery_unknown", If: when(fsm.Not(deliveryPending)), Ignore: true, Why: "It is settled already."},
		{In: live, On: "receipt_shown", Ignore: true, Why: "The reaction is for the eye; nothing depends on it."},
	}
	return rows
}
