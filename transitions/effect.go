package transitions

// Effect is what a step asks for. A record is written in the very transaction
// of the step; everything else is carried out afterwards, by an adapter.
type Effect interface {
	// EffectName is the kind, snake_case.
	EffectName() string
	effect()
}

// OpenThread asks for a new Codex thread (thread/start).
type OpenThread struct {
	// Rebuild says that it takes the place of one that was lost, and is to be given
	// what was said in that (thread/inject_items).
	Rebuild bool `json:"rebuild,omitempty"`
	// Policy is what it may run under; the zero value: what Codex is set to.
	Policy Policy `json:"policy,omitzero"`
}

// StartTurn hands a message to Codex with turn/start; the message's id travels
// as clientUserMessageId.
type StartTurn struct {
	Thread  string `json:"thread"`
	Message string `json:"message"`
	Text    string `json:"text"`
	Files   []File `json:"files,omitempty"`
	// Model is what the turn is to run on; empty: Codex's own setting.
	Model string `json:"model,omitempty"`
	// Created is when the person sent it. Unless Confirmed, a message older than
	// limits.stale is not sent: [MessageStale].
	Created   Millis `json:"created"`
	Confirmed bool   `json:"confirmed,omitempty"`
}

// SteerTurn hands a message to the running turn with turn/steer.
type SteerTurn struct {
	Thread  string `json:"thread"`
	Turn    string `json:"turn"`
	Message string `json:"message"`
	Text    string `json:"text"`
	Files   []File `json:"files,omitempty"`
	// Created and Confirmed are as in [StartTurn].
	Created   Millis `json:"created"`
	Confirmed bool   `json:"confirmed,omitempty"`
}

// InterruptTurn asks Codex to end a turn (turn/interrupt).
type InterruptTurn struct {
	Thread string `json:"thread"`
	Turn   string `json:"turn"`
}

// Pull asks for a read of the thread's newest turns. It is a hint to the
// poller, which reads an unsettled thread in any case.
type Pull struct {
	Thread string `json:"thread"`
	// After is how long to wait first.
	After Millis `json:"after,omitempty"`
}

// Withdraw takes those calls of the track out of the outbox that carry text to
// Codex and have not been sent; each comes back as a fact.
type Withdraw struct{}

// Deliver sends one delivery to the chat as a reply to a message.
type Deliver struct {
	Delivery string `json:"delivery"`
	ReplyTo  string `json:"reply_to"`
	// UUID is the delivery's own, the same at every attempt; at most 50
	// characters, as Feishu demands.
	UUID string       `json:"uuid"`
	Kind DeliveryKind `json:"kind"`
	// Body is what to say: Codex's own words, or a sentence of the catalogue.
	Body Body `json:"body"`
	// From is how many bytes of the text stand in the chat already.
	From int `json:"from,omitempty"`
}

// HandOver gives a message that no turn has to the conversation's next track.
type HandOver struct {
	Message string `json:"message"`
	Sender  string `json:"sender"`
	Text    string `json:"text"`
	Created Millis `json:"created"`
	Files   []File `json:"files,omitempty"`
	// Confirmed and Told are as in [MessageReceived].
	Confirmed bool         `json:"confirmed,omitempty"`
	Told      []SentenceID `json:"told,omitempty"`
}

// Received is the fact that the next track has the message from this one.
func (e HandOver) Received(track string) MessageReceived {
	return MessageReceived{
		Message: e.Message, Sender: e.Sender, Text: e.Text, Created: e.Created, Files: e.Files,
		Confirmed: e.Confirmed, Told: e.Told, From: track,
	}
}

// FetchFiles brings a message's attachments to the desk, in a bounded time.
type FetchFiles struct {
	Message string `json:"message"`
	Files   []File `json:"files"`
}

// ShowProgress shows what Codex says on the way to its answer.
type ShowProgress struct {
	Turn    string `json:"turn"`
	ReplyTo string `json:"reply_to"`
	Item    string `json:"item"`
	Text    string `json:"text"`
}

// ShowReceipt puts the reaction on a message that says: received.
type ShowReceipt struct {
	Message string `json:"message"`
}

// ShowRequest shows a request in the chat: its card, or the poorest form that the
// platform takes.
type ShowRequest struct {
	Request string `json:"request"`
	Kind    string `json:"kind"`
	Turn    string `json:"turn"`
}

// AnswerRequest answers the server's request with a decision.
type AnswerRequest struct {
	Request  string `json:"request"`
	Decision string `json:"decision"`
}

// CloseRequest says on the request's card what became of it.
type CloseRequest struct {
	Request string `json:"request"`
}

// RecordMessage writes a message's row of the ledger.
type RecordMessage struct {
	Message Message `json:"message"`
	// Entry is the table entry that moved it.
	Entry string `json:"entry"`
}

// RecordTurn writes a turn's row of the ledger.
type RecordTurn struct {
	Turn  Turn   `json:"turn"`
	Entry string `json:"entry"`
}

// RecordDelivery writes a delivery's row of the ledger.
type RecordDelivery struct {
	Delivery Delivery `json:"delivery"`
	Entry    string   `json:"entry"`
}

// RecordRequest writes a request's row of the ledger.
type RecordRequest struct {
	Request Request `json:"request"`
	Entry   string  `json:"entry"`
}

// OpenTrack makes the conversation's next track; from then on it is the newest.
type OpenTrack struct {
	Track string `json:"track"`
	// Thread is the one that it begins with; empty: none.
	Thread string `json:"thread,omitempty"`
	// Shut, Model and Listed are as in the track before it, but for a closing for a
	// policy, which is about a thread.
	Shut   []Closing      `json:"shut,omitempty"`
	Model  string         `json:"model,omitempty"`
	Listed []ListedThread `json:"listed,omitempty"`
	// Rebuild says that it goes on where this one lost its thread; Policy is as in this
	// one, if it does, or if this one is closed for a looser policy.
	Rebuild bool   `json:"rebuild,omitempty"`
	Policy  Policy `json:"policy,omitzero"`
}

// Data is what the new track begins with.
func (e OpenTrack) Data() Data {
	return Data{
		Track: e.Track, Thread: e.Thread, Shut: e.Shut, Model: e.Model, Listed: e.Listed,
		Rebuild: e.Rebuild, Policy: e.Policy,
	}
}

// RecordThread writes which Codex thread the track is bound to.
type RecordThread struct {
	Thread string `json:"thread"`
}

// Body is what a delivery says: Text, Codex's own words, or a Sentence of the
// catalogue with its arguments, or several bodies, each on a line of its own.
type Body struct {
	Text     string     `json:"text,omitempty"`
	Sentence SentenceID `json:"sentence,omitempty"`
	Args     []string   `json:"args,omitempty"`
	// Parts are the sentence's arguments after Args, said in the same language; or the
	// lines.
	Parts []Body `json:"parts,omitempty"`
}

func (OpenThread) EffectName() string     { return "open_thread" }
func (StartTurn) EffectName() string      { return "start_turn" }
func (SteerTurn) EffectName() string      { return "steer_turn" }
func (InterruptTurn) EffectName() string  { return "interrupt_turn" }
func (Pull) EffectName() string           { return "pull" }
func (Withdraw) EffectName() string       { return "withdraw" }
func (Deliver) EffectName() string        { return "deliver" }
func (ShowReceipt) EffectName() string    { return "show_receipt" }
func (RecordMessage) EffectName() string  { return "record_message" }
func (RecordTurn) EffectName() string     { return "record_turn" }
func (RecordDelivery) EffectName() string { return "record_delivery" }
func (RecordThread) EffectName() string   { return "record_thread" }

func (FetchFiles) EffectName() string    { return "fetch_files" }
func (ShowProgress) EffectName() string  { return "show_progress" }
func (HandOver) EffectName() string      { return "hand_over" }
func (OpenTrack) EffectName() string     { return "open_track" }
func (ShowRequest) EffectName() string   { return "show_request" }
func (AnswerRequest) EffectName() string { return "answer_request" }
func (CloseRequest) EffectName() string  { return "close_request" }
func (RecordRequest) EffectName() string { return "record_request" }

func (OpenThread) effect()     {}
func (StartTurn) effect()      {}
func (SteerTurn) effect()      {}
func (InterruptTurn) effect()  {}
func (Pull) effect()           {}
func (Withdraw) effect()       {}
func (Deliver) effect()        {}
func (ShowReceipt) effect()    {}
func (RecordMessage) effect()  {}
func (RecordTurn) effect()     {}
func (RecordDelivery) effect() {}
func (RecordThread) effect()   {}
func (ShowRequest) effect()    {}
func (AnswerRequest) effect()  {}
func (CloseRequest) effect()   {}
func (RecordRequest) effect()  {}
func (HandOver) effect()       {}
func (FetchFiles) effect()     {}
func (ShowProgress) effect()   {}
func (OpenTrack) effect()      {}
