package transitions

// ThreadsRequested: an admitted person wrote /threads: the desk's threads are to be
// listed (ledger fact, from Feishu's im.message.receive_v1).
type ThreadsRequested struct {
	Message string `json:"message"`
	Sender  string `json:"sender"`
}

// ThreadsListed: thread/list answered.
type ThreadsListed struct {
	Message string `json:"message"` // the command's
	// Threads are the desk's, the one used last first, and no more than are to be
	// shown.
	Threads []DeskThread `json:"threads,omitempty"`
	// At is when they were listed.
	At Millis `json:"at"`
}

// DeskThread is one thread of the desk, as it was listed.
type DeskThread struct {
	Thread string `json:"thread"`
	// Title is its name, or else how its first text begins: one short line, empty
	// where there is neither.
	Title string `json:"title,omitempty"`
	// Used is when it was used last.
	Used Millis `json:"used"`
	// Taken says that another track has it.
	Taken bool `json:"taken,omitempty"`
}

// ThreadsUnlisted: thread/list was refused, or could not be asked for in a while.
type ThreadsUnlisted struct {
	Message string `json:"message"`
	// Why is [ServerUnreached] or [ServerRefused].
	Why  Unavailable `json:"why"`
	Said string      `json:"said,omitempty"` // the server's words
}

// ResumeRequested: an admitted person wrote /resume: the conversation is to go on in
// the thread of that number (ledger fact, from Feishu's im.message.receive_v1).
type ResumeRequested struct {
	Message string `json:"message"`
	Sender  string `json:"sender"`
	Created Millis `json:"created"`
	// Number is that of the list, which counts from 1; 0: none, or no number.
	Number   int  `json:"number"`
	Entitled bool `json:"entitled,omitempty"` // as in [StopRequested]
}

// ThreadFound: thread/resume answered for the thread that a /resume asked for, and
// no other track has it.
type ThreadFound struct {
	Message string `json:"message"` // the command's
	Thread  string `json:"thread"`
}

// ThreadUnavailable: the thread that a /resume asked for cannot be had.
type ThreadUnavailable struct {
	Message string      `json:"message"` // the command's
	Why     Unavailable `json:"why"`
	Said    string      `json:"said,omitempty"` // the server's words
}

// Unavailable is why a thread, or the list of them, cannot be had.
type Unavailable string

// The reasons.
const (
	// TakenElsewhere: another conversation has the thread.
	TakenElsewhere Unavailable = "taken"
	// StillEnding: a track that was left still ends its turn on the thread, or another
	// server process has it.
	StillEnding Unavailable = "ending"
	// NotStored: the thread is not stored any more.
	NotStored Unavailable = "gone"
	// LooserThere: the thread runs under a looser policy than a new one of the desk would.
	LooserThere Unavailable = "looser"
	// ServerRefused: the server refused, in its own words.
	ServerRefused Unavailable = "refused"
	// ServerUnreached: the server could not be asked in a while.
	ServerUnreached Unavailable = "unreachable"
)

func (ThreadsRequested) FactName() string  { return "threads_requested" }
func (ThreadsListed) FactName() string     { return "threads_listed" }
func (ThreadsUnlisted) FactName() string   { return "threads_unlisted" }
func (ResumeRequested) FactName() string   { return "resume_requested" }
func (ThreadFound) FactName() string       { return "thread_found" }
func (ThreadUnavailable) FactName() string { return "thread_unavailable" }

// FactKey: a message is received once, see [MessageReceived]; the others are answers
// to calls.
func (f ThreadsRequested) FactKey() string { return "message:" + f.Message }
func (f ResumeRequested) FactKey() string  { return "message:" + f.Message }
func (ThreadsListed) FactKey() string      { return "" }
func (ThreadsUnlisted) FactKey() string    { return "" }
func (ThreadFound) FactKey() string        { return "" }
func (ThreadUnavailable) FactKey() string  { return "" }

func (ThreadsRequested) fact()  {}
func (ThreadsListed) fact()     {}
func (ThreadsUnlisted) fact()   {}
func (ResumeRequested) fact()   {}
func (ThreadFound) fact()       {}
func (ThreadUnavailable) fact() {}
