package durable_test

import (
	"fmt"
	"testing"
	"time"

	"deskbridge/fsm/durable"
)

// stop asks the engine to stop and tells when it has.
func (r *rig) stop() {
	r.engine.Stop(func() { r.tell("stopped") })
	r.clock.Settle()
}

func (r *rig) stopped() bool {
	for _, line := range r.lines {
		if line == "stopped" {
			return true
		}
	}
	return false
}

func TestStopAwaitsTheResultsAndBeginsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "one", Lane: "road"}, errand{Name: "two", Lane: "road"}, errand{Name: "later"})
	r.again("later", durable.Again{})
	r.submit("p", asked{"b", []effect{errand{Name: "three"}}}) // before Stop, so it is journalled
	r.stop()
	want(t, "stopped with an attempt under way", r.stopped(), false)
	r.clock.Advance(time.Hour)
	r.take("one").report(report{Facts: []fact{asked{"c", []effect{errand{Name: "four"}}}}})
	r.clock.Settle()
	want(t, "stopped", r.stopped(), true)
	want(t, "executed", r.executed, []string{"one", "later"})
	want(t, "outbox", r.inStore(), []string{
		"two leased=false attempts=0", "later leased=false attempts=1",
		"three leased=false attempts=0", "four leased=false attempts=0",
	})
	r.start()
	want(t, "taken up", r.executed, []string{"two", "later", "three", "four"})
}

func TestAStoppedEngineTakesNoFactsAndLeavesTheStoreAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry"})
	r.again("carry", durable.Again{})
	r.stop()
	want(t, "stopped", r.stopped(), true)
	begun := r.store.Begun
	r.ask("p", "b")
	want(t, "receipt", r.lines[len(r.lines)-1], "receipt of asked b: "+durable.ErrStopped.Error())
	r.engine.Submit("p", asked{Key: "c"}, nil)
	r.engine.Kick(func(string, effect) bool { return true })
	r.clock.Advance(time.Hour)
	want(t, "transactions after the stop", r.store.Begun-begun, 0)
	want(t, "executed", r.executed, []string{"carry"})
}

func TestStopDuringAnAttemptThatAsksForAnother(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.stop()
	r.again("carry", durable.Again{})
	want(t, "stopped", r.stopped(), true)
	want(t, "outbox", r.inStore(), []string{"carry leased=false attempts=1"})
	r.clock.Advance(time.Hour)
	want(t, "executed", r.executed, []string{"carry"})
}

// Stopped means that the results are in the journal: a store that refuses is
// waited for.
func TestStopWaitsForTheStoreToTakeTheResults(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry"})
	r.stop()
	r.refuseNext("commit", 3)
	r.done("carry")
	r.clock.Advance(2 * time.Second)
	want(t, "stopped while the store refuses", r.stopped(), false)
	r.clock.Advance(time.Second)
	want(t, "stopped", r.stopped(), true)
	want(t, "story", r.story("p"), []string{"asked a", "done carry"})
}

func TestStopWaitsForTheReceiptsThatCameBefore(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 1100 {
		r.submit("p", asked{Key: fmt.Sprint(i)})
	}
	r.engine.Stop(func() { r.tell(fmt.Sprint("stopped after ", len(r.story("p")))) })
	r.clock.Settle()
	want(t, "last line", r.lines[len(r.lines)-1], "stopped after 1100")
}

func TestEachCallerOfStopIsToldOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	told := 0
	r.ask("p", "a", errand{Name: "carry"})
	for range 2 {
		r.engine.Stop(func() { told++ })
	}
	r.clock.Settle()
	r.done("carry")
	r.clock.Settle()
	r.engine.Stop(func() { told++ })
	r.clock.Settle()
	want(t, "told", told, 3)
}

// What a commit has leased begins, though its receipt makes somebody stop the
// engine: the lease says that it may have been sent.
func TestStopFromAReceiptLetsTheLeasedBegin(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.engine.Submit("p", asked{"a", []effect{errand{Name: "carry", Fragile: true}}}, func(error) {
		r.engine.Stop(func() { r.tell("stopped") })
	})
	r.clock.Settle()
	want(t, "executed", r.executed, []string{"carry"})
	want(t, "stopped", r.stopped(), false)
	r.done("carry")
	r.clock.Settle()
	want(t, "stopped", r.stopped(), true)
	want(t, "outbox", r.inStore(), []string{})
}

func TestStopWithoutStart(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry"})
	e := durable.New(r.options())
	e.Stop(func() { r.tell("stopped") })
	r.clock.Settle()
	want(t, "stopped", r.stopped(), true)
	want(t, "executed", r.executed, []string{"carry"})
}
