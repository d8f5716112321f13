package codex

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorded are the frames that a real server sent, of all recordings.
func recorded(tb testing.TB) (frames []json.RawMessage) {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		for _, r := range readTrace(tb, file) {
			if r.Dir == "in" {
				frames = append(frames, r.Msg)
			}
		}
	}
	return frames
}

// FuzzDecodeFrame holds whatever a peer may send to: an answer has either a result or
// a refusal, the id of a request can be given back as it came, and a frame that is
// skipped as a delta is nothing that anybody waits for.
func FuzzDecodeFrame(f *testing.F) {
	for _, frame := range recorded(f) {
		f.Add([]byte(frame))
	}
	for _, seed := range []string{
		`{"id":1e3,"result":[]}`, `{"id":[],"method":{},"params":"x"}`, `{"id":7,"error":"no","result":{}}`, `null`, `"`, "\xff",
		`{"method":"item/agentMessage/delta","id":5}`, `{"method":"item/agentMessage/delta","params":{}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := decodeFrame(raw)
		if got.Kind != 0 && !json.Valid(raw) {
			t.Errorf("%q is no JSON and taken for a frame", raw)
		}
		switch got.Kind {
		case frameAnswer:
			if got.Refuse != nil && (got.Result != nil || got.Refuse.Message == "") {
				t.Errorf("a refusal with a result, or without words: %s", raw)
			}
			if got.Method != "" || got.ID != nil {
				t.Errorf("an answer that is something else, too: %s", raw)
			}
		case frameRequest:
			if !json.Valid(got.ID) || string(got.ID) == "null" || got.Refuse != nil {
				t.Errorf("the id %q cannot be given back", got.ID)
			}
		case frameNotification:
			if got.ID != nil || got.Refuse != nil || got.Result != nil {
				t.Errorf("a notification that is something else, too: %s", raw)
			}
		}
		if _, delta := deltaOf(raw); delta && (got.Kind != frameNotification || !deltaMethod(got.Method)) {
			t.Errorf("skipped as a delta: %s", raw)
		}
		head := decodeHead(raw)
		if head.Kind == frameRequest && !json.Valid(head.ID) || head.Kind == frameAnswer && head.Method != "" {
			t.Errorf("by its beginning a request whose id is %q, or an answer to %q: %s", head.ID, head.Method, raw)
		}
	})
}

// FuzzDecodePage compares with a reader that is slow and plain: a page that is accepted
// lists the same turns with the same items in the same order, and says the same.
func FuzzDecodePage(f *testing.F) {
	for _, raw := range recorded(f) {
		if frame := decodeFrame(raw); frame.Kind == frameAnswer && frame.Result != nil {
			f.Add([]byte(frame.Result))
		}
	}
	f.Add([]byte(`{"data":[{"id":"b","status":"failed","items":[],"error":{"message":"m"},"completedAt":1},{"id":"a","items":[{"type":"x","text":5}]}],"nextCursor":"n"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := decodePage(raw)
		if err != nil {
			return
		}
		want, ok := plainPage(raw)
		if !ok {
			return // of names that are written twice, or in capitals
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("page (-plain +got) of %s:\n%s", raw, diff)
		}
		facts := turnFacts(got.Turns, "", ids(got.Turns), nil)
		if len(facts) > len(got.Turns) {
			t.Errorf("%d facts of %d turns", len(facts), len(got.Turns))
		}
	})
}

// plainPage reads a page step by step, without the types of the decoder.
func plainPage(raw []byte) (page, bool) {
	var whole map[string]any
	if json.Unmarshal(raw, &whole) != nil || !plainNames(whole, "data", "nextCursor") {
		return page{}, false
	}
	p := page{Turns: []turn{}}
	p.Next, _ = whole["nextCursor"].(string)
	list, _ := whole["data"].([]any)
	for _, element := range list {
		members, _ := element.(map[string]any)
		if !plainNames(members, "id", "status", "itemsView", "items", "completedAt", "error") {
			return page{}, false
		}
		t := turn{Items: []item{}, Completed: members["completedAt"] != nil}
		t.ID, _ = members["id"].(string)
		t.Status, _ = members["status"].(string)
		failure, _ := members["error"].(map[string]any)
		if !plainNames(failure, "message") {
			return page{}, false
		}
		t.Said, _ = failure["message"].(string)
		items, _ := members["items"].([]any)
		for _, element := range items {
			members, _ := element.(map[string]any)
			if !plainNames(members, "type", "clientId", "text", "phase") {
				return page{}, false
			}
			var it item
			it.Type, _ = members["type"].(string)
			switch it.Type {
			case itemUser:
				it.ClientID, _ = members["clientId"].(string)
			case itemAgent:
				it.Text, _ = members["text"].(string)
				it.Phase, _ = members["phase"].(string)
			}
			t.Items = append(t.Items, it)
		}
		p.Turns = append(p.Turns, t)
	}
	return p, true
}

// plainNames reports whether no member's name differs in its capitals only, which the
// decoder reads as the same.
func plainNames(members map[string]any, names ...string) bool {
	for name := range members {
		for _, known := range names {
			if name != known && strings.EqualFold(name, known) {
				return false
			}
		}
	}
	return true
}

// FuzzEvent holds a client that is up to this: whatever a server says unasked, the only
// fact that it makes is that a message of ours runs in a turn, as it says.
func FuzzEvent(f *testing.F) {
	for _, frame := range recorded(f) {
		if decodeFrame(frame).Kind == frameNotification {
			f.Add([]byte(frame))
		}
	}
	f.Add([]byte(`{"method":"item/started","params":{"threadId":"thread-1","turnId":"turn-1","item":{"type":"userMessage","clientId":"om_1"}}}`))
	f.Add([]byte(`{"method":"turn/completed","params":{"threadId":"thread-1","turn":5}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e := connected(t)
		e.watch(true)
		e.v.Post(func() { e.conn().h.Frame(raw) })
		e.v.Settle()
		for _, fact := range e.emitted {
			name := string(fact.FactName())
			if frame := decodeFrame(raw); name != "turn_running" || !slices.Contains([]string{"item/started", "item/completed"}, frame.Method) {
				t.Errorf("%s makes the fact %+v", raw, fact)
			}
		}
		if !e.c.Status().Connected {
			t.Errorf("%s ends the connection", raw)
		}
	})
}
