package transitions

import (
	"slices"

	"deskbridge/fsm"
)

// requestFactRows: what becomes of Codex's requests to a person. Only one that is
// proven visible holds text.
func requestFactRows() []row {
	const opened, answered = "request_opened", "request_answered"
	overWhy := "The request is over."
	rows := []row{
		{In: live, On: opened, If: when(turnClosed), Ignore: true, Why: "Its turn is over, so nobody waits on it."},
		{In: live, On: opened, If: when(fsm.Not(turnClosed), requestKnown), Do: do(repeatRequest),
			Why: "The server sends open requests again after a resume: the same row, the same card, and the same decision if there was one."},
		{In: quiet, On: opened, If: when(fsm.Not(turnClosed), fsm.Not(requestKnown)), To: PendingVisibility, Do: do(noteForeign, keepRequest, steerQueue),
			Why: "A turn that we did not know asks a person: it is in flight."},
		{In: in(Steerable, PendingVisibility), On: opened, If: when(fsm.Not(turnClosed), fsm.Not(requestKnown), turnOpen), To: PendingVisibility, Do: do(keepRequest),
			Why: "Codex waits on a request; until it is proven visible it holds no text."},
		{In: in(Steerable, PendingVisibility), On: opened, If: when(fsm.Not(turnClosed), fsm.Not(requestKnown), fsm.Not(turnOpen)), To: PendingVisibility, Do: do(noteForeign, keepRequest),
			Why: "Another turn than those we know waits on a request."},
		{In: in(WaitingVisible, RecoveryPending), On: opened, If: when(fsm.Not(turnClosed), fsm.Not(requestKnown), turnOpen), Do: do(keepRequest),
			Why: "One more request, shown like the others."},
		{In: in(WaitingVisible, RecoveryPending), On: opened, If: when(fsm.Not(turnClosed), fsm.Not(requestKnown), fsm.Not(turnOpen)), Do: do(noteForeign, keepRequest),
			Why: "A turn that we do not know asks a person; its request is shown like any other."},

		{In: quiet, On: "request_visible", Do: do(closeLate), Why: "No turn is in flight: the card came after its request was over."},
		{In: flying, On: "request_visible", If: when(fsm.Not(requestKnown)), Do: do(closeLate), Why: "The card came after its request was over."},

		{In: quiet, On: answered, Do: do(say(SaidDecided)), Why: "No request is open: the answer was not used, and its sender is told."},
		{In: flying, On: answered, If: when(fsm.Not(requestKnown)), Do: do(say(SaidDecided)), Why: "The request is over: the answer was not used, and its sender is told."},
		{In: flying, On: answered, If: when(requestKnown, requestDecided), Do: do(say(SaidDecided)), Why: "One decision goes to Codex; the first stands."},
		{In: flying, On: answered, If: when(requestKnown, fsm.Not(requestDecided), fsm.Not(entitled)), Do: do(say(SaidNotEntitled)),
			Why: "Only who wrote to the turn, or is entitled anyway, decides; whoever clicked is told."},

		{In: quiet, On: "request_resolved", Ignore: true, Why: overWhy},
		{In: flying, On: "request_resolved", If: when(fsm.Not(requestKnown)), Ignore: true, Why: overWhy},
		{In: quiet, On: "replay_overdue", Ignore: true, Why: overWhy},
		{In: flying, On: "replay_overdue", If: when(fsm.Not(requestKnown)), Ignore: true, Why: overWhy},
		{In: flying, On: "replay_overdue", If: when(requestKnown, fsm.Not(unreplayed)), Ignore: true, Why: "The server sent it again meanwhile."},

		{In: quiet, On: "generation_changed", Ignore: true, Why: "No turn is in flight, so no request is open."},
		{In: live, On: "decision_written", Ignore: true, Why: "Writing proves nothing: that it took effect, request_resolved says."},
		{In: live, On: "decision_unknown", Ignore: true, Why: "If the server did not get it, it sends the request again, and the very same decision is repeated."},
	}
	for _, on := range []string{"request_unshowable", "visibility_overdue"} {
		rows = append(rows,
			row{In: quiet, On: on, Ignore: true, Why: overWhy},
			row{In: flying, On: on, If: when(fsm.Not(requestKnown)), Ignore: true, Why: overWhy},
			row{In: flying, On: on, If: when(requestKnown), Do: do(missRequest), Why: "What cannot be shown is said by what still works, and holds no text."},
		)
	}
	rows = append(rows, afterRequests("request_visible", when(requestKnown), do(seeRequest), "The request is proven visible, unless it was decided meanwhile")...)
	rows = append(rows, afterRequests("request_resolved", when(requestKnown), do(endRequest), "Codex waits for it no longer, whoever answered")...)
	rows = append(rows, afterRequests("replay_overdue", when(requestKnown, unreplayed), do(buryRequest), "A request that the server does not send again is dead")...)
	rows = append(rows, afterRequests(answered, when(requestKnown, fsm.Not(requestDecided), entitled), do(decideRequest), "An entitled person decided on this very request, once")...)
	return append(rows, afterRequests("generation_changed", nil, do(dropGeneration, pull), "Requests do not survive the server process that asked; what became of the turn, a read tells")...)
}

// afterRequests writes the rows for a fact that changes what a person can see of
// the requests. Text that was held for a visible one goes on when none is left.
func afterRequests(on string, cond []guard, acts []action, because string) []row {
	g := func(then guard) []guard { return slices.Concat(cond, when(then)) }
	open := in(Steerable, PendingVisibility)
	return []row{
		{In: in(RecoveryPending), On: on, If: cond, Do: acts, Why: because + "; which turn is active is still being found out."},
		{In: inFlight, On: on, If: g(thenVisible), To: WaitingVisible, Do: slices.Concat(acts, do(tellHeld, tellShut)), Why: because + "; a visible request waits for a person."},
		{In: open, On: on, If: g(thenHidden), To: PendingVisibility, Do: acts, Why: because + "; Codex waits on what nobody can act on yet."},
		{In: open, On: on, If: g(thenClear), To: Steerable, Do: acts, Why: because + "; Codex waits on nobody."},
		{In: in(WaitingVisible), On: on, If: g(thenHidden), To: PendingVisibility, Do: slices.Concat(acts, do(steerQueue, tellShut)), Why: because + "; what is left holds no text, so what was held goes into the turn."},
		{In: in(WaitingVisible), On: on, If: g(thenClear), To: Steerable, Do: slices.Concat(acts, do(steerQueue, tellShut)), Why: because + "; what was held goes into the turn, in order."},
	}
}

// underWay writes the rows for a fact after which a turn is in flight: where text
// goes depends on what a person can see of its requests.
func underWay(states []State, on string, cond []guard, acts []action, because string) []row {
	g := func(then guard) []guard { return slices.Concat(cond, when(then)) }
	return []row{
		{In: states, On: on, If: g(thenVisible), To: WaitingVisible, Do: slices.Concat(acts, do(tellHeld, tellShut)), Why: because + "; a visible request holds what waits, and its senders are told."},
		{In: states, On: on, If: g(thenHidden), To: PendingVisibility, Do: slices.Concat(acts, do(steerQueue, tellShut)), Why: because + "; what waits goes into it, for what nobody can see blocks nobody."},
		{In: states, On: on, If: g(thenClear), To: Steerable, Do: slices.Concat(acts, do(steerQueue, tellShut)), Why: because + "; what waits goes into it."},
	}
}
