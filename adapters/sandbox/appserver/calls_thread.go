package appserver

import (
	"encoding/json"
	"slices"
	"strings"
)

// threadSettings are the part of thread/start's and thread/resume's result that
// describes how the thread works.
type threadSettings struct {
	Thread                  threadWire `json:"thread"`
	Model                   string     `json:"model"`
	ModelProvider           string     `json:"modelProvider"`
	ServiceTier             *string    `json:"serviceTier"`
	DisabledPluginIDs       []string   `json:"disabledPluginIds"`
	Cwd                     string     `json:"cwd"`
	RuntimeWorkspaceRoots   []string   `json:"runtimeWorkspaceRoots"`
	InstructionSources      []string   `json:"instructionSources"`
	ApprovalPolicy          string     `json:"approvalPolicy"`
	ApprovalsReviewer       string     `json:"approvalsReviewer"`
	Sandbox                 sandbox    `json:"sandbox"`
	ActivePermissionProfile *string    `json:"activePermissionProfile"`
	ReasoningEffort         *string    `json:"reasoningEffort"`
	MultiAgentMode          string     `json:"multiAgentMode"`
}

type sandbox struct {
	Type          string `json:"type"`
	NetworkAccess bool   `json:"networkAccess"`
}

func (t *thread) settings(withTurns bool) threadSettings {
	return threadSettings{
		Thread: t.wire(withTurns), Model: t.model, ModelProvider: provider,
		DisabledPluginIDs: []string{}, Cwd: t.cwd, RuntimeWorkspaceRoots: []string{t.cwd},
		InstructionSources: []string{}, ApprovalPolicy: t.approval, ApprovalsReviewer: "user",
		Sandbox: sandbox{Type: t.sandbox}, MultiAgentMode: "explicitRequestOnly",
	}
}

// threadStart makes a thread, loaded and in memory only. Of the settings, the
// folder, the model and the approval policy are kept.
func (c *Conn) threadStart(params json.RawMessage) (answer, *rpcError) {
	in := struct {
		Cwd            *string
		Model          *string
		ApprovalPolicy *string
	}{}
	if problem := decode(params, &in); problem != nil {
		return answer{}, problem
	}
	now := c.server.nowMs()
	t := &thread{
		server: c.server, id: c.server.nextID(), loaded: true, originator: c.client,
		cwd: or(in.Cwd, "/"), model: or(in.Model, "gpt-5.1"), approval: or(in.ApprovalPolicy, "on-request"), sandbox: c.server.sandbox,
		createdAt: now, updatedAt: now, recencyAt: now,
	}
	c.server.threads = append(c.server.threads, t)
	t.subscribe(c)
	return answer{value: t.settings(false), then: func() {
		c.server.broadcast("thread/started", struct {
			Thread threadWire `json:"thread"`
		}{t.wire(false)})
	}}, nil
}

// or is the value, or another where there is none.
func or(value *string, other string) string {
	if value == nil {
		return other
	}
	return *value
}

// notStored is why a thread has no turns to list yet, nil if it has.
func (t *thread) notStored(method string) *rpcError {
	switch {
	case t.stage == stageStored:
		return nil
	case t.stage > stageFresh:
		return &rpcError{codeUnsupported, "list_turns is not supported yet"}
	case method == "thread/resume":
		return invalid("no rollout found for thread id %s", t.id)
	default:
		return invalid("thread %s is not materialized yet; %s is unavailable before first user message", t.id, method)
	}
}

// deprecated warns of a call that returns a whole history.
func (c *Conn) deprecated(instead string) {
	c.notify("deprecationNotice", struct {
		Summary string  `json:"summary"`
		Details *string `json:"details"`
	}{Summary: "Full-history hydration is deprecated for paginated threads; " + instead +
		", then page with `thread/turns/list` and `thread/items/list`."})
}

// threadResume loads a thread and subscribes the connection to it.
func (c *Conn) threadResume(params json.RawMessage) (answer, *rpcError) {
	var in struct {
		ThreadID     string
		ExcludeTurns bool
	}
	if problem := decode(params, &in, "threadId"); problem != nil {
		return answer{}, problem
	}
	if problem := checkID(in.ThreadID); problem != nil {
		return answer{}, problem
	}
	t := c.server.thread(in.ThreadID)
	if t == nil {
		return answer{}, invalid("no rollout found for thread id %s", in.ThreadID)
	}
	if problem := t.notStored("thread/resume"); problem != nil {
		return answer{}, problem
	}
	if !in.ExcludeTurns {
		c.deprecated("use `excludeTurns: true`")
	}
	if !t.loaded {
		t.loaded, t.sandbox = true, c.server.sandbox
		t.statusChanged()
	}
	t.subscribe(c)
	last := t.turns[len(t.turns)-1]
	return answer{value: struct {
		threadSettings
		CollaborationMode    collaboration `json:"collaborationMode"`
		InitialTurnsPage     *string       `json:"initialTurnsPage"`
		TurnsBackwardsCursor *string       `json:"turnsBackwardsCursor"`
		ItemsBackwardsCursor *string       `json:"itemsBackwardsCursor"`
	}{
		threadSettings:       t.settings(!in.ExcludeTurns),
		CollaborationMode:    collaboration{"default", collaborationSettings{Model: t.model}},
		TurnsBackwardsCursor: cursor{t.id, last.ordinal, true, scope{"turns"}}.text(),
		ItemsBackwardsCursor: cursor{t.id, last.ordinal, true, scope{"itemsByCreatedAtOrdinal"}}.text(),
	}}, nil
}

type collaboration struct {
	Mode     string                `json:"mode"`
	Settings collaborationSettings `json:"settings"`
}

type collaborationSettings struct {
	Model                 string  `json:"model"`
	ReasoningEffort       *string `json:"reasoning_effort"`
	DeveloperInstructions *string `json:"developer_instructions"`
}

// threadRead shows a thread, loaded or not, with its turns if asked for.
func (c *Conn) threadRead(params json.RawMessage) (answer, *rpcError) {
	var in struct {
		ThreadID     string
		IncludeTurns bool
	}
	if problem := decode(params, &in, "threadId"); problem != nil {
		return answer{}, problem
	}
	t, problem := c.stored(in.ThreadID)
	if problem != nil {
		return answer{}, problem
	}
	switch {
	case in.IncludeTurns && t.stage != stageStored:
		// Asking for turns makes the real server open the thread's file.
		t.stage = max(t.stage, stageOpened)
		return answer{}, t.notStored("thread/read")
	case t.stage == stageBegun:
		return answer{}, &rpcError{codeInternal, "failed to read thread: thread-store internal error: " +
			"failed to read session metadata " + t.file() + ": rollout at " + t.file() + " is empty"}
	case in.IncludeTurns:
		c.deprecated("omit `includeTurns` or set it to `false`")
	}
	return answer{value: struct {
		Thread    threadWire `json:"thread"`
		ReadState readState  `json:"readState"`
	}{t.wire(in.IncludeTurns), t.readState()}}, nil
}

// readState says from where on a person has not read a thread.
type readState struct {
	FirstUnread *firstUnread `json:"firstUnread"`
	Revision    string       `json:"revision"`
}

type firstUnread struct {
	Type   string `json:"type"`
	TurnID string `json:"turnId"`
}

func (t *thread) readState() readState {
	if i := slices.IndexFunc(t.turns, func(turn *turn) bool { return turn.status == completed }); i >= 0 {
		return readState{&firstUnread{"turn", t.turns[i].id}, t.read}
	}
	return readState{nil, "initial:" + t.id}
}

// threadLoadedList lists the loaded threads, oldest first, on one page.
func (c *Conn) threadLoadedList(params json.RawMessage) (answer, *rpcError) {
	var in struct{}
	if problem := decode(params, &in); problem != nil {
		return answer{}, problem
	}
	ids := []string{}
	for _, t := range c.server.threads {
		if t.loaded {
			ids = append(ids, t.id)
		}
	}
	return answer{value: struct {
		Data       []string `json:"data"`
		NextCursor *string  `json:"nextCursor"`
	}{Data: ids}}, nil
}

// threadUnsubscribe ends the live events of a thread on this connection. The
// thread stays loaded, its turn goes on.
func (c *Conn) threadUnsubscribe(params json.RawMessage) (answer, *rpcError) {
	var in struct{ ThreadID string }
	if problem := decode(params, &in, "threadId"); problem != nil {
		return answer{}, problem
	}
	status := "unsubscribed"
	t := c.server.thread(in.ThreadID)
	switch {
	case t == nil || !t.loaded:
		status = "notLoaded"
	case !slices.Contains(t.subscribers, c):
		status = "notSubscribed"
	default:
		t.subscribers = slices.DeleteFunc(t.subscribers, func(other *Conn) bool { return other == c })
	}
	return answer{value: struct {
		Status string `json:"status"`
	}{status}}, nil
}

// stored finds a thread that can be read, loaded or not.
func (c *Conn) stored(id string) (*thread, *rpcError) {
	if problem := checkID(id); problem != nil {
		return nil, problem
	}
	t := c.server.thread(id)
	if t == nil {
		return nil, invalid("thread not loaded: %s", id)
	}
	return t, nil
}

// loaded finds a thread that can work.
func (c *Conn) loaded(id string) (*thread, *rpcError) {
	if problem := checkID(id); problem != nil {
		return nil, problem
	}
	t := c.server.thread(id)
	if t == nil || !t.loaded {
		return nil, invalid("thread not found: %s", id)
	}
	return t, nil
}

// checkID holds an id to the shape of a UUID.
func checkID(id string) *rpcError {
	for i, char := range id {
		if !strings.ContainsRune("0123456789abcdefABCDEF-", char) {
			return invalid("invalid thread id: invalid character: expected an optional prefix of "+
				"`urn:uuid:` followed by [0-9a-fA-F-], found `%c` at %d", char, i+1)
		}
	}
	if digits := strings.ReplaceAll(id, "-", ""); len(digits) != 32 {
		return invalid("invalid thread id: invalid length: expected length 32 for simple format, found %d", len(digits))
	}
	return nil
}
