package durable_test

import (
	"testing"
	"time"

	"deskbridge/fsm/durable"
)

func TestTheBackoffGrowsWithTheAttempts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry"})
	for n := 1; n <= 4; n++ {
		a := r.take("carry")
		want(t, "attempt", a.Attempt, durable.Attempt{Number: n, First: r.clock.Now()})
		a.report(report{Again: &durable.Again{}})
		r.clock.Settle()
		next, _ := r.clock.Next()
		want(t, "wait", next.Sub(r.clock.Now()), time.Duration(n)*time.Minute)
		r.clock.Advance(time.Duration(n)*time.Minute - 1)
		want(t, "under way too early", r.underWay(), []string{})
		r.clock.Advance(1)
	}
}

func TestAnAttemptKnowsSinceWhenTheEffectMayHaveBeen(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry"})
	r.again("carry", durable.Again{})
	r.clock.Advance(time.Minute)
	sent := r.clock.Now()
	r.again("carry", durable.Again{Sent: true})
	r.clock.Advance(2 * time.Minute)
	r.again("carry", durable.Again{})
	r.clock.Advance(3 * time.Minute)
	want(t, "attempt", r.take("carry").Attempt, durable.Attempt{Number: 4, First: sent, Sent: true})

	r.start() // another life knows it from the store
	want(t, "attempt", r.take("carry").Attempt, durable.Attempt{Number: 5, First: sent, Sent: true})
}

func TestAfterIsTheLeastTimeToWait(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		after, want time.Duration
	}{
		{"longer than the backoff", time.Hour, time.Hour},
		{"shorter than the backoff", time.Second, time.Minute},
		{"nonsense", -time.Hour, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.ask("p", "a", errand{Name: "carry"})
			r.again("carry", durable.Again{After: c.after})
			next, _ := r.clock.Next()
			want(t, "wait", next.Sub(r.clock.Now()), c.want)
		})
	}
}

func TestAnAttemptThatWasNotSentIsReleased(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.again("carry", durable.Again{})
	want(t, "outbox", r.inStore(), []string{"carry leased=false attempts=1"})

	r.start() // nothing was sent, so nothing is lost
	want(t, "under way", r.underWay(), []string{"carry"})
	want(t, "attempt", r.take("carry").Number, 2)
	want(t, "story", r.story("p"), []string{"asked a"})
}

func TestAnAttemptThatMayHaveBeenSentStaysLeased(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.again("carry", durable.Again{Sent: true})
	want(t, "after the first", r.inStore(), []string{"carry leased=true attempts=1"})
	r.clock.Advance(time.Minute)
	r.again("carry", durable.Again{}) // this one was not, the one before may have been
	want(t, "after the second", r.inStore(), []string{"carry leased=true attempts=2"})

	r.start()
	want(t, "under way", r.underWay(), []string{})
	want(t, "story", r.story("p"), []string{"asked a", "lost carry"})
}

func TestAReleaseThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry"})
	r.refuseNext("release", 2)
	r.again("carry", durable.Again{})
	want(t, "outbox while the store refuses", r.inStore(), []string{"carry leased=true attempts=1"})
	r.clock.Advance(2 * time.Second)
	want(t, "outbox", r.inStore(), []string{"carry leased=false attempts=1"})
	begun := r.store.Begun
	r.clock.Advance(50 * time.Second)
	want(t, "transactions after that", r.store.Begun-begun, 0)
}

func TestAKickEndsTheBackoffOfWhatIsDue(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "kicked"}, errand{Name: "patient"}, errand{Name: "busy"})
	r.again("kicked", durable.Again{})
	r.again("patient", durable.Again{})
	r.engine.Kick(func(_ string, e effect) bool { return e.(errand).Name != "patient" })
	r.clock.Settle()
	want(t, "under way", r.underWay(), []string{"busy", "kicked"})
	want(t, "attempt", r.take("kicked").Number, 2)

	r.clock.Advance(time.Minute) // the timer of the ended backoff must be dead
	want(t, "executed", r.executed, []string{"kicked", "patient", "busy", "kicked", "patient"})
}

// The moment at which the backoff ends anyway: whichever comes first, there is
// one attempt.
func TestAKickAtTheEndOfTheBackoffMakesOneAttempt(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"kick first", "timer first"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			kick := func() { r.engine.Kick(func(string, effect) bool { return true }) }
			if order == "kick first" {
				r.clock.After(time.Minute, kick)
			}
			r.ask("p", "a", errand{Name: "carry"})
			r.again("carry", durable.Again{})
			if order == "timer first" {
				r.clock.After(time.Minute, kick)
			}
			r.clock.Advance(time.Hour)
			want(t, "executed", r.executed, []string{"carry", "carry"})
		})
	}
}

// Kicked before its release was written: one transaction does both.
func TestAKickBeforeTheReleaseIsWritten(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.take("carry").report(report{Again: &durable.Again{}})
	r.engine.Kick(func(string, effect) bool { return true })
	r.clock.Settle()
	want(t, "outbox", r.inStore(), []string{"carry leased=true attempts=2"})
	r.start()
	want(t, "story", r.story("p"), []string{"asked a", "lost carry"})
}
