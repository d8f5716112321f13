package matrix

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/matrix/audit"
	"deskbridge/store"
	"deskbridge/transitions"
)

// listing answers thread/turns/list with a page, or refuses.
func listing(page, refusal string) caller {
	return func(string, any) (json.RawMessage, error) {
		if refusal != "" {
			return nil, errors.New(refusal)
		}
		return json.RawMessage(page), nil
	}
}

func TestTurnsAreReadOldestFirstWithWhatPeopleWrote(t *testing.T) {
	t.Parallel()
	got, err := readTurns(listing(`{"data": [
		{"id": "B", "status": "failed", "error": {"message": "quota"}, "items": []},
		{"id": "A", "status": "completed", "error": null, "items": [
			{"type": "userMessage", "clientId": "om_1", "content": [{"text": "do "}, {"text": "it"}]},
			{"type": "agentMessage", "text": "looking", "phase": "commentary"},
			{"type": "userMessage", "clientId": null, "content": [{"text": "and this"}]},
			{"type": "agentMessage", "text": "done", "phase": "final_answer"},
			{"type": "plan", "text": "not an answer", "phase": "final_answer"}
		]}
	], "nextCursor": null}`, ""), []string{"th_1"})
	if err != nil {
		t.Fatal(err)
	}
	want := []audit.Turn{
		{Thread: "th_1", ID: "A", Status: "completed", Messages: []string{"om_1"}, Texts: []string{"do it"}, Others: []string{"and this"}, Reply: "done"},
		{Thread: "th_1", ID: "B", Status: "failed", Said: "quota"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAllPagesOfAThreadAreRead(t *testing.T) {
	t.Parallel()
	pages := map[any]string{
		nil:    `{"data": [{"id": "C"}, {"id": "B"}], "nextCursor": "to A"}`,
		"to A": `{"data": [{"id": "A"}]}`,
	}
	got, err := readTurns(func(_ string, params any) (json.RawMessage, error) {
		return json.RawMessage(pages[params.(map[string]any)["cursor"]]), nil
	}, []string{"th_1"})
	if err != nil {
		t.Fatal(err)
	}
	want := []audit.Turn{{Thread: "th_1", ID: "A"}, {Thread: "th_1", ID: "B"}, {Thread: "th_1", ID: "C"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheReplyOfATurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, status, items, want string }{
		{"none", "completed", ``, ""},
		{"final answers", "completed", `{"text": "a", "phase": "final_answer"}, {"text": "b", "phase": "final_answer"}, {"text": "c", "phase": "commentary"}`, "a\n\nb"},
		{"a final answer that says nothing", "completed", `{"text": "a", "phase": "commentary"}, {"text": "", "phase": "final_answer"}`, ""},
		{"a final answer beside one that says nothing", "completed", `{"text": "", "phase": "final_answer"}, {"text": "b", "phase": "final_answer"}`, "b"},
		{"the last word that says something", "completed", `{"text": "a"}, {"text": ""}`, "a"},
		{"the last word", "completed", `{"text": "a", "phase": null}, {"text": "b", "phase": "commentary"}`, "b"},
		{"what was said on the way to nothing", "interrupted", `{"text": "a", "phase": "commentary"}`, ""},
		{"the last word of a model that marks none", "interrupted", `{"text": "a"}, {"text": "b"}`, "b"},
		{"a final answer before the interrupt", "interrupted", `{"text": "a", "phase": "final_answer"}`, "a"},
	} {
		var turn wireTurn
		items := strings.ReplaceAll(c.items, `{"text"`, `{"type": "agentMessage", "text"`)
		if err := json.Unmarshal([]byte(`{"status": "`+c.status+`", "items": [`+items+`]}`), &turn); err != nil {
			t.Fatal(err)
		}
		if got := turn.reply(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAThreadWithoutAStoredTurnHasNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page, refusal string
		wrong         string // empty: it has no turns
	}{
		{refusal: "thread not loaded: th_1"},
		{refusal: "thread th_1 is not materialized yet; thread/turns/list is unavailable before first user message"},
		{refusal: "list_turns is not supported yet"},
		{page: `{"data": []}`},
		{refusal: "invalid cursor: x", wrong: "thread/turns/list of th_1: invalid cursor: x"},
		{page: `[]`, wrong: "cannot unmarshal"},
	} {
		got, err := readTurns(listing(c.page, c.refusal), []string{"th_1"})
		failed := err != nil && c.wrong != "" && strings.Contains(err.Error(), c.wrong)
		if len(got) > 0 || err != nil && !failed || c.wrong != "" && err == nil {
			t.Errorf("%s%s: %v, %v", c.page, c.refusal, got, err)
		}
	}
}

func TestEachThreadIsReadOnce(t *testing.T) {
	t.Parallel()
	bound := func(thread string) store.Track {
		return store.Track{Snapshot: store.Snapshot{Data: transitions.Data{Thread: thread}}}
	}
	books := audit.Books{Tracks: []store.Track{bound("th_1"), bound(""), bound("th_3")}}
	if diff := cmp.Diff([]string{"th_2", "th_1", "th_3"}, threadsOf(books, "th_2", "th_1", "th_2")); diff != "" {
		t.Error(diff)
	}
}
