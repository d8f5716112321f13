package durable_test

import (
	"testing"
	"time"

	"deskbridge/fsm/durable"
)

// A recall while an attempt is under way that then turns out to have had no
// effect: the effect must not be tried again.
func TestARecallDuringAnAttemptThatHadNoEffect(t *testing.T) {
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Recallable: true})
	r.ask("p", "stop", recall{})
	r.again("carry", durable.Again{})
	r.clock.Advance(time.Hour)
	want(t, "story", r.story("p"), []string{"asked a", "asked stop", "withdrawn carry"})
	want(t, "executed", r.executed, []string{"carry"})
}
