package durable_test

import (
	"testing"
	"time"

	"deskbridge/fsm/durable"
)

func TestWhatIsAbsentIsTriedAsIfItWereTheFirst(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.again("carry", durable.Again{Sent: true})
	r.clock.Advance(time.Minute)
	r.again("carry", durable.Again{Absent: true})
	want(t, "outbox", r.inStore(), []string{"carry leased=false attempts=2"})
	r.clock.Advance(2 * time.Minute)
	want(t, "attempt", r.open[0].Attempt, durable.Attempt{Number: 3, First: r.clock.Now()})
}

func TestWhatIsAbsentSurvivesACrash(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.again("carry", durable.Again{Sent: true})
	r.clock.Advance(time.Minute)
	r.again("carry", durable.Again{Absent: true})
	r.start()
	want(t, "story", r.story("p"), []string{"asked a"})
	want(t, "attempt", r.take("carry").Attempt, durable.Attempt{Number: 3, First: r.clock.Now()})
}

func TestWhatIsAbsentMayBeWithdrawn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Recallable: true})
	r.again("carry", durable.Again{Sent: true})
	r.clock.Advance(time.Minute)
	r.again("carry", durable.Again{Absent: true})
	r.ask("p", "stop", recall{})
	want(t, "story", r.story("p"), []string{"asked a", "asked stop", "withdrawn carry"})
	r.clock.Advance(time.Hour)
	want(t, "executed", r.executed, []string{"carry", "carry"})
}

// Recalled when it may have been sent, and found absent afterwards: it was unsent at
// the recall, and is not sent after it.
func TestWhatIsFoundAbsentAfterARecallIsWithdrawn(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"between two attempts", "during the next attempt"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.ask("p", "a", errand{Name: "carry", Recallable: true})
			r.again("carry", durable.Again{Sent: true})
			if when == "during the next attempt" {
				r.clock.Advance(time.Minute)
			}
			r.ask("p", "stop", recall{})
			r.clock.Advance(time.Minute)
			r.again("carry", durable.Again{Absent: true})
			r.clock.Advance(time.Hour)
			want(t, "story", r.story("p"), []string{"asked a", "asked stop", "withdrawn carry"})
			want(t, "executed", r.executed, []string{"carry", "carry"})
			want(t, "outbox", r.inStore(), []string{})
		})
	}
}

func TestWhatMayHaveBeenSentIsNotWithdrawnByARecall(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Recallable: true})
	r.again("carry", durable.Again{Sent: true})
	r.ask("p", "stop", recall{})
	r.clock.Advance(time.Minute)
	r.again("carry", durable.Again{}) // this attempt had no effect; the one before may have
	r.clock.Advance(time.Hour)
	r.done("carry")
	r.clock.Settle()
	want(t, "story", r.story("p"), []string{"asked a", "asked stop", "done carry"})
}
