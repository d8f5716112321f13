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

// MessageReceived: an admitted person wrote ordinary text to the conversation,
// with or without files (ledger fact, from Feishu's im.message.receive_v1).
type MessageReceived struct {
	Message string `json:"message"` // Feishu's message id
	Sender  string `json:"sender"`  // the sender's open_id
	Text    string `json:"text"`
	Created Millis `json:"created"` // when the person sent it
	Files   []File `json:"files,omitempty"`
	// From is the track that handed it over; empty: it comes from the chat.
	From string `json:"from,omitempty"`
	// Confirmed says that its sender wants it sent, however old it is.
	Confirmed bool `json:"confirmed,omitempty"`
	// Told are the sentences that told its sender what it waits for.
	Told []SentenceID `json:"told,omitempty"`
}

// File is an attachment of a message.
type File struct {
	Key  string `json:"key"`            // Feishu's file_key or image_key
	Name string `json:"name,omitempty"` // as its sender named it
	// Image says that Codex can look at it.
	Image bool `json:"image,omitempty"`
	// Path is where it lies on the desk, once it has been fetched.
	Path string `json:"path,omitempty"`
	// Lost is why it could not be fetched.
	Lost string `json:"lost,omitempty"`
}

// StopRequested: an admitted person wrote /stop (ledger fact, from Feishu's
// im.message.receive_v1).
type StopRequested struct {
	Message string `json:"message"`
	Sender  string `json:"sender"`
	Created Millis `json:"created"`
	// Entitled says that the person may stop whoever wrote to the turn: an admin, or
	// the owner of a direct chat.
	Entitled bool `json:"entitled,omitempty"`
}

// NewRequested: an admitted person wrote /new: the conversation goes on in a new
// track (ledger fact, from Feishu's im.message.receive_v1).
type NewRequested struct {
	Message  string `json:"message"`
	Sender   string `json:"sender"`
	Created  Millis `json:"created"`
	Entitled bool   `json:"entitled,omitempty"` // as in [StopRequested]
}

// ModelRequested: an admitted person wrote /model: the track's next turns run on
// that model (ledger fact, from Feishu's im.message.receive_v1).
type ModelRequested struct {
	Message  string `json:"message"`
	Sender   string `json:"sender"`
	Model    string `json:"model"`
	Entitled bool   `json:"entitled,omitempty"` // as in [StopRequested]
}

// HandedOver: the next track has the message in the ledger (ledger fact).
type HandedOver struct {
	Message string `json:"message"`
}

// AttachmentsReady: all files of the message lie on the desk (ledger fact, from
// Feishu's GET /im/v1/messages/:message_id/resources/:file_key).
type AttachmentsReady struct {
	Message string `json:"message"`
	Files   []File `json:"files"`
}

// AttachmentsFailed: files of the message were refused, or not fetched in time;
// the text goes to Codex with what there is (ledger fact).
type AttachmentsFailed struct {
	Message string `json:"message"`
	Files   []File `json:"files"`
}

// MessageRecalled: the message was taken back, by its sender or whoever runs the
// chat (ledger fact, from Feishu's im.message.recalled_v1).
type MessageRecalled struct {
	Message string `json:"message"`
}

// SenderDismissed: the person is no longer admitted (ledger fact, from the
// operator's configuration).
type SenderDismissed struct {
	Sender string `json:"sender"`
}

// MessageStale: the call with the message was about to be sent and was not, since
// the message is older than limits.stale (ledger fact).
type MessageStale struct {
	Message string `json:"message"`
	// Turn is the one that it was to be steered into; empty: it was to start one.
	Turn string `json:"turn,omitempty"`
}

// StaleAnswered: a person said whether a stale message is still to be sent
// (ledger fact, from Feishu's card.action.trigger or im.message.receive_v1).
type StaleAnswered struct {
	Message string `json:"message"` // the answer's own, to be replied to
	// About is the stale message, or the bridge's question about it; empty: the one
	// message of that person about which there is a question.
	About string `json:"about,omitempty"`
	By    string `json:"by"` // open_id
	Run   bool   `json:"run,omitempty"`
	// Entitled says that the person may decide for others: an admin.
	Entitled bool `json:"entitled,omitempty"`
}

// SendOverdue: the message is unsent since limits.unreachable (ledger fact).
type SendOverdue struct {
	Message string `json:"message"`
}
