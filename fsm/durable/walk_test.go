package durable_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
	asked  []errand       // those acknowledged
	took   map[piece]bool // parts that took effect
	sent   map[piece]bool // parts that may have, as far as the engine was told
	before map[piece]bool // those that may have in an earlier life
	// refusing is the operation that the store refuses, so many times.
	refusing string
	times    int
}

// piece is a part of an errand.
type piece struct {
	errand string
	part   int
}

func (a attempt) piece() piece { return piece{a.errand.Name, a.Done} }

// TestNothingIsLostOrDoubledWhateverHappens holds, at every moment: what begins
// is leased in the store under that attempt's number; a lane is carried out one
// at a time and in order; a fragile errand that may have taken effect in one
// life is not begun in the next; a receipt means that the fact is in the
// journal. And once faults stop: every errand that was acknowledged has exactly
// one end, and one that is true.
func TestNothingIsLostOrDoubledWhateverHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &walk{rig: newRig(t), rt: rt, took: map[piece]bool{}, sent: map[piece]bool{}, before: map[piece]bool{}}
		w.store.Log = nil
		w.store.Refuse = w.refuse
		w.onExecute = w.begin
		for range rapid.IntRange(1, 80).Draw(rt, "steps") {
			w.step()
		}
		w.finish()
	})
}

func (w *walk) step() {
	switch rapid.SampledFrom([]string{"ask", "ask", "ask unfit", "done", "done", "done", "again", "again", "absent", "unfit", "recall", "settle", "settle", "wait", "kick", "refuse", "crash"}).Draw(w.rt, "what") {
	case "ask":
		w.askSome()
	case "ask unfit":
		w.askUnfit()
	case "done":
		if a, ok := w.pick(); ok {
			w.succeed(a)
		}
	case "again":
		if a, ok := w.pick(); ok {
			sent := rapid.Bool().Draw(w.rt, "sent")
			if sent {
				w.sent[a.piece()] = true
				w.took[a.piece()] = w.took[a.piece()] || rapid.Bool().Draw(w.rt, "took effect")
			}
			a.report(report{Again: &durable.Again{Sent: sent}})
		}
	case "absent":
		if a, ok := w.pick(); ok && w.took[a.piece()] {
			w.succeed(a) // it was looked up, and is there
		} else if ok {
			delete(w.sent, a.piece())
			a.report(report{Again: &durable.Again{Absent: true}})
		}
	case "unfit":
		if a, ok := w.pick(); ok {
			w.took[a.piece()], w.sent[a.piece()] = true, true
			a.report(report{Facts: []fact{ended{a.errand.Name, "begun"}, ended{a.errand.Name, unfitHow}}})
		}
	case "recall":
		if rapid.Bool().Draw(w.rt, "just woken") {
			w.engine.Kick(func(string, effect) bool { return true })
		}
		w.serial++
		w.engine.Submit(w.instance(), asked{Key: fmt.Sprint("recall", w.serial), For: []effect{recall{}}}, nil)
	case "settle":
		w.clock.Settle()
	case "wait":
		w.clock.Advance(time.Duration(rapid.IntRange(1, 120).Draw(w.rt, "seconds")) * time.Second)
	case "kick":
		w.engine.Kick(func(string, effect) bool { return true })
	case "refuse":
		op := rapid.SampledFrom([]string{"begin", "append", "enqueue", "lease", "release", "settle", "commit"}).Draw(w.rt, "op")
		w.refusing, w.times = op, rapid.IntRange(1, 3).Draw(w.rt, "times")
	case "crash":
		w.crash()
	}
}

// unfitHow is an end that the store does not take.
const unfitHow = "unfit"

// refuse refuses what is unfit always, and else what was drawn.
func (w *walk) refuse(op string, about any) error {
	switch a := about.(type) {
	case asked:
		if strings.HasPrefix(a.Key, unfitHow) {
			return durable.ErrUnfit
		}
	case ended:
		if a.How == unfitHow {
			return durable.ErrUnfit
		}
	case errand:
		if a.Name == unfitHow {
			return durable.ErrUnfit
		}
	}
	if op == w.refusing && w.times > 0 {
		w.times--
		return errRefused
	}
	return nil
}

func (w *walk) crash() {
	for _, a := range w.open { // the far side may have taken effect all the same
		if rapid.Bool().Draw(w.rt, "took effect") {
			w.took[a.piece()], w.sent[a.piece()] = true, true
		}
	}
	w.before = maps.Clone(w.sent)
	w.times = 0
	w.start()
}

// succeed reports that the attempt took effect: that the errand is done, or a part.
func (w *walk) succeed(a attempt) {
	w.took[a.piece()], w.sent[a.piece()] = true, true
	if n := a.Done + 1; n < a.errand.Parts {
		a.report(report{Facts: []fact{ended{a.errand.Name, fmt.Sprint("part ", n)}}, Done: n})
		return
	}
	a.report(report{Facts: []fact{ended{a.errand.Name, "done"}}})
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
			Parts:      rapid.IntRange(1, 3).Draw(w.rt, "parts"),
		}
		errands = append(errands, e)
		ask.For = append(ask.For, e)
	}
	w.engine.Submit(w.instance(), ask, func(err error) {
		if err != nil {
			return
		}
		if !w.store.Keys[ask.Key] {
			w.rt.Fatalf("%s is acknowledged and not in the journal", ask.Key)
		}
		w.asked = append(w.asked, errands...)
	})
}

// askUnfit submits what the store cannot take, for itself or for an effect.
func (w *walk) askUnfit() {
	w.serial++
	ask := asked{Key: fmt.Sprint("ask", w.serial), For: []effect{errand{Name: "with it"}, errand{Name: unfitHow}}}
	if rapid.Bool().Draw(w.rt, "the fact") {
		ask = asked{Key: fmt.Sprint(unfitHow, w.serial)}
	}
	w.engine.Submit(w.instance(), ask, func(err error) {
		if err == nil || w.store.Keys[ask.Key] {
			w.rt.Fatalf("%s cannot be stored; its receipt says %v, in the journal: %t", ask.Key, err, w.store.Keys[ask.Key])
		}
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
	if a.errand.Fragile && w.before[a.piece()] {
		w.rt.Fatalf("%v is fragile, may have taken effect, and begins again", a.piece())
	}
	w.open = append(w.open, a)
}

// finish lets every attempt succeed from now on, and draws the account. What became
// of a result that could not be stored is found out by another life.
func (w *walk) finish() {
	w.times = 0
	for range 1000 {
		w.clock.Advance(time.Hour)
		if len(w.store.Pending) == 0 {
			break
		}
		if len(w.open) == 0 {
			w.crash()
			continue
		}
		a := w.open[0]
		w.open = w.open[1:]
		w.succeed(a)
	}
	if left := w.inStore(); len(left) > 0 {
		w.rt.Fatalf("never settled: %v", left)
	}
	ends := map[string][]string{}
	for _, e := range w.store.Entries {
		if f, ok := e.Fact.(ended); ok {
			ends[f.Errand] = append(ends[f.Errand], f.How)
		}
	}
	for _, e := range w.asked {
		w.account(e, ends[e.Name])
	}
}

func (w *walk) account(e errand, told []string) {
	parts := len(told) - 1
	if parts < 0 {
		w.rt.Fatalf("%+v has no end", e)
	}
	took := true
	for n := range parts {
		took = took && w.took[piece{e.Name, n}]
		if told[n] != fmt.Sprint("part ", n+1) {
			w.rt.Fatalf("%+v is told to be %q, want its parts in order and one end", e, told)
		}
	}
	last := w.took[piece{e.Name, parts}]
	holds := map[string]bool{
		"done":      took && last && parts == max(1, e.Parts)-1,
		"withdrawn": !last && parts == 0 && e.Recallable,
		"lost":      took && e.Fragile,
	}
	if how := told[parts]; !holds[how] {
		w.rt.Fatalf("%+v is %q; its last part took effect: %t", e, told, last)
	}
}
