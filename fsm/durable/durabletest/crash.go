package durabletest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"deskbridge/fsm/durable"
)

// crashEverywhere leads the scenario once to its end, and then ends it at every
// point that it came to.
func crashEverywhere(t *testing.T, s subject) {
	t.Helper()
	var crashes, happened counts
	by := map[durable.Point][]int{}
	for i, p := range s.tell(t, &happened)[0] {
		by[p] = append(by[p], i+1)
	}
	t.Run("at", func(t *testing.T) {
		for _, p := range durable.Points() {
			t.Run(string(p), func(t *testing.T) {
				t.Parallel()
				for _, at := range by[p] {
					s.tell(t, &happened, at)
					crashes.add(string(p), 1)
				}
			})
		}
	})
	t.Log("crashes by point:", crashes.each(t, pointNames()))
	t.Log("what happened:", happened.each(t, []string{done, lost, withdrawn, deemedAbsent, foundThere, repeated}))
}

// crashUponCrash ends the second life too: at its very beginning, where it makes up
// for the first, and on its way; and the third.
func crashUponCrash(t *testing.T, s subject) {
	t.Helper()
	var first, second, happened counts
	for i, p := range s.tell(t, &happened)[0] {
		if i%3 != 0 {
			continue
		}
		then := 1 + i*5%13
		again := s.tell(t, &happened, i+1, then, 1+i*3%11)[1]
		first.add(string(p), 1)
		if len(again) == then {
			second.add(string(again[then-1]), 1)
		}
	}
	t.Log("crashes by point:", first.each(t, pointNames()))
	t.Log("crashes of the life after, by point:", second.each(t, pointNames()))
}

func pointNames() (names []string) {
	for _, p := range durable.Points() {
		names = append(names, string(p))
	}
	return names
}

// counts counts by name.
type counts struct {
	mu sync.Mutex
	of map[string]int
}

func (c *counts) add(name string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[name] += n
}

// each is the counts of these, none of which may be 0.
func (c *counts) each(t *testing.T, names []string) string {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var line []string
	for _, name := range names {
		line = append(line, fmt.Sprint(name, " ", c.of[name]))
		if c.of[name] == 0 {
			t.Errorf("%q was not once among what the suite tried", name)
		}
	}
	return strings.Join(line, ", ")
}

// tell leads the scenario through lives that end at those points, each if it comes
// so far, and one that goes on to its end. It returns what points each life reached.
func (s subject) tell(t *testing.T, happened *counts, endsAt ...int) (reached [][]durable.Point) {
	t.Helper()
	w := scenario()
	reached, err := s.told(t, w, endsAt...)
	if err != nil {
		t.Fatalf("lives that end at the points %v: %v", endsAt, err)
	}
	for what, n := range w.saw {
		happened.add(what, n)
	}
	return reached
}

// told is tell in that world, with an error for what does not hold.
func (s subject) told(t *testing.T, w *world, endsAt ...int) (reached [][]durable.Point, err error) {
	t.Helper()
	err = s.try(t, func(b *bench) {
		for _, at := range append(endsAt, 0) {
			w.life++
			life := &Life{EndsAt: at, Dying: b.die}
			crashed := life.Lead(func() { lead(b, w, life) })
			reached = append(reached, life.Reached)
			if !crashed {
				break
			}
			b.anew()
			b.open()
		}
		ends := w.account(b)
		if !w.settled(b) {
			fail("the last life ended, and not all is settled")
		}
		for _, how := range ends {
			w.saw[how]++
		}
	})
	return reached, err
}

// rounds is how many minutes all may take.
const rounds = 40

// lead leads one life of the scenario until all is settled.
func lead(b *bench, w *world, life *Life) {
	w.account(b)
	for _, q := range must(b.ledger.Outbox()) {
		if c := w.call(q.Effect.Name); q.Leased && q.Effect.Fragile {
			c.owed = true
		}
	}
	b.reach = life.Reach
	b.engine = durable.New(b.options(func(instance string, e Effect, a durable.Attempt, done func(report)) {
		w.begin(must(b.ledger.Outbox()), instance, e, a)
		if w.tricks[e.Name].atOnce {
			done(w.perform(e, a))
			return
		}
		b.clock.Post(func() {
			r := w.perform(e, a)
			b.clock.Post(func() { done(r) })
		})
	}))
	ok(b.engine.Start())
	for range rounds {
		for _, r := range w.inbox {
			if r.round <= w.round && !r.acked {
				b.engine.Submit(r.instance, r.fact, func(err error) {
					ok(err)
					r.acked = true
				})
			}
		}
		b.clock.Settle()
		w.round++
		if w.settled(b) {
			break
		}
		b.clock.Advance(time.Minute)
	}
	want("troubles", b.troubles, []error(nil))
}
