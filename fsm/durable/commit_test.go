package durable_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"deskbridge/fsm"
	"deskbridge/fsm/durable"
)

func TestFactsThatWaitTogetherShareACommit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.submit("p", asked{Key: "a", For: []effect{note{"a"}, whisper{"psst"}, errand{Name: "carry"}}})
	r.submit("q", asked{Key: "b", For: []effect{note{"b"}}})
	r.submit("p", asked{Key: "c"})
	want(t, "before the scheduler runs", r.lines, []string(nil))
	r.clock.Settle()
	want(t, "transcript", r.lines, []string{
		"commit: journal p.1 asked a; journal q.1 asked b; journal p.2 asked c; enqueue carry leased=true",
		"receipt of asked a: <nil>", "receipt of asked b: <nil>", "receipt of asked c: <nil>",
		"stepped p.1", "stepped q.1", "stepped p.2",
		"hint p psst",
		"execute p carry #1",
	})
	want(t, "records", r.store.Records, []effect{note{"a"}, note{"b"}})
	want(t, "story", r.story("p"), []string{"asked a", "asked c"})
}

func TestAFactToldAgainIsNotSteppedOn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.submit("p", asked{Key: "a", For: []effect{errand{Name: "carry"}}})
	r.submit("p", asked{Key: "a", For: []effect{errand{Name: "carry"}}}) // in the same batch
	r.clock.Settle()
	r.ask("p", "a", errand{Name: "carry"})
	r.start()
	r.ask("q", "a", errand{Name: "carry"}) // the key is the happening's, not the parcel's
	want(t, "story", r.story("p"), []string{"asked a"})
	want(t, "outbox", r.inStore(), []string{"carry leased=true attempts=2"})
	receipts := 0
	for _, line := range r.lines {
		if line == "receipt of asked a: <nil>" {
			receipts++
		}
	}
	want(t, "receipts", receipts, 4)
}

func TestFactsWithoutAKeyAllCount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for range 2 {
		r.engine.Submit("p", ended{"x", "done"}, nil)
	}
	r.clock.Settle()
	want(t, "story", r.story("p"), []string{"done x", "done x"})
}

func TestReceiptsHearOfAFailureAndNothingElseChanges(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"begin", "load", "seen", "append", "enqueue", "commit"} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.refuseNext(op, 1)
			r.ask("p", "a", note{"a"}, whisper{"psst"}, errand{Name: "carry"})
			if len(r.troubles) != 1 || !errors.Is(r.troubles[0], errRefused) {
				t.Fatalf("troubles %v, want the refusal", r.troubles)
			}
			if len(r.lines) != 1 || len(r.executed) != 0 {
				t.Fatalf("%q, want nothing but the receipt", r.lines)
			}
			want(t, "store", len(r.store.Entries)+len(r.store.Pending)+len(r.store.Records), 0)

			r.submit("p", asked{Key: "a", For: []effect{errand{Name: "carry"}}})
			r.clock.Advance(time.Second)
			want(t, "story", r.story("p"), []string{"asked a"})
			want(t, "executed", r.executed, []string{"carry"})
			want(t, "end of trouble", r.troubles[len(r.troubles)-1], error(nil))
		})
	}
}

func TestAResultIsTriedAgainUntilTheStoreTakesIt(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"begin", "append", "settle", "lease", "commit"} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.ask("p", "a", errand{Name: "carry", Lane: "road"}, errand{Name: "follow", Lane: "road"})
			r.refuseNext(op, 3)
			r.done("carry")
			r.submit("p", asked{Key: "b"})
			r.clock.Advance(2 * time.Second)
			want(t, "story while the store refuses", r.story("p"), []string{"asked a"})
			want(t, "executed while the store refuses", r.executed, []string{"carry"})
			r.clock.Advance(time.Second)
			want(t, "story", r.story("p"), []string{"asked a", "done carry"})
			want(t, "executed", r.executed, []string{"carry", "follow"})
			want(t, "outbox", r.inStore(), []string{"follow leased=true attempts=1"})
			want(t, "troubles", len(r.troubles), 4) // three refusals and their end
		})
	}
}

func TestAFailedCommitLeavesAReadyEffectReady(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry"})
	r.again("carry", durable.Again{})
	r.refuseNext("commit", 2)
	r.clock.Advance(time.Minute)
	want(t, "executed while the store refuses", r.executed, []string{"carry"})
	want(t, "outbox", r.inStore(), []string{"carry leased=false attempts=1"})
	r.clock.Advance(2 * time.Second)
	want(t, "executed", r.executed, []string{"carry", "carry"})
	want(t, "attempt", r.take("carry").Number, 2)
}

// A sender that hands in its fact again as soon as it is refused must not make
// the engine turn in circles, and each fact still goes in once.
func TestSubmittingAgainAtOnceWaitsForTheNextTry(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.refuseNext("commit", 3)
	refusals := 0
	var submit func()
	submit = func() {
		r.engine.Submit("p", asked{Key: "a"}, func(err error) {
			if err != nil {
				refusals++
				submit()
			}
		})
	}
	submit()
	r.clock.Settle()
	want(t, "refusals at once", refusals, 1)
	r.clock.Advance(3 * time.Second)
	want(t, "refusals", refusals, 3)
	want(t, "attempts at a transaction", r.store.Begun, 4)
	want(t, "story", r.story("p"), []string{"asked a"})
}

// More results than one transaction takes are waiting while the store refuses:
// the tries must not multiply.
func TestAFullQueueIsTriedOnceASecondWhileTheStoreRefuses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 2000 {
		r.engine.Submit("p", ended{fmt.Sprint(i), "done"}, nil)
	}
	r.refuseNext("begin", 10)
	r.clock.Advance(9 * time.Second)
	want(t, "tries", r.store.Begun, 10)
	r.clock.Advance(time.Second)
	if len(r.story("p")) != 2000 || r.store.Commits != 4 {
		t.Fatalf("%d facts in %d commits, want 2000 in 4", len(r.story("p")), r.store.Commits)
	}
	for i, line := range r.story("p") {
		if line != fmt.Sprintf("done %d", i) {
			t.Fatalf("fact %d is %q", i, line)
		}
	}
}

func TestAnInstanceIsLoadedOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a")
	r.refuseNext("load", 1)
	r.ask("p", "b")
	want(t, "story", r.story("p"), []string{"asked a", "asked b"})
}

func TestATransactionIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 1100 {
		r.submit("p", asked{Key: fmt.Sprint(i)})
	}
	r.clock.Settle()
	want(t, "commits", r.store.Commits, 3)
	want(t, "steps", r.store.Instances["p"].Steps, int64(1100))
}

// The facts of one report stand or fall together: a crash between two commits
// must not leave some of them in the journal and the effect unsettled.
func TestTheFactsOfAReportShareACommitAtTheBatchLimit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	for i := range 511 {
		r.engine.Submit("q", ended{fmt.Sprint(i), "done"}, nil)
	}
	r.take("carry").report(report{Facts: []fact{ended{"carry", "begun"}, ended{"carry", "done"}}})
	r.engine.Submit("p", ended{"later", "done"}, nil)
	r.store.Log = func(string) {
		if n := len(r.story("p")); n == 2 {
			t.Error("a commit holds one fact of the report without the other")
		}
	}
	r.clock.Settle()
	want(t, "commits", r.store.Commits, 3)
	want(t, "story", r.story("p"), []string{"asked a", "begun carry", "done carry", "done later"})
}

func TestAHoleInTheTableRefusesOneFactAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.submit("p", asked{Key: "a"})
	r.submit("p", crushed{"hole"})
	r.submit("p", asked{Key: "b"})
	r.submit("q", asked{Key: "c"})
	r.clock.Settle()
	want(t, "story of p", r.story("p"), []string{"asked a", "asked b"})
	want(t, "story of q", r.story("q"), []string{"asked c"})
	var cell *fsm.CellError
	if len(r.troubles) != 1 || !errors.As(r.troubles[0], &cell) {
		t.Fatalf("troubles %v, want one CellError", r.troubles)
	}
	want(t, "receipt", r.lines[2], "receipt of crushed: "+cell.Error())
	want(t, "key in the journal", r.store.Keys["hole"], false)
}

func TestAResultThatTheTableDoesNotKnowSettlesItsEffect(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Lane: "road"}, errand{Name: "follow", Lane: "road"})
	r.take("carry").report(report{Facts: []fact{crushed{}}})
	r.clock.Settle()
	want(t, "troubles", len(r.troubles), 1)
	want(t, "outbox", r.inStore(), []string{"follow leased=true attempts=1"})
}

// The operator hears of a hole after the commit, so once, not once a try.
func TestAHoleIsToldOnceThoughItsTransactionIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.refuseNext("commit", 2)
	r.engine.Submit("p", crushed{"hole"}, nil)
	r.engine.Submit("p", asked{Key: "a"}, nil)
	r.clock.Advance(2 * time.Second)
	holes := 0
	for _, err := range r.troubles {
		var cell *fsm.CellError
		if errors.As(err, &cell) {
			holes++
		}
	}
	want(t, "holes told", holes, 1)
	want(t, "story", r.story("p"), []string{"asked a"})
}
