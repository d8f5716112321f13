package codex

import (
	"encoding/json"
	"testing"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

func TestRefusalsMeanWhatTheirTextSays(t *testing.T) {
	t.Parallel()
	const id = "01a22e90-a42f-7ee0-9384-340f35ee077a"
	tests := []struct {
		method  string
		code    int
		message string
		want    meaning
	}{
		{methodSteer, -32600, "no active turn to steer", meansNoActiveTurn},
		{methodInterrupt, -32600, "no active turn to interrupt", meansNoActiveTurn},
		{methodSteer, -32600, "expected active turn id `a` but found `b`", meansOtherTurn},
		{methodInterrupt, -32600, "expected active turn id a but found b", meansOtherTurn},
		{methodSteer, -32600, "cannot steer a review turn", meansNotSteerable},
		{methodSteer, -32600, "cannot steer a compact turn", meansNotSteerable},
		{methodRead, -32600, "thread not loaded: " + id, meansNotLoaded},
		{methodStart, -32600, "thread not found: " + id, meansNotLoaded},
		{methodResume, -32600, "no rollout found for thread id " + id, meansNotStored},
		{methodList, -32601, "list_turns is not supported yet", meansNotYet},
		{methodList, -32600, "thread " + id + " is not materialized yet; thread/turns/list is unavailable before first user message", meansNotYet},
		{methodRead, -32603, "failed to read thread: thread-store internal error: failed to read session metadata /x: rollout is empty", meansNotYet},
		{methodStart, -32001, "Server overloaded; retry later.", meansOverloaded},
		{methodList, -32600, "Invalid request: unknown variant `thread/turns/list`, expected one of `initialize`", meansUnknownMethod},
		{methodList, -32600, "thread/turns/list requires experimentalApi capability", meansExperimental},
		{methodResume, -32600, "thread/resume.excludeTurns requires experimentalApi capability", meansExperimental},
		{methodSteer, -32600, "Invalid request: unknown variant `turn/steer`, expected one of `initialize`, `turn/interrupt`", meansUnknownMethod},
		{methodResume, -32600, "thread " + id + " already has an active writer", meansHeld},
		{methodRead, -32600, "thread " + id + " is not materialized yet; includeTurns is unavailable before first user message", meansNotYet},
		{methodRead, -32601, "list_turns is not supported yet", meansNotYet},
		{methodSteer, -32600, "thread not found: " + id, meansNotLoaded},
		{methodSteer, -32600, "input must not be empty", meansOther},
		{methodOpen, -32600, "Invalid request: unknown variant `on-failure`, expected one of `untrusted`", meansOther},
		{methodResume, -32600, "session " + id + " is archived. Run `codex unarchive " + id + "` to unarchive it first.", meansArchived},
		{methodStart, -32600, "Not initialized", meansOther},
		{methodStart, -32600, "", meansOther},
	}
	for _, test := range tests {
		err := &CallError{Method: test.method, Code: test.code, Message: test.message}
		if got := err.means(); got != test.want {
			t.Errorf("%v means %q, want %q", err, got, test.want)
		}
	}
}

func TestTheReplyIsTheFinalAnswersOrElseTheLastAgentMessage(t *testing.T) {
	t.Parallel()
	agent := func(phase, text string) item { return item{Type: itemAgent, Phase: phase, Text: text} }
	user := item{Type: itemUser, ClientID: "om_1", Text: "not a reply"}
	tests := []struct {
		name  string
		items []item
		want  string // of a turn that completed
	}{
		{"nothing at all", nil, ""},
		{"only what the person said", []item{user}, ""},
		{"one final answer", []item{user, agent(phaseFinal, "done")}, "done"},
		{"all final answers, in order", []item{agent(phaseFinal, "one"), user, agent(phaseFinal, "two")}, "one\n\ntwo"},
		{"commentary is progress", []item{agent("commentary", "working"), agent(phaseFinal, "done"), agent("commentary", "cleaning up")}, "done"},
		{"the last message of a model without phases", []item{agent("", "one"), agent("", "two")}, "two"},
		{"the last commentary where nothing is final", []item{agent("commentary", "one"), agent("commentary", "two")}, "two"},
		{"a final answer without words says nothing", []item{agent("commentary", "working"), agent(phaseFinal, "")}, ""},
		{"words of other items are no reply", []item{{Type: "reasoning", Text: "hm"}, {Type: "plan", Text: "first"}}, ""},
	}
	for _, test := range tests {
		if got := reply(test.items, transitions.EndCompleted); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	for _, end := range []transitions.EndStatus{transitions.EndInterrupted, transitions.EndFailed} {
		if got := reply([]item{agent("commentary", "I look at the tests first")}, end); got != "" {
			t.Errorf("%s: what was said on the way there is taken for the answer: %q", end, got)
		}
		if got := reply([]item{agent("", "one"), agent("", "two")}, end); got != "two" {
			t.Errorf("%s: a model without phases is taken to have said %q", end, got)
		}
	}
}

func TestListedTurnsProveFactsOldestFirst(t *testing.T) {
	t.Parallel()
	user := func(id string) item { return item{Type: itemUser, ClientID: id} }
	newest := []turn{
		{ID: "t7", Status: "paused", Items: []item{user("om_7")}},
		{ID: "t6", Status: turnInProgress, Items: []item{user("om_5"), user("om_6")}},
		{ID: "t5", Status: turnCompleted, Items: []item{user("")}},
		{ID: "t4", Status: turnFailed, Said: "boom", Items: []item{user("om_4")}},
		{ID: "t3", Status: turnInterrupted, Items: []item{user("om_3"), {Type: itemAgent, Phase: phaseFinal, Text: "half"}}},
		{ID: "t2", Status: turnCompleted, Said: "not a failure", Items: []item{user("")}},
		{ID: "t1", Status: turnCompleted, Items: []item{user("om_1")}},
		{ID: "t0", Status: turnInterrupted, Items: []item{user("om_0")}},
	}
	got := turnFacts(newest, "t0", []string{"t0", "t2"}, map[string]bool{"t1": true, "t2": true})
	want := []transitions.Fact{
		// t0 is in doubt, t1 has been told, and t5 is foreign; nobody waits for it.
		transitions.TurnEnded{Turn: "t2", Status: transitions.EndCompleted},
		transitions.TurnEnded{Turn: "t3", Status: transitions.EndInterrupted, Messages: []string{"om_3"}, Reply: "half"},
		transitions.TurnEnded{Turn: "t4", Status: transitions.EndFailed, Messages: []string{"om_4"}, Said: "boom"},
		transitions.TurnRunning{Turn: "t6", Messages: []string{"om_5", "om_6"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

func TestFramesAreUnderstoodAsFarAsPossible(t *testing.T) {
	t.Parallel()
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	tests := []struct {
		name, text string
		want       frame
	}{
		{"an answer", `{"id":7,"result":{"a":1}}`, frame{Kind: frameAnswer, Number: 7, Result: raw(`{"a":1}`)}},
		{"an answer without a result", `{"id":7}`, frame{Kind: frameAnswer, Number: 7}},
		{"a refusal", `{"id":7,"error":{"code":-32600,"message":"no"}}`, frame{Kind: frameAnswer, Number: 7, Refuse: &refuse{-32600, "no"}}},
		{"a refusal in another shape", `{"id":7,"error":"no"}`, frame{Kind: frameAnswer, Number: 7, Refuse: &refuse{Message: `"no"`}}},
		{"a notification", `{"method":"m","params":[1]}`, frame{Kind: frameNotification, Method: "m", Params: raw(`[1]`)}},
		{"a null id is none", `{"id":null,"method":"m"}`, frame{Kind: frameNotification, Method: "m"}},
		{"a request", `{"id":"x","method":"m","params":{}}`, frame{Kind: frameRequest, ID: raw(`"x"`), Method: "m", Params: raw(`{}`)}},
		{"an id that was never ours", `{"id":"x","result":{}}`, frame{}},
		{"no JSON", `{"id":7`, frame{}},
		{"nothing", ``, frame{}},
		{"no object", `[1,2]`, frame{}},
		{"an object of nothing", `{}`, frame{}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, decodeFrame([]byte(test.text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestAPageIsReadInFullOrNotAtAll(t *testing.T) {
	t.Parallel()
	good := `{"data":[{"id":"a","status":"completed","items":[{"type":"userMessage","clientId":null},{"type":"other","text":5}]}],"nextCursor":"next"}`
	got, err := decodePage([]byte(good))
	want := page{Turns: []turn{{ID: "a", Status: "completed", Items: []item{{Type: "userMessage"}, {Type: "other"}}}}, Next: "next"}
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	bad := map[string]string{
		"nothing":                                   ``,
		"no list":                                   `{}`,
		"a list of another type":                    `{"data":"x"}`,
		"no list at all":                            `{"data":null}`,
		"a turn without an id":                      `{"data":[{"status":"completed","items":[]}]}`,
		"a turn that is none":                       `{"data":[5]}`,
		"a turn without items":                      `{"data":[{"id":"a","status":"completed"}]}`,
		"items of another type":                     `{"data":[{"id":"a","items":"x"}]}`,
		"a turn that is cut down":                   `{"data":[{"id":"a","itemsView":"summary","items":[]}]}`,
		"a view that is none":                       `{"data":[{"id":"a","itemsView":5,"items":[]}]}`,
		"a cursor that is none":                     `{"data":[],"nextCursor":{"page":2}}`,
		"an item without a type":                    `{"data":[{"id":"a","items":[{"clientId":"om_1"}]}]}`,
		"an item that is none":                      `{"data":[{"id":"a","items":[5]}]}`,
		"a message without a name that can be read": `{"data":[{"id":"a","items":[{"type":"userMessage","clientId":5}]}]}`,
		"an answer that cannot be read":             `{"data":[{"id":"a","items":[{"type":"agentMessage","text":["a"]}]}]}`,
		"a phase that cannot be read":               `{"data":[{"id":"a","items":[{"type":"agentMessage","text":"a","phase":1}]}]}`,
		"two pages":                                 `{"data":[]}{"data":[]}`,
	}
	for name, text := range bad {
		if got, err := decodePage([]byte(text)); err == nil {
			t.Errorf("%s: %+v, want an error", name, got)
		}
	}
}
