package matrix

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"deskbridge/matrix/audit"
)

// caller calls a method of an app-server and returns its result. A refusal is an
// error in the server's words.
type caller func(method string, params any) (json.RawMessage, error)

// readTurns are the turns of some threads, oldest first within each, as Codex
// tells them to somebody other than the bridge.
func readTurns(call caller, threads []string) ([]audit.Turn, error) {
	var all []audit.Turn
	for _, thread := range threads {
		newest, err := listTurns(call, thread)
		if err != nil {
			return nil, fmt.Errorf("matrix: thread/turns/list of %s: %w", thread, err)
		}
		for _, t := range slices.Backward(newest) {
			all = append(all, t.told(thread))
		}
	}
	return all, nil
}

// listTurns are the turns of a thread, newest first.
func listTurns(call caller, thread string) ([]wireTurn, error) {
	var all []wireTurn
	params := map[string]any{"threadId": thread, "limit": 100, "itemsView": "full"}
	for {
		result, err := call("thread/turns/list", params)
		if err != nil && turnless(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		var page struct {
			Data       []wireTurn
			NextCursor string
		}
		if err := json.Unmarshal(result, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Data...)
		if page.NextCursor == "" {
			return all, nil
		}
		params["cursor"] = page.NextCursor
	}
}

// turnless says that a thread has no stored turn: none ever began, or the server
// has lost them.
func turnless(err error) bool {
	return slices.ContainsFunc([]string{"thread not loaded", "is not materialized yet", "is not supported yet"}, func(words string) bool {
		return strings.Contains(err.Error(), words)
	})
}

// wireTurn is the part of a turn that is read.
type wireTurn struct {
	ID, Status string
	Error      struct{ Message string }
	Items      []struct {
		Type, ClientID string
		Content        []struct{ Text string } // of a userMessage
		Text, Phase    string                  // of an agentMessage
	}
}

func (w wireTurn) told(thread string) audit.Turn {
	t := audit.Turn{Thread: thread, ID: w.ID, Status: w.Status, Reply: w.reply()}
	if w.Status == "failed" {
		t.Said = w.Error.Message
	}
	for _, item := range w.Items {
		if item.Type != "userMessage" {
			continue
		}
		text := ""
		for _, part := range item.Content {
			text += part.Text
		}
		if item.ClientID == "" {
			t.Others = append(t.Others, text)
			continue
		}
		t.Messages, t.Texts = append(t.Messages, item.ClientID), append(t.Texts, text)
	}
	return t
}

// reply is the turn's answer: its final answers, or its last word where no message
// is marked as one. Where a message is marked as something else, and the turn did
// not complete, there is no answer.
func (w wireTurn) reply() string {
	var finals []string
	marked, last := false, ""
	for _, item := range w.Items {
		if item.Type != "agentMessage" {
			continue
		}
		final := item.Phase == "final_answer"
		marked = marked || final
		switch {
		case item.Text == "":
		case final:
			finals = append(finals, item.Text)
		case item.Phase == "" || w.Status == "completed":
			last = item.Text
		}
	}
	if marked {
		return strings.Join(finals, "\n\n")
	}
	return last
}

// threadsOf are those that the ledger's tracks are bound to, and others that are
// known, each once.
func threadsOf(b audit.Books, known ...string) (all []string) {
	for _, tr := range b.Tracks {
		known = append(known, tr.Data.Thread)
	}
	for _, id := range known {
		if id != "" && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}
