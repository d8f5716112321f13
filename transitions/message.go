package transitions

import "deskbridge/fsm"

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
	// Shown and Code are Feishu's answer.
	Shown string
	Code  int
	// By and Decision are a person's.
	By, Decision string
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
)

type (
	messageRow    = fsm.Row[MessageState, Message, Move, Effect]
	messageGuard  = fsm.Guard[Message, Move]
	messageAction = fsm.Action[Message, Move, Effect]
)

func term(name, doc string) fsm.Term { return fsm.Term{Name: name, Doc: doc} }

var (
	fenced = messageGuard{
		Term:  term("fenced", "A /stop or /new came after the message."),
		Holds: func(m *Message, _ Move) bool { return m.Fenced },
	}
	putFence = messageAction{
		Term: term("put_fence", "The message is never offered again."),
		Do:   func(m *Message, _ Move, _ func(Effect)) { m.Fenced = true },
	}
	noteTurn = messageAction{
		Term: term("note_turn", "The message remembers the turn."),
		Do:   func(m *Message, f Move, _ func(Effect)) { m.Turn = f.Turn },
	}
	giveBack = messageAction{
		Term:  term("give_back", "The sender is told that the message was not sent."),
		Emits: []string{"deliver"},
		Do: func(m *Message, _ Move, emit func(Effect)) {
			m.Fenced = true
			emit(notice(m.ID, SaidNotSent))
		},
	}
	tellVanished = messageAction{
		Term:  term("tell_vanished", "The sender is told that nobody knows what became of the message."),
		Emits: []string{"deliver"},
		Do: func(m *Message, _ Move, emit func(Effect)) {
			emit(notice(m.ID, SaidVanished))
		},
	}
	tellRefusal = messageAction{
		Term:  term("tell_refusal", "The sender is told why Codex did not take the message."),
		Emits: []string{"deliver"},
		Do: func(m *Message, f Move, emit func(Effect)) {
			m.Said = f.Said
			emit(notice(m.ID, SaidRefused, f.Said))
		},
	}
)

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
		},
		Effects: []fsm.Term{term("deliver", "Says something in the chat.")},
		Rows:    messageRows(),
		Clone:   func(m Message) Message { return m },
	}
}

func messageRows() []messageRow {
	waiting := []MessageState{MessageKept, MessageHeld}
	called := []MessageState{MessageOffered, MessageAccepted, MessageUncertain}
	settled := []MessageState{MessageAnswered, MessageRefused, MessageMoved}
	return []messageRow{
		{In: []MessageState{MessageKept}, On: moveHold, To: MessageHeld, Why: "The next call needs to know which turn is active."},
		{In: []MessageState{MessageHeld}, On: moveHold, Ignore: true, Why: "It is held already."},
		{In: waiting, On: moveOffer, To: MessageOffered, Do: []messageAction{noteTurn}, Why: "Its turn to be sent has come."},
		{In: waiting, On: moveFence, To: MessageRefused, Do: []messageAction{giveBack}, Why: "What waits behind a /stop is never sent, and its sender is told once."},
		{In: waiting, On: moveProve, To: MessageProven, Do: []messageAction{noteTurn}, Why: "An item with its id is proof, however it came there; it is not offered again."},
		{In: waiting, On: moveAccept, Ignore: true, Why: "No call is under way."},
		{In: waiting, On: moveDoubt, Ignore: true, Why: "No call is under way."},
		{In: waiting, On: moveLose, Ignore: true, Why: "It waits to be offered anyway."},
		{In: waiting, On: moveOn, To: MessageMoved, Why: "No turn has it, so the next track offers it, in order."},
		{In: waiting, On: moveStrand, Ignore: true, Why: "No turn was handed the message."},
		{In: waiting, On: moveRefuse, To: MessageRefused, Do: []messageAction{tellRefusal}, Why: "Codex would not take it, so the sender learns why."},
		{In: waiting, On: moveAnswer, Ignore: true, Why: "No turn has it, so nothing can have answered it."},

		{In: called, On: moveHold, Ignore: true, Why: "A call has it already."},
		{In: called, On: moveOffer, Ignore: true, Why: "A call has it already: two calls could make two items."},
		{In: called, On: moveAccept, To: MessageAccepted, Why: "Accepted is not executed: only an item proves that Codex has it."},
		{In: []MessageState{MessageOffered}, On: moveDoubt, To: MessageUncertain, Why: "The call may have taken effect: unknown, not failed."},
		{In: []MessageState{MessageAccepted}, On: moveDoubt, Ignore: true, Why: "The answer is known."},
		{In: []MessageState{MessageUncertain}, On: moveDoubt, Ignore: true, Why: "It is in doubt already."},
		{In: called, On: moveProve, To: MessageProven, Do: []messageAction{noteTurn}, Why: "A userMessage item with its id proves that Codex has it."},
		{In: called, On: moveLose, If: []messageGuard{fenced}, To: MessageRefused, Do: []messageAction{giveBack}, Why: "Lost behind a /stop: never sent afterwards, and its sender is told once."},
		{In: called, On: moveLose, If: []messageGuard{fsm.Not(fenced)}, To: MessageHeld, Why: "Lost without a /stop: it is offered to Codex again."},
		{In: called, On: moveOn, Ignore: true, Why: "A call has it, and it may yet be in a turn of this track."},
		{In: called, On: moveStrand, To: MessageRefused, Do: []messageAction{tellVanished}, Why: "The turn may have taken it in: it is not offered again, and its sender decides."},
		{In: called, On: moveRefuse, To: MessageRefused, Do: []messageAction{tellRefusal}, Why: "A refusal is definite; the sender learns the reason."},
		{In: called, On: moveFence, Do: []messageAction{putFence}, Why: "It may still turn out to be in a turn; if not, it goes back to its sender."},
		{In: called, On: moveAnswer, Ignore: true, Why: "Without proof that a turn has it, no outcome can be its answer."},

		{In: []MessageState{MessageProven}, On: moveAnswer, To: MessageAnswered, Why: "The outcome of its turn stands in the chat."},
		{In: []MessageState{MessageProven}, On: moveProve, Ignore: true, Why: "It is proven already."},
		{In: []MessageState{MessageProven}, On: moveHold, Ignore: true, Why: "Codex has it."},
		{In: []MessageState{MessageProven}, On: moveOffer, Ignore: true, Why: "Codex has it; a second offer would be a second item."},
		{In: []MessageState{MessageProven}, On: moveAccept, Ignore: true, Why: "The item came before the answer to the call."},
		{In: []MessageState{MessageProven}, On: moveDoubt, Ignore: true, Why: "The item is proof enough; the answer is not needed."},
		{In: []MessageState{MessageProven}, On: moveLose, Ignore: true, Why: "A proof stands: what was executed is not executed again."},
		{In: []MessageState{MessageProven}, On: moveOn, Ignore: true, Why: "It is in a turn of this track."},
		{In: []MessageState{MessageProven}, On: moveStrand, Ignore: true, Why: "The outcome of its turn says so already."},
		{In: []MessageState{MessageProven}, On: moveRefuse, Ignore: true, Why: "A proof stands against any refusal."},
		{In: []MessageState{MessageProven}, On: moveFence, Ignore: true, Why: "It is in a turn; the /stop ends that turn, and cannot take the text back."},

		{In: settled, On: moveHold, Ignore: true, Why: "Its story is over."},
		{In: settled, On: moveOffer, Ignore: true, Why: "Its story is over: nothing is sent twice."},
		{In: settled, On: moveAccept, Ignore: true, Why: "Its story is over."},
		{In: settled, On: moveDoubt, Ignore: true, Why: "Its story is over."},
		{In: settled, On: moveProve, Ignore: true, Why: "Its story is over."},
		{In: settled, On: moveLose, Ignore: true, Why: "Its story is over."},
		{In: settled, On: moveOn, Ignore: true, Why: "Its story is over."},
		{In: settled, On: moveStrand, Ignore: true, Why: "Its story is over."},
		{In: settled, On: moveRefuse, Ignore: true, Why: "Its story is over."},
		{In: settled, On: moveFence, Ignore: true, Why: "Its story is over."},
		{In: settled, On: moveAnswer, Ignore: true, Why: "It is told once."},
	}
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
