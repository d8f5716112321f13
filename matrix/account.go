package matrix

import (
	"errors"
	"maps"
	"slices"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/matrix/audit"
	"deskbridge/store"
	ledger "deskbridge/store/audit"
)

// Finish ends a scenario of one chat: the chat reads exactly like this, the daemon
// ends without complaint, the chat still reads so, and the audit finds nothing.
func (d *Desk) Finish(chat ...string) audit.Account {
	d.tb.Helper()
	d.AwaitChat(chat...)
	d.Terminate()
	d.AwaitChat(chat...)
	a := d.Accounts()[0]
	for _, problem := range audit.Check(a) {
		d.tb.Error(problem)
	}
	return a
}

// Accounts asks everybody, about each chat in its turn. The daemon must not run;
// Codex must.
func (d *Desk) Accounts() (all []audit.Account) {
	d.tb.Helper()
	books := d.books()
	told, called := d.told(), d.called()
	for _, c := range d.Chats {
		b := books[c.ID]
		// What no track is bound to any more is told with the first chat.
		threads := threadsOf(b)
		if len(all) == 0 {
			threads = threadsOf(b, unbound(called, books)...)
		}
		a := audit.Account{Books: b, Said: d.said[c.ID], App: d.App.ID, Deciders: []string{c.User}, Turns: d.turns(threads)}
		for _, thread := range threads {
			a.Told = append(a.Told, told[thread]...)
		}
		all = append(all, a)
	}
	d.OnPlatform(func(p *feishu.Platform) {
		events := map[string][]feishu.EventStatus{}
		of := map[string]string{}
		for chat, ids := range d.said {
			for _, id := range ids {
				of[id] = chat
			}
		}
		for _, e := range p.Events() {
			events[of[e.MessageID]] = append(events[of[e.MessageID]], e)
		}
		for i, c := range d.Chats {
			all[i].Chat, all[i].Events = p.Messages(c.ID), events[c.ID]
		}
	})
	return all
}

// books are those of each conversation, by its id.
func (d *Desk) books() map[string]audit.Books {
	d.tb.Helper()
	l, err := store.Open(d.tb.Context(), d.Data)
	d.must(err)
	all, err := l.Books(d.tb.Context())
	d.must(errors.Join(err, l.Close()))
	apart := map[string]audit.Books{}
	for _, c := range ledger.Conversations(all) {
		apart[c.ID] = c.Books
	}
	return apart
}

// unbound are the threads that no track of any conversation is bound to.
func unbound(called []string, books map[string]audit.Books) []string {
	var bound []string
	for _, b := range books {
		bound = append(bound, threadsOf(b)...)
	}
	return slices.DeleteFunc(slices.Clone(called), func(id string) bool { return slices.Contains(bound, id) })
}

// told are the texts that the model has of each thread, once it is not asked any
// more: the last request of a thread holds all of them.
func (d *Desk) told() map[string][]string {
	d.tb.Helper()
	if d.Scripted != nil {
		return d.asked.told()
	}
	ctx, cancel := d.deadline()
	defer cancel()
	records, err := d.Model.Await(ctx, func(all []model.Record) bool {
		return !slices.ContainsFunc(all, func(r model.Record) bool { return r.State == model.Waiting })
	})
	d.must(err)
	last := map[string][]string{}
	for _, r := range records {
		last[r.Thread] = r.Texts
	}
	return last
}

// called are the threads in which a model was called.
func (d *Desk) called() (threads []string) {
	if d.Scripted != nil {
		return slices.Sorted(maps.Keys(d.asked.told()))
	}
	for _, r := range d.Model.Records() {
		threads = append(threads, r.Thread)
	}
	return threads
}
