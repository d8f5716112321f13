package matrix

import (
	"time"

	"deskbridge/adapters/sched"
)

// life is the scheduler of one life of the bridge: once it is over, nothing that
// this life posted or waited for runs any more, as nothing does of a killed
// process.
type life struct {
	sched.Scheduler
	behind time.Duration // of the machine's clock, behind everybody else's
	over   bool
}

// Now is what the machine's clock shows.
func (l *life) Now() time.Time { return l.Scheduler.Now().Add(-l.behind) }

func (l *life) guard(f func()) func() {
	return func() {
		if !l.over {
			f()
		}
	}
}

// Post runs f unless the life is over by then.
func (l *life) Post(f func()) { l.Scheduler.Post(l.guard(f)) }

// After runs f in d unless the life is over by then.
func (l *life) After(d time.Duration, f func()) (stop func()) {
	return l.Scheduler.After(d, l.guard(f))
}
