// Package sched is the seam between the bridge and time: a scheduler is a
// value that everything which waits, repeats or answers later is given.
//
// Two schedulers exist. [Loop] runs on the wall clock, in one goroutine of its
// own. [Virtual] runs nothing by itself: whoever drives it decides when time
// passes, so that the whole daemon can run in one goroutine, and twice the same.
//
// What belongs here: the scheduler and nothing that knows what is scheduled.
// What does not: protocols, facts, stores. The package imports only the
// standard library; fsm/durable describes the same interface for itself, since
// the engine imports nothing of ours.
package sched

import "time"

// Scheduler runs functions one at a time, never two at once. A function handed
// to it must not block: blocking work goes into a goroutine of its own that
// posts its result back.
type Scheduler interface {
	// Now is the present as facts record it. It never goes back while the scheduler
	// lives, so that what lies between two readings has passed at least; the next
	// scheduler may begin before the last one ended.
	Now() time.Time
	// Post runs f after everything that was posted before it. It may be called
	// from any goroutine, and from within a running function.
	Post(f func())
	// After runs f once d has passed. The returned function takes that back; it
	// may be called at any time, any number of times, but only from within a
	// function that the scheduler runs.
	After(d time.Duration, f func()) (stop func())
}
