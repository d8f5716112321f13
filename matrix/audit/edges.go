package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/store/audit"
	"deskbridge/transitions"
)

// An edge is a check of what the ledger alone cannot tell.
type edge func(*Account, *audit.History) []string

var edges = []edge{received, foreign, worded, toldOnce, settled}

// received: what people wrote was acknowledged and is in the journal once, and
// nothing is there that nobody wrote.
func received(a *Account, _ *audit.History) []string {
	var p problems
	for _, e := range a.Events {
		if !e.Acknowledged {
			p.add("the event about %s was not acknowledged", e.MessageID)
		}
	}
	times := map[string]int{}
	for i := range a.Books.Journal {
		if id, receipt := strings.CutPrefix(a.Books.Journal[i].Fact.FactKey(), "message:"); receipt {
			times[id]++
		}
	}
	for _, id := range a.Said {
		if times[id] != 1 {
			p.add("the journal received %s %d times", id, times[id])
		}
		delete(times, id)
	}
	for _, id := range slices.Sorted(maps.Keys(times)) {
		p.add("the journal received %s, which nobody wrote", id)
	}
	return p
}

// foreign: the ledger and Codex have the same turns, but for those of other clients,
// and what we neither wrote to nor stopped has no outcome here. A turn whose server was killed before it
// had taken anybody's words in is nobody's: a bridge that was not there when it began
// takes it for another client's old one.
func foreign(a *Account, _ *audit.History) []string {
	var p problems
	rows := map[string]transitions.Turn{}
	for _, t := range a.Books.Turns {
		rows[t.ID] = t
		if t.State != transitions.TurnAbsent && a.turn(t.ID) == nil {
			p.add("turn %s is %s in the ledger, and Codex has no such turn", t.ID, t.State)
		}
	}
	for _, t := range a.Turns {
		row, known := rows[t.ID]
		others := len(t.Others) > 0 && len(t.Messages) == 0
		if !known && !t.wordless() && !others {
			p.add("turn %s is %s at Codex, and the ledger does not know it", t.ID, t.Status)
		}
		outcome := slices.ContainsFunc(a.Books.Deliveries, func(d transitions.Delivery) bool {
			return d.Kind == transitions.Outcome && d.Turn == t.ID
		})
		if outcome && len(t.Messages) == 0 && row.StopBy == "" {
			p.add("turn %s has an outcome, and is another client's", t.ID)
		}
	}
	return p
}

// worded: what stands in the chat is what its delivery or request says, and
// answers what that answers.
func worded(a *Account, h *audit.History) []string {
	var p problems
	for _, m := range a.appMessages() {
		i := slices.IndexFunc(a.Books.Deliveries, func(d transitions.Delivery) bool { return d.ID == h.Delivery(m.UUID) })
		if i < 0 {
			continue // a card, or nothing that should be there
		}
		d := &a.Books.Deliveries[i]
		if text := a.text(h, d.ID, &m); d.ReplyTo != m.ParentID || d.Body.Say(transitions.Chinese) != text {
			p.add("the app's message %s (%q, re %s) is not what %s says: %q, re %s", m.ID, text, m.ParentID, d.ID, d.Body.Say(transitions.Chinese), d.ReplyTo)
		}
		last := m.ID
		if parts := h.Parts(d.ID); len(parts) > 0 {
			last = parts[len(parts)-1]
		}
		if d.State == transitions.DeliveryShown && d.Shown != last {
			p.add("%s stands in the chat as %s, and the ledger has it as %s", d.ID, last, d.Shown)
		}
	}
	for _, r := range a.Books.Requests {
		if r.Shown != "" && !slices.ContainsFunc(a.appMessages(), func(m feishu.Message) bool { return m.ID == r.Shown }) {
			p.add("request %s is shown as %s, which the chat has not", r.ID, r.Shown)
		}
	}
	return p
}

// toldOnce: no text reached the model more often than it was written. A turn whose server
// was killed before it had stored anybody's words, or those of a steer, may have told them
// to the model all the same; they are in no item, and so are offered again.
func toldOnce(a *Account, _ *audit.History) []string {
	var p problems
	killed := 0
	for i := range a.Turns {
		if a.Turns[i].wordless() {
			killed++
		}
	}
	said, told := map[string]int{}, map[string]int{}
	texts := map[string]string{} // of messages
	for _, m := range a.Chat {
		if m.Sender.ID != a.App {
			said[m.Text()]++
			texts[m.ID] = m.Text()
		}
	}
	for i := range a.Books.Journal {
		if message, turn := steered(a.Books.Journal[i].Fact); turn != "" {
			if t := a.turn(turn); t != nil && t.Status == "interrupted" && !slices.Contains(t.Messages, message) {
				said[texts[message]]++ // as it may have been told to the model, and not stored
			}
		}
	}
	for i := range a.Turns {
		for _, text := range a.Turns[i].Others {
			said[text]++
		}
	}
	for _, text := range a.Told {
		told[text]++
	}
	for _, text := range slices.Sorted(maps.Keys(told)) {
		if told[text] > said[text]+killed {
			p.add("the model was told %q %d times, it was written %d times", text, told[text], said[text])
		}
	}
	return p
}

// settled: nothing went wrong for good in the scenario, so every delivery has
// arrived, every message that a turn has is answered, and the tracks remember
// nothing that is open.
func settled(a *Account, _ *audit.History) []string {
	var p problems
	for _, m := range a.Books.Messages {
		if m.State == transitions.MessageProven {
			p.add("message %s is proven in %s, and not answered at the end", m.ID, m.Turn)
		}
	}
	for _, d := range a.Books.Deliveries {
		if d.State != transitions.DeliveryShown && d.State != transitions.DeliveryArchived {
			p.add("delivery %s is %s at the end", d.ID, d.State)
		}
	}
	for _, tr := range a.Books.Tracks {
		if open := len(tr.Data.Messages) + len(tr.Data.Turns) + len(tr.Data.Deliveries) + len(tr.Data.Requests); open > 0 {
			p.add("track %s is %s with %d things open at the end", tr.ID, tr.State, open)
		}
	}
	return p
}

// steered is the message that a turn was given by a steer, as far as is known.
func steered(f transitions.Fact) (message, turn string) {
	switch f := f.(type) {
	case transitions.SteerAccepted:
		return f.Message, f.Turn
	case transitions.SteerUnknown:
		return f.Message, f.Turn
	}
	return "", ""
}

// wordless says that the turn ended before it had taken anybody's words in.
func (t Turn) wordless() bool { return t.Status == "interrupted" && len(t.Messages)+len(t.Others) == 0 }

// problems collects sentences.
type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }
