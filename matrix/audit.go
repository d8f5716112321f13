package matrix

import (
	"fmt"
	"slices"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/transitions"
)

// Account is what all who took part in a scenario say about it.
type Account struct {
	Books Books
	// Turns are Codex's.
	Turns []Turn
	// Said are the ids of what the person wrote; App is the app's id.
	Said []string
	App  string
	// Chat and Events are the platform's.
	Chat   []feishu.Message
	Events []feishu.EventStatus
	// Requests are the model's.
	Requests []model.Record
}

// Finish ends a scenario: the chat reads exactly like this, the daemon ends
// without complaint, the chat still reads so, and all accounts agree.
func (d *Desk) Finish(chat ...string) Account {
	d.tb.Helper()
	d.AwaitChat(chat...)
	d.Terminate()
	d.AwaitChat(chat...)
	a := d.account()
	for _, problem := range Audit(a) {
		d.tb.Error(problem)
	}
	return a
}

// account asks everybody. The daemon must not run; Codex must.
func (d *Desk) account() Account {
	d.tb.Helper()
	a := Account{Turns: d.Turns(), Said: d.said, App: d.App.ID}
	ctx, cancel := d.deadline()
	defer cancel()
	over := func(all []model.Record) bool {
		return !slices.ContainsFunc(all, func(r model.Record) bool { return r.State == model.Waiting })
	}
	var err error
	a.Requests, err = d.Model.Await(ctx, over)
	d.must(err)
	a.Books, err = ReadBooks(d.tb.Context(), d.Data)
	d.must(err)
	d.OnPlatform(func(p *feishu.Platform) { a.Chat, a.Events = p.Messages(d.Chat), p.Events() })
	return a
}

// Audit compares the accounts after a scenario in which nothing waits for anybody
// any more, and returns what does not agree.
func Audit(a Account) []string {
	var all []string
	for _, rule := range []func(*Account) []string{
		received, ended, provenOnce, turnsAgree, outcomesOnce, shownOnce, settled, toldOnce,
	} {
		all = append(all, rule(&a)...)
	}
	return all
}

// received: what the person wrote was acknowledged, and is in the journal once.
func received(a *Account) (problems []string) {
	for _, e := range a.Events {
		if !e.Acknowledged {
			problems = append(problems, fmt.Sprintf("the event about %s was not acknowledged", e.MessageID))
		}
	}
	times := map[string]int{}
	for _, e := range a.Books.Journal {
		switch f := e.Fact.(type) {
		case transitions.MessageReceived:
			if f.From == "" { // the others were handed over from track to track
				times[f.Message]++
			}
		case transitions.StopRequested:
			times[f.Message]++
		case transitions.NewRequested:
			times[f.Message]++
		}
	}
	for _, id := range a.Said {
		if times[id] != 1 {
			problems = append(problems, fmt.Sprintf("the journal received %s %d times", id, times[id]))
		}
	}
	return problems
}

// ended: every message is answered in a turn, or given back with a notice.
func ended(a *Account) (problems []string) {
	for _, m := range a.Books.Messages {
		switch {
		case m.State == transitions.MessageAnswered && m.Turn != "":
		case m.State == transitions.MessageRefused && slices.ContainsFunc(a.Books.Deliveries, func(d transitions.Delivery) bool {
			return d.Kind == transitions.Notice && d.ReplyTo == m.ID
		}):
		default:
			problems = append(problems, fmt.Sprintf("message %s is %q (turn %q) at the end", m.ID, m.State, m.Turn))
		}
	}
	return problems
}

// provenOnce: an answered message is an item of its turn and of no other, a
// refused one of none, and nothing else is an item of any.
func provenOnce(a *Account) (problems []string) {
	where := map[string][]string{}
	for _, t := range a.Turns {
		for _, id := range t.Messages {
			where[id] = append(where[id], t.ID)
		}
	}
	for _, m := range a.Books.Messages {
		var want []string
		if m.State == transitions.MessageAnswered {
			want = []string{m.Turn}
		}
		if !slices.Equal(where[m.ID], want) {
			problems = append(problems, fmt.Sprintf("message %s is an item of turns %q, the ledger says %q", m.ID, where[m.ID], want))
		}
		delete(where, m.ID)
	}
	for id, turns := range where {
		problems = append(problems, fmt.Sprintf("turns %q hold a message %q that the ledger does not know", turns, id))
	}
	return problems
}

// turnsAgree: the ledger has every turn that Codex has, with its end.
func turnsAgree(a *Account) (problems []string) {
	states := map[string]transitions.TurnState{}
	for _, t := range a.Books.Turns {
		states[t.ID] = t.State
	}
	for _, t := range a.Turns {
		if got := states[t.ID]; string(got) != t.Status {
			problems = append(problems, fmt.Sprintf("turn %s is %q at Codex and %q in the ledger", t.ID, t.Status, got))
		}
	}
	return problems
}

// outcomesOnce: every turn with a message of ours has one outcome.
func outcomesOnce(a *Account) (problems []string) {
	outcomes := map[string]int{}
	for _, d := range a.Books.Deliveries {
		if d.Kind == transitions.Outcome {
			outcomes[d.Turn]++
		}
	}
	for _, t := range a.Turns {
		want := min(1, len(t.Messages))
		if outcomes[t.ID] != want {
			problems = append(problems, fmt.Sprintf("turn %s has %d outcomes, not %d", t.ID, outcomes[t.ID], want))
		}
	}
	return problems
}

// shownOnce: every delivery is one message of the chat, as the ledger has it, and
// every message of the app is a delivery.
func shownOnce(a *Account) (problems []string) {
	shown := map[string]transitions.Delivery{}
	for _, d := range a.Books.Deliveries {
		if d.State == transitions.DeliveryArchived {
			continue // of a superseded track: kept, and not pushed
		}
		if d.State != transitions.DeliveryShown {
			problems = append(problems, fmt.Sprintf("delivery %s is %q at the end", d.ID, d.State))
			continue
		}
		if other, taken := shown[d.Shown]; taken {
			problems = append(problems, fmt.Sprintf("deliveries %s and %s are the same message %s", other.ID, d.ID, d.Shown))
		}
		shown[d.Shown] = d
	}
	for _, m := range a.Chat {
		if m.Sender.ID != a.App {
			continue
		}
		d, ok := shown[m.ID]
		if !ok || d.ReplyTo != m.ParentID || d.Body.Say(transitions.Chinese) != m.Text() {
			problems = append(problems, fmt.Sprintf("the app's message %s (%q, re %s) is not what a delivery says: %+v", m.ID, m.Text(), m.ParentID, d))
		}
		delete(shown, m.ID)
	}
	for id, d := range shown {
		problems = append(problems, fmt.Sprintf("delivery %s is shown as %s, which the chat has not", d.ID, id))
	}
	return problems
}

// settled: nothing is left to do.
func settled(a *Account) (problems []string) {
	for _, q := range a.Books.Outbox {
		problems = append(problems, fmt.Sprintf("the outbox still holds %s of step %d", q.Effect.EffectName(), q.Step))
	}
	for _, tr := range a.Books.Tracks {
		open := len(tr.Data.Messages) + len(tr.Data.Turns) + len(tr.Data.Deliveries)
		if tr.State != transitions.Delivered && tr.State != transitions.Idle && tr.State != transitions.Superseded || open > 0 {
			problems = append(problems, fmt.Sprintf("track %s is %q with %d things open at the end", tr.ID, tr.State, open))
		}
	}
	return problems
}

// toldOnce: no text reached the model more often than the person wrote it,
// counted in the last request of each thread, which holds all of it.
func toldOnce(a *Account) (problems []string) {
	said, told := map[string]int{}, map[string]int{}
	for _, m := range a.Chat {
		if m.Sender.ID != a.App {
			said[m.Text()]++
		}
	}
	last := map[string][]string{}
	for _, r := range a.Requests {
		last[r.Thread] = r.Texts
	}
	for _, texts := range last {
		for _, text := range texts {
			told[text]++
		}
	}
	for text, times := range told {
		if times > said[text] {
			problems = append(problems, fmt.Sprintf("the model was told %q %d times, it was written %d times", text, times, said[text]))
		}
	}
	return problems
}
