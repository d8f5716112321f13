package durable_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"deskbridge/fsm/durable"
)

// unfit lets the store take nothing of what is told as one of these: an instance, a
// fact, a record or an effect.
func (r *rig) unfit(what ...string) {
	r.store.Refuse = func(op string, about any) error {
		for _, w := range what {
			if name, ok := about.(string); op == "load" && ok && name == w || op != "load" && tell(about) == w {
				return fmt.Errorf("%s %s: %w", op, w, durable.ErrUnfit)
			}
		}
		return nil
	}
}

func (r *rig) receipts() []string {
	lines := []string{}
	for _, line := range r.lines {
		if len(line) > 7 && line[:7] == "receipt" {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestAFactThatCannotBeStoredIsRefusedAlone(t *testing.T) {
	t.Parallel()
	refusal := ": durable: this cannot be read or written, though the store can"
	for what, c := range map[string]struct {
		unfit    string
		instance string
		wants    []effect
		receipt  string
	}{
		"the fact":     {"asked bad", "p", nil, "append asked bad" + refusal},
		"its record":   {"note", "p", []effect{note{"x"}}, "record note" + refusal},
		"its effect":   {"heavy", "p", []effect{errand{Name: "light"}, errand{Name: "heavy"}}, "enqueue heavy" + refusal},
		"its instance": {"q", "q", nil, "load q" + refusal},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.unfit(c.unfit)
			r.submit("p", asked{Key: "a", For: []effect{errand{Name: "carry"}}})
			r.submit(c.instance, asked{Key: "bad", For: c.wants})
			r.submit("p", asked{Key: "b"})
			r.submit("other", asked{Key: "c"})
			r.clock.Settle()
			if c.unfit == "heavy" {
				c.receipt = "durable: enqueue errand: " + c.receipt
			}
			want(t, "receipts", r.receipts(), []string{
				"receipt of asked a: <nil>", "receipt of asked bad: " + c.receipt, "receipt of asked b: <nil>", "receipt of asked c: <nil>",
			})
			want(t, "story of p", r.story("p"), []string{"asked a", "asked b"})
			want(t, "story of another", r.story("other"), []string{"asked c"})
			want(t, "outbox", r.inStore(), []string{"carry leased=true attempts=1"})
			if len(r.troubles) != 1 || r.troubles[0].Error() != c.receipt {
				t.Errorf("troubles %v, want the refusal alone", r.troubles)
			}
			r.store.Refuse = nil // whoever sent it kept it
			r.ask(c.instance, "bad")
			want(t, "receipt", r.receipts()[4:], []string{"receipt of asked bad: <nil>"})
		})
	}
}

// What many facts cost that cannot be stored must not grow with their square: what
// is fit before one of them is written at once.
func TestManyFactsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.unfit("q")
	steps := 0
	refuse := r.store.Refuse
	r.store.Refuse = func(op string, about any) error {
		if op == "append" {
			steps++
		}
		return refuse(op, about)
	}
	for i := range 256 {
		r.submit("q", asked{Key: fmt.Sprint("q", i)})
		r.submit("p", asked{Key: fmt.Sprint("p", i)})
	}
	r.clock.Settle()
	want(t, "steps of p", r.store.Instances["p"].Steps, int64(256))
	want(t, "troubles", len(r.troubles), 256)
	if steps > 2*256 {
		t.Errorf("%d facts were written until 256 were there", steps)
	}
}

// A sender that hands in such a fact again as soon as it is refused must not keep
// the engine from others.
func TestSubmittingAgainAtOnceWhatCannotBeStored(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.unfit("asked bad")
	refusals := 0
	var submit func()
	submit = func() {
		r.engine.Submit("p", asked{Key: "bad"}, func(err error) {
			refusals++
			if refusals == 5 {
				r.submit("q", asked{Key: "other"})
			}
			if len(r.story("q")) == 0 {
				submit()
			}
		})
	}
	submit()
	r.clock.Settle()
	want(t, "story of another", r.story("q"), []string{"asked other"})
	if refusals > 6 {
		t.Errorf("refused %d times before another fact was taken", refusals)
	}
}

func TestAResultThatCannotBeStoredStaysOpenUntilTheNextStart(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Lane: "road", Fragile: true, Recallable: true},
		errand{Name: "behind", Lane: "road"}, errand{Name: "free"})
	r.unfit("done carry")
	r.take("carry").report(report{Facts: []fact{ended{"carry", "begun"}, ended{"carry", "done"}}})
	r.done("free")
	r.clock.Settle()
	r.ask("p", "stop", recall{})
	r.ask("q", "b")
	r.engine.Kick(func(string, effect) bool { return true })
	r.clock.Advance(time.Hour)
	want(t, "story", r.story("p"), []string{"asked a", "done free", "asked stop"})
	want(t, "story of another", r.story("q"), []string{"asked b"})
	want(t, "outbox", r.inStore(), []string{"carry leased=true attempts=1", "behind leased=false attempts=0"})
	want(t, "executed", r.executed, []string{"carry", "free"})
	want(t, "troubles", len(r.troubles), 1)
	want(t, "known to be unfit", errors.Is(r.troubles[0], durable.ErrUnfit), true)

	r.stop() // waits for nothing that cannot come
	want(t, "stopped", r.stopped(), true)

	r.start()
	want(t, "story after a restart", r.story("p"), []string{"asked a", "done free", "asked stop", "lost carry"})
	want(t, "under way", r.underWay(), []string{"behind"})
}

func TestAPartThatCannotBeStoredIsNotGoneOnFrom(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry"})
	begun := r.clock.Now()
	r.unfit("half carry")
	r.parted("carry", "half", 1)
	want(t, "under way", r.underWay(), []string{})
	want(t, "outbox", r.inStore(), []string{"carry leased=true attempts=1"})
	r.start()
	want(t, "attempt in the next life", r.take("carry").Attempt, durable.Attempt{Number: 2, First: begun, Sent: true})
}

// The loss itself cannot be stored: the effect is neither repeated nor forgotten.
func TestALossThatCannotBeStoredIsToldAtTheNextStart(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.unfit("lost carry")
	r.start()
	want(t, "story", r.story("p"), []string{"asked a"})
	want(t, "outbox", r.inStore(), []string{"carry leased=true attempts=1"})
	r.store.Refuse = nil
	r.start()
	want(t, "story after another start", r.story("p"), []string{"asked a", "lost carry"})
}

// What is set aside is told after a commit that fails, too, and goes in no more.
func TestAStoreThatFailsBesideWhatCannotBeStored(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.unfit("asked bad")
	unfit, failing := r.store.Refuse, true
	r.store.Refuse = func(op string, about any) error {
		if op == "commit" && failing {
			failing = false
			return errRefused
		}
		return unfit(op, about)
	}
	r.submit("p", asked{Key: "a"})
	r.submit("p", asked{Key: "bad"})
	r.submit("p", asked{Key: "b"})
	r.clock.Advance(time.Second)
	want(t, "receipts", r.receipts(), []string{
		"receipt of asked a: the disk is full",
		"receipt of asked bad: append asked bad: durable: this cannot be read or written, though the store can",
		"receipt of asked b: <nil>",
	})
	want(t, "story", r.story("p"), []string{"asked b"})
	want(t, "troubles", len(r.troubles), 3)
	want(t, "the last", r.troubles[2], error(nil))
}

// With nothing to write, nobody knows whether the store takes it again.
func TestAnEmptyFlushDoesNotEndATrouble(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.refuseNext("commit", 1)
	r.ask("p", "a")
	r.clock.Advance(time.Hour)
	if len(r.troubles) != 1 || !errors.Is(r.troubles[0], errRefused) {
		t.Errorf("troubles %v, want the refusal alone", r.troubles)
	}
	r.ask("p", "a")
	want(t, "the last", r.troubles[len(r.troubles)-1], error(nil))
}
