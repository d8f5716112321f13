package model_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/model"

	"github.com/google/go-cmp/cmp"
)

// start starts a model that ends with the test.
func start(t *testing.T, script model.Script) *model.Server {
	t.Helper()
	server, err := model.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// body is a request as Codex makes it, in small.
func body(inputs ...any) string {
	encoded, err := json.Marshal(map[string]any{
		"model": "gpt-5.1", "stream": true, "input": inputs,
		"client_metadata": map[string]any{"thread_id": "thread-1", "turn_id": "turn-1"},
	})
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

func message(role string, texts ...string) map[string]any {
	content := make([]map[string]any, len(texts))
	for i, text := range texts {
		content[i] = map[string]any{"type": "input_text", "text": text}
	}
	return map[string]any{"type": "message", "role": role, "content": content}
}

// post sends a request on a connection of its own.
func post(t *testing.T, ctx context.Context, server *model.Server, body string) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.BaseURL()+"/responses", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Close = true
	return http.DefaultClient.Do(request)
}

// events are the data lines of a response.
func events(t *testing.T, server *model.Server, body string) []string {
	t.Helper()
	response, err := post(t, t.Context(), server, body)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var found []string
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			found = append(found, data)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAReplyIsTheEventsThatCodexReads(t *testing.T) {
	t.Parallel()
	server := start(t, model.Rules(
		model.On("tool", model.Do(
			model.Message(model.Commentary, "first"),
			model.CallMCP("probe", "ask_human", nil),
		), model.Say("second")),
		model.On("fail", model.Fail("boom")),
	))
	tests := []struct {
		name, body string
		want       []string
	}{
		{"a call after a message", body(message("user", "tool")), []string{
			`{"response":{"id":"resp_1"},"type":"response.created"}`,
			`{"item":{"content":[{"text":"first","type":"output_text"}],"id":"msg_1","phase":"commentary","role":"assistant","type":"message"},"type":"response.output_item.done"}`,
			`{"item":{"arguments":"{}","call_id":"call_2","name":"ask_human","namespace":"mcp__probe","type":"function_call"},"type":"response.output_item.done"}`,
			`{"response":{"id":"resp_1","usage":{"input_tokens":1,"input_tokens_details":null,"output_tokens":1,"output_tokens_details":null,"total_tokens":2}},"type":"response.completed"}`,
		}},
		{"the rule's next reply", body(message("user", "tool")), []string{
			`{"response":{"id":"resp_2"},"type":"response.created"}`,
			`{"item":{"content":[{"text":"second","type":"output_text"}],"id":"msg_3","phase":"final_answer","role":"assistant","type":"message"},"type":"response.output_item.done"}`,
			`{"response":{"id":"resp_2","usage":{"input_tokens":1,"input_tokens_details":null,"output_tokens":1,"output_tokens_details":null,"total_tokens":2}},"type":"response.completed"}`,
		}},
		{"a failure", body(message("user", "fail")), []string{
			`{"response":{"id":"resp_3"},"type":"response.created"}`,
			`{"response":{"error":{"code":"server_error","message":"boom"},"id":"resp_3"},"type":"response.failed"}`,
		}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, events(t, server, test.body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestARequestIsRecordedWithWhatPeopleSaid(t *testing.T) {
	t.Parallel()
	server := start(t, model.Echo)
	sent := body(
		message("developer", "instructions"),
		message("user", "<environment_context>\n</environment_context>"),
		message("user", "first"),
		map[string]any{"type": "function_call", "call_id": "call_1", "name": "exec_command", "arguments": "{}"},
		map[string]any{"type": "function_call_output", "call_id": "call_1", "output": "before"},
		message("user", "<turn_aborted>\n</turn_aborted>"),
		message("user", "second", "in two parts"),
		map[string]any{"type": "function_call_output", "call_id": "call_2", "output": "plain"},
		map[string]any{"type": "custom_tool_call_output", "call_id": "call_3", "output": []any{map[string]any{"text": "parts"}}},
		map[string]any{"type": "function_call_output", "call_id": "call_4", "output": 4},
	)
	events(t, server, sent)
	want := []model.Record{{
		Request: model.Request{
			Number: 1, Thread: "thread-1", Turn: "turn-1",
			Texts:   []string{"first", "second\nin two parts"},
			Outputs: []string{"plain", "parts", "4"},
			Body:    json.RawMessage(sent),
		},
		State: model.Answered,
	}}
	if diff := cmp.Diff(want, server.Records()); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestWhatIsNoRequestIsRefusedAndNotRecorded(t *testing.T) {
	t.Parallel()
	server := start(t, model.Echo)
	response, err := post(t, t.Context(), server, "no JSON")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusBadRequest || !strings.Contains(string(content), "not a Responses API request") {
		t.Errorf("%s: %s", response.Status, content)
	}
	if records := server.Records(); len(records) > 0 {
		t.Errorf("recorded %v", records)
	}
}

func TestAHeldReplyIsGivenUpWhenItsClientLeaves(t *testing.T) {
	t.Parallel()
	for _, reply := range []model.Reply{model.Say("late"), model.Refuse(503)} {
		server := start(t, func(model.Request) model.Reply { return reply.Held(model.NewGate()) })
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			response, err := post(t, ctx, server, body(message("user", "hello")))
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
			left <- err
		}()
		if _, err := server.Await(t.Context(), func(r []model.Record) bool { return len(r) == 1 }); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-left; err == nil {
			t.Error("the request ended without an error")
		}
		if _, err := server.Await(t.Context(), func(r []model.Record) bool { return r[0].State == model.Cancelled }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	server := start(t, model.Echo)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := server.Await(ctx, func([]model.Record) bool { return false }); err != context.Canceled {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestDemoAnswersInTheLanguageOfTheText(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"你好 Codex", "收到：“你好 Codex”。"},
		{"hello", "Received: “hello”."},
		{"", "Received: “”."},
	}
	for _, test := range tests {
		server := start(t, model.Demo)
		got := events(t, server, body(message("user", test.text)))
		if len(got) != 3 || !strings.Contains(got[1], test.want) {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

func TestWriteHomeConfiguresTheProvider(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "home")
	if err := model.WriteHome(dir, "http://127.0.0.1:1/v1", "[mcp_servers.probe]\ncommand = \"probe\"\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"model_provider = \"scripted\"\n", "base_url = \"http://127.0.0.1:1/v1\"\n",
		"[features]\nplugins = false\napps = false\n[mcp_servers.probe]\ncommand = \"probe\"\n",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if err := model.WriteHome(filepath.Join(dir, "config.toml"), ""); err == nil {
		t.Error("no error where the folder is a file")
	}
}
