package daemon

import (
	"cmp"
	"slices"
	"time"

	"deskbridge/adapters/feishu"
	"deskbridge/adapters/sched"
)

// orderWindow is how long a receipt waits for others of the same burst. The SDK
// handles each frame in a goroutine of its own, so that what came together comes
// in any order; the platform waits 3 s for the acknowledgement.
const orderWindow = 3 * time.Millisecond

// arrival is a receipt on its way into the journal.
type arrival struct {
	decision feishu.Decision
	done     func(error)
}

// arrivals puts the receipts of a burst into the order in which people wrote.
// What comes later than the burst is taken when it comes.
type arrivals struct {
	sched   sched.Scheduler
	submit  func(arrival)
	waiting []arrival
}

func (a *arrivals) add(next arrival) {
	a.waiting = append(a.waiting, next)
	if len(a.waiting) == 1 {
		a.sched.After(orderWindow, a.release)
	}
}

func (a *arrivals) release() {
	burst := a.waiting
	a.waiting = nil
	slices.SortStableFunc(burst, func(x, y arrival) int {
		return cmp.Compare(x.decision.Incoming.Created, y.decision.Incoming.Created)
	})
	for _, next := range burst {
		a.submit(next)
	}
}
