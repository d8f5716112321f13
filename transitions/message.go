package transitions

import (
	"slices"

	"deskbridge/fsm"
)

// Move is a fact of one of the small machines, made by a row of the
// conversation: what has become of this message, turn or delivery.
type Move struct {
	Kind string
	// Turn is the turn concerned, where there is one.
	Turn string
	// Said is the other side's reason, where it gave one.
	Said string
	// Reply is Codex's answer; AnswerTo the message of ours that it answers.
	Reply, AnswerTo string
	// Shown and Code are Feishu's answer; UpTo is how much of the text it shows.
	Shown string
	Code  int
	UpTo  int
	// By and Decision are a person's.
	By, Decision string
	// Connection is the one on which a thread was resumed.
	Connection string
	// Form is what was shown of a request, if it is poorer than its card.
	Form string
	// Files are a message's attachments, as far as they could be fetched.
	Files []File
}

// FactName is the kind of the move.
func (m Move) FactName() string { return m.Kind }

// The moves of a message.
const (
	moveHold   = "hold"
	moveOffer  = "offer"
	moveAccept = "accept"
	moveDoubt  = "doubt"
	moveProve  = "prove"
	moveAnswer = "answer"
	moveLose   = "lose"
	moveStrand = "strand"
	moveRefuse = "refuse"
	moveFence  = "fence"
	moveOn     = "move_on"
	moveFetch  = "fetch"
	moveReady  = "ready"
	moveAsk    = "ask"
	moveWant   = "want"
	moveRecall = "recall"
	moveExpel  = "expel"
)

type (
	messageRow    = fsm.Row[MessageState, Message, Move, Effect]
	messageGuard  = fsm.Guard[Message, Move]
	messageAction = fsm.Action[Message, Move, Effect]
)

func term(name, doc string) fsm.Term { return fsm.Term{Name: name, Doc: doc} }

var (
	barred    = barredBy("barred", "The message is never to be offered again.", BarFence, BarRecall, BarDismissal)
	fenced    = barredBy("fenced", "A /stop or /new came after the message.", BarFence)
	recalled  = barredBy("recalled", "Its sender took the message back.", BarRecall)
	dismissed = barredBy("dismissed", "Its sender is no longer admitted.", BarDismissal)
	putFence  = putBar("put_fence", BarFence)
	putRecall = putBar("put_recall", BarRecall)
	putExpel  = putBar("put_dismissal", BarDismissal)
	noteTurn  = messageAction{
		Term: term("note_turn", "The message remembers the turn."),
		Do:   func(m *Message, f Move, _ func(Effect)) { m.Turn = f.Turn },
	}
	noteFiles = messageAction{
		Term: term("note_files", "The message remembers where its files lie, or why they do not."),
		Do:   func(m *Message, f Move, _ func(Effect)) { m.Files = f.Files },
	}
	noteWanted = messageAction{
		Term: term("note_wanted", "The message is sent however old it is."),
		Do:   func(m *Message, _ Move, _ func(Effect)) { m.Confirmed = true },
	}
	giveBack       = tellSender("give_back", "The sender is told that the message was not sent.", SaidNotSent)
	tellUnresolved = tellSender("tell_unresolved", "The sender is told that nobody knows what became of the message.", SaidUnresolved)
	askSender      = tellSender("ask_sender", "The sender is asked whether the message is still to be sent.", SaidStale)
	tellExpelled   = tellSender("tell_dismissed", "The sender is told that the message was not sent, and why.", SaidDismissed)
	tellRefusal    = messageAction{
		Term:  term("tell_refusal", "The sender is told why Codex did not take the message."),
		Emits: []string{"deliver"},
		Do: func(m *Message, f Move, emit func(Effect)) {
			m.Said = f.Said
			emit(notice(m.ID, SaidRefused, f.Said))
		},
	}
)

// barredBy makes the guard that one of these bars is on the message.
func barredBy(name, doc string, bars ...Bar) messageGuard {
	return messageGuard{
		Term:  term(name, doc),
		Holds: func(m *Message, _ Move) bool { return slices.Contains(bars, m.Barred) },
	}
}

// putBar makes the action that puts a bar on the message.
func putBar(name string, bar Bar) messageAction {
	return messageAction{
		Term: term(name, "The message is never offered again."),
		Do:   func(m *Message, _ Move, _ func(Effect)) { m.Barred = bar },
	}
}

// tellSender makes the action that says a sentence to the sender.
func tellSender(name, doc string, sentence SentenceID) messageAction {
	return messageAction{
		Term:  term(name, doc),
		Emits: []string{"deliver"},
		Do:    func(m *Message, _ Move, emit func(Effect)) { emit(notice(m.ID, sentence)) },
	}
}

// MessageMachine declares what can become of one message.
func MessageMachine() fsm.Declaration[MessageState, Message, Move, Effect] {
	return fsm.Declaration[MessageState, Message, Move, Effect]{
		Term:    term("message", "One message from a person to Codex, from receipt to answer."),
		Initial: MessageKept,
		States: []fsm.State[MessageState]{
			{Name: MessageKept, Doc: "In the ledger, and no thread to send it to yet."},
			{Name: MessageHeld, Doc: "Waits until it is known which turn is active, if any."},
			{Name: MessageOffered, Doc: "A call with it is in the outbox or under way."},
			{Name: MessageAccepted, Doc: "The call was answered with success, which proves nothing."},
			{Name: MessageUncertain, Doc: "The call may have been sent, and no answer came."},
			{Name: MessageProven, Doc: "It is an item of a turn."},
			{Name: MessageAnswered, Doc: "The outcome of its turn stands in the chat.", Settled: true},
			{Name: MessageRefused, Doc: "Given back to its sender with the reason.", Settled: true},
			{Name: MessageMoved, Doc: "The conversation's next track has it.", Settled: true},
			{Name: MessageFetching, Doc: "Its files are being fetched."},
			{Name: MessageAsked, Doc: "It grew old before it could be sent, and its sender was asked whether it still is to be."},
			{Name: MessageUnresolved, Doc: "Whether Codex acted on it cannot be found out; its sender was asked whether to send it again.", Settled: true},
			{Name: MessageWithdrawn, Doc: "Its sender took it back.", Settled: true},
		},
		Facts: []fsm.Term{
			term(moveHold, "It is not known which turn is active."),
			term(moveOffer, "A call with the message goes into the outbox."),
			term(moveAccept, "The call was answered with success."),
			term(moveDoubt, "No answer to the call will come."),
			term(moveProve, "A userMessage item with the message's id was seen in a turn."),
			term(moveAnswer, "The outcome of its turn is confirmed in the chat."),
			term(moveLose, "It is proven that no turn has the message."),
			term(moveStrand, "The turn that it was handed to began, and left no record."),
			term(moveRefuse, "Codex refused the message for good."),
			term(moveFence, "A /stop or /new came after the message."),
			term(moveOn, "The track is over, and its next one takes what waits."),
			term(moveFetch, "It has files, which are asked for."),
			term(moveReady, "What could be fetched of its files lies on the desk."),
			term(moveAsk, "It is too old to be sent without another word of its sender."),
			term(moveWant, "Its sender wants it sent all the same."),
			term(moveRecall, "Its sender took it back."),
			term(moveExpel, "Its sender is no longer admitted."),
		},
		Effects: []fsm.Term{term("deliver", "Says something in the chat.")},
		Rows:    messageRows(),
		Clone:   func(m Message) Message { return m },
	}
}

func messageRows() []messageRow {
	waiting := in(MessageKept, MessageHeld)
	unsent := in(MessageKept, MessageHeld, MessageFetching, MessageAsked)
	called := in(MessageOffered, MessageAccepted, MessageUncertain)
	proven := in(MessageProven)
	over := in(MessageAnswered, MessageRefused, MessageMoved, MessageUnresolved, MessageWithdrawn)
	when := func(g ...messageGuard) []messageGuard { return g }
	do := func(a ...messageAction) []messageAction { return a }
	rows := []messageRow{
		{In: in(MessageKept), On: moveHold, To: MessageHeld, Why: "The next call needs to know which turn is active."},
		{In: in(MessageHeld), On: moveHold, Ignore: true, Why: "It is held already."},
		{In: in(MessageKept), On: moveFetch, To: MessageFetching, Why: "It goes to Codex with its files, and waits for its own, not for those of others."},
		{In: in(MessageFetching), On: moveReady, To: MessageKept, Do: do(noteFiles), Why: "All that can be fetched is there: it goes its way like any text."},
		{In: in(MessageAsked), On: moveWant, To: MessageKept, Do: do(noteWanted), Why: "Its sender wants it sent, and is not asked again."},
		{In: waiting, On: moveOffer, To: MessageOffered, Do: do(noteTurn), Why: "Its turn to be sent has come."},
		{In: in(MessageOffered), On: moveAsk, If: when(fsm.Not(barred)), To: MessageAsked, Do: do(askSender), Why: "It grew old while it waited, and nobody may want it any more: its sender decides."},
		{In: in(MessageOffered), On: moveAsk, If: when(fenced), To: MessageRefused, Do: do(giveBack), Why: "It was not sent, and a /stop came after it: nobody needs to be asked."},
		{In: in(MessageOffered), On: moveAsk, If: when(recalled), To: MessageWithdrawn, Why: "It was not sent, and its sender took it back."},
		{In: in(MessageOffered), On: moveAsk, If: when(dismissed), To: MessageRefused, Do: do(tellExpelled), Why: "It was not sent, and its sender is no longer admitted."},

		{In: unsent, On: moveFence, To: MessageRefused, Do: do(giveBack), Why: "What waits behind a /stop is never sent, and its sender is told once."},
		{In: unsent, On: moveRecall, To: MessageWithdrawn, Why: "What is not sent can be taken back."},
		{In: unsent, On: moveExpel, To: MessageRefused, Do: do(tellExpelled), Why: "Nothing is sent for somebody who is not admitted."},
		{In: in(MessageHeld, MessageFetching, MessageAsked), On: moveProve, To: MessageProven, Do: do(noteTurn), Why: "An item with its id is proof, however it came there; it is not offered again."},
		{In: unsent, On: moveAccept, Ignore: true, Why: "No call is under way."},
		{In: unsent, On: moveDoubt, Ignore: true, Why: "No call is under way."},
		{In: unsent, On: moveLose, Ignore: true, Why: "It waits to be offered anyway."},
		{In: in(MessageKept, MessageHeld, MessageFetching), On: moveOn, To: MessageMoved, Why: "No turn has it, so the next track takes it, in order."},
		{In: unsent, On: moveStrand, Ignore: true, Why: "No turn was handed the message."},
		{In: waiting, On: moveRefuse, To: MessageRefused, Do: do(tellRefusal), Why: "Codex would not take it, so the sender learns why."},

		{In: in(MessageOffered, MessageUncertain), On: moveAccept, To: MessageAccepted, Why: "Accepted is not executed: only an item proves that Codex has it."},
		{In: in(MessageOffered), On: moveDoubt, To: MessageUncertain, Why: "The call may have taken effect: unknown, not failed."},
		{In: in(MessageAccepted), On: moveDoubt, Ignore: true, Why: "The answer is known."},
		{In: in(MessageUncertain), On: moveDoubt, Ignore: true, Why: "It is in doubt already."},
		{In: called, On: moveProve, To: MessageProven, Do: do(noteTurn), Why: "A userMessage item with its id proves that Codex has it."},
		{In: called, On: moveLose, If: when(fenced), To: MessageRefused, Do: do(giveBack), Why: "Lost behind a /stop: never sent afterwards, and its sender is told once."},
		{In: called, On: moveLose, If: when(recalled), To: MessageWithdrawn, Why: "It was not sent after all, as its sender wanted."},
		{In: called, On: moveLose, If: when(dismissed), To: MessageRefused, Do: do(tellExpelled), Why: "It was not sent, and its sender is no longer admitted."},
		{In: called, On: moveLose, If: when(fsm.Not(barred)), To: MessageHeld, Why: "Lost without a /stop: it is offered to Codex again."},
		{In: called, On: moveOn, Ignore: true, Why: "A call has it, and it may yet be in a turn of this track."},
		{In: in(MessageAccepted, MessageUncertain), On: moveStrand, To: MessageUnresolved, Do: do(tellUnresolved), Why: "The turn may have taken it in: it is not offered again, and its sender decides."},
		{In: in(MessageOffered, MessageUncertain), On: moveRefuse, To: MessageRefused, Do: do(tellRefusal), Why: "A refusal is definite; the sender learns the reason."},
		{In: called, On: moveFence, Do: do(putFence), Why: "It may still turn out to be in a turn; if not, it goes back to its sender."},
		{In: called, On: moveRecall, Do: do(putRecall), Why: "It may be in a turn, and that cannot be taken back; if it is not, it is not sent again."},
		{In: called, On: moveExpel, Do: do(putExpel), Why: "It may be in a turn, and that cannot be taken back; if it is not, it is not sent again."},

		{In: proven, On: moveAnswer, To: MessageAnswered, Why: "The outcome of its turn stands in the chat."},
		{In: proven, On: moveProve, Ignore: true, Why: "It is proven already."},
		{In: proven, On: moveAccept, Ignore: true, Why: "The item came before the answer to the call."},
		{In: proven, On: moveDoubt, Ignore: true, Why: "The item is proof enough; the answer is not needed."},
		{In: proven, On: moveLose, Ignore: true, Why: "A proof stands: what was executed is not executed again."},
		{In: proven, On: moveOn, Ignore: true, Why: "It is in a turn of this track."},
		{In: proven, On: moveStrand, Ignore: true, Why: "The outcome of its turn says so already."},
		{In: proven, On: moveRefuse, Ignore: true, Why: "A proof stands against any refusal."},
		{In: proven, On: moveFence, Ignore: true, Why: "It is in a turn; the /stop ends that turn, and cannot take the text back."},
		{In: proven, On: moveRecall, Ignore: true, Why: "What Codex has is not pretended away."},
		{In: proven, On: moveExpel, Ignore: true, Why: "What Codex has is not pretended away."},
	}
	// Moves that make sense in few states only.
	elsewhere := func(on, because string, states ...[]MessageState) {
		rows = append(rows, messageRow{In: slices.Concat(states...), On: on, Ignore: true, Why: because})
	}
	elsewhere(moveProve, "A track without a thread has no turn that could have it.", in(MessageKept))
	elsewhere(moveOn, "Its sender is asked first.", in(MessageAsked))
	elsewhere(moveRefuse, "Codex was not asked, or has accepted it.", in(MessageFetching, MessageAsked, MessageAccepted))
	elsewhere(moveAccept, "It is accepted already.", in(MessageAccepted))
	elsewhere(moveStrand, "Its call is to be answered yet.", in(MessageOffered))
	elsewhere(moveHold, "It does not wait to be offered.", in(MessageFetching, MessageAsked), called, proven)
	elsewhere(moveOffer, "It is not its turn: its files or its sender's word are awaited, or a call or a turn has it already.", in(MessageFetching, MessageAsked), called, proven)
	elsewhere(moveFetch, "Its files have been asked for, or it has none.", in(MessageHeld, MessageFetching, MessageAsked), called, proven)
	elsewhere(moveReady, "Its files are not awaited.", in(MessageKept, MessageHeld, MessageAsked), called, proven)
	elsewhere(moveAsk, "No call that could be held back is under way.", unsent, in(MessageAccepted, MessageUncertain), proven)
	elsewhere(moveWant, "Its sender was not asked.", in(MessageKept, MessageHeld, MessageFetching), called, proven)
	elsewhere(moveAnswer, "Without proof that a turn has it, no outcome can be its answer.", unsent, called)
	for _, move := range []string{
		moveHold, moveOffer, moveAccept, moveDoubt, moveProve, moveAnswer, moveLose, moveStrand, moveRefuse, moveFence, moveOn,
		moveFetch, moveReady, moveAsk, moveWant, moveRecall, moveExpel,
	} {
		elsewhere(move, "Its story is over: nothing is sent or told twice.", over)
	}
	return rows
}

// notice is a delivery that says a sentence about one message. Its id follows
// from message and sentence, so that saying it again is the same delivery.
func notice(message string, sentence SentenceID, args ...string) Deliver {
	return noticeAbout(message, message, sentence, args...)
}

// noticeAbout is a notice about one thing, as a reply to a message.
func noticeAbout(subject, replyTo string, sentence SentenceID, args ...string) Deliver {
	id := "notice:" + subject + ":" + string(sentence)
	return Deliver{
		Delivery: id, ReplyTo: replyTo, UUID: uuidOf(id), Kind: Notice,
		Body: Body{Sentence: sentence, Args: args},
	}
}
