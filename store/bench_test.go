package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"deskbridge/adapters/sched"
	"deskbridge/fsm/durable"
	t "deskbridge/transitions"
)

// BenchmarkDurableStep is what a message costs until it may be acknowledged:
// journalled, stepped, its track, row and calls stored, committed to the disk.
// The floor is what the disk alone takes in the same minute: 8 KB overwritten
// and synced. Compare the ratios, since disks differ and have moods:
//
//	p50/floor    median of a commit to the floor's median
//	facts/floor  facts a second to syncs a second
func BenchmarkDurableStep(b *testing.B) {
	for _, facts := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("facts=%d", facts), func(b *testing.B) {
			clock := sched.NewVirtual(time.UnixMilli(1_000_000))
			engine := benchEngine(b, clock)
			sync := newFloor(b)
			var steps, syncs []time.Duration
			tracks, acks := 0, 0
			for b.Loop() {
				steps = append(steps, took(func() {
					for range facts {
						tracks++
						f := t.MessageReceived{Message: fmt.Sprint("om_", tracks), Sender: "ou_a", Text: "what is new?", Created: 1}
						engine.Submit(fmt.Sprintf("oc_%d/1", tracks), f, func(err error) {
							if err != nil {
								b.Error(err)
							}
							acks++
						})
					}
					clock.Settle()
				}))
				syncs = append(syncs, took(sync))
			}
			if acks != tracks {
				b.Fatalf("%d of %d messages are acknowledged", acks, tracks)
			}
			b.ReportMetric(float64(sum(steps).Nanoseconds())/float64(len(steps)), "ns/op")
			b.ReportMetric(float64(median(steps))/float64(median(syncs)), "p50/floor")
			b.ReportMetric(float64(facts)*float64(sum(syncs))/float64(sum(steps)), "facts/floor")
		})
	}
}

// benchEngine is an engine over a ledger whose calls are begun and never end.
func benchEngine(b *testing.B, clock *sched.Virtual) *durable.Engine[t.State, t.Data, t.Fact, t.Effect] {
	b.Helper()
	e := durable.New(durable.Options[t.State, t.Data, t.Fact, t.Effect]{
		Scheduler: clock,
		Store:     open(b, b.TempDir()),
		Machine:   t.Conversation(),
		Handle:    t.Handle,
		Executor:  durable.ExecutorFunc[t.Fact, t.Effect](func(string, t.Effect, durable.Attempt, func(durable.Report[t.Fact])) {}),
		Hint:      func(string, t.Effect) {},
		Stepped:   func(Entry) {},
		Backoff:   func(int) time.Duration { return time.Second },
		Trouble:   func(err error) { b.Error(err) },
	})
	if err := e.Start(); err != nil {
		b.Fatal(err)
	}
	return e
}

// newFloor returns a write that nothing durable can be faster than.
func newFloor(b *testing.B) func() {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := f.Close(); err != nil {
			b.Error(err)
		}
	})
	page := make([]byte, 8<<10)
	return func() {
		if _, err := f.WriteAt(page, 0); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

func took(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func sum(all []time.Duration) (total time.Duration) {
	for _, d := range all {
		total += d
	}
	return total
}

func median(all []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}
