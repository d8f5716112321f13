package crash_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/matrix/audit"
	"deskbridge/matrix/crash"
	t "deskbridge/transitions"
)

// account is one of a chat in which m1 was answered in turn A.
func account() audit.Account {
	person, app := feishu.Sender{ID: "ou_1"}, feishu.Sender{ID: "cli"}
	return audit.Account{
		App: "cli",
		Chat: []feishu.Message{
			{ID: "om_1", Sender: person, Type: "text", Content: `{"text":"m1"}`},
			{ID: "om_2", Sender: app, ParentID: "om_1", Type: "text", Content: `{"text":"reply"}`},
		},
		Turns: []audit.Turn{{ID: "A", Status: "completed", Messages: []string{"om_1"}, Reply: "reply"}},
		Books: audit.Books{Deliveries: []t.Delivery{{
			ID: "outcome:A", Kind: t.Outcome, State: t.DeliveryShown, Turn: "A", ReplyTo: "om_1", Body: t.Body{Text: "reply"},
		}}},
	}
}

func TestWhatPeopleComplainAbout(tt *testing.T) {
	tt.Parallel()
	notSent := `{"text":"这条消息没有执行：在它之后收到了 /stop、/new 或 /resume。还需要的话，请再发一次。"}`
	for _, c := range []struct {
		name  string
		spoil func(*audit.Account)
		want  []string
	}{
		{"nothing", func(*audit.Account) {}, nil},
		{"no answer", func(a *audit.Account) { a.Chat = a.Chat[:1] },
			[]string{`om_1 ("m1") is in turn A, whose outcome "reply" stands in the chat 0 times instead of 1`}},
		{"two answers", func(a *audit.Account) { a.Chat = append(a.Chat, a.Chat[1]) },
			[]string{`om_1 ("m1") is in turn A, whose outcome "reply" stands in the chat 2 times instead of 1`}},
		{"twice in Codex", func(a *audit.Account) { a.Turns = append(a.Turns, a.Turns[0]) },
			[]string{`om_1 ("m1") is in Codex's threads 2 times`}},
		{"a turn that goes on", func(a *audit.Account) { a.Turns[0].Status = "inProgress" },
			[]string{`om_1 ("m1") is in a turn that goes on`}},
		{"a turn without an outcome", func(a *audit.Account) { a.Books.Deliveries = nil },
			[]string{`om_1 ("m1") is in turn A, which has no outcome`}},
		{"an outcome that was put away for no reason", func(a *audit.Account) { a.Books.Deliveries[0].State = t.DeliveryArchived },
			[]string{`om_1 ("m1") is in turn A, whose outcome is archived, and no /new came after it`}},
		{"no turn, and no word", func(a *audit.Account) { a.Turns = nil },
			[]string{`om_1 ("m1") is in no turn, and its sender was told so 0 times`}},
		{"given back", func(a *audit.Account) { a.Turns, a.Chat[1].Content = nil, notSent }, nil},
	} {
		tt.Run(c.name, func(tt *testing.T) {
			tt.Parallel()
			a := account()
			c.spoil(&a)
			if diff := cmp.Diff(c.want, crash.Told(&a)); diff != "" {
				tt.Error(diff)
			}
		})
	}
}

// TestAKillCountsEachConversationOnceAPhase, and nothing that the kill before hit too.
func TestAKillCountsEachConversationOnceAPhase(tt *testing.T) {
	tt.Parallel()
	var table crash.Table
	table.Add([]crash.Hit{
		{Conversation: "oc_1", Phase: crash.Sent, Of: "om_1"}, {Conversation: "oc_1", Phase: crash.Sent, Of: "om_2"},
		{Conversation: "oc_2", Phase: crash.Sent, Of: "om_3"}, {Conversation: "oc_2", Phase: crash.Running, Of: "A"},
	})
	table.Add([]crash.Hit{{Conversation: "oc_1", Phase: crash.Sent, Of: "om_1"}, {Conversation: "oc_2", Phase: crash.Sent, Of: "om_4"}})
	want := "received   0\ncommitted  0\nsent       3\nrunning    1\nended      0\ndelivering 0\n"
	if diff := cmp.Diff(want, table.String()); diff != "" {
		tt.Error(diff)
	}
}
