package durable_test

import (
	"testing"
	"time"

	"deskbridge/fsm/durable"
)

// parted reports that an errand is done up to a part, and lets the engine settle.
func (r *rig) parted(name, how string, upTo int) {
	r.t.Helper()
	r.take(name).report(report{Facts: []fact{ended{name, how}}, Done: upTo})
	r.clock.Settle()
}

func TestAPartAndTheAttemptAtTheRestShareACommit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Lane: "road"}, errand{Name: "behind", Lane: "road"})
	r.clock.Advance(time.Minute)
	r.lines = nil
	r.parted("carry", "half", 1)
	want(t, "transcript", r.lines, []string{
		"commit: lease carry; journal p.2 half carry",
		"stepped p.2",
		"execute p carry #1",
	})
	want(t, "attempt at the rest", r.take("carry").Attempt, durable.Attempt{Number: 1, First: r.clock.Now(), Done: 1})
}

func TestAnEffectInPartsGoesOnAfterACrashWhereItWas(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry"})
	r.parted("carry", "one third", 1)
	r.parted("carry", "two thirds", 2)
	begun := r.clock.Now()
	r.clock.Advance(time.Minute)
	r.start()
	want(t, "attempt after the crash", r.open[0].Attempt, durable.Attempt{Number: 2, First: begun, Sent: true, Done: 2})
	r.done("carry")
	r.clock.Settle()
	want(t, "story", r.story("p"), []string{"asked a", "one third carry", "two thirds carry", "done carry"})
}

// The attempts before a part was done say nothing of what is left.
func TestTheRestOfAnEffectIsTriedAsIfItWereTheFirst(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.again("carry", durable.Again{Sent: true})
	r.clock.Advance(time.Minute)
	r.parted("carry", "half", 1)
	rest := r.clock.Now()
	want(t, "attempt at the rest", r.open[0].Attempt, durable.Attempt{Number: 1, First: rest, Done: 1})
	r.again("carry", durable.Again{}) // nothing of the rest was sent
	want(t, "outbox", r.inStore(), []string{"carry leased=false attempts=1"})
	r.clock.Advance(time.Minute)
	want(t, "next attempt", r.open[0].Attempt, durable.Attempt{Number: 2, First: r.clock.Now(), Done: 1})
}

func TestACrashBetweenPartsOfAFragileEffectLosesTheRest(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.parted("carry", "half", 1)
	r.start()
	want(t, "story", r.story("p"), []string{"asked a", "half carry", "lost carry"})
	want(t, "under way", r.underWay(), []string{})
}

func TestWhatIsDoneInPartIsNotWithdrawn(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"under way", "between two attempts", "its part not journalled yet", "after a crash"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.ask("p", "a", errand{Name: "carry", Recallable: true})
			if when == "its part not journalled yet" {
				r.take("carry").report(report{Facts: []fact{ended{"carry", "half"}}, Done: 1})
			} else {
				r.parted("carry", "half", 1)
			}
			switch when {
			case "between two attempts":
				r.again("carry", durable.Again{})
			case "after a crash":
				r.start()
			}
			r.ask("p", "stop", recall{})
			if when != "between two attempts" {
				r.again("carry", durable.Again{Absent: true}) // the rest; the first part is there
			}
			r.clock.Advance(time.Hour)
			want(t, "attempts at the rest under way", r.underWay(), []string{"carry"})
			r.done("carry")
			r.clock.Settle()
			story := r.story("p")
			want(t, "end of the story", story[len(story)-1], "done carry")
		})
	}
}

func TestAPartThatTheStoreRefusesIsReportedUntilItTakesIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry"})
	r.refuseNext("commit", 2)
	r.parted("carry", "half", 1)
	want(t, "under way while the store refuses", r.underWay(), []string{})
	r.clock.Advance(2 * time.Second)
	want(t, "story", r.story("p"), []string{"asked a", "half carry"})
	want(t, "attempt", r.take("carry").Attempt, durable.Attempt{Number: 1, First: r.clock.Now(), Done: 1})
}

// The engine that stops has not begun the attempt at the rest.
func TestStopDuringAPartLeavesTheRestToTheNextLife(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.stop()
	r.parted("carry", "half", 1)
	want(t, "stopped", r.stopped(), true)
	want(t, "under way", r.underWay(), []string{})
	want(t, "outbox", r.inStore(), []string{"carry leased=false attempts=0"})
	r.start()
	want(t, "attempt", r.take("carry").Attempt, durable.Attempt{Number: 1, First: r.clock.Now(), Done: 1})
	want(t, "story", r.story("p"), []string{"asked a", "half carry"})
}

// What the commit of a part has leased begins, though it is told as the engine is
// stopped: the end of a trouble is told between the two.
func TestStopUponACommitLetsTheRestBegin(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.refuseNext("commit", 1)
	r.parted("carry", "half", 1)
	r.onTrouble = func(err error) {
		if err == nil {
			r.engine.Stop(func() { r.tell("stopped") })
		}
	}
	r.clock.Advance(time.Second)
	want(t, "under way", r.underWay(), []string{"carry"})
	want(t, "stopped", r.stopped(), false)
}

func TestPartsMustGrow(t *testing.T) {
	t.Parallel()
	for name, rep := range map[string]report{
		"not at all":          {Facts: []fact{ended{"carry", "half"}}, Done: 2},
		"backwards":           {Facts: []fact{ended{"carry", "half"}}, Done: 1},
		"below nothing":       {Facts: []fact{ended{"carry", "half"}}, Done: -1},
		"without a fact":      {Done: 3},
		"and another attempt": {Again: &durable.Again{}, Done: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.ask("p", "a", errand{Name: "carry"})
			r.parted("carry", "half", 2)
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			r.take("carry").report(rep)
		})
	}
}
