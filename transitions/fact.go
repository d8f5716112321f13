package transitions

// Fact is something the protocol or the ledger proves about one track. Facts
// are the only thing that moves a machine.
type Fact interface {
	// FactName is the kind, snake_case, as in diagrams and the journal.
	FactName() string
	// FactKey identifies the happening itself: a second fact with the same key
	// is the same happening told again and is not stepped on. Empty where every
	// occurrence counts.
	FactKey() string
	fact()
}

// Millis is a moment in milliseconds of the Unix epoch, as facts carry time.
type Millis int64

// MessageReceived: an admitted person wrote ordinary text to the conversation.
// Ledger fact, from Feishu's im.message.receive_v1.
type MessageReceived struct {
	Message string `json:"message"` // Feishu's message id
	Sender  string `json:"sender"`  // the sender's open_id
	Text    string `json:"text"`
	Created Millis `json:"created"` // when the person sent it
	// From is the track that handed it over; empty: it comes from the chat.
	From string `json:"from,omitempty"`
}

// StopRequested: an admitted person wrote /stop. Ledger fact, from Feishu's
// im.message.receive_v1.
type StopRequested struct {
	Message string `json:"message"`
	Sender  string `json:"sender"`
	Created Millis `json:"created"`
}

// NewRequested: an admitted person wrote /new: the conversation goes on in a new
// track. Ledger fact, from Feishu's im.message.receive_v1.
type NewRequested struct {
	Message string `json:"message"`
	Sender  string `json:"sender"`
	Created Millis `json:"created"`
}

// HandedOver: the next track has the message in the ledger. Ledger fact.
type HandedOver struct {
	Message string `json:"message"`
}

// ThreadOpened: thread/start answered with a thread's id.
type ThreadOpened struct {
	Thread string `json:"thread"`
}

// ThreadRefused: thread/start answered with an error that will be the same again.
type ThreadRefused struct {
	Said string `json:"said"` // the server's words
}

// TurnStartAccepted: turn/start answered with a turn's id. The id may be that
// of a turn that was already active: then the text was folded into it.
type TurnStartAccepted struct {
	Message string `json:"message"`
	Turn    string `json:"turn"`
}

// TurnStartRefused: turn/start answered with an error.
type TurnStartRefused struct {
	Message string  `json:"message"`
	Refusal Refusal `json:"refusal"`
	Said    string  `json:"said"` // the server's words
}

// TurnStartUnknown: turn/start may have been sent, and no answer came: the
// connection closed, the time ran out, or the bridge died.
type TurnStartUnknown struct {
	Message string `json:"message"`
	Link    Link   `json:"link"` // what carried it; zero if the bridge died
}

// TurnStartWithdrawn: turn/start was taken out of the outbox before it was sent.
type TurnStartWithdrawn struct {
	Message string `json:"message"`
}

// SteerAccepted: turn/steer answered with success. It is no proof that Codex
// took the text in.
type SteerAccepted struct {
	Message string `json:"message"`
	Turn    string `json:"turn"`
}

// SteerRefused: turn/steer answered with an error.
type SteerRefused struct {
	Message string  `json:"message"`
	Turn    string  `json:"turn"`
	Refusal Refusal `json:"refusal"`
	Said    string  `json:"said"`
}

// SteerUnknown: turn/steer may have been sent, and no answer came.
type SteerUnknown struct {
	Message string `json:"message"`
	Turn    string `json:"turn"`
}

// SteerWithdrawn: turn/steer was taken out of the outbox before it was sent.
type SteerWithdrawn struct {
	Message string `json:"message"`
	Turn    string `json:"turn"`
}

// InterruptAccepted: turn/interrupt answered with success. Whether the turn was
// stopped by it, only the turn's end says.
type InterruptAccepted struct {
	Turn string `json:"turn"`
}

// InterruptRefused: turn/interrupt answered with an error.
type InterruptRefused struct {
	Turn string `json:"turn"`
	Said string `json:"said"`
}

// InterruptUnknown: turn/interrupt may have been sent, and no answer came. Some
// versions never answer a second one.
type InterruptUnknown struct {
	Turn string `json:"turn"`
}

// TurnRunning: a turn is in progress, and these of our messages are items of
// it: read by thread/turns/list, or told by a userMessage item with our id.
type TurnRunning struct {
	Turn     string   `json:"turn"`
	Messages []string `json:"messages,omitempty"`
}

// TurnEnded: a turn is over, read with all its items by thread/turns/list; the
// notification turn/completed only makes that read happen sooner.
type TurnEnded struct {
	Turn   string    `json:"turn"`
	Status EndStatus `json:"status"`
	// Messages are the clientIds of the turn's userMessage items, in order.
	Messages []string `json:"messages,omitempty"`
	// Reply is the text of the turn's agent messages of phase final_answer, in
	// order; where none has that phase, the last agent message. Empty: none.
	Reply string `json:"reply,omitempty"`
	// Said is the reason of a failure, in the server's words.
	Said string `json:"said,omitempty"`
}

// PullAnswered: the newest turns of the thread were read. It closes a snapshot:
// what the snapshot proves about each turn has been said by the facts before it.
type PullAnswered struct {
	// Idle says that the thread has no active turn.
	Idle bool `json:"idle"`
	// Turns are the ids that the snapshot lists, and all that are being waited
	// for if they exist.
	Turns []string `json:"turns,omitempty"`
	Link  Link     `json:"link"`
	At    Millis   `json:"at"`
	// Settle is how far apart two pulls must be to prove an absence.
	Settle Millis `json:"settle"`
}

// DeliveryConfirmed: Feishu answered a send with a message id. Ledger fact.
type DeliveryConfirmed struct {
	Delivery string `json:"delivery"`
	Shown    string `json:"shown"` // the id of the message in the chat
}

// DeliveryRefused: Feishu refused a send for good. Ledger fact.
type DeliveryRefused struct {
	Delivery string `json:"delivery"`
	Code     int    `json:"code"`
	Said     string `json:"said"`
}

// DeliveryUnknown: a send may have taken effect, and the time in which Feishu
// would recognise a repetition is over. Ledger fact.
type DeliveryUnknown struct {
	Delivery string `json:"delivery"`
}

// ReceiptShown: the reaction on a received message stands in the chat.
type ReceiptShown struct {
	Message  string `json:"message"`
	Reaction string `json:"reaction"`
}

// ReceiptDropped: the reaction was refused, or given up as stale.
type ReceiptDropped struct {
	Message string `json:"message"`
	Said    string `json:"said"`
}

// RequestOpened: Codex asks a person: one of item/commandExecution/requestApproval,
// item/fileChange/requestApproval, item/permissions/requestApproval,
// item/tool/requestUserInput and mcpServer/elicitation/request. After a resume the
// server sends those that are open again.
type RequestOpened struct {
	Request string `json:"request"` // see [Request.ID]
	Kind    string `json:"kind"`
	Turn    string `json:"turn"`
	// Generation is the server process that asks.
	Generation string `json:"generation,omitempty"`
}

// RequestResolved: serverRequest/resolved, whoever answered, or nobody.
type RequestResolved struct {
	Request string `json:"request"`
}

// RequestVisible: Feishu answered the request's card, or a poorer form of it, with
// a message id. Ledger fact.
type RequestVisible struct {
	Request string `json:"request"`
	Shown   string `json:"shown"` // the id of the message in the chat
}

// RequestUnshowable: Feishu refused every form of the request for good. Ledger
// fact.
type RequestUnshowable struct {
	Request string `json:"request"`
	Said    string `json:"said"`
}

// VisibilityOverdue: the request was not proven visible in limits.visibility.
// Ledger fact.
type VisibilityOverdue struct {
	Request string `json:"request"`
}

// ReplayOverdue: after a reconnect the server did not send the request again in
// limits.replay. Ledger fact.
type ReplayOverdue struct {
	Request string `json:"request"`
}

// RequestAnswered: a person decided on a request, by a click or a command. Ledger
// fact, from Feishu's card.action.trigger or im.message.receive_v1.
type RequestAnswered struct {
	Request  string `json:"request"`
	By       string `json:"by"` // open_id
	Decision string `json:"decision"`
	// Message is the click's or command's message, to be replied to.
	Message string `json:"message"`
	// Entitled says that the person may decide whoever wrote to the turn: an
	// admin, or the owner of a direct chat.
	Entitled bool `json:"entitled,omitempty"`
}

// DecisionWritten: the answer to the server's request was written. The server
// does not confirm it; that it took effect, RequestResolved says.
type DecisionWritten struct {
	Request string `json:"request"`
}

// DecisionUnknown: the answer may have been written or not. If the server sends
// the request again, the very same decision is repeated.
type DecisionUnknown struct {
	Request string `json:"request"`
}

// WaitingChanged: thread/status/changed says whether the thread waits on an
// approval or on a person's input.
type WaitingChanged struct {
	Waiting bool `json:"waiting"`
}

// GenerationChanged: another server process answers; what the former one asked is
// dead. Ledger fact.
type GenerationChanged struct {
	Generation string `json:"generation"`
}

// Link says which connection to which server process carried a call. Two links
// with different connections are different connections, in every life of the
// bridge; the zero link is one that nobody remembers.
type Link struct {
	Connection string `json:"connection,omitempty"`
	// Generation identifies the server process; empty where it is not known.
	Generation string `json:"generation,omitempty"`
}

// Refusal is why the app-server refused a call, as far as its text tells.
type Refusal string

// The refusals.
const (
	// NoActiveTurn: "no active turn to steer".
	NoActiveTurn Refusal = "no_active_turn"
	// OtherTurn: "expected active turn id X but found Y".
	OtherTurn Refusal = "other_turn"
	// NotSteerable: the active turn takes no text.
	NotSteerable Refusal = "not_steerable"
	// ThreadGone: the thread is neither loaded nor stored.
	ThreadGone Refusal = "thread_gone"
	// OtherRefusal: anything else.
	OtherRefusal Refusal = "other"
)

// EndStatus is how a turn ended, in the protocol's words.
type EndStatus string

// The ends.
const (
	EndCompleted   EndStatus = "completed"
	EndInterrupted EndStatus = "interrupted"
	EndFailed      EndStatus = "failed"
)

func (MessageReceived) FactName() string    { return "message_received" }
func (StopRequested) FactName() string      { return "stop_requested" }
func (NewRequested) FactName() string       { return "new_requested" }
func (HandedOver) FactName() string         { return "handed_over" }
func (ThreadOpened) FactName() string       { return "thread_opened" }
func (ThreadRefused) FactName() string      { return "thread_refused" }
func (TurnStartAccepted) FactName() string  { return "turn_start_accepted" }
func (TurnStartRefused) FactName() string   { return "turn_start_refused" }
func (TurnStartUnknown) FactName() string   { return "turn_start_unknown" }
func (TurnStartWithdrawn) FactName() string { return "turn_start_withdrawn" }
func (SteerAccepted) FactName() string      { return "steer_accepted" }
func (SteerRefused) FactName() string       { return "steer_refused" }
func (SteerUnknown) FactName() string       { return "steer_unknown" }
func (SteerWithdrawn) FactName() string     { return "steer_withdrawn" }
func (InterruptAccepted) FactName() string  { return "interrupt_accepted" }
func (InterruptRefused) FactName() string   { return "interrupt_refused" }
func (InterruptUnknown) FactName() string   { return "interrupt_unknown" }
func (TurnRunning) FactName() string        { return "turn_running" }
func (TurnEnded) FactName() string          { return "turn_ended" }
func (PullAnswered) FactName() string       { return "pull_answered" }
func (DeliveryConfirmed) FactName() string  { return "delivery_confirmed" }
func (DeliveryRefused) FactName() string    { return "delivery_refused" }
func (DeliveryUnknown) FactName() string    { return "delivery_unknown" }
func (ReceiptShown) FactName() string       { return "receipt_shown" }
func (ReceiptDropped) FactName() string     { return "receipt_dropped" }

func (RequestOpened) FactName() string     { return "request_opened" }
func (RequestResolved) FactName() string   { return "request_resolved" }
func (RequestVisible) FactName() string    { return "request_visible" }
func (RequestUnshowable) FactName() string { return "request_unshowable" }
func (VisibilityOverdue) FactName() string { return "visibility_overdue" }
func (ReplayOverdue) FactName() string     { return "replay_overdue" }
func (RequestAnswered) FactName() string   { return "request_answered" }
func (DecisionWritten) FactName() string   { return "decision_written" }
func (DecisionUnknown) FactName() string   { return "decision_unknown" }
func (WaitingChanged) FactName() string    { return "waiting_changed" }
func (GenerationChanged) FactName() string { return "generation_changed" }

// A message is received once, whatever Feishu delivers again, and whether it is
// text or a command; and each track hands it over once.
func (f MessageReceived) FactKey() string {
	if f.From != "" {
		return "handed:" + f.From + ":" + f.Message
	}
	return "message:" + f.Message
}
func (f StopRequested) FactKey() string { return "message:" + f.Message }
func (f NewRequested) FactKey() string  { return "message:" + f.Message }

// A turn ends once, whoever tells.
func (f TurnEnded) FactKey() string { return "turn_ended:" + f.Turn }

// Answers to calls are told apart by the call that they settle, and snapshots
// are all different.
func (HandedOver) FactKey() string         { return "" }
func (ThreadOpened) FactKey() string       { return "" }
func (ThreadRefused) FactKey() string      { return "" }
func (TurnStartAccepted) FactKey() string  { return "" }
func (TurnStartRefused) FactKey() string   { return "" }
func (TurnStartUnknown) FactKey() string   { return "" }
func (TurnStartWithdrawn) FactKey() string { return "" }
func (SteerAccepted) FactKey() string      { return "" }
func (SteerRefused) FactKey() string       { return "" }
func (SteerUnknown) FactKey() string       { return "" }
func (SteerWithdrawn) FactKey() string     { return "" }
func (InterruptAccepted) FactKey() string  { return "" }
func (InterruptRefused) FactKey() string   { return "" }
func (InterruptUnknown) FactKey() string   { return "" }
func (TurnRunning) FactKey() string        { return "" }
func (PullAnswered) FactKey() string       { return "" }
func (DeliveryConfirmed) FactKey() string  { return "" }
func (DeliveryRefused) FactKey() string    { return "" }
func (DeliveryUnknown) FactKey() string    { return "" }
func (ReceiptShown) FactKey() string       { return "" }
func (ReceiptDropped) FactKey() string     { return "" }

func (RequestOpened) FactKey() string     { return "" }
func (RequestResolved) FactKey() string   { return "" }
func (RequestVisible) FactKey() string    { return "" }
func (RequestUnshowable) FactKey() string { return "" }
func (VisibilityOverdue) FactKey() string { return "" }
func (ReplayOverdue) FactKey() string     { return "" }
func (RequestAnswered) FactKey() string   { return "" }
func (DecisionWritten) FactKey() string   { return "" }
func (DecisionUnknown) FactKey() string   { return "" }
func (WaitingChanged) FactKey() string    { return "" }
func (GenerationChanged) FactKey() string { return "" }

func (MessageReceived) fact()    {}
func (StopRequested) fact()      {}
func (NewRequested) fact()       {}
func (HandedOver) fact()         {}
func (ThreadOpened) fact()       {}
func (ThreadRefused) fact()      {}
func (TurnStartAccepted) fact()  {}
func (TurnStartRefused) fact()   {}
func (TurnStartUnknown) fact()   {}
func (TurnStartWithdrawn) fact() {}
func (SteerAccepted) fact()      {}
func (SteerRefused) fact()       {}
func (SteerUnknown) fact()       {}
func (SteerWithdrawn) fact()     {}
func (InterruptAccepted) fact()  {}
func (InterruptRefused) fact()   {}
func (InterruptUnknown) fact()   {}
func (TurnRunning) fact()        {}
func (TurnEnded) fact()          {}
func (PullAnswered) fact()       {}
func (DeliveryConfirmed) fact()  {}
func (DeliveryRefused) fact()    {}
func (DeliveryUnknown) fact()    {}
func (ReceiptShown) fact()       {}
func (ReceiptDropped) fact()     {}
func (RequestOpened) fact()      {}
func (RequestResolved) fact()    {}
func (RequestVisible) fact()     {}
func (RequestUnshowable) fact()  {}
func (VisibilityOverdue) fact()  {}
func (ReplayOverdue) fact()      {}
func (RequestAnswered) fact()    {}
func (DecisionWritten) fact()    {}
func (DecisionUnknown) fact()    {}
func (WaitingChanged) fact()     {}
func (GenerationChanged) fact()  {}
