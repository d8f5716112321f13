package transitions

// State is the conversation's state.
type State string

// The states of a conversation.
const (
	// Idle: no turn in flight; nothing yet, or an outcome is on its way.
	Idle State = "idle"
	// Steerable: a turn is in flight, and text goes into it.
	Steerable State = "steerable"
	// PendingVisibility: Codex waits on a request that nobody can act on yet.
	PendingVisibility State = "pending_visibility"
	// WaitingVisible: an open request is proven visible.
	WaitingVisible State = "waiting_visible"
	// RecoveryPending: which turn is active, if any, is not known.
	RecoveryPending State = "recovery_pending"
	// Delivered: no turn in flight, and nothing owed to the chat.
	Delivered State = "delivered"
	// Superseded: overtaken by a newer track.
	Superseded State = "superseded"
)

// MessageState is the state of one message from a person.
type MessageState string

// The states of a message.
const (
	// MessageKept: in the ledger, and no thread to send it to yet.
	MessageKept MessageState = "received"
	// MessageHeld: waits until it is known which turn is active, if any.
	MessageHeld MessageState = "held"
	// MessageOffered: a call with it is in the outbox or under way.
	MessageOffered MessageState = "offered"
	// MessageAccepted: the call was answered with success; that proves nothing.
	MessageAccepted MessageState = "accepted"
	// MessageUncertain: the call may have been sent, and no answer came.
	MessageUncertain MessageState = "uncertain"
	// MessageProven: it is an item of a turn.
	MessageProven MessageState = "proven"
	// MessageAnswered: the outcome of its turn stands in the chat.
	MessageAnswered MessageState = "answered"
	// MessageRefused: given back to its sender with the reason.
	MessageRefused MessageState = "refused"
	// MessageMoved: the conversation's next track has it.
	MessageMoved MessageState = "moved"
	// MessageFetching: its files are being fetched.
	MessageFetching MessageState = "fetching"
	// MessageAsked: its sender was asked whether it is still to be sent.
	MessageAsked MessageState = "stale"
	// MessageUnresolved: whether Codex acted on it cannot be found out; its sender
	// was asked once whether to send it again.
	MessageUnresolved MessageState = "unresolved"
	// MessageWithdrawn: its sender took it back.
	MessageWithdrawn MessageState = "withdrawn"
)

// TurnState is the state of one turn.
type TurnState string

// The states of a turn.
const (
	// TurnUnknown: asked for, or believed to be over, and without proof.
	TurnUnknown TurnState = "unknown"
	// TurnInFlight: Codex works on it.
	TurnInFlight TurnState = "running"
	// TurnCompleted: it ended by itself.
	TurnCompleted TurnState = "completed"
	// TurnInterrupted: it was ended before it was done.
	TurnInterrupted TurnState = "interrupted"
	// TurnFailed: it ended with an error.
	TurnFailed TurnState = "failed"
	// TurnAbsent: proven never to have begun, or to have left no trace.
	TurnAbsent TurnState = "absent"
)

// DeliveryState is the state of one delivery.
type DeliveryState string

// The states of a delivery.
const (
	// DeliveryReady: in the outbox.
	DeliveryReady DeliveryState = "ready"
	// DeliveryShown: Feishu answered with the id of the message.
	DeliveryShown DeliveryState = "confirmed"
	// DeliveryInDoubt: it may stand in the chat or not.
	DeliveryInDoubt DeliveryState = "unknown"
	// DeliveryFailed: Feishu refused it for good.
	DeliveryFailed DeliveryState = "refused"
	// DeliveryArchived: an outcome that is kept, and not pushed.
	DeliveryArchived DeliveryState = "archived"
)
