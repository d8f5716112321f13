package crash

import (
	"fmt"
	"slices"
	"strings"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/matrix/audit"
	t "deskbridge/transitions"
)

// Told returns what people would have to complain about, once all is settled: a
// message that is in Codex's threads twice, was answered twice or not at all, or whose
// sender was not told once what became of it. It goes by the chat and by Codex's
// threads; the ledger says only which of the app's messages is which turn's outcome.
func Told(a *audit.Account) (complaints []string) {
	turns := map[string][]audit.Turn{}
	for _, turn := range a.Turns {
		for _, id := range turn.Messages {
			turns[id] = append(turns[id], turn)
		}
	}
	for _, m := range a.Chat {
		if m.Sender.ID == a.App || strings.HasPrefix(m.Text(), "/") {
			continue
		}
		var why string
		switch in := turns[m.ID]; len(in) {
		case 0:
			why = returned(a, m)
		case 1:
			why = outcome(a, m, in[0])
		default:
			why = fmt.Sprintf("is in Codex's threads %d times", len(in))
		}
		if why != "" {
			complaints = append(complaints, fmt.Sprintf("%s (%q) %s", m.ID, m.Text(), why))
		}
	}
	return complaints
}

// ends are the sentences that tell a sender what became of a message that no turn has.
var ends = []t.SentenceID{t.SaidNotSent, t.SaidRefused, t.SaidUnresolved, t.SaidVanished}

// returned: a message that no turn has went back to its sender once.
func returned(a *audit.Account, m feishu.Message) string {
	var words []string
	for _, s := range t.Sentences() {
		if slices.Contains(ends, s.ID) {
			before, _, _ := strings.Cut(s.Chinese, "{1}")
			words = append(words, before)
		}
	}
	told := 0
	for _, reply := range a.Chat {
		if reply.ParentID == m.ID && slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(reply.Text(), w) }) {
			told++
		}
	}
	if told == 1 {
		return ""
	}
	return fmt.Sprintf("is in no turn, and its sender was told so %d times", told)
}

// outcome: what became of a turn stands in the chat once; of one that a /new has
// overtaken it does not, and the /new says so.
func outcome(a *audit.Account, m feishu.Message, turn audit.Turn) string {
	if turn.Status == "inProgress" {
		return "is in a turn that goes on"
	}
	i := slices.IndexFunc(a.Books.Deliveries, func(d t.Delivery) bool { return d.Kind == t.Outcome && d.Turn == turn.ID })
	if i < 0 {
		return fmt.Sprintf("is in turn %s, which has no outcome", turn.ID)
	}
	d := &a.Books.Deliveries[i]
	want, text := 1, d.Body.Say(t.Chinese)
	if turn.Reply != "" {
		text = turn.Reply
	}
	if d.State == t.DeliveryArchived {
		if want = 0; !overtaken(a, m) {
			return fmt.Sprintf("is in turn %s, whose outcome is archived, and no /new came after it", turn.ID)
		}
	}
	shown := 0
	for _, reply := range a.Chat {
		if reply.Sender.ID == a.App && reply.ParentID == d.ReplyTo && reply.Text() == text {
			shown++
		}
	}
	if shown == want {
		return ""
	}
	return fmt.Sprintf("is in turn %s, whose outcome %q stands in the chat %d times instead of %d", turn.ID, text, shown, want)
}

// overtaken says that a /new came after a message.
func overtaken(a *audit.Account, m feishu.Message) bool {
	after := false
	for _, other := range a.Chat {
		after = after || other.ID == m.ID
		if after && other.Sender.ID != a.App && other.Text() == "/new" {
			return true
		}
	}
	return false
}
