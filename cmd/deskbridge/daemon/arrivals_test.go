package daemon

import (
	"slices"
	"testing"
	"time"

	"deskbridge/adapters/feishu"
	"deskbridge/adapters/sched"
	"deskbridge/transitions"
)

// TestABurstIsJournalledAsItWasWritten: /stop overtook the text before it when
// both came at once.
func TestABurstIsJournalledAsItWasWritten(t *testing.T) {
	t.Parallel()
	clock := sched.NewVirtual(time.Unix(0, 0))
	var got []transitions.Millis
	a := arrivals{sched: clock, submit: func(x arrival) { got = append(got, x.decision.Incoming.Created) }}
	came := func(created transitions.Millis) {
		a.add(arrival{decision: feishu.Decision{Incoming: feishu.Incoming{Created: created}}})
	}
	came(3)
	came(1)
	clock.Advance(orderWindow / 2)
	came(2)
	if len(got) > 0 {
		t.Fatalf("%v did not wait for the burst", got)
	}
	clock.Advance(orderWindow / 2)
	came(0) // later than the burst: taken all the same
	clock.Advance(orderWindow)
	if want := []transitions.Millis{1, 2, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("journalled %v, want %v", got, want)
	}
}
