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

// decodePage reads a page that was asked for with itemsView "full". It is the
// one strict decoder: what a page does not list, and what a turn does not hold,
// is taken for absent, so that a page which cannot be read in full is refused.
func decodePage(raw json.RawMessage) (page, error) {
	var wire struct {
		Data       json.RawMessage `json:"data"`
		NextCursor string          `json:"nextCursor"`
	}
	var list []json.RawMessage
	if !decode(raw, &wire) || !decodeList(wire.Data, &list) {
		return page{}, errUnusable
	}
	p := page{Next: wire.NextCursor}
	for _, element := range list {
		t, ok := decodeTurn(element)
		if !ok {
			return page{}, errUnusable
		}
		p.Turns = append(p.Turns, t)
	}
	return p, nil
}

// decodeTurn reads one turn of a page.
func decodeTurn(raw json.RawMessage) (turn, bool) {
	var wire struct {
		ID     string          `json:"id"`
		Status string          `json:"status"`
		View   string          `json:"itemsView"`
		Items  json.RawMessage `json:"items"`
		Ended  json.RawMessage `json:"completedAt"`
		Error  struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	var list []json.RawMessage
	if !decode(raw, &wire) || wire.ID == "" || !decodeList(wire.Items, &list) {
		return turn{}, false
	}
	if wire.View != "" && wire.View != viewFull {
		return turn{}, false
	}
	t := turn{ID: wire.ID, Status: wire.Status, Said: wire.Error.Message, Completed: present(wire.Ended)}
	for _, element := range list {
		var it item
		if !decode(element, &it) {
			return turn{}, false
		}
		t.Items = append(t.Items, it)
	}
	return t, true
}

// viewFull is the itemsView of a turn that is given with all its items.
const viewFull = "full"

// decodeList reads an array and reports whether it is one.
func decodeList(raw json.RawMessage, out *[]json.RawMessage) bool {
	return len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, out) == nil
}

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
	// Policy is given by thread/start and thread/resume only.
	Policy transitions.Policy
}

// decodeThread reads the answer of thread/start, thread/resume and thread/read.
func decodeThread(raw json.RawMessage) (threadState, error) {
	var wire struct {
		Thread struct {
			ID      string `json:"id"`
			Version string `json:"cliVersion"`
			Status  struct {
				Type string `json:"type"`
			} `json:"status"`
		} `json:"thread"`
		Approval json.RawMessage `json:"approvalPolicy"`
		Reviewer string          `json:"approvalsReviewer"`
		Cwd      string          `json:"cwd"`
		Sandbox  struct {
			Type     string          `json:"type"`
			Network  json.RawMessage `json:"networkAccess"`
			Writable []string        `json:"writableRoots"`
		} `json:"sandbox"`
	}
	if !decode(raw, &wire) || wire.Thread.ID == "" {
		return threadState{}, errUnusable
	}
	p := transitions.Policy{Approval: word(wire.Approval), Reviewer: wire.Reviewer, Sandbox: wire.Sandbox.Type}
	switch word(wire.Sandbox.Network) {
	case "", "null", "false", "restricted":
	default:
		p.Network = true
	}
	if p.Sandbox == sandboxWorkspace {
		// The working folder may be written besides.
		folders := append(slices.Clone(wire.Sandbox.Writable), wire.Cwd)
		slices.Sort(folders)
		p.Writable = strings.Join(slices.Compact(folders), "\n")
	}
	return threadState{ID: wire.Thread.ID, Status: wire.Thread.Status.Type, CreatedBy: wire.Thread.Version, Policy: p}, nil
}

// sandboxWorkspace is the sandbox in which some folders may be written.
const sandboxWorkspace = "workspaceWrite"

// word is a string of the protocol as it is, and anything else as compact JSON.
func word(raw json.RawMessage) string {
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
		ID string `json:"id"`
	} `json:"turn"`
	Item   item `json:"item"`
	Status struct {
		Type string `json:"type"`
	} `json:"status"`
}
