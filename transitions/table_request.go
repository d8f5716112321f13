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
	undecided := in(PendingVisibility, WaitingVisible, RecoveryPending)
	rows := []row{
		{In: live, On: opened, If: when(requestGone), Ignore: true, Why: "It was resolved, or its turn is over, so nobody waits on it."},
		{In: flying, On: opened, If: when(fsm.Not(requestGone), requestKnown), Do: do(repeatRequest),
			Why: "The server sends open requests again after a resume: the same row, the same card, and the same decision if there was one."},
		{In: in(Idle), On: opened, If: when(fsm.Not(requestGone), fsm.Not(threadOpen)), Ignore: true, Why: "The track has no thread, so it is the turn of another."},
		{In: in(Idle), On: opened, If: when(fsm.Not(requestGone), threadOpen), To: PendingVisibility, Do: do(noteForeign, keepRequest, steerQueue),
			Why: "A turn that we did not know asks a person: it is in flight."},
		{In: in(Delivered), On: opened, If: when(fsm.Not(requestGone)), To: PendingVisibility, Do: do(noteForeign, keepRequest),
			Why: "A turn that we did not know asks a person: it is in flight."},
		{In: in(Steerable, PendingVisibility), On: opened, If: when(fsm.Not(requestGone), fsm.Not(requestKnown), turnOpen), To: PendingVisibility, Do: do(keepRequest),
			Why: "Codex waits on a request; until it is proven visible it holds no text."},
		{In: in(Steerable, PendingVisibility), On: opened, If: when(fsm.Not(requestGone), fsm.Not(requestKnown), fsm.Not(turnOpen)), To: PendingVisibility, Do: do(noteForeign, keepRequest),
			Why: "Another turn than those we know waits on a request."},
		{In: in(WaitingVisible, RecoveryPending), On: opened, If: when(fsm.Not(requestGone), fsm.Not(requestKnown), turnOpen), Do: do(keepRequest),
			Why: "One more request, shown like the others."},
		{In: in(WaitingVisible, RecoveryPending), On: opened, If: when(fsm.Not(requestGone), fsm.Not(requestKnown), fsm.Not(turnOpen)), Do: do(noteForeign, keepRequest),
			Why: "A turn that we do not know asks a person; its request is shown like any other."},

		{In: quiet, On: "request_visible", Do: do(closeLate), Why: "No turn is in flight: the card came after its request was over."},
		{In: flying, On: "request_visible", If: when(fsm.Not(requestKnown)), Do: do(closeLate), Why: "The card came after its request was over."},

		{In: quiet, On: answered, Do: do(say(SaidDecided)), Why: "No request is open: the answer was not used, and its sender is told."},
		{In: flying, On: answered, If: when(fsm.Not(requestKnown)), Do: do(say(SaidDecided)), Why: "The request is over: the answer was not used, and its sender is told."},
		{In: in(Steerable), On: answered, If: when(requestKnown), Do: do(say(SaidDecided)), Why: "What is open here is decided: the first decision stands."},
		{In: undecided, On: answered, If: when(requestKnown, requestDecided), Do: do(say(SaidDecided)), Why: "One decision goes to Codex; the first stands."},
		{In: undecided, On: answered, If: when(requestKnown, fsm.Not(requestDecided), fsm.Not(entitled)), Do: do(say(SaidNotEntitled)),
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
	anyOf := in(viewVisible, viewHidden, viewClear)
	open := in(viewHidden, viewClear)
	rows = append(rows, afterRequests("request_visible", when(requestKnown), do(seeRequest), "The request is proven visible, unless it was decided meanwhile",
		outlooks{Steerable: in(viewClear), PendingVisibility: in(viewVisible, viewHidden), WaitingVisible: in(viewVisible)})...)
	rows = append(rows, afterRequests("request_resolved", when(requestKnown), do(endRequest), "Codex waits for it no longer, whoever answered",
		outlooks{Steerable: in(viewClear), PendingVisibility: open, WaitingVisible: anyOf})...)
	rows = append(rows, afterRequests("replay_overdue", when(requestKnown, unreplayed), do(buryRequest), "A request that the server does not send again is dead",
		outlooks{Steerable: in(viewClear), PendingVisibility: open, WaitingVisible: anyOf})...)
	rows = append(rows, afterRequests(answered, when(requestKnown, fsm.Not(requestDecided), entitled), do(decideRequest), "An entitled person decided on this very request, once",
		outlooks{PendingVisibility: open, WaitingVisible: anyOf})...)
	return append(rows, afterRequests("generation_changed", nil, do(dropGeneration, pull), "Requests do not survive the server process that asked; what became of the turn, a read tells",
		outlooks{Steerable: in(viewClear), PendingVisibility: open, WaitingVisible: anyOf})...)
}

// outlooks says what a person may see of the requests after a fact, by the state
// before it. In steerable no request is undecided and no flag is up; in
// pending_visibility none is visible.
type outlooks map[State][]view

// afterRequests writes the rows for a fact that changes what a person can see of
// the requests. Text that was held for a visible one goes on when none is left.
func afterRequests(on string, cond []guard, acts []action, because string, possible outlooks) []row {
	rows := []row{{In: in(RecoveryPending), On: on, If: cond, Do: acts, Why: because + "; which turn is active is still being found out."}}
	for _, from := range inFlight {
		for _, v := range possible[from] {
			rows = append(rows, viewRow(from, on, cond, acts, because, v, len(possible[from]) > 1))
		}
	}
	return rows
}

// viewRow is the row from one state to that of a view. Where no other view is
// possible, it needs no guard.
func viewRow(from State, on string, cond []guard, acts []action, because string, v view, guarded bool) row {
	r := row{In: in(from), On: on, If: cond, Do: acts, To: viewState[v], Why: because + "; " + viewWhy[v]}
	if guarded {
		r.If = slices.Concat(cond, when(viewGuard[v]))
	}
	switch {
	case v == viewVisible && from != WaitingVisible:
		r.Do = slices.Concat(acts, do(tellHeld, tellShut))
	case v != viewVisible && from == WaitingVisible:
		r.Do, r.Why = slices.Concat(acts, do(steerQueue, tellShut)), r.Why[:len(r.Why)-1]+", and what was held goes into the turn, in order."
	}
	return r
}

// underWay writes the rows for a fact after which a turn is in flight: where text
// goes depends on what a person can see of its requests. That can only become less:
// no such fact brings a request.
func underWay(from State, on string, cond []guard, acts []action, because string) []row {
	g := func(then guard) []guard { return slices.Concat(cond, when(then)) }
	visible := row{In: in(from), On: on, If: g(thenVisible), To: WaitingVisible, Do: slices.Concat(acts, do(tellHeld, tellShut)), Why: because + "; a visible request holds what waits, and its senders are told."}
	hidden := row{In: in(from), On: on, If: g(thenHidden), To: PendingVisibility, Do: slices.Concat(acts, do(steerQueue, tellShut)), Why: because + "; what waits goes into it, for what nobody can see blocks nobody."}
	clear := row{In: in(from), On: on, If: g(thenClear), To: Steerable, Do: slices.Concat(acts, do(steerQueue, tellShut)), Why: because + "; what waits goes into it."}
	switch from {
	case Steerable:
		clear.If = cond
		return []row{clear}
	case PendingVisibility:
		return []row{hidden, clear}
	}
	return []row{visible, hidden, clear}
}
