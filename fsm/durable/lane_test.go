package durable_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/fsm/durable"
)

func TestALaneIsCarriedOutOneAtATimeAndInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "one", Lane: "road"}, errand{Name: "two", Lane: "road"})
	r.ask("p", "b", errand{Name: "three", Lane: "road"})
	want(t, "at first", r.executed, []string{"one"})
	r.done("one")
	r.clock.Settle()
	want(t, "after the first", r.executed, []string{"one", "two"})
	r.done("two")
	r.clock.Settle()
	want(t, "after the second", r.executed, []string{"one", "two", "three"})
	r.done("three")
	r.clock.Settle()
	want(t, "outbox", r.inStore(), []string{})
}

func TestOtherLanesAndInstancesRunSideBySide(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a",
		errand{Name: "p road", Lane: "road"}, errand{Name: "p road again", Lane: "road"},
		errand{Name: "p rail", Lane: "rail"},
		errand{Name: "p free"}, errand{Name: "p free again"})
	r.ask("q", "b", errand{Name: "q road", Lane: "road"})
	want(t, "under way", r.underWay(), []string{"p road", "p rail", "p free", "p free again", "q road"})
}

// One commit settles the head of a lane, leases its successor, and enqueues what
// the result asked for behind it.
func TestAResultAndTheNextOfItsLaneShareACommit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "one", Lane: "road"}, errand{Name: "two", Lane: "road"})
	r.lines = nil
	r.take("one").report(report{Facts: []fact{asked{Key: "b", For: []effect{errand{Name: "three", Lane: "road"}}}}})
	r.clock.Settle()
	want(t, "transcript", r.lines, []string{
		"commit: settle one; journal p.2 asked b; lease two; enqueue three leased=false",
		"stepped p.2",
		"execute p two #1",
	})
}

// What a result asks for takes the place of the last of its lane at once.
func TestAnEffectInALaneThatJustEmptiedIsLeasedAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "one", Lane: "road"})
	r.take("one").report(report{Facts: []fact{asked{Key: "b", For: []effect{errand{Name: "two", Lane: "road"}, errand{Name: "three", Lane: "road"}}}}})
	r.clock.Settle()
	want(t, "outbox", r.inStore(), []string{"two leased=true attempts=1", "three leased=false attempts=0"})
	want(t, "under way", r.underWay(), []string{"two"})
}

func TestABackoffHoldsItsLaneButNoOther(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "one", Lane: "road"}, errand{Name: "two", Lane: "road"}, errand{Name: "rail", Lane: "rail"})
	r.again("one", durable.Again{})
	r.done("rail")
	r.clock.Settle()
	want(t, "executed in the meantime", r.executed, []string{"one", "rail"})
	r.clock.Advance(time.Minute)
	want(t, "executed", r.executed, []string{"one", "rail", "one"})
}

// A ready effect behind a busy one gives the store nothing to write.
func TestABlockedLaneMakesNoTransactions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "one", Lane: "road"}, errand{Name: "two", Lane: "road"})
	before := r.store.Begun
	r.clock.Advance(time.Hour)
	want(t, "transactions", r.store.Begun-before, 0)
	if _, waits := r.clock.Next(); waits {
		t.Error("a timer is set, and nothing waits for time")
	}
}

func TestAnExecutorMayReportWithinExecute(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tries := 0
	r.onExecute = func(a attempt) {
		if a.errand.Name == "two" && tries < 2 {
			tries++
			a.report(report{Again: &durable.Again{}})
			return
		}
		a.report(report{Facts: []fact{ended{a.errand.Name, "done"}}})
	}
	r.ask("p", "a", errand{Name: "one", Lane: "road"}, errand{Name: "two", Lane: "road"}, errand{Name: "three", Lane: "road"})
	r.clock.Advance(3 * time.Minute)
	want(t, "story", r.story("p"), []string{"asked a", "done one", "done two", "done three"})
	want(t, "executed", r.executed, []string{"one", "two", "two", "two", "three"})
}

func TestReportsThatBreakTheContractPanic(t *testing.T) {
	t.Parallel()
	facts := []fact{ended{"carry", "done"}}
	for name, reports := range map[string][]report{
		"twice":             {{Facts: facts}, {Facts: facts}},
		"after another try": {{Again: &durable.Again{}}, {Facts: facts}},
		"neither":           {{}},
		"both":              {{Facts: facts, Again: &durable.Again{}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.ask("p", "a", errand{Name: "carry"})
			a := r.take("carry")
			last := len(reports) - 1
			for _, rep := range reports[:last] {
				a.report(rep)
			}
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			a.report(reports[last])
		})
	}
}

func TestTwoRunsGiveTheSameTranscript(t *testing.T) {
	t.Parallel()
	run := func() []string {
		r := newRig(t)
		for i := range 40 {
			p := fmt.Sprintf("p%d", i%7)
			r.submit(p, asked{Key: fmt.Sprint(i), For: []effect{
				errand{Name: fmt.Sprintf("%d free", i), Recallable: true},
				errand{Name: fmt.Sprintf("%d road", i), Lane: "road", Recallable: true},
				errand{Name: fmt.Sprintf("%d rail", i), Lane: "rail"},
			}})
		}
		r.clock.Settle()
		for i := range 40 {
			r.again(r.open[0].errand.Name, durable.Again{Sent: i%3 == 0})
		}
		r.engine.Kick(func(string, effect) bool { return true })
		r.clock.Settle()
		for i := range 7 {
			r.ask(fmt.Sprintf("p%d", i), fmt.Sprint("recall", i), recall{})
		}
		for range 200 {
			if len(r.open) == 0 {
				break
			}
			r.done(r.open[0].errand.Name)
			r.clock.Settle()
		}
		r.start()
		return r.lines
	}
	first := run()
	if len(first) < 300 {
		t.Fatalf("only %d lines: the run did not do much", len(first))
	}
	if diff := cmp.Diff(first, run()); diff != "" {
		t.Errorf("the second run differs:\n%s", diff)
	}
}

// What a fact costs must not grow with the effects that wait for their next
// attempt: with Codex out of reach, every conversation may have one. Not
// parallel, since it counts the bytes that the program allocates.
func TestWaitingEffectsCostNothing(t *testing.T) {
	cost := func(waiting int) uint64 {
		r := newRig(t)
		r.store.Log = nil
		r.onExecute = func(a attempt) { a.report(report{Again: &durable.Again{After: time.Hour}}) }
		for i := range waiting {
			r.engine.Submit(fmt.Sprint("w", i), asked{Key: fmt.Sprint("w", i), For: []effect{errand{Name: "wait", Lane: "road"}}}, nil)
		}
		r.clock.Settle()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 100 {
			r.engine.Submit("p", ended{"x", "done"}, nil)
			r.clock.Settle()
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	none, many := cost(0), cost(5000)
	if many > 2*none {
		t.Errorf("100 facts allocate %d bytes, and %d with 5000 effects waiting", none, many)
	}
}
