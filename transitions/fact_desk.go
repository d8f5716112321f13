package transitions

// DeliveryConfirmed: Feishu answered a send with a message id (ledger fact).
type DeliveryConfirmed struct {
	Delivery string `json:"delivery"`
	Shown    string `json:"shown"` // the id of the message in the chat
}

// DeliveryPartShown: Feishu answered the send of a part of a delivery, which was not
// the last, with a message id (ledger fact).
type DeliveryPartShown struct {
	Delivery string `json:"delivery"`
	Shown    string `json:"shown"` // the id of the message in the chat
	// UpTo is how many bytes of the delivery's text stand in the chat now.
	UpTo int `json:"up_to"`
}

// DeliveryRefused: Feishu refused a send for good, or did not take it in so many
// attempts that it was given up; none of them took effect (ledger fact).
type DeliveryRefused struct {
	Delivery string `json:"delivery"`
	Code     int    `json:"code"`
	Said     string `json:"said"`
}

// DeliveryUnknown: a send may have taken effect, and the time in which Feishu
// would recognise a repetition is over (ledger fact).
type DeliveryUnknown struct {
	Delivery string `json:"delivery"`
}

// ReceiptShown: the reaction on a received message stands in the chat.
type ReceiptShown struct {
	Message  string `json:"message"`
	Reaction string `json:"reaction"`
}

// EffectDropped: an effect that may be lost was refused, or given up as stale: a
// reaction, or progress (ledger fact).
type EffectDropped struct {
	Effect string `json:"effect"` // its name
	// Subject is the message or turn that it was about.
	Subject string `json:"subject"`
	Said    string `json:"said"`
}

// TurnSilent: nothing was heard of the turn for limits.turn_idle (ledger fact).
type TurnSilent struct {
	Turn string `json:"turn"`
}

// BridgeStarted: the bridge took the track up again after a restart (ledger
// fact).
type BridgeStarted struct{}

// GenerationChanged: another server process answers; what the former one asked is
// dead (ledger fact).
type GenerationChanged struct {
	Generation string `json:"generation"`
}

// ChatClosed: nobody can be told anything there any more: the bot was removed, or
// the chat dissolved (ledger fact, from Feishu's im.chat.member.bot.deleted_v1
// and im.chat.disbanded_v1, or a definite refusal of a send).
type ChatClosed struct {
	Said string `json:"said,omitempty"` // the platform's words
}

// ChatReopened: the bot is in the chat again (ledger fact, from Feishu's
// im.chat.member.bot.added_v1, or a message from there).
type ChatReopened struct{}

// TrackClosed: nothing may be sent to Codex on this track for now (ledger fact).
type TrackClosed struct {
	Why Closing `json:"why"`
	// Policy is the looser one, where that is why.
	Policy Policy `json:"policy,omitzero"`
}

// TrackOpened: a reason for which the track was closed is gone (ledger fact).
type TrackOpened struct {
	Why Closing `json:"why"`
	// Policy is what an operator lets the track run under from now on. The zero value:
	// as before.
	Policy Policy `json:"policy,omitzero"`
}

// Closing is a reason to send nothing to Codex.
type Closing string

// The closings.
const (
	// ClosedByPolicy: the server reports a looser policy than the track ran under.
	ClosedByPolicy Closing = "policy"
	// ClosedByVersion: the server's version is not supported.
	ClosedByVersion Closing = "version"
	// ClosedByCapability: the server lacks what sending needs.
	ClosedByCapability Closing = "capability"
	// ClosedByChat: nobody would hear of it.
	ClosedByChat Closing = "chat"
	// ClosedByResume: whether the conversation goes on in another thread is being found
	// out.
	ClosedByResume Closing = "resume"
)
