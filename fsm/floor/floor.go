// Package floor is for benchmarks: beside what is measured it measures, in turns
// and so in the same mood of the machine, the least that anything of the kind
// can cost. Compare the ratios: single figures differ from machine to machine
// and from minute to minute.
//
// What belongs here: floors, and how figures are drawn from what was timed. What
// does not: anything of the bridge.
package floor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	looplab "github.com/looplab/fsm"
)

// Times are how long the same thing took, each time.
type Times []time.Duration

// Median is the middle one; of none it is 0.
func (t Times) Median() time.Duration {
	if len(t) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(t))[len(t)/2]
}

// Sum is all of them together.
func (t Times) Sum() (total time.Duration) {
	for _, d := range t {
		total += d
	}
	return total
}

// Took times a call.
func Took(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// Looplab returns the floor of a step: one event of looplab/fsm without
// callbacks, on a machine that many of them can share, in a table of a few rows.
func Looplab(tb testing.TB) func() {
	tb.Helper()
	m := looplab.NewFSM("locked", looplab.Events{
		{Name: "locked.coin.1", Src: []string{"locked"}, Dst: "unlocked"},
		{Name: "unlocked.push.1", Src: []string{"unlocked"}, Dst: "locked"},
	}, nil)
	return func() {
		m.SetState("locked")
		if err := m.Event(context.Background(), "locked.coin.1"); err != nil {
			tb.Fatal(err)
		}
	}
}

// pageSize is what a small commit writes to the disk.
const pageSize = 8 << 10

// Sync returns the floor of a commit: 8 KB of a file overwritten in place and
// synced.
func Sync(tb testing.TB) func() {
	tb.Helper()
	f, err := os.Create(filepath.Join(tb.TempDir(), "floor"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := f.Close(); err != nil {
			tb.Error(err)
		}
	})
	page := make([]byte, pageSize)
	return func() {
		_, err := f.WriteAt(page, 0)
		if err = errors.Join(err, f.Sync()); err != nil {
			tb.Fatal(err)
		}
	}
}

// Read returns the floor of taking up a file: it is read from end to end.
func Read(tb testing.TB, path string) func() {
	tb.Helper()
	return func() {
		if _, err := os.ReadFile(path); err != nil {
			tb.Fatal(err)
		}
	}
}

// A clock reading costs a good part of a step, so that stepsABatch of them are
// timed together; stopping the benchmark's own timer costs hundreds, so that it is
// done after many.
const (
	stepsABatch = 100
	batchEvery  = 1000
)

// Steps runs a benchmark of something as small as a step, against looplab's
// event. It reports
//
//	ns/op          the median of one step
//	looplab-ns/op  the median of one event of looplab
//	step/looplab   the ratio of the two
func Steps(b *testing.B, step func()) {
	b.Helper()
	event := Looplab(b)
	b.ReportAllocs()
	var steps, events Times
	begin := func(f func()) func() {
		return func() {
			for range stepsABatch {
				f()
			}
		}
	}
	for n := 0; b.Loop(); n++ {
		step()
		if n%batchEvery == 0 {
			b.StopTimer() // the allocations are those of the steps alone
			steps = append(steps, Took(begin(step)))
			events = append(events, Took(begin(event)))
			b.StartTimer()
		}
	}
	b.ReportMetric(float64(steps.Median().Nanoseconds())/stepsABatch, "ns/op")
	b.ReportMetric(float64(events.Median().Nanoseconds())/stepsABatch, "looplab-ns/op")
	b.ReportMetric(float64(steps.Median())/float64(events.Median()), "step/looplab")
}
