package matrix

import (
	"maps"
	"slices"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/matrix/audit"
)

// Finish ends a scenario: the chat reads exactly like this, the daemon ends
// without complaint, the chat still reads so, and the audit finds nothing.
func (d *Desk) Finish(chat ...string) audit.Account {
	d.tb.Helper()
	d.AwaitChat(chat...)
	d.Terminate()
	d.AwaitChat(chat...)
	a := d.account()
	for _, problem := range audit.Check(a) {
		d.tb.Error(problem)
	}
	return a
}

// account asks everybody. The daemon must not run; Codex must.
func (d *Desk) account() audit.Account {
	d.tb.Helper()
	a := audit.Account{Said: d.said, App: d.App.ID, Deciders: d.Users, Told: d.told()}
	var err error
	a.Books, err = audit.Read(d.tb.Context(), d.Data)
	d.must(err)
	a.Turns = d.turns(threadsOf(a.Books, d.called()...))
	d.OnPlatform(func(p *feishu.Platform) {
		for _, chat := range d.Chats {
			a.Chat = append(a.Chat, p.Messages(chat)...)
		}
		a.Events = p.Events()
	})
	return a
}

// told are the texts that the model has, once it is not asked any more: the last
// request of a thread holds all of them.
func (d *Desk) told() (texts []string) {
	d.tb.Helper()
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
	for _, thread := range slices.Sorted(maps.Keys(last)) {
		texts = append(texts, last[thread]...)
	}
	return texts
}
