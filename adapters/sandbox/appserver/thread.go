package appserver

import (
	"encoding/json"
	"path"
	"slices"
	"time"
)

// stage is how far a thread is on its way to disk.
type stage int

const (
	stageFresh  stage = iota // only in memory
	stageOpened              // its file exists, without a turn
	stageBegun               // its first turn was accepted
	stageStored              // has a stored turn, survives the process
)

// thread is one thread, loaded or only stored.
type thread struct {
	server      *Server
	id          string
	cwd, model  string
	approval    string // approval policy
	sandbox     string // kind of sandbox
	injected    []json.RawMessage
	originator  string
	stage       stage
	loaded      bool
	failed      bool // the last turn failed
	run         *run // the turn in flight
	turns       []*turn
	subscribers []*Conn
	preview     string // the first text
	read        string // revision of the read state, empty for none
	// In milliseconds of Unix time. Recency is the last start of a turn.
	createdAt, updatedAt, recencyAt int64
}

// threadStatus is the status of a thread as it travels.
type threadStatus struct {
	Type        string    `json:"type"`
	ActiveFlags *[]string `json:"activeFlags,omitempty"`
}

// status is what the thread is doing.
func (t *thread) status() threadStatus {
	switch {
	case !t.loaded:
		return threadStatus{Type: "notLoaded"}
	case t.run != nil && t.run.begun:
		return threadStatus{Type: "active", ActiveFlags: &[]string{}}
	case t.failed:
		return threadStatus{Type: "systemError"}
	default:
		return threadStatus{Type: "idle"}
	}
}

// statusChanged tells every connection.
func (t *thread) statusChanged() {
	t.server.broadcast("thread/status/changed", struct {
		ThreadID string       `json:"threadId"`
		Status   threadStatus `json:"status"`
	}{t.id, t.status()})
}

// notify tells the thread's subscribers.
func (t *thread) notify(method string, params any) {
	for _, c := range t.subscribers {
		c.notify(method, params)
	}
}

// subscribe makes the connection one of them.
func (t *thread) subscribe(c *Conn) {
	if !slices.Contains(t.subscribers, c) {
		t.subscribers = append(t.subscribers, c)
	}
}

// touch notes a change.
func (t *thread) touch() { t.updatedAt = t.server.nowMs() }

// file is the path of the stored form.
func (t *thread) file() string {
	created := time.UnixMilli(t.createdAt).UTC()
	return path.Join(t.server.options.Home, "sessions", created.Format("2006/01/02"),
		"rollout-"+created.Format("2006-01-02T15-04-05")+"-"+t.id+".jsonl")
}

// threadWire is a thread as it travels. Its times are in seconds of Unix time.
type threadWire struct {
	ID                   string        `json:"id"`
	Environments         []environment `json:"environments"`
	Extra                *string       `json:"extra"`
	SessionID            string        `json:"sessionId"`
	ForkedFromID         *string       `json:"forkedFromId"`
	AttachedToThreadID   *string       `json:"attachedToThreadId"`
	ParentThreadID       *string       `json:"parentThreadId"`
	Preview              string        `json:"preview"`
	Ephemeral            bool          `json:"ephemeral"`
	Section              *string       `json:"section"`
	SectionEnteredAt     *int64        `json:"sectionEnteredAt"`
	ProjectID            *string       `json:"projectId"`
	HistoryMode          string        `json:"historyMode"`
	ModelProvider        string        `json:"modelProvider"`
	Model                string        `json:"model"`
	ReasoningEffort      *string       `json:"reasoningEffort"`
	CreatedAt            *int64        `json:"createdAt"`
	UpdatedAt            *int64        `json:"updatedAt"`
	RecencyAt            *int64        `json:"recencyAt"`
	Status               threadStatus  `json:"status"`
	Path                 string        `json:"path"`
	Cwd                  string        `json:"cwd"`
	CliVersion           string        `json:"cliVersion"`
	Originator           string        `json:"originator"`
	Source               string        `json:"source"`
	CanAcceptDirectInput *bool         `json:"canAcceptDirectInput"`
	ThreadSource         *string       `json:"threadSource"`
	AgentNickname        *string       `json:"agentNickname"`
	AgentRole            *string       `json:"agentRole"`
	GitInfo              *string       `json:"gitInfo"`
	Name                 *string       `json:"name"`
	DaybreakEnabled      *bool         `json:"daybreakEnabled"`
	Turns                []turnWire    `json:"turns"`
}

type environment struct {
	EnvironmentID         string   `json:"environmentId"`
	Cwd                   string   `json:"cwd"`
	RuntimeWorkspaceRoots []string `json:"runtimeWorkspaceRoots"`
}

// provider is the name of the model provider in all that travels.
const provider = "scripted"

// source is where all threads come from, as the real server says of what a client
// starts.
const source = "vscode"

// wire is the thread, with all of its turns if asked for, oldest first.
func (t *thread) wire(withTurns bool) threadWire {
	w := threadWire{
		ID: t.id, SessionID: t.id, Preview: t.preview, HistoryMode: "paginated",
		ModelProvider: provider, Model: t.model,
		CreatedAt: seconds(t.createdAt), UpdatedAt: seconds(t.updatedAt), RecencyAt: seconds(t.recencyAt),
		Status: t.status(), Path: t.file(), Cwd: t.cwd, CliVersion: Version,
		Originator: t.originator, Source: source, Turns: []turnWire{},
	}
	if t.loaded {
		direct := true
		w.Environments = []environment{{"local", t.cwd, []string{t.cwd}}}
		w.CanAcceptDirectInput = &direct
	}
	if withTurns {
		for _, turn := range t.turns {
			w.Turns = append(w.Turns, turn.wire(viewFull))
		}
	}
	return w
}
