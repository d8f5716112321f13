package codex

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"deskbridge/transitions"
)

// frameKind is what a frame is.
type frameKind int

const (
	// frameAnswer answers a call of ours. The zero value is no kind at all.
	frameAnswer frameKind = iota + 1
	// frameRequest wants an answer from us.
	frameRequest
	// frameNotification wants none.
	frameNotification
)

// frame is one decoded message. The protocol leaves out the "jsonrpc" member.
type frame struct {
	Kind   frameKind
	ID     json.RawMessage // of a request, to be given back as it came
	Number int64           // of an answer: the id of our call
	Method string
	Params json.RawMessage
	Result json.RawMessage // of an answer that is no refusal
	Refuse *refuse         // of an answer that is one
}

// refuse is the error member of an answer.
type refuse struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// decodeFrame understands whatever can be understood. What cannot is junk, never
// an error: the peer's mistakes are counted, and nothing depends on them.
func decodeFrame(raw []byte) frame {
	var wire struct {
		ID     json.RawMessage `json:"id"`
		Method *string         `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if !decode(raw, &wire) {
		return frame{}
	}
	hasID := present(wire.ID)
	if wire.Method != nil && *wire.Method == "" {
		return frame{} // or of another type
	}
	if wire.Method != nil {
		f := frame{Kind: frameNotification, Method: *wire.Method, Params: wire.Params}
		if hasID {
			f.Kind, f.ID = frameRequest, wire.ID
		}
		return f
	}
	number, err := strconv.ParseInt(string(wire.ID), 10, 64)
	if err != nil {
		return frame{}
	}
	f := frame{Kind: frameAnswer, Number: number, Result: wire.Result}
	if present(wire.Error) {
		f.Refuse, f.Result = &refuse{}, nil
		if !decode(wire.Error, f.Refuse) || f.Refuse.Message == "" {
			// A refusal in a shape of its own is still one: its words are all of it.
			f.Refuse.Message = string(wire.Error)
		}
	}
	return f
}

// present reports whether a member is there and not null.
func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// decode reads raw into out and reports whether it is JSON. Members of another
// type than expected stay empty; the rest is read all the same.
func decode(raw []byte, out any) bool {
	err := json.Unmarshal(raw, out)
	var mismatch *json.UnmarshalTypeError
	return err == nil || errors.As(err, &mismatch)
}

// The item types that matter; there are many more.
const (
	itemUser  = "userMessage"
	itemAgent = "agentMessage"
)

// item is one item of a turn.
type item struct {
	Type     string `json:"type"`
	ClientID string `json:"clientId"` // of a userMessage: the clientUserMessageId of the call
	Text     string `json:"text"`     // of an agentMessage
	Phase    string `json:"phase"`    // of an agentMessage; null in older models
}

// The statuses of a turn.
const (
	turnInProgress  = "inProgress"
	turnCompleted   = "completed"
	turnInterrupted = "interrupted"
	turnFailed      = "failed"
)

// turn is one turn with all its items.
type turn struct {
	ID     string
	Status string
	Items  []item
	Said   string // of a failed turn: the reason
	// Completed says that the time of its end is given.
	Completed bool
}

// page is the answer of thread/turns/list, newest turn first.
type page struct {
	Turns []turn
	Next  string // cursor of the next page; empty: this is the last one
}

// decodePage reads a page that was asked for with itemsView "full". It is the one
// strict decoder: what a page does not list, and what a turn does not hold, is taken
// for absent, so that a page of which anything that matters cannot be read is refused.
// It reads the bytes once; what is of another type than expected stays nil or empty.
func decodePage(raw json.RawMessage) (page, error) {
	var wire struct {
		Data       []wireTurn `json:"data"`
		NextCursor any        `json:"nextCursor"`
	}
	if !decode(raw, &wire) || wire.Data == nil {
		return page{}, errUnusable
	}
	next, ok := textOf(wire.NextCursor)
	if !ok {
		return page{}, errUnusable
	}
	p := page{Next: next, Turns: make([]turn, len(wire.Data))}
	for i := range wire.Data {
		if p.Turns[i], ok = wire.Data[i].turn(); !ok {
			return page{}, errUnusable
		}
	}
	return p, nil
}

// wireTurn is one turn of a page. What has the type any may be missing, and is not to
// be overlooked where it is of another type than expected.
type wireTurn struct {
	ID     string     `json:"id"`
	Status string     `json:"status"`
	View   any        `json:"itemsView"`
	Items  []wireItem `json:"items"`
	Ended  *float64   `json:"completedAt"`
	Error  struct {
		Message string `json:"message"`
	} `json:"error"`
}

type wireItem struct {
	Type     string `json:"type"`
	ClientID any    `json:"clientId"`
	Text     any    `json:"text"`
	Phase    any    `json:"phase"`
}

// turn is the turn, if it is given in full.
func (w *wireTurn) turn() (turn, bool) {
	view, ok := textOf(w.View)
	if !ok || view != "" && view != viewFull || w.ID == "" || w.Items == nil {
		return turn{}, false
	}
	t := turn{ID: w.ID, Status: w.Status, Said: w.Error.Message, Completed: w.Ended != nil, Items: make([]item, len(w.Items))}
	for i := range w.Items {
		if t.Items[i], ok = w.Items[i].item(); !ok {
			return turn{}, false
		}
	}
	return t, true
}

// item is the item, if it can be told what a person or the agent said in it. Of the
// other types only the type matters.
func (w *wireItem) item() (it item, ok bool) {
	it.Type = w.Type
	switch w.Type {
	case "":
		return it, false
	case itemUser:
		it.ClientID, ok = textOf(w.ClientID)
		return it, ok
	case itemAgent:
		var texts, phases bool
		it.Text, texts = textOf(w.Text)
		it.Phase, phases = textOf(w.Phase)
		return it, texts && phases
	default:
		return it, true
	}
}

// textOf is a text that may be missing, and reports whether it is one.
func textOf(value any) (string, bool) {
	text, ok := value.(string)
	return text, ok || value == nil
}

// viewFull is the itemsView of a turn that is given with all its items.
const viewFull = "full"

// The statuses of a thread.
const (
	threadIdle        = "idle"
	threadSystemError = "systemError" // no active turn either, and the last one failed
	threadNotLoaded   = "notLoaded"
)

// threadActive is a thread with a turn in flight.
const threadActive = "active"

// threadState is what an answer says of a thread.
type threadState struct {
	ID, Status string
	// CreatedBy is the version of Codex that made it.
	CreatedBy string
	// Ephemeral says that it is never stored.
	Ephemeral bool
	// Policy is given by thread/start and thread/resume only.
	Policy transitions.Policy
}

// decodeThread reads the answer of thread/start, thread/resume and thread/read.
func decodeThread(raw json.RawMessage) (threadState, error) {
	var wire struct {
		Thread struct {
			ID        string `json:"id"`
			Version   string `json:"cliVersion"`
			Ephemeral bool   `json:"ephemeral"`
			Status    struct {
				Type string `json:"type"`
			} `json:"status"`
		} `json:"thread"`
		wirePolicy
		Sandbox wireSandbox `json:"sandbox"`
	}
	if !decode(raw, &wire) || wire.Thread.ID == "" {
		return threadState{}, errUnusable
	}
	return threadState{
		ID: wire.Thread.ID, Status: wire.Thread.Status.Type, CreatedBy: wire.Thread.Version, Ephemeral: wire.Thread.Ephemeral,
		Policy: wire.policy(wire.Sandbox),
	}, nil
}

// wirePolicy is what a thread runs under, but for its sandbox, which has another name in
// thread/settings/updated.
type wirePolicy struct {
	Approval json.RawMessage `json:"approvalPolicy"`
	Reviewer string          `json:"approvalsReviewer"`
	Cwd      string          `json:"cwd"`
}

type wireSandbox struct {
	Type       string          `json:"type"`
	Network    json.RawMessage `json:"networkAccess"`
	Writable   []string        `json:"writableRoots"`
	WithoutTmp bool            `json:"excludeSlashTmp"`
	WithoutEnv bool            `json:"excludeTmpdirEnvVar"`
}

func (w wirePolicy) policy(s wireSandbox) transitions.Policy {
	p := transitions.Policy{Approval: scalar(w.Approval), Reviewer: w.Reviewer, Sandbox: s.Type}
	switch scalar(s.Network) {
	case "", "null", "false", "restricted":
	default:
		p.Network = true
	}
	if p.Sandbox == sandboxWorkspace {
		// The working folder may be written besides, and temporary folders unless they are
		// left out.
		folders := append(slices.Clone(s.Writable), w.Cwd)
		if !s.WithoutTmp {
			folders = append(folders, "/tmp")
		}
		if !s.WithoutEnv {
			folders = append(folders, "$TMPDIR")
		}
		slices.Sort(folders)
		p.Writable = strings.Join(slices.Compact(folders), "\n")
	}
	return p
}

// decodeSettings reads the parameters of thread/settings/updated.
func decodeSettings(raw json.RawMessage) transitions.Policy {
	var wire struct {
		Settings struct {
			wirePolicy
			Sandbox wireSandbox `json:"sandboxPolicy"`
		} `json:"threadSettings"`
	}
	decode(raw, &wire) // what is missing is not known, which no policy allows
	return wire.Settings.policy(wire.Settings.Sandbox)
}

// sandboxWorkspace is the sandbox in which some folders may be written.
const sandboxWorkspace = "workspaceWrite"

// scalar is a string of the protocol as it is, and anything else as compact JSON.
func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return ""
	}
	return compact.String()
}

// decodeTurnID reads the answer of turn/start.
func decodeTurnID(raw json.RawMessage) (string, error) {
	var wire struct {
		Turn struct {
			ID string `json:"id"`
		} `json:"turn"`
	}
	if !decode(raw, &wire) || wire.Turn.ID == "" {
		return "", errUnusable
	}
	return wire.Turn.ID, nil
}

// event is what matters of a notification's parameters, whichever it is.
type event struct {
	ThreadID string `json:"threadId"`
	TurnID   string `json:"turnId"`
	Turn     struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Error  struct {
			Message string `json:"message"`
		} `json:"error"`
	} `json:"turn"`
	Item   item `json:"item"`
	Status struct {
		Type string `json:"type"`
	} `json:"status"`
}
