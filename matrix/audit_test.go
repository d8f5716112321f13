package matrix_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/matrix"
	"deskbridge/store"
	"deskbridge/transitions"
)

// agreeing is a scenario of one message and its answer, in which all accounts agree.
func agreeing() matrix.Account {
	answer := transitions.Body{Text: "reply to: hello"}
	return matrix.Account{
		App:  "cli_a",
		Said: []string{"om_1"},
		Books: matrix.Books{
			Journal:  []store.JournalEntry{{Fact: transitions.MessageReceived{Message: "om_1"}}},
			Tracks:   []store.Track{{ID: "oc_1/1", Snapshot: store.Snapshot{State: transitions.Delivered}}},
			Messages: []transitions.Message{{ID: "om_1", State: transitions.MessageAnswered, Turn: "turn_1"}},
			Turns:    []transitions.Turn{{ID: "turn_1", State: transitions.TurnCompleted, Start: "om_1"}},
			Deliveries: []transitions.Delivery{{
				ID: "d_1", Kind: transitions.Outcome, State: transitions.DeliveryShown,
				Turn: "turn_1", ReplyTo: "om_1", Body: answer, Shown: "om_2",
			}},
		},
		Turns: []matrix.Turn{{ID: "turn_1", Status: "completed", Messages: []string{"om_1"}}},
		Chat: []feishu.Message{
			chatMessage("om_1", "ou_1", "", "hello"),
			chatMessage("om_2", "cli_a", "om_1", answer.Text),
		},
		Events:   []feishu.EventStatus{{MessageID: "om_1", Acknowledged: true}},
		Requests: []model.Record{{Request: model.Request{Thread: "thread_1", Texts: []string{"hello"}}}},
	}
}

func chatMessage(id, sender, parent, text string) feishu.Message {
	return feishu.Message{
		ID: id, Sender: feishu.Sender{ID: sender}, ParentID: parent,
		Type: "text", Content: fmt.Sprintf(`{"text":%q}`, text),
	}
}

func TestAuditSeesWhatDoesNotAgree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spoil func(*matrix.Account)
		want  string // in one of the problems; empty: there is none
	}{
		{"all agree", func(*matrix.Account) {}, ""},
		{"not acknowledged", func(a *matrix.Account) { a.Events[0].Acknowledged = false }, "the event about om_1 was not acknowledged"},
		{"lost", func(a *matrix.Account) { a.Books.Journal = nil }, "the journal received om_1 0 times"},
		{"received twice", func(a *matrix.Account) { a.Books.Journal = append(a.Books.Journal, a.Books.Journal...) }, "the journal received om_1 2 times"},
		{"not ended", func(a *matrix.Account) { a.Books.Messages[0].State = transitions.MessageOffered }, `message om_1 is "offered"`},
		{"given back in silence", func(a *matrix.Account) { a.Books.Messages[0].State = transitions.MessageRefused }, `message om_1 is "refused"`},
		{"twice in a turn", func(a *matrix.Account) { a.Turns[0].Messages = []string{"om_1", "om_1"} }, "message om_1 is an item of turns"},
		{"in another turn", func(a *matrix.Account) { a.Books.Messages[0].Turn = "turn_2" }, "message om_1 is an item of turns"},
		{"unknown message", func(a *matrix.Account) { a.Turns[0].Messages = []string{"om_1", "om_9"} }, `a message "om_9" that the ledger does not know`},
		{"other end", func(a *matrix.Account) { a.Turns[0].Status = "failed" }, `turn turn_1 is "failed" at Codex and "completed" in the ledger`},
		{"no outcome", func(a *matrix.Account) { a.Books.Deliveries[0].Kind = transitions.Notice }, "turn turn_1 has 0 outcomes"},
		{"not shown", func(a *matrix.Account) { a.Books.Deliveries[0].State = transitions.DeliveryInDoubt }, `delivery d_1 is "unknown"`},
		{"shown twice", func(a *matrix.Account) {
			a.Chat = append(a.Chat, chatMessage("om_3", "cli_a", "om_1", "reply to: hello"))
		}, "the app's message om_3"},
		{"other words", func(a *matrix.Account) { a.Books.Deliveries[0].Body.Text = "other" }, "the app's message om_2"},
		{"other message answered", func(a *matrix.Account) { a.Chat[1].ParentID = "om_9" }, "the app's message om_2"},
		{"not in the chat", func(a *matrix.Account) { a.Chat = a.Chat[:1] }, "which the chat has not"},
		{"outbox", func(a *matrix.Account) {
			a.Books.Outbox = []store.Queued{{Effect: transitions.OpenThread{}}}
		}, "the outbox still holds open_thread"},
		{"not settled", func(a *matrix.Account) { a.Books.Tracks[0].State = transitions.Steerable }, `track oc_1/1 is "steerable"`},
		{"told twice", func(a *matrix.Account) { a.Requests[0].Texts = []string{"hello", "hello"} }, `the model was told "hello" 2 times`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := agreeing()
			c.spoil(&a)
			problems := matrix.Audit(a)
			if c.want == "" && len(problems) > 0 ||
				c.want != "" && !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, c.want) }) {
				t.Errorf("Audit found %q, want %q", problems, c.want)
			}
		})
	}
}
