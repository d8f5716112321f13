package sched

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// diary notes what ran, and how long after the epoch.
type diary struct {
	v     *Virtual
	lines []string
}

func newDiary() *diary { return &diary{v: NewVirtual(epoch)} }

func (d *diary) note(what string) func() {
	return func() { d.lines = append(d.lines, what+" "+d.v.Now().Sub(epoch).String()) }
}

func (d *diary) want(t *testing.T, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(lines, d.lines); diff != "" {
		t.Error(diff)
	}
}

func TestNothingRunsByItself(t *testing.T) {
	t.Parallel()
	d := newDiary()
	d.v.Post(d.note("posted"))
	d.v.After(0, d.note("due"))
	d.want(t)
	if !d.v.Now().Equal(epoch) {
		t.Errorf("it is %s", d.v.Now())
	}
}

func TestWhatIsPostedRunsInOrder(t *testing.T) {
	t.Parallel()
	d := newDiary()
	d.v.Post(d.note("a"))
	d.v.Post(func() {
		d.note("b")()
		d.v.Post(d.note("d"))
	})
	d.v.Post(d.note("c"))
	d.v.Settle()
	d.want(t, "a 0s", "b 0s", "c 0s", "d 0s")
}

func TestTimersOfOneMomentRunInTheOrderInWhichTheyWereSet(t *testing.T) {
	t.Parallel()
	d := newDiary()
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		d.v.After(time.Second, d.note(name))
	}
	d.v.After(time.Millisecond, d.note("sooner"))
	d.v.Advance(time.Second)
	d.want(t, "sooner 1ms", "a 1s", "b 1s", "c 1s", "d 1s", "e 1s")
}

func TestWhatATimerPostsRunsBeforeTheNextTimer(t *testing.T) {
	t.Parallel()
	d := newDiary()
	d.v.After(time.Second, func() {
		d.note("a")()
		d.v.Post(d.note("posted by a"))
	})
	d.v.After(time.Second, d.note("b"))
	d.v.Advance(time.Second)
	d.want(t, "a 1s", "posted by a 1s", "b 1s")
}

func TestAStoppedTimerNeverRuns(t *testing.T) {
	t.Parallel()
	d := newDiary()
	var stopC func()
	stopA := d.v.After(time.Second, d.note("a"))
	d.v.After(time.Second, func() {
		d.note("b")()
		stopC()
	})
	stopC = d.v.After(time.Second, d.note("c"))
	stopA()
	stopA() // any number of times
	d.v.Advance(time.Minute)
	stopC() // and after the moment
	d.want(t, "b 1s")
}

func TestATimerMayStopItself(t *testing.T) {
	t.Parallel()
	d := newDiary()
	var stop func()
	stop = d.v.After(time.Second, func() {
		d.note("a")()
		stop()
	})
	d.v.Advance(time.Second)
	d.want(t, "a 1s")
}

func TestAdvanceStopsAtEachMomentOnTheWay(t *testing.T) {
	t.Parallel()
	d := newDiary()
	d.v.After(3*time.Second, d.note("late"))
	d.v.After(time.Second, func() {
		d.note("early")()
		d.v.After(time.Second, d.note("set on the way"))
		d.v.After(time.Hour, d.note("beyond"))
		d.v.After(-time.Hour, d.note("long due"))
	})
	d.v.Advance(3 * time.Second)
	d.want(t, "early 1s", "long due 1s", "set on the way 2s", "late 3s")
	if got := d.v.Now().Sub(epoch); got != 3*time.Second {
		t.Errorf("it is %s", got)
	}
	if next, ok := d.v.Next(); !ok || next.Sub(epoch) != time.Hour+time.Second {
		t.Errorf("the next is at %s, %v", next.Sub(epoch), ok)
	}
}

func TestAdvanceByNothingRunsWhatIsDue(t *testing.T) {
	t.Parallel()
	d := newDiary()
	d.v.After(0, d.note("due"))
	d.v.After(1, d.note("not yet"))
	d.v.Advance(0)
	d.want(t, "due 0s")
}

func TestAdvanceUntilStopsAtTheMomentItIsDone(t *testing.T) {
	t.Parallel()
	d := newDiary()
	for i := range 5 {
		d.v.After(time.Duration(i+1)*time.Second, d.note("tick"))
	}
	if !d.v.AdvanceUntil(time.Minute, func() bool { return len(d.lines) == 3 }) {
		t.Error("it was not done")
	}
	d.want(t, "tick 1s", "tick 2s", "tick 3s")
	if got := d.v.Now().Sub(epoch); got != 3*time.Second {
		t.Errorf("it is %s", got)
	}
}

func TestAdvanceUntilRunsWhatIsDueBeforeItAsks(t *testing.T) {
	t.Parallel()
	d := newDiary()
	d.v.Post(d.note("posted"))
	d.v.After(time.Second, d.note("later"))
	if !d.v.AdvanceUntil(0, func() bool { return len(d.lines) > 0 }) {
		t.Error("it was not done")
	}
	d.want(t, "posted 0s")
}

func TestAdvanceUntilEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	d := newDiary()
	d.v.After(time.Second, d.note("at the limit"))
	d.v.After(time.Second+1, d.note("beyond"))
	if d.v.AdvanceUntil(time.Second, func() bool { return false }) {
		t.Error("it was done")
	}
	d.want(t, "at the limit 1s")
	if got := d.v.Now().Sub(epoch); got != time.Second {
		t.Errorf("it is %s", got)
	}
	if NewVirtual(epoch).AdvanceUntil(time.Hour, func() bool { return false }) {
		t.Error("done without anything to wait for")
	}
}

func TestNextPassesOverWhatWasStopped(t *testing.T) {
	t.Parallel()
	d := newDiary()
	stop := d.v.After(time.Second, d.note("a"))
	d.v.After(2*time.Second, d.note("b"))
	stop()
	if next, ok := d.v.Next(); !ok || next.Sub(epoch) != 2*time.Second {
		t.Errorf("the next is at %s, %v", next.Sub(epoch), ok)
	}
	d.v.Advance(2 * time.Second)
	if _, ok := d.v.Next(); ok {
		t.Error("there is a next one")
	}
}
