package durable

import (
	"fmt"

	"deskbridge/fsm"
)

// batch is one transaction while it is being filled. Nothing of the engine
// changes before the commit.
type batch[S ~string, D any, F Fact, E fsm.Effect] struct {
	e       *Engine[S, D, F, E]
	tx      Tx[S, D, F, E]
	at      int // the input that is being taken, or whose effect is enqueued
	staged  map[string]Snapshot[S, D]
	settled map[int64]bool
	fresh   []emitted[F, E] // enqueued here
	leased  []lease[F, E]   // begin with the commit
	parted  []lease[F, E]   // are done up to a point, and begin in the next life
	freed   []*job[F, E]
	// recalled are over, should they turn out to have had no effect.
	recalled []*job[F, E]
	entries  []Entry[S, D, F, E]
	hints    []hint[E]
	holes    []error
	dones    []func()
}

// lease is what the store is to know of the attempts at a job.
type lease[F, E any] struct {
	job     *job[F, E]
	attempt Attempt
}

// emitted is a fresh effect with the input, by its index, that asks for it.
type emitted[F, E any] struct {
	*job[F, E]
	by int
}

type hint[E any] struct {
	instance string
	effect   E
}

func newBatch[S ~string, D any, F Fact, E fsm.Effect](e *Engine[S, D, F, E]) *batch[S, D, F, E] {
	return &batch[S, D, F, E]{e: e, staged: map[string]Snapshot[S, D]{}, settled: map[int64]bool{}}
}

func (b *batch[S, D, F, E]) run(inputs []input[F]) (err error) {
	o := b.e.outbox
	begins := len(o.due) > 0 && !b.e.stopped
	if len(inputs) == 0 && len(o.unreleased) == 0 && !begins {
		return nil
	}
	if b.tx, err = b.e.opt.Store.Begin(); err != nil {
		return err
	}
	defer b.tx.Rollback()
	b.e.opt.Reach(PointBegun)
	for b.at = range inputs {
		if err := b.take(inputs[b.at]); err != nil {
			return err
		}
	}
	b.at = len(inputs)
	for _, write := range []func() error{b.release, b.lease, b.enqueue} {
		if err := write(); err != nil {
			return err
		}
	}
	b.e.opt.Reach(PointWritten)
	return b.tx.Commit()
}

// take journals one input.
func (b *batch[S, D, F, E]) take(in input[F]) error {
	if in.effect != 0 {
		if err := b.result(in); err != nil {
			return err
		}
	}
	var refusal error
	for _, fact := range in.facts {
		refused, err := b.step(in.instance, fact)
		if err != nil {
			return err
		}
		if refused != nil {
			refusal = refused
		}
	}
	if in.done != nil {
		b.dones = append(b.dones, func() { in.done(refusal) })
	}
	return nil
}

// step steps an instance on a fact and journals that. A hole in a table refuses
// the fact and nothing else: it cannot be journalled, whoever sent it keeps it,
// and the defect is for the operator.
func (b *batch[S, D, F, E]) step(instance string, fact F) (refused, err error) {
	key := fact.FactKey()
	if key != "" {
		if seen, err := b.tx.Seen(key); seen || err != nil {
			return nil, err
		}
	}
	before, err := b.snapshot(instance)
	if err != nil {
		return nil, err
	}
	res, hole := b.e.opt.Machine.Step(before.State, before.Data, fact)
	if hole != nil {
		b.holes = append(b.holes, hole)
		return hole, nil
	}
	entry := Entry[S, D, F, E]{
		Instance: instance, Fact: fact, Key: key, At: b.e.opt.Scheduler.Now(),
		From: before.State, Result: res, Steps: before.Steps + 1,
	}
	b.staged[instance] = Snapshot[S, D]{State: res.State, Data: res.Data, Steps: entry.Steps}
	b.entries = append(b.entries, entry)
	return nil, b.emit(entry)
}

// snapshot is the instance as the batch has it so far.
func (b *batch[S, D, F, E]) snapshot(instance string) (Snapshot[S, D], error) {
	if s, ok := b.staged[instance]; ok {
		return s, nil
	}
	if s, ok := b.e.resident.Get(instance); ok {
		return s, nil
	}
	return b.tx.Load(instance)
}

// emit sorts a step's effects into records, hints and the outbox, and withdraws
// what they say.
func (b *batch[S, D, F, E]) emit(entry Entry[S, D, F, E]) error {
	var records []E
	var withdrawn []F
	for _, effect := range entry.Result.Effects {
		switch h := b.e.opt.Handle(effect); {
		case h.Record:
			records = append(records, effect)
		case h.Withdraws:
			facts, err := b.withdraw(entry.Instance)
			if err != nil {
				return err
			}
			withdrawn = append(withdrawn, facts...)
		case h.Volatile:
			b.hints = append(b.hints, hint[E]{entry.Instance, effect})
		default:
			b.fresh = append(b.fresh, emitted[F, E]{by: b.at, job: &job[F, E]{
				Queued:   Queued[E]{Instance: entry.Instance, Effect: effect, Step: entry.Steps},
				handling: h,
			}})
		}
	}
	if err := b.tx.Append(entry, records); err != nil {
		return err
	}
	b.e.opt.Reach(PointJournalled)
	// What was withdrawn comes back at once, before anything else.
	for _, fact := range withdrawn {
		if _, err := b.step(entry.Instance, fact); err != nil {
			return err
		}
	}
	return nil
}

// withdraw takes the instance's unsent effects out of the outbox, and returns
// the facts that they become. What is under way, or may have been sent, goes on: if
// that turns out to have had no effect, it is over.
func (b *batch[S, D, F, E]) withdraw(instance string) ([]F, error) {
	var facts []F
	for _, j := range b.e.outbox.instances[instance] {
		if b.settled[j.ID] {
			continue
		}
		if !j.withdrawable() {
			b.recalled = append(b.recalled, j)
			continue
		}
		if err := b.settle(j.ID); err != nil {
			return nil, err
		}
		facts = append(facts, j.handling.IfWithdrawn)
	}
	kept := b.fresh[:0]
	for _, j := range b.fresh {
		if j.Instance == instance && j.withdrawable() {
			facts = append(facts, j.handling.IfWithdrawn)
		} else {
			kept = append(kept, j)
		}
	}
	b.fresh = kept
	return facts, nil
}

// result writes what became of an effect. At the rest of one that is done up to a
// point, the attempt begins with the commit; as the engine stops, in its next life.
func (b *batch[S, D, F, E]) result(in input[F]) error {
	if in.upTo == 0 {
		return b.settle(in.effect)
	}
	rest := lease[F, E]{b.e.outbox.jobs[in.effect], Attempt{Done: in.upTo}}
	if !b.e.stopped {
		rest.attempt.Number, rest.attempt.First = 1, b.e.opt.Scheduler.Now()
		b.leased = append(b.leased, rest)
		return b.tx.Lease(in.effect, rest.attempt)
	}
	b.parted = append(b.parted, rest)
	if err := b.tx.Lease(in.effect, rest.attempt); err != nil {
		return err
	}
	return b.tx.Release(in.effect)
}

func (b *batch[S, D, F, E]) settle(id int64) error {
	b.settled[id] = true
	return b.tx.Settle(id)
}

// release notes which leases no attempt has made use of.
func (b *batch[S, D, F, E]) release() error {
	for _, j := range inOrder(b.e.outbox.unreleased) {
		if b.settled[j.ID] {
			continue
		}
		if err := b.tx.Release(j.ID); err != nil {
			return err
		}
		b.freed = append(b.freed, j)
	}
	return nil
}

// lease notes which attempts begin with the commit.
func (b *batch[S, D, F, E]) lease() error {
	if b.e.stopped {
		return nil
	}
	for _, j := range b.e.outbox.begins(b.settled) {
		a := b.nextAttempt(j)
		if err := b.tx.Lease(j.ID, a); err != nil {
			return err
		}
		b.leased = append(b.leased, lease[F, E]{j, a})
	}
	return nil
}

// enqueue writes the fresh effects into the outbox, leased if they begin with
// the commit.
func (b *batch[S, D, F, E]) enqueue() error {
	taken := map[lane]bool{}
	for _, j := range b.fresh {
		l := j.lane()
		free := l.name == "" || !taken[l] && b.e.outbox.head(l, b.settled) == nil
		taken[l] = true
		if free && !b.e.stopped {
			j.Leased = true
			j.Attempt = b.nextAttempt(j.job)
		}
		var err error
		if j.ID, err = b.tx.Enqueue(j.Queued); err != nil {
			b.at = j.by // an effect that is unfit makes the fact so which asks for it
			return fmt.Errorf("durable: enqueue %s: %w", j.Effect.EffectName(), err)
		}
	}
	return nil
}

// nextAttempt is the attempt that begins now.
func (b *batch[S, D, F, E]) nextAttempt(j *job[F, E]) Attempt {
	a := Attempt{Number: j.Attempt.Number + 1, First: j.Attempt.First, Sent: j.sent, Done: j.Attempt.Done}
	if !j.sent {
		a.First = b.e.opt.Scheduler.Now()
	}
	return a
}
