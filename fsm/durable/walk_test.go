package durable_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"deskbridge/fsm/durable"
)

// walk drives an engine through anything that can happen to it, crashes and a
// refusing store included, beside a naive account of what it owes.
type walk struct {
	*rig
	rt     *rapid.T
	serial int
	asked  []errand        // those acknowledged
	sent   map[string]bool // errands that may have taken effect
	before map[string]bool // those that may have in an earlier life
}

// TestNothingIsLostOrDoubledWhateverHappens holds, at every moment: what begins
// is leased in the store under that attempt's number; a lane is carried out one
// at a time and in order; a fragile errand that may have taken effect in one
// life is not begun in the next; a receipt means that the fact is in the
// journal. And once faults stop: every errand that was acknowledged has exactly
// one end, and one that is true.
func TestNothingIsLostOrDoubledWhateverHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &walk{rig: newRig(t), rt: rt, sent: map[string]bool{}, before: map[string]bool{}}
		w.store.log = nil
		w.onExecute = w.begin
		for range rapid.IntRange(1, 80).Draw(rt, "steps") {
			w.step()
		}
		w.finish()
	})
}

func (w *walk) step() {
	switch rapid.SampledFrom([]string{"ask", "ask", "done", "done", "again", "again", "recall", "settle", "settle", "wait", "kick", "refuse", "crash"}).Draw(w.rt, "what") {
	case "ask":
		w.askSome()
	case "done":
		if a, ok := w.pick(); ok {
			w.sent[a.errand.Name] = true
			a.report(report{Facts: []fact{ended{a.errand.Name, "done"}}})
		}
	case "again":
		if a, ok := w.pick(); ok {
			sent := rapid.Bool().Draw(w.rt, "sent")
			if sent {
				w.sent[a.errand.Name] = true
			}
			a.report(report{Again: &durable.Again{Sent: sent}})
		}
	case "recall":
		if rapid.Bool().Draw(w.rt, "just woken") {
			w.engine.Kick(func(effect) bool { return true })
		}
		w.serial++
		w.engine.Submit(w.instance(), asked{Key: fmt.Sprint("recall", w.serial), For: []effect{recall{}}}, nil)
	case "settle":
		w.clock.Settle()
	case "wait":
		w.clock.Advance(time.Duration(rapid.IntRange(1, 120).Draw(w.rt, "seconds")) * time.Second)
	case "kick":
		w.engine.Kick(func(effect) bool { return true })
	case "refuse":
		op := rapid.SampledFrom([]string{"begin", "append", "enqueue", "lease", "release", "settle", "commit"}).Draw(w.rt, "op")
		w.refuseNext(op, rapid.IntRange(1, 3).Draw(w.rt, "times"))
	case "crash":
		for _, a := range w.open { // the far side may have taken effect all the same
			if rapid.Bool().Draw(w.rt, "took effect") {
				w.sent[a.errand.Name] = true
			}
		}
		w.before = maps.Clone(w.sent)
		w.store.refuse = nil
		w.start()
	}
}

func (w *walk) instance() string {
	return rapid.SampledFrom([]string{"p", "p", "p", "q"}).Draw(w.rt, "instance")
}

func (w *walk) pick() (attempt, bool) {
	if len(w.open) == 0 {
		return attempt{}, false
	}
	return w.take(w.open[rapid.IntRange(0, len(w.open)-1).Draw(w.rt, "which")].errand.Name), true
}

func (w *walk) askSome() {
	w.serial++
	ask := asked{Key: fmt.Sprint("ask", w.serial)}
	var errands []errand
	for i := range rapid.IntRange(1, 3).Draw(w.rt, "errands") {
		e := errand{
			Name:       fmt.Sprintf("%d.%d", w.serial, i),
			Lane:       rapid.SampledFrom([]string{"", "road", "rail"}).Draw(w.rt, "lane"),
			Fragile:    rapid.Bool().Draw(w.rt, "fragile"),
			Recallable: rapid.Bool().Draw(w.rt, "recallable"),
		}
		errands = append(errands, e)
		ask.For = append(ask.For, e)
	}
	w.engine.Submit(w.instance(), ask, func(err error) {
		if err != nil {
			return
		}
		if !w.store.keys[ask.Key] {
			w.rt.Fatalf("%s is acknowledged and not in the journal", ask.Key)
		}
		w.asked = append(w.asked, errands...)
	})
}

// begin takes an attempt and checks that it may begin.
func (w *walk) begin(a attempt) {
	pending, _ := w.store.Outbox()
	i := slices.IndexFunc(pending, func(q queued) bool { return q.Effect == effect(a.errand) })
	if i < 0 || !pending[i].Leased || pending[i].Attempt != a.Attempt {
		w.rt.Fatalf("attempt %+v at %s begins without its lease", a.Attempt, a.errand.Name)
	}
	for _, q := range pending[:i] {
		if e := q.Effect.(errand); q.Instance == a.instance && e.Lane != "" && e.Lane == a.errand.Lane {
			w.rt.Fatalf("%s begins before %s of its lane is settled", a.errand.Name, e.Name)
		}
	}
	if a.errand.Fragile && w.before[a.errand.Name] {
		w.rt.Fatalf("%s is fragile, may have taken effect, and begins again", a.errand.Name)
	}
	w.open = append(w.open, a)
}

// finish lets every attempt succeed from now on, and draws the account.
func (w *walk) finish() {
	w.store.refuse = nil
	for range 1000 {
		w.clock.Advance(time.Hour)
		if len(w.open) == 0 && len(w.store.outbox) == 0 {
			break
		}
		if len(w.open) > 0 {
			a := w.open[0]
			w.open = w.open[1:]
			w.sent[a.errand.Name] = true
			a.report(report{Facts: []fact{ended{a.errand.Name, "done"}}})
		}
	}
	if left := w.inStore(); len(left) > 0 {
		w.rt.Fatalf("never settled: %v", left)
	}
	ends := map[string][]string{}
	for _, e := range w.store.entries {
		if f, ok := e.Fact.(ended); ok {
			ends[f.Errand] = append(ends[f.Errand], f.How)
		}
	}
	for _, e := range w.asked {
		w.account(e, ends[e.Name])
	}
}

func (w *walk) account(e errand, ends []string) {
	if len(ends) != 1 {
		w.rt.Fatalf("%+v has the ends %v, want one", e, ends)
	}
	sent := w.sent[e.Name]
	holds := map[string]bool{
		"done":      sent,
		"withdrawn": !sent && e.Recallable,
		"lost":      e.Fragile,
	}
	if !holds[ends[0]] {
		w.rt.Fatalf("%+v is %s; may have taken effect: %t", e, ends[0], sent)
	}
}
