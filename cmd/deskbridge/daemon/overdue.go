package daemon

import (
	"slices"
	"time"

	"deskbridge/adapters/sched"
)

// overdue waits for messages that are unsent for too long. A life of the bridge
// counts from when it first sees a message, for it has just begun to connect.
type overdue struct {
	sched  sched.Scheduler
	limit  time.Duration
	tell   func(track, message string)
	timers map[string]map[string]func() // track → message → what ends the wait
}

func newOverdue(s sched.Scheduler, limit time.Duration, tell func(track, message string)) overdue {
	return overdue{sched: s, limit: limit, tell: tell, timers: map[string]map[string]func(){}}
}

// watch is told which messages of a track are unsent now.
func (o *overdue) watch(track string, unsent []string) {
	timers := o.timers[track]
	for message, end := range timers {
		if !slices.Contains(unsent, message) {
			end()
			delete(timers, message)
		}
	}
	for _, message := range unsent {
		if timers == nil {
			timers = map[string]func(){}
			o.timers[track] = timers
		}
		if _, waits := timers[message]; !waits {
			timers[message] = o.sched.After(o.limit, func() { o.tell(track, message) })
		}
	}
	if len(timers) == 0 {
		delete(o.timers, track)
	}
}
