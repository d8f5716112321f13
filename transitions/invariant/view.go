package invariant

import (
	"slices"

	"deskbridge/transitions"
)

// View is one conversation's part of the ledger, and the world outside as far as it
// is known.
type View struct {
	// AtRest says that faults have stopped, and that nothing is left to happen.
	AtRest bool
	// Outside says that Codex and the chat are known: CodexTurns and Chat are
	// all that there are.
	Outside bool
	// Waits counts what the outbox still holds.
	Waits int

	// Tracks are the conversation's, oldest first; the last takes what is written.
	Tracks     []Track
	Messages   []Message
	Turns      []transitions.Turn
	Deliveries []transitions.Delivery
	Requests   []Request

	CodexTurns []CodexTurn
	Chat       []Shown
}

// Track is one track of the conversation.
type Track struct {
	ID    string
	State transitions.State
}

// Kind is what a message from a person is.
type Kind string

// The kinds of messages.
const (
	// Text is ordinary text, to Codex.
	Text Kind = "text"
	// Command is /stop and its like: being carried out is its end.
	Command Kind = "command"
	// Answer is the answer to a request.
	Answer Kind = "answer"
)

// Message is one acknowledged message from a person.
type Message struct {
	transitions.Message
	Kind Kind
	// Hold is what a message waits for, by a name that people would understand;
	// empty: it does not wait, or nothing holds it.
	Hold Hold
	// Asked says that its sender was asked whether to send it again, and has not
	// answered yet.
	Asked bool
	// Told says that its sender was told what it waits for.
	Told bool
	// SentBehindFence says that a call with it went into the outbox although a
	// /stop or /new had come after it and had found it in no turn.
	SentBehindFence bool
}

// Hold is a reason for a message to wait.
type Hold string

// The holds.
const (
	// HeldByRequest: a request that is proven visible waits for a person.
	HeldByRequest Hold = "a visible request"
	// HeldByUnknown: which turn is active, or the thread itself, is asked for.
	HeldByUnknown Hold = "an answer of Codex"
	// HeldByLostStart: what became of a start that will have no answer is being found
	// out.
	HeldByLostStart Hold = "a start that will have no answer"
	// HeldByDeafTurn: it was offered to the running turn, which takes no text.
	HeldByDeafTurn Hold = "a turn that takes no text"
	// HeldByHandOver: it is on its way to the conversation's next track.
	HeldByHandOver Hold = "its way to the next track"
	// HeldByFiles: its own attachments are on their way.
	HeldByFiles Hold = "its attachments"
	// HeldByQuestion: its sender was asked whether to send it.
	HeldByQuestion Hold = "a question to its sender"
	// HeldByClosing: the track is closed to sending, by the version, or a missing
	// capability.
	HeldByClosing Hold = "a track that is closed to sending"
	// HeldByPolicy: the track is closed, since its thread would run under a looser policy.
	HeldByPolicy Hold = "a policy that is looser than before"
	// HeldByResume: whether the conversation goes on in another thread is being found
	// out.
	HeldByResume Hold = "a /resume that is being carried out"
	// HeldByChat: nobody would hear of it.
	HeldByChat Hold = "a chat that is closed"
)

// says tells whether the sender has to be told of the hold, by a sentence. What Codex is asked for
// takes no longer than a read, files are told of when their time is over, and a
// question says so itself; in a closed chat there is nobody to tell.
func (h Hold) says() bool { return h.Sentence() != "" }

// Sentence is the one that says so; empty: none does.
func (h Hold) Sentence() transitions.SentenceID {
	return map[Hold]transitions.SentenceID{
		HeldByRequest: transitions.SaidHeld, HeldByClosing: transitions.SaidClosed, HeldByPolicy: transitions.SaidLooser, HeldByLostStart: transitions.SaidUnknown,
	}[h]
}

// HoldOf is what a message that waits in a track waits for, as far as the track
// itself knows.
func HoldOf(d *transitions.Data, m *transitions.Message) Hold {
	switch {
	case m.State == transitions.MessageFetching:
		return HeldByFiles
	case m.State == transitions.MessageAsked:
		return HeldByQuestion
	case !waits(m):
		return ""
	case slices.Contains(d.Shut, transitions.ClosedByChat):
		return HeldByChat
	case slices.Contains(d.Shut, transitions.ClosedByPolicy):
		return HeldByPolicy
	case slices.ContainsFunc(d.Shut, func(c transitions.Closing) bool { return c != transitions.ClosedByResume }):
		return HeldByClosing
	case len(d.Shut) > 0:
		return HeldByResume
	}
	var hold Hold
	for i := range d.Turns {
		t := &d.Turns[i]
		switch {
		case t.Lost:
			return HeldByLostStart
		case t.State == transitions.TurnUnknown:
			return HeldByUnknown
		case m.Turn == t.ID:
			hold = HeldByDeafTurn
		}
	}
	for i := range d.Requests {
		if r := &d.Requests[i]; r.State == transitions.RequestShown {
			return HeldByRequest
		}
	}
	if d.Opening {
		return HeldByUnknown
	}
	return hold
}

// Request is one request of Codex to a person.
type Request struct {
	transitions.Request
	// Showing says that a form of it is on its way to the chat.
	Showing bool
	// Told says that a person was told that it cannot be shown.
	Told bool
	// InChat says that a card of it stands in the chat, known or not.
	InChat bool
	// Closed says that its card says what became of it.
	Closed bool
	// Card is the request that the card was drawn for which was decided on; empty:
	// nobody decided here.
	Card string
	// Entitled says that By was allowed to decide.
	Entitled bool
	// Names are those who may decide.
	Names []string
	// Decisions are those that reached Codex for it, in order, repeated ones
	// included.
	Decisions []string
}

// CodexTurn is a turn as Codex has it.
type CodexTurn struct {
	ID string
	// Status is the protocol's: inProgress, or how it ended.
	Status string
	// Messages are the clientIds of its userMessage items, in order.
	Messages []string
	// Reply is its answer: what an outcome would have to say.
	Reply string
	// Said is why it failed.
	Said string
	// Gone says that Codex has lost the turn; Messages are then those that the
	// bridge had seen in it before.
	Gone bool
}

// Shown is a message of the bridge that stands in the chat.
type Shown struct {
	ID string
	// Delivery is the delivery that it is, empty if it is none.
	Delivery string
}

// newest is the track that takes what is written.
func (v *View) newest() *Track {
	if len(v.Tracks) == 0 {
		return &Track{}
	}
	return &v.Tracks[len(v.Tracks)-1]
}

func (v *View) message(id string) *Message {
	return find(v.Messages, func(m Message) bool { return m.ID == id })
}

func (v *View) turn(id string) *transitions.Turn {
	return find(v.Turns, func(t transitions.Turn) bool { return t.ID == id && id != "" })
}

func (v *View) codexTurn(id string) *CodexTurn {
	return find(v.CodexTurns, func(t CodexTurn) bool { return t.ID == id })
}

// outcome is the delivery of the turn's outcome.
func (v *View) outcome(turn string) *transitions.Delivery {
	return find(v.Deliveries, func(d transitions.Delivery) bool {
		return d.Kind == transitions.Outcome && d.Turn == turn
	})
}

// visible is an open request that is proven to be shown.
func (v *View) visible() *Request {
	return find(v.Requests, func(r Request) bool { return r.State == transitions.RequestShown && r.Shown != "" })
}

// items counts the items of Codex's turns that carry the message.
func (v *View) items(message string) (turns []string) {
	for i := range v.CodexTurns {
		for _, id := range v.CodexTurns[i].Messages {
			if id == message {
				turns = append(turns, v.CodexTurns[i].ID)
			}
		}
	}
	return turns
}

// said says that a sentence was said to the sender of a message.
func (v *View) said(message string, sentence transitions.SentenceID) bool {
	return find(v.Deliveries, func(d transitions.Delivery) bool {
		return d.ReplyTo == message && d.Body.Sentence == sentence
	}) != nil
}

// givenBack lists the deliveries that give the message back to its sender.
func (v *View) givenBack(message string) (back []string) {
	for i := range v.Deliveries {
		d := &v.Deliveries[i]
		if d.Kind == transitions.Notice && d.ReplyTo == message && slices.Contains(givingBack, d.Body.Sentence) {
			back = append(back, d.ID)
		}
	}
	return back
}

func find[T any](all []T, is func(T) bool) *T {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return &all[i]
	}
	return nil
}
