package durable_test

import (
	"fmt"
	"testing"
	"time"

	"deskbridge/adapters/sched"
	"deskbridge/fsm/durable"
)

// BenchmarkEngine is what the engine adds to a commit: a fact with one effect
// that succeeds at once, over a store in memory, alone and with effects of other
// instances waiting for their next attempt.
func BenchmarkEngine(b *testing.B) {
	for _, waiting := range []int{0, 1000, 10_000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			r := &rig{clock: sched.NewVirtual(time.Unix(1_000_000, 0)), store: newMemStore()}
			opt := r.options()
			opt.Stepped = func(entry) {}
			opt.Executor = durable.ExecutorFunc[fact, effect](func(_ string, e effect, _ durable.Attempt, done func(report)) {
				if e.(errand).Name == "wait" {
					done(report{Again: &durable.Again{After: time.Hour}})
					return
				}
				done(report{Facts: []fact{asked{}}})
			})
			r.engine = durable.New(opt)
			if err := r.engine.Start(); err != nil {
				b.Fatal(err)
			}
			for i := range waiting {
				r.engine.Submit(fmt.Sprint("w", i), asked{For: []effect{errand{Name: "wait", Lane: "road"}}}, nil)
			}
			r.clock.Settle()
			steps := 0
			b.ReportAllocs()
			for b.Loop() {
				steps++
				r.engine.Submit(fmt.Sprint("p", steps%1000), asked{For: []effect{errand{Name: "carry", Lane: "road"}}}, nil)
				r.clock.Settle()
			}
		})
	}
}
