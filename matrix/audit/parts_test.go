package audit

import (
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/feishu"
	tr "deskbridge/transitions"
)

// inParts is a scenario in which an answer stands in the chat as two messages.
func inParts(t *testing.T) Account {
	t.Helper()
	l := newLife(t, tr.Standard().Step)
	l.text("om_1", "a long one")
	l.tell(
		tr.ThreadOpened{Thread: "th_1"},
		tr.TurnStartAccepted{Message: "om_1", Turn: "A"},
		tr.TurnEnded{Turn: "A", Status: tr.EndCompleted, Messages: []string{"om_1"}, Reply: "first second"},
	)
	d := l.unsent[0]
	l.unsent = l.unsent[1:]
	for i, text := range []string{"first ", "second"} {
		m := feishu.Message{ID: []string{"om_2", "om_3"}[i], Sender: feishu.Sender{ID: app}, ParentID: "om_1", Type: "text", Content: content(t, text)}
		m.UUID = []string{d.UUID, "another"}[i]
		l.show(m)
	}
	l.tell(
		tr.DeliveryPartShown{Delivery: d.Delivery, Shown: "om_2", UpTo: 6},
		tr.DeliveryConfirmed{Delivery: d.Delivery, Shown: "om_3"},
	)
	l.Turns = []Turn{{Thread: "th_1", ID: "A", Status: "completed", Messages: []string{"om_1"}, Texts: []string{"a long one"}, Reply: "first second"}}
	l.Told = []string{"a long one"}
	return l.account()
}

func TestAnAnswerInPartsIsOneDelivery(t *testing.T) {
	t.Parallel()
	if problems := Check(inParts(t)); problems != nil {
		t.Errorf("the audit says %q", problems)
	}
	for name, c := range map[string]struct {
		spoil func(*Account)
		says  string
	}{
		"a part that the chat lacks":    {func(a *Account) { a.Chat = a.Chat[:2] }, `the app's message om_2 ("first ", re om_1) is not what outcome:A says`},
		"a part that says another text": {func(a *Account) { a.Chat[2].Content = content(t, "other") }, `the app's message om_2 ("first other", re om_1) is not what outcome:A says`},
		"a message that is no part":     {func(a *Account) { a.Chat = append(a.Chat, a.Chat[2]); a.Chat[3].ID = "om_9" }, "om_9 stands in the chat, and is no delivery"},
		"another last part":             {func(a *Account) { a.Books.Deliveries[0].Shown = "om_2" }, "outcome:A stands in the chat as om_3, and the ledger has it as om_2"},
	} {
		t.Run(name, func(t *testing.T) {
			a := inParts(t)
			c.spoil(&a)
			if problems := strings.Join(Check(a), "; "); !strings.Contains(problems, c.says) {
				t.Errorf("the audit says %q", problems)
			}
		})
	}
}
