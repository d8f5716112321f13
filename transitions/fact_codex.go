package transitions

// ThreadOpened: thread/start answered with a thread's id.
type ThreadOpened struct {
	Thread string `json:"thread"`
	// Version is that of the server, Policy what it reports for the thread.
	Version string `json:"version,omitempty"`
	Policy  Policy `json:"policy,omitzero"`
	// Transcript is what became of what people and Codex said in the thread that this
	// one takes the place of; empty: there was nothing.
	Transcript Transcript `json:"transcript,omitempty"`
}

// Transcript is what became of a transcript.
type Transcript string

// The fates of a transcript.
const (
	// TranscriptGiven: thread/inject_items was answered with success.
	TranscriptGiven Transcript = "given"
	// TranscriptMissing: it could not be read, or Codex did not take it.
	TranscriptMissing Transcript = "missing"
)

// ThreadRefused: thread/start answered with an error that will be the same again.
type ThreadRefused struct {
	Said string `json:"said"` // the server's words
}

// ThreadResumed: thread/resume answered on a new connection, after which what is
// open at Codex is sent again.
type ThreadResumed struct {
	Thread     string `json:"thread"`
	Connection string `json:"connection"` // see [Link]
	// Version is that of the server, Created that of the one which made the thread,
	// Policy what the server reports for it.
	Version string `json:"version,omitempty"`
	Created string `json:"created_by,omitempty"`
	Policy  Policy `json:"policy,omitzero"`
}

// ThreadLost: thread/resume or a read answered that the thread is neither loaded
// nor stored, as one without a finished first turn can be.
type ThreadLost struct {
	Said string `json:"said"` // the server's words
}

// ThreadStatusChanged: thread/status/changed, a hint to read the thread but for
// the flags of an active one, which nothing else tells.
type ThreadStatusChanged struct {
	Status ThreadStatus `json:"status"`
	// Waiting says that Codex waits on an approval or on a person's input.
	Waiting bool `json:"waiting,omitempty"`
}

// ThreadStatus is the status of a thread, in the protocol's words.
type ThreadStatus string

// The statuses.
const (
	StatusActive      ThreadStatus = "active"
	StatusIdle        ThreadStatus = "idle"
	StatusSystemError ThreadStatus = "systemError"
	StatusNotLoaded   ThreadStatus = "notLoaded"
)

// TurnStartAccepted: turn/start answered with a turn's id, which may be that of a
// turn already active, into which the text was folded.
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

// SteerAccepted: turn/steer answered with success, which is no proof that Codex
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

// InterruptAccepted: turn/interrupt answered with success; whether the turn was
// stopped by it, only the turn's end says.
type InterruptAccepted struct {
	Turn string `json:"turn"`
}

// InterruptRefused: turn/interrupt answered with an error.
type InterruptRefused struct {
	Turn string `json:"turn"`
	Said string `json:"said"`
}

// InterruptUnknown: turn/interrupt may have been sent, and no answer came; some
// versions never answer a second one.
type InterruptUnknown struct {
	Turn string `json:"turn"`
}

// TurnRunning: a turn is in progress, and these of our messages are items of it:
// read by thread/turns/list, or told by a userMessage item with our id.
type TurnRunning struct {
	Turn     string   `json:"turn"`
	Messages []string `json:"messages,omitempty"`
}

// AgentMessageCompleted: item/completed with an agentMessage that is not the
// turn's answer: progress.
type AgentMessageCompleted struct {
	Turn string `json:"turn"`
	Item string `json:"item"`
	Text string `json:"text"`
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

// PullAnswered: thread/turns/list was read; it closes a snapshot, of which the
// facts before it have said what it proves about each turn.
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

// PullImpossible: the newest turns cannot be read just now: "list_turns is not
// supported yet", "rollout is empty" and their like.
type PullImpossible struct {
	Said  string `json:"said"`  // the server's words
	After Millis `json:"after"` // when to try again
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
	// ThreadGone: the thread is neither loaded nor stored, or was archived.
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
