package crash_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/matrix"
	"deskbridge/matrix/audit"
	"deskbridge/matrix/crash"
	"deskbridge/store"
	ledger "deskbridge/store/audit"
)

// settle starts a bridge that nobody kills, lets all come to rest, and holds what must
// hold then. The bridge does not run afterwards. It returns how many messages and steps
// there were so far.
func settle(t *testing.T, d *matrix.Desk) (messages, steps int) {
	t.Helper()
	cmd := d.Command()
	cmd.Args = append(cmd.Args, "--verbose")
	d.LaunchAs(cmd)
	d.AwaitPlatform("all events are acknowledged", func(p *feishu.Platform) bool {
		return !slices.ContainsFunc(p.Events(), func(e feishu.EventStatus) bool { return !e.Acknowledged })
	})
	d.AwaitLedger("all is settled", func(l *store.Ledger) (bool, error) {
		tracks, err := l.Tracks(t.Context())
		if err != nil {
			return false, err
		}
		outbox, err := l.Outbox()
		_, open := ledger.Quiet(tracks)
		return open == "" && len(outbox) == 0, err
	})
	d.Terminate()
	return hold(t, d)
}

// hold audits what everybody says, and holds that each message was answered once, or
// its sender told once what became of it.
func hold(t *testing.T, d *matrix.Desk) (messages, steps int) {
	t.Helper()
	accounts := d.Accounts()
	for i := range accounts {
		a := &accounts[i]
		messages, steps = messages+len(a.Said), steps+len(a.Books.Journal)
		problems := slices.Concat(audit.Check(*a), crash.Told(a))
		for _, problem := range problems {
			t.Errorf("%s: %s", d.Chats[i].ID, problem)
		}
		if len(problems) > 0 {
			t.Logf("the journal of %s:\n%s", d.Chats[i].ID, journal(a))
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return messages, steps
}

// open is what a running bridge has not settled.
func open(t *testing.T, d *matrix.Desk) (all []string) {
	t.Helper()
	l, err := store.OpenReader(t.Context(), d.Data)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	tracks, err := l.Tracks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range tracks {
		if _, what := ledger.Quiet(tracks[i : i+1]); what != "" {
			all = append(all, fmt.Sprintf("%s is %s: %s", tracks[i].ID, tracks[i].State, what))
		}
	}
	outbox, err := l.Outbox()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range outbox {
		all = append(all, fmt.Sprintf("%s of %s is in the outbox, attempt %d", q.Effect.EffectName(), q.Instance, q.Attempt.Number))
	}
	d.OnPlatform(func(p *feishu.Platform) {
		for _, e := range p.Events() {
			if !e.Acknowledged {
				all = append(all, "the event about "+e.MessageID+" is not acknowledged")
			}
		}
	})
	return all
}

// journal is that of an account, a line a step.
func journal(a *audit.Account) string {
	var s strings.Builder
	for _, e := range a.Books.Journal {
		fmt.Fprintf(&s, "%s %d: %+v, %s → %s (%s)\n", e.Track, e.Step, e.Fact, e.From, e.To, e.Entry)
	}
	return s.String()
}
