package durable_test

import (
	"testing"
	"time"

	"deskbridge/fsm/durable"
)

func TestOnlyUnsentEffectsOfTheInstanceAreWithdrawn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a",
		errand{Name: "not sent", Lane: "1", Recallable: true},
		errand{Name: "perhaps sent", Lane: "2", Recallable: true},
		errand{Name: "under way", Lane: "3", Recallable: true},
		errand{Name: "waits for its lane", Lane: "3", Recallable: true},
		errand{Name: "for good"})
	r.ask("q", "b", errand{Name: "another's", Recallable: true})
	r.again("not sent", durable.Again{})
	r.again("perhaps sent", durable.Again{Sent: true})
	r.again("for good", durable.Again{})
	r.again("another's", durable.Again{})
	r.lines = nil
	r.ask("p", "stop", recall{})
	want(t, "transcript", r.lines, []string{
		"commit: settle not sent; settle waits for its lane; journal p.2 asked stop; " +
			"journal p.3 withdrawn not sent; journal p.4 withdrawn waits for its lane",
		"receipt of asked stop: <nil>",
		"stepped p.2", "stepped p.3", "stepped p.4",
	})
	r.executed = nil
	r.clock.Advance(time.Hour)
	want(t, "executed later", r.executed, []string{"perhaps sent", "for good", "another's"})
}

// The withdrawal comes back before whatever else waits in the batch.
func TestFreshEffectsAreWithdrawnBeforeTheyAreSent(t *testing.T) {
	t.Parallel()
	carry := errand{Name: "carry", Recallable: true}
	for _, c := range []struct {
		name     string
		facts    []fact
		story    []string
		executed []string
	}{
		{"of an earlier step of the batch",
			[]fact{asked{"a", []effect{carry}}, asked{"stop", []effect{recall{}}}, asked{"b", nil}},
			[]string{"asked a", "asked stop", "withdrawn carry", "asked b"}, nil},
		{"of the same step",
			[]fact{asked{"a", []effect{carry, recall{}}}},
			[]string{"asked a", "withdrawn carry"}, nil},
		{"but not those asked for afterwards in the step",
			[]fact{asked{"a", []effect{recall{}, carry}}},
			[]string{"asked a"}, []string{"carry"}},
		{"nor those of a later step of the batch",
			[]fact{asked{"stop", []effect{recall{}}}, asked{"a", []effect{carry}}},
			[]string{"asked stop", "asked a"}, []string{"carry"}},
		{"and twice is once",
			[]fact{asked{"a", []effect{carry, recall{}, recall{}}}, asked{"stop", []effect{recall{}}}},
			[]string{"asked a", "withdrawn carry", "asked stop"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			for _, f := range c.facts {
				r.submit("p", f)
			}
			r.clock.Settle()
			want(t, "commits", r.store.Commits, 1)
			want(t, "story", r.story("p"), c.story)
			want(t, "executed", r.executed, c.executed)
			want(t, "outbox", len(r.store.Pending), len(c.executed))
		})
	}
}

func TestWithdrawingLetsTheLaneMoveUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a",
		errand{Name: "one", Lane: "road", Recallable: true}, errand{Name: "two", Lane: "road", Recallable: true},
		errand{Name: "three", Lane: "road"}, errand{Name: "four", Lane: "road"})
	r.again("one", durable.Again{})
	r.ask("p", "stop", recall{}, errand{Name: "five", Lane: "road"})
	want(t, "under way", r.underWay(), []string{"three"})
	want(t, "outbox", r.inStore(), []string{
		"three leased=true attempts=1", "four leased=false attempts=0", "five leased=false attempts=0",
	})
}

// The recall and the end of the backoff fall into one moment: either the effect
// is withdrawn or its second attempt is leased, never both.
func TestARecallAtTheEndOfTheBackoff(t *testing.T) {
	t.Parallel()
	recallIt := func(r *rig) { r.submit("p", asked{"stop", []effect{recall{}}}) }
	withdrawn := []string{"asked a", "asked stop", "withdrawn carry"}
	for _, c := range []struct {
		name           string
		before, after  func(*rig) // set at the moment, before and after the backoff's timer
		story          []string
		attempts, left int
	}{
		{"recall first", recallIt, func(*rig) {}, withdrawn, 1, 0},
		{"timer first", func(*rig) {}, recallIt, []string{"asked a", "asked stop"}, 2, 1},
		{"woken and recalled in one batch", func(r *rig) {
			r.engine.Kick(func(string, effect) bool { return true })
			recallIt(r)
		}, func(*rig) {}, withdrawn, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.clock.After(time.Minute, func() { c.before(r) })
			r.ask("p", "a", errand{Name: "carry", Recallable: true})
			r.again("carry", durable.Again{})
			r.clock.After(time.Minute, func() { c.after(r) })
			r.clock.Advance(time.Hour)
			r.ask("q", "later") // nothing of the withdrawn effect is left to write
			want(t, "story", r.story("p"), c.story)
			want(t, "attempts", len(r.executed), c.attempts)
			want(t, "outbox", len(r.store.Pending), c.left)
		})
	}
}

func TestARecallWhoseCommitFailsWithdrawsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Recallable: true})
	r.again("carry", durable.Again{})
	r.refuseNext("commit", 1)
	r.ask("p", "stop", recall{})
	want(t, "story", r.story("p"), []string{"asked a"})
	r.clock.Advance(time.Minute)
	want(t, "executed", r.executed, []string{"carry", "carry"})
}

// Withdrawn before its release was written: there is nothing left to release.
func TestARecallBeforeTheReleaseIsWritten(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Recallable: true})
	r.take("carry").report(report{Again: &durable.Again{}})
	r.ask("p", "stop", recall{})
	want(t, "story", r.story("p"), []string{"asked a", "asked stop", "withdrawn carry"})
	begun := r.store.Begun
	r.engine.Kick(func(string, effect) bool { return true })
	r.clock.Advance(time.Hour)
	r.ask("p", "b")
	want(t, "transactions since", r.store.Begun-begun, 1)
	want(t, "executed", r.executed, []string{"carry"})
}

// A result that waits for the journal was sent, whatever is asked meanwhile.
func TestAResultIsNotWithdrawn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Recallable: true})
	r.submit("p", asked{"stop", []effect{recall{}}})
	r.done("carry")
	r.clock.Settle()
	want(t, "story", r.story("p"), []string{"asked a", "asked stop", "done carry"})
}

func TestARestartKeepsWhatMayBeWithdrawn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a",
		errand{Name: "sent", Lane: "road", Recallable: true},
		errand{Name: "not sent", Lane: "road", Recallable: true})
	r.start()
	want(t, "under way", r.underWay(), []string{"sent"})
	r.again("sent", durable.Again{}) // the life before may have sent it
	r.ask("p", "stop", recall{})
	want(t, "story", r.story("p"), []string{"asked a", "asked stop", "withdrawn not sent"})
}
