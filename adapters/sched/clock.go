package sched

import (
	"sync"
	"time"
)

// clock tells the wall clock's time, but never goes back. Two clocks are read, for
// each is wrong at times: the wall clock when it is set, and the monotonic one, which
// stands still while the machine sleeps. Whichever says that more time has passed is
// believed. What waits may then wait for less than it was to, or be called old too soon;
// the other way it would wait for as long as the clock was set back, or repeat a call
// that is safe to repeat for a while only.
type clock struct {
	// read reads the wall clock, and how much time has passed since some moment.
	read func() (wall time.Time, passed time.Duration)

	mu     sync.Mutex
	last   time.Time
	passed time.Duration // as of last
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, passed := c.read()
	// Without its monotonic reading: a difference is that of the times shown.
	c.last, c.passed = c.last.Add(passed-c.passed), passed
	if wall = wall.Round(0); wall.After(c.last) {
		c.last = wall
	}
	return c.last
}
