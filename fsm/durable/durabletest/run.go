package durabletest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/fsm"
	"deskbridge/fsm/durable"
)

// Run holds a store to the contract, and ends its process at each crash point.
func Run[S ~string, D any, F fsm.Fact, E fsm.Effect](t *testing.T, s Subject[S, D, F, E]) {
	t.Helper()
	sub := subject{
		place: func(t *testing.T) place { return speakingPlace[S, D, F, E]{s.New(t), s.Dialect} },
		clock: s.Clock,
	}
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			if err := sub.try(t, r.check); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("crashes", func(t *testing.T) {
		t.Parallel()
		crashEverywhere(t, sub)
	})
	t.Run("crashes upon crashes", func(t *testing.T) {
		t.Parallel()
		crashUponCrash(t, sub)
	})
}

// rule is a line of the contract.
type rule struct {
	name  string
	check func(*bench)
}

func rules() []rule { return append(storeRules(), engineRules()...) }

// subject is a store under test, in the suite's types.
type subject struct {
	place func(t *testing.T) place
	clock func(time.Time) Clock
}

// failure is what a check panics with that does not hold.
type failure struct{ error }

// try runs a check at a new place, and says what does not hold.
func (s subject) try(t *testing.T, check func(*bench)) (err error) {
	t.Helper()
	b := &bench{subject: s, place: s.place(t), clock: s.clock(start), committed: map[int64]queued{}}
	defer func() {
		r := recover()
		if f, ok := r.(failure); ok {
			err = f.error
		} else if r != nil {
			panic(r)
		}
		if closing := b.close(); err == nil {
			err = closing
		}
	}()
	b.open()
	check(b)
	return nil
}

// start is when the first life begins; a store keeps milliseconds.
var start = time.UnixMilli(1_000_000_789)

// bench is a place with an open ledger, and the engine that runs over it.
type bench struct {
	subject
	place  place
	clock  Clock
	ledger ledger
	engine *engine
	// stale are ledgers of lives that crashed.
	stale []ledger
	// begun counts the transactions of this life; refuse, if set, is asked before
	// each commit.
	begun  int
	refuse func() error
	// underWay are attempts without a report, in order.
	underWay []attempt
	troubles []error
	reach    func(durable.Point)
	// committed is the outbox by the transactions of all engines at this place.
	committed map[int64]queued
}

// attempt is a call that the executor was given.
type attempt struct {
	instance string
	effect   Effect
	durable.Attempt
	report func(report)
}

func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

func must[T any](v T, err error) T {
	if err != nil {
		fail("%w", err)
	}
	return v
}

func ok(err error) {
	if err != nil {
		fail("%w", err)
	}
}

func want(what string, got, want any, opts ...cmp.Option) {
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		fail("%s (-want +got):\n%s", what, diff)
	}
}

func (b *bench) open() { b.ledger = must(b.place.Open()) }

// close closes the ledgers. Those of dead lives may say what they like.
func (b *bench) close() (err error) {
	for _, l := range b.stale {
		_ = l.Close()
	}
	b.stale = nil
	if b.ledger != nil {
		err = b.ledger.Close()
		b.ledger = nil
	}
	return err
}

// reopen ends the process in good order, and begins another.
func (b *bench) reopen() {
	ok(b.ledger.Close())
	b.ledger = nil
	b.anew()
	b.open()
}

// crash ends the process where it is, and begins another.
func (b *bench) crash() {
	b.die()
	b.anew()
	b.open()
}

// die ends the process.
func (b *bench) die() {
	b.stale = append(b.stale, b.ledger)
	b.ledger = nil
	ok(b.place.Crash())
}

// anew forgets what a life had in memory; the world's clock goes on.
func (b *bench) anew() {
	b.clock = b.subject.clock(b.clock.Now())
	b.engine, b.begun, b.refuse, b.underWay, b.troubles = nil, 0, nil, nil, nil
}

// fill fills a transaction and commits it.
func (b *bench) fill(f func(tx)) {
	x := must(b.ledger.Begin())
	defer x.Rollback()
	f(x)
	ok(x.Commit())
}

// discard fills a transaction and rolls it back.
func (b *bench) discard(f func(tx)) {
	x := must(b.ledger.Begin())
	defer x.Rollback()
	f(x)
}

// contents are all that a ledger holds, of those instances.
type contents struct {
	Journal   []string
	Records   []string
	Outbox    []queued
	Instances map[string]snapshot
}

// books are the contents but for the instances.
func (b *bench) books() (c contents) {
	for _, l := range must(b.ledger.Journal()) {
		c.Journal = append(c.Journal, fmt.Sprintf("%s.%d %v", l.Instance, l.Step, l.Fact))
	}
	c.Records = must(b.ledger.Records())
	c.Outbox = must(b.ledger.Outbox())
	return c
}

// look reads all. It opens a transaction.
func (b *bench) look(instances ...string) contents {
	c := b.books()
	c.Instances = map[string]snapshot{}
	b.discard(func(x tx) {
		for _, i := range instances {
			c.Instances[i] = must(x.Load(i))
		}
	})
	return c
}

// pending is the outbox as the store has it, one line an effect.
func (b *bench) pending() []string {
	lines := []string{}
	for _, q := range must(b.ledger.Outbox()) {
		lines = append(lines, fmt.Sprintf("%s leased=%t attempts=%d done=%d", q.Effect.Name, q.Leased, q.Attempt.Number, q.Attempt.Done))
	}
	return lines
}

// story is what the store has of an instance.
func (b *bench) story(instance string) []string {
	return b.look(instance).Instances[instance].Data.Story
}

// run begins a life of the engine.
func (b *bench) run() {
	b.engine = durable.New(b.options(executor(func(instance string, e Effect, a durable.Attempt, done func(report)) {
		b.underWay = append(b.underWay, attempt{instance, e, a, done})
	})))
	ok(b.engine.Start())
	b.clock.Settle()
}

func (b *bench) options(x executor) durable.Options[State, Data, durable.Fact, Effect] {
	return durable.Options[State, Data, durable.Fact, Effect]{
		Scheduler: b.clock,
		Store:     watched{b.ledger, b},
		Machine:   machine{},
		Handle:    handle,
		Executor:  x,
		Hint:      func(string, Effect) {},
		Stepped:   func(entry) {},
		Backoff:   func(int) time.Duration { return time.Minute },
		Trouble:   func(err error) { b.troubles = append(b.troubles, err) },
		Reach:     b.reach,
	}
}

// tell submits facts of an instance one by one, and lets the engine settle. It
// returns what the receipts were told.
func (b *bench) tell(instance string, facts ...Fact) []error {
	receipts := make([]error, len(facts))
	for i, f := range facts {
		b.submit(instance, f, &receipts[i])
	}
	b.clock.Settle()
	return receipts
}

func (b *bench) submit(instance string, f Fact, receipt *error) {
	*receipt = errUntold
	b.engine.Submit(instance, f, func(err error) { *receipt = err })
}

var errUntold = fmt.Errorf("no receipt was told")

// take takes the attempt at a call that is under way.
func (b *bench) take(name string) attempt {
	for i, a := range b.underWay {
		if a.effect.Name == name {
			b.underWay = append(b.underWay[:i:i], b.underWay[i+1:]...)
			return a
		}
	}
	fail("no attempt at %s is under way", name)
	return attempt{}
}

// names are the calls under way, in order.
func (b *bench) names() []string {
	names := []string{}
	for _, a := range b.underWay {
		names = append(names, a.effect.Name)
	}
	return names
}

// report reports on a call, and lets the engine settle.
func (b *bench) report(name string, r report) {
	b.take(name).report(r)
	b.clock.Settle()
}

// watched is the store under test as the engine has it.
type watched struct {
	onlyStore
	b *bench
}

func (w watched) Begin() (tx, error) {
	w.b.begun++
	x, err := w.onlyStore.Begin()
	if err != nil {
		return nil, err
	}
	return &watchedTx{tx: x, b: w.b}, nil
}

// watchedTx notes what its commit will do to the outbox.
type watchedTx struct {
	tx
	b    *bench
	todo []func(outbox map[int64]queued)
}

func (x *watchedTx) change(id int64, f func(*queued)) {
	x.todo = append(x.todo, func(outbox map[int64]queued) {
		q := outbox[id]
		f(&q)
		outbox[id] = q
	})
}

func (x *watchedTx) Enqueue(q queued) (int64, error) {
	id, err := x.tx.Enqueue(q)
	x.change(id, func(to *queued) {
		*to = q
		to.ID, to.Attempt.Sent = id, false
	})
	return id, err
}

func (x *watchedTx) Lease(id int64, a durable.Attempt) error {
	x.change(id, func(q *queued) {
		q.Leased, q.Attempt = true, a
		q.Attempt.Sent = false
	})
	return x.tx.Lease(id, a)
}

func (x *watchedTx) Release(id int64) error {
	x.change(id, func(q *queued) { q.Leased = false })
	return x.tx.Release(id)
}

func (x *watchedTx) Settle(id int64) error {
	x.todo = append(x.todo, func(outbox map[int64]queued) { delete(outbox, id) })
	return x.tx.Settle(id)
}

func (x *watchedTx) Commit() error {
	if x.b.refuse != nil {
		if err := x.b.refuse(); err != nil {
			return err
		}
	}
	if err := x.tx.Commit(); err != nil {
		return err
	}
	for _, do := range x.todo {
		do(x.b.committed)
	}
	return nil
}
