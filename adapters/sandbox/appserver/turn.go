package appserver

// Turn statuses.
const (
	inProgress  = "inProgress"
	completed   = "completed"
	interrupted = "interrupted"
	failed      = "failed"
)

// Views of a turn's items.
const (
	viewNotLoaded = "notLoaded"
	viewSummary   = "summary"
	viewFull      = "full"
)

// turn is one turn of a thread. It is among the thread's turns once it is
// stored.
type turn struct {
	id      string
	ordinal int // its place in the thread's history, ascending
	items   []any
	status  string
	problem *turnError
	// In milliseconds of Unix time; 0 for not yet.
	startedAt, completedAt int64
}

// turnWire is a turn as it travels. Its times are in seconds of Unix time.
type turnWire struct {
	ID          string     `json:"id"`
	RootTurnID  string     `json:"rootTurnId"`
	Items       []any      `json:"items"`
	ItemsView   string     `json:"itemsView"`
	Status      string     `json:"status"`
	Error       *turnError `json:"error"`
	StartedAt   *int64     `json:"startedAt"`
	CompletedAt *int64     `json:"completedAt"`
	DurationMs  *int64     `json:"durationMs"`
}

type turnError struct {
	Message           string  `json:"message"`
	CodexErrorInfo    string  `json:"codexErrorInfo"`
	AdditionalDetails *string `json:"additionalDetails"`
	Misalignment      *string `json:"misalignment"`
}

// wire is the turn with its items in the given view.
func (t *turn) wire(view string) turnWire {
	w := turnWire{
		ID: t.id, RootTurnID: t.id, Items: t.view(view), ItemsView: view,
		Status: t.status, Error: t.problem, StartedAt: seconds(t.startedAt),
	}
	if t.completedAt != 0 {
		took := t.completedAt - t.startedAt
		w.CompletedAt, w.DurationMs = seconds(t.completedAt), &took
	}
	return w
}

// accepted is the turn as turn/start answers it, whatever it is doing.
func (t *turn) accepted() turnWire {
	return turnWire{ID: t.id, RootTurnID: t.id, Items: []any{}, ItemsView: viewNotLoaded, Status: inProgress}
}

// ended is the turn as turn/completed shows it: with its last agent message, if
// it completed and has one.
func (t *turn) ended() turnWire {
	last, ok := t.lastMessage()
	if t.status != completed || !ok {
		return t.wire(viewNotLoaded)
	}
	w := t.wire(viewSummary)
	w.Items = []any{last}
	return w
}

// view are the items that a view shows. The summary is the first message of a
// person and the last of the agent.
func (t *turn) view(view string) []any {
	shown := []any{}
	switch view {
	case viewFull:
		shown = append(shown, t.items...)
	case viewSummary:
		for _, item := range t.items {
			if user, ok := item.(userMessage); ok {
				shown = append(shown, user)
				break
			}
		}
		if last, ok := t.lastMessage(); ok {
			shown = append(shown, last)
		}
	}
	return shown
}

// lastMessage is the last agent message.
func (t *turn) lastMessage() (agentMessage, bool) {
	for i := len(t.items) - 1; i >= 0; i-- {
		if message, ok := t.items[i].(agentMessage); ok {
			return message, true
		}
	}
	return agentMessage{}, false
}

// seconds converts a time from milliseconds; 0 is null.
func seconds(ms int64) *int64 {
	if ms == 0 {
		return nil
	}
	s := ms / 1000
	return &s
}
