package transitions

import (
	"slices"

	"deskbridge/fsm"
)

// closingRows: a track that is closed to sending, for a time, for one reason or
// several.
func closingRows() []row {
	const closed, chat = "track_closed", "chat_closed"
	acts := do(shutTrack, withdrawText, holdQueue)
	rows := []row{
		{In: live, On: closed, If: when(shutSo), Do: do(noteFound), Why: "The track is closed for this reason already; what is reported now is what an operator may allow."},
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
