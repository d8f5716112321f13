package model_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/model"
	"deskbridge/adapters/sandbox/model/modeltest"

	"github.com/google/go-cmp/cmp"
)

// The tests in this file run a real Codex, so that they hold the model to what
// Codex understands, not to what it is believed to.

// conversation is one thread on one connection.
type conversation struct {
	*modeltest.Client
	t      *testing.T
	codex  *modeltest.Codex
	thread string
}

func converse(t *testing.T, script model.Script) conversation {
	t.Helper()
	codex := modeltest.Start(t, script)
	client := modeltest.Hello(t, codex.Socket)
	var started struct{ Thread struct{ ID string } }
	client.Call("thread/start", map[string]any{"cwd": codex.Work}).Decode(t, &started)
	return conversation{client, t, codex, started.Thread.ID}
}

func input(text string) []map[string]any {
	return []map[string]any{{"type": "text", "text": text, "text_elements": []any{}}}
}

// start starts a turn and returns its id.
func (c conversation) start(text string, extra map[string]any) string {
	c.t.Helper()
	params := map[string]any{"threadId": c.thread, "input": input(text)}
	for name, value := range extra {
		params[name] = value
	}
	var started struct{ Turn struct{ ID string } }
	c.Call("turn/start", params).Decode(c.t, &started)
	return started.Turn.ID
}

// ended is how a turn ended, as turn/completed says it.
type ended struct {
	Status, Error string
	// Said are the agent's messages, as "PHASE: TEXT".
	Said []string
}

// end waits until the turn is over.
func (c conversation) end(turn string) ended {
	c.t.Helper()
	var completed struct {
		Turn struct {
			ID, Status string
			Error      *struct{ Message string }
		}
	}
	c.Await("turn/completed", func(f modeltest.Frame) bool {
		if f.Method != "turn/completed" {
			return false
		}
		f.Decode(c.t, &completed)
		return completed.Turn.ID == turn
	})
	end := ended{Status: completed.Turn.Status}
	if completed.Turn.Error != nil {
		end.Error = completed.Turn.Error.Message
	}
	for _, frame := range c.Frames() {
		if frame.Method != "item/completed" {
			continue
		}
		var done struct {
			TurnID string
			Item   struct{ Type, Text, Phase string }
		}
		frame.Decode(c.t, &done)
		if done.TurnID == turn && done.Item.Type == "agentMessage" {
			end.Said = append(end.Said, done.Item.Phase+": "+done.Item.Text)
		}
	}
	return end
}

// texts are the texts of the last request and how every request ended.
func texts(records []model.Record) (last []string, states []model.State) {
	for _, record := range records {
		last = record.Texts
		states = append(states, record.State)
	}
	return last, states
}

func (c conversation) await(done func([]model.Record) bool) []model.Record {
	c.t.Helper()
	ctx, stop := context.WithTimeout(c.t.Context(), time.Minute)
	defer stop()
	records, err := c.codex.Model.Await(ctx, done)
	if err != nil {
		c.t.Fatal(err)
	}
	return records
}

func requests(n int) func([]model.Record) bool {
	return func(records []model.Record) bool { return len(records) >= n }
}

func TestCodexRepliesWithWhatTheScriptSays(t *testing.T) {
	t.Parallel()
	c := converse(t, model.Rules(
		model.On("fail", model.Fail("boom")),
		model.On("overload", model.Refuse(500)),
		model.On("refuse", model.Refuse(400)),
		model.On("hang up", model.HangUp()),
		model.On("two", model.Do(model.Message(model.Commentary, "working"), model.Exec("true")), model.Say("done")),
		model.On("old", model.Do(model.Message(model.Unknown, "no phase"))),
	))
	tests := []struct {
		text string
		want ended
	}{
		{"hello", ended{"completed", "", []string{"final_answer: reply to: hello"}}},
		{"fail", ended{"failed", "stream disconnected before completion: boom", nil}},
		{"overload", ended{"failed", "We’re currently experiencing high demand, which may cause temporary errors.", nil}},
		{"refuse", ended{"failed", `{"error":{"message":"the script refuses with 400"}}` + "\n", nil}},
		{"hang up", ended{"failed", "stream disconnected before completion: Transport error: network error: error decoding response body", nil}},
		{"two messages", ended{"completed", "", []string{"commentary: working", "final_answer: done"}}},
		{"old model", ended{"completed", "", []string{": no phase"}}},
	}
	for _, test := range tests {
		got := c.end(c.start(test.text, nil))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
	last, _ := texts(c.codex.Model.Records())
	if diff := cmp.Diff([]string{"hello", "fail", "overload", "refuse", "hang up", "two messages", "old model"}, last); diff != "" {
		t.Errorf("texts of the last request (-want +got):\n%s", diff)
	}
}

func TestAGateHoldsTheTurnAndASteerArrivesMeanwhile(t *testing.T) {
	t.Parallel()
	gate := model.NewGate()
	c := converse(t, func(r model.Request) model.Reply { return model.Echo(r).Held(gate) })
	turn := c.start("slow one", nil)
	c.await(requests(1))

	c.Call("turn/steer", map[string]any{
		"threadId": c.thread, "expectedTurnId": turn, "input": input("also this"),
	})
	c.await(requests(2))
	gate.Open()

	want := ended{"completed", "", []string{"final_answer: reply to: also this"}}
	if diff := cmp.Diff(want, c.end(turn)); diff != "" {
		t.Errorf("turn (-want +got):\n%s", diff)
	}
	records := c.await(func(r []model.Record) bool { return r[0].State != model.Waiting && r[1].State != model.Waiting })
	last, states := texts(records)
	if diff := cmp.Diff([]string{"slow one", "also this"}, last); diff != "" {
		t.Errorf("texts of the last request (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]model.State{model.Cancelled, model.Answered}, states); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	if records[0].Thread != c.thread || records[0].Turn != turn {
		t.Errorf("request of thread %s, turn %s; want %s, %s", records[0].Thread, records[0].Turn, c.thread, turn)
	}
}

func TestAnInterruptCancelsTheHeldRequest(t *testing.T) {
	t.Parallel()
	gate := model.NewGate()
	c := converse(t, func(r model.Request) model.Reply { return model.Echo(r).Held(gate) })
	turn := c.start("slow one", nil)
	c.await(requests(1))

	c.Call("turn/interrupt", map[string]any{"threadId": c.thread, "turnId": turn})
	if diff := cmp.Diff(ended{Status: "interrupted"}, c.end(turn)); diff != "" {
		t.Errorf("turn (-want +got):\n%s", diff)
	}
	c.await(func(records []model.Record) bool { return records[0].State == model.Cancelled })

	gate.Open()
	next := c.end(c.start("next", nil))
	if diff := cmp.Diff(ended{"completed", "", []string{"final_answer: reply to: next"}}, next); diff != "" {
		t.Errorf("next turn (-want +got):\n%s", diff)
	}
	last, _ := texts(c.codex.Model.Records())
	if diff := cmp.Diff([]string{"slow one", "next"}, last); diff != "" {
		t.Errorf("texts, without what Codex adds about the interrupt (-want +got):\n%s", diff)
	}
}

func TestItemsMakeCodexAsk(t *testing.T) {
	t.Parallel()
	question := model.Question{
		ID: "q1", Header: "Pick", Question: "Which one?",
		Options: []model.Option{{Label: "A", Description: "first"}, {Label: "B", Description: "second"}},
	}
	c := converse(t, model.Rules(
		model.On("command", model.Do(model.ExecAsking("touch made-here", "need to write")), model.Say("ran")),
		model.On("file", model.Do(model.AddFile("added.txt", "a line")), model.Say("added")),
		model.On("question", model.Do(model.Ask(question)), model.Say("asked")),
	))
	plan := map[string]any{"collaborationMode": map[string]any{
		"mode": "plan", "settings": map[string]any{"model": "gpt-5.1"},
	}}
	tests := []struct {
		text, request string
		extra         map[string]any
		answer        any
		want, output  string
	}{
		{"command", "item/commandExecution/requestApproval", nil,
			map[string]any{"decision": "accept"}, "final_answer: ran", "exited with code 0"},
		{"file", "item/fileChange/requestApproval", nil,
			map[string]any{"decision": "accept"}, "final_answer: added", "A added.txt"},
		{"question", "item/tool/requestUserInput", plan,
			map[string]any{"answers": map[string]any{"q1": map[string]any{"answers": []string{"B"}}}},
			"final_answer: asked", `"B"`},
	}
	for _, test := range tests {
		turn := c.start(test.text, test.extra)
		asked := c.Await(test.request, func(f modeltest.Frame) bool { return f.Method == test.request })
		c.Send(map[string]any{"id": asked.ID, "result": test.answer})
		want := ended{"completed", "", []string{test.want}}
		if diff := cmp.Diff(want, c.end(turn)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
		records := c.codex.Model.Records()
		outputs := records[len(records)-1].Outputs
		if len(outputs) != 1 || !strings.Contains(outputs[0], test.output) {
			t.Errorf("%s: the model got the outputs %q, want one with %q", test.text, outputs, test.output)
		}
	}
	for _, name := range []string{"made-here", "added.txt"} {
		if _, err := os.Stat(filepath.Join(c.codex.Work, name)); err != nil {
			t.Error(err)
		}
	}
}
