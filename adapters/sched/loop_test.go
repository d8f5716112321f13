package sched

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// soon is short enough to wait for; no test depends on how long it takes.
const soon = time.Millisecond

// started runs a loop until the test ends.
func started(t *testing.T) *Loop {
	t.Helper()
	l := NewLoop()
	stop := run(l)
	t.Cleanup(stop)
	return l
}

// run runs a loop; the function returned ends it and waits for that.
func run(l *Loop) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

func call(t *testing.T, l *Loop, f func()) {
	t.Helper()
	if err := l.Call(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func TestTheLoopRunsWhatWasPostedBeforeItRan(t *testing.T) {
	t.Parallel()
	l := NewLoop()
	var got []int
	for i := range 3 {
		l.Post(func() { got = append(got, i) })
	}
	stop := run(l)
	call(t, l, func() {})
	stop()
	if diff := cmp.Diff([]int{0, 1, 2}, got); diff != "" {
		t.Error(diff)
	}
}

// TestTheLoopRunsOneFunctionAtATimeInOrder posts from many goroutines: the
// functions share variables without a lock, which the race detector watches.
func TestTheLoopRunsOneFunctionAtATimeInOrder(t *testing.T) {
	t.Parallel()
	const posters, each = 8, 200
	l := started(t)
	got := make([][]int, posters)
	total := 0
	var group sync.WaitGroup
	for p := range posters {
		group.Go(func() {
			for i := range each {
				l.Post(func() {
					got[p] = append(got[p], i)
					total++
				})
			}
		})
	}
	group.Wait()
	call(t, l, func() {
		if total != posters*each {
			t.Errorf("%d ran", total)
		}
		for p := range got {
			if !slices.IsSorted(got[p]) {
				t.Errorf("poster %d: %v", p, got[p])
			}
		}
	})
}

func TestAFunctionMayPostMore(t *testing.T) {
	t.Parallel()
	l := started(t)
	done := make(chan []string, 1)
	l.Post(func() {
		got := []string{"a"}
		l.Post(func() {
			got = append(got, "c")
			done <- got
		})
		got = append(got, "b")
	})
	if diff := cmp.Diff([]string{"a", "b", "c"}, <-done); diff != "" {
		t.Error(diff)
	}
}

func TestATimerRunsOnTheLoopAfterItsTime(t *testing.T) {
	t.Parallel()
	l := started(t)
	fired := make(chan time.Time, 1)
	var set time.Time
	call(t, l, func() {
		set = l.Now()
		l.After(soon, func() { fired <- l.Now() })
	})
	if at := <-fired; at.Sub(set) < soon {
		t.Errorf("after %s", at.Sub(set))
	}
}

func TestAStoppedTimerOfTheLoopNeverRuns(t *testing.T) {
	t.Parallel()
	l := started(t)
	later := make(chan struct{})
	call(t, l, func() {
		stop := l.After(soon, func() { t.Error("it ran") })
		l.After(4*soon, func() { close(later) })
		stop()
		stop()
	})
	<-later
	call(t, l, func() {})
}

// TestATimerThatHasFiredCanStillBeStopped holds it where the timer's function
// waits in the queue already: the loop is kept busy until it does.
func TestATimerThatHasFiredCanStillBeStopped(t *testing.T) {
	t.Parallel()
	l := started(t)
	call(t, l, func() {
		stop := l.After(0, func() { t.Error("it ran") })
		for l.queued() == 0 {
			runtime.Gosched() // the timer's own goroutine is about to post
		}
		stop()
	})
	call(t, l, func() {})
}

// queued is how much waits behind the function that runs.
func (l *Loop) queued() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue)
}

func TestATimerOfTheLoopMayStopItself(t *testing.T) {
	t.Parallel()
	l := started(t)
	done := make(chan struct{})
	call(t, l, func() {
		var stop func()
		stop = l.After(0, func() {
			stop()
			close(done)
		})
	})
	<-done
}

// TestCallGivesUpWithItsContext holds that it returns although the loop is busy,
// and that the function still runs in its turn.
func TestCallGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	l := started(t)
	hold, ran := make(chan struct{}), make(chan struct{})
	l.Post(func() { <-hold })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Call(ctx, func() { close(ran) }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(hold)
	<-ran
}

func TestCallOnALoopThatHasEndedGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	l := NewLoop()
	run(l)()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Call(ctx, func() { t.Error("it ran") }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestTheEndDropsWhatWaits holds that, once the context is over, nothing more
// runs: neither what waits, nor what is posted later, nor what a timer brings.
func TestTheEndDropsWhatWaits(t *testing.T) {
	t.Parallel()
	l := NewLoop()
	ctx, cancel := context.WithCancel(t.Context())
	ran := 0
	l.Post(func() {
		ran++
		l.After(0, func() { t.Error("a timer ran after the end") })
		cancel()
	})
	l.Post(func() { t.Error("what waited ran after the end") })
	l.Run(ctx)
	l.Post(func() { t.Error("what was posted later ran") })
	l.Run(ctx)
	if ran != 1 {
		t.Errorf("%d ran before the end", ran)
	}
	if n := l.queued(); n != 0 {
		t.Errorf("%d functions are kept for nothing", n)
	}
}

func TestALoopWhoseContextIsOverRunsNothing(t *testing.T) {
	t.Parallel()
	l := NewLoop()
	l.Post(func() { t.Error("it ran") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.Run(ctx)
}
