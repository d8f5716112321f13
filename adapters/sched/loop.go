package sched

import (
	"context"
	"sync"
	"time"
)

// Loop is the scheduler of a running daemon: one goroutine, the wall clock, an
// unbounded queue. The zero value is not usable; see [NewLoop].
type Loop struct {
	clock  clock
	mu     sync.Mutex
	queue  []func()
	wake   chan struct{}
	closed bool
}

var _ Scheduler = (*Loop)(nil)

// NewLoop returns a loop that collects what is posted and runs it once [Loop.Run]
// is called.
func NewLoop() *Loop {
	begun := time.Now()
	return &Loop{
		clock: clock{read: func() (time.Time, time.Duration) { return time.Now(), time.Since(begun) }},
		wake:  make(chan struct{}, 1),
	}
}

// Now is the wall clock, which never goes back while the loop lives: where somebody
// sets the clock back, it goes on from where it was.
func (l *Loop) Now() time.Time { return l.clock.now() }

// Post queues f. After Run has returned it is dropped: nothing runs any more
// that could depend on it.
func (l *Loop) Post(f func()) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	l.queue = append(l.queue, f)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// After queues f once d has passed.
func (l *Loop) After(d time.Duration, f func()) (stop func()) {
	// stopped is only touched by functions that the loop runs, so a timer that
	// fired while its stop was queued still finds it set.
	stopped := false
	t := time.AfterFunc(d, func() {
		l.Post(func() {
			if !stopped {
				stopped = true
				f()
			}
		})
	})
	return func() {
		stopped = true
		t.Stop()
	}
}

// Call runs f on the loop and waits for it, or for ctx. It must not be called
// from within a function that the loop runs.
func (l *Loop) Call(ctx context.Context, f func()) error {
	done := make(chan struct{})
	l.Post(func() {
		defer close(done)
		f()
	})
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run runs what was and will be posted until ctx ends, then drops the rest.
func (l *Loop) Run(ctx context.Context) {
	for {
		l.mu.Lock()
		batch := l.queue
		l.queue = nil
		l.mu.Unlock()
		for i, f := range batch {
			if ctx.Err() != nil {
				break
			}
			batch[i] = nil
			f()
		}
		if ctx.Err() != nil {
			l.mu.Lock()
			l.closed, l.queue = true, nil
			l.mu.Unlock()
			return
		}
		if len(batch) > 0 {
			continue
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
		}
	}
}
