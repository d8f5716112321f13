package durable

import (
	"fmt"
	"time"

	"deskbridge/fsm"
)

// batch is one transaction while it is being filled. Nothing of the engine
// changes before the commit.
type batch[S ~string, D any, F Fact, E fsm.Effect] struct {
	e       *Engine[S, D, F, E]
	tx      Tx[S, D, F, E]
	staged  map[string]Snapshot[S, D]
	seen    map[string]bool
	settled map[int64]bool
	fresh   []*job[F, E] // enqueued here
	leased  []*job[F, E]
	freed   []*job[F, E]
	entries []Entry[S, D, F, E]
	hints   []hint[E]
	dones   []func()
}

type hint[E any] struct {
	instance string
	effect   E
}

// flush journals what waits, in one transaction, and dispatches what that made
// due.
func (e *Engine[S, D, F, E]) flush() {
	e.scheduled = false
	inputs := e.waiting
	if len(inputs) > batchLimit {
		inputs = inputs[:batchLimit]
	}
	e.waiting = e.waiting[len(inputs):]
	if len(e.waiting) > 0 {
		e.schedule()
	}
	b := &batch[S, D, F, E]{e: e, staged: map[string]Snapshot[S, D]{}, seen: map[string]bool{}, settled: map[int64]bool{}}
	if err := b.run(inputs); err != nil {
		e.refused(inputs, err)
		return
	}
	if e.failed {
		e.failed = false
		e.opt.Trouble(nil)
	}
	b.apply()
	if e.stopped && len(e.waiting) == 0 && e.outbox.busy() == 0 {
		for _, done := range e.idle {
			done()
		}
		e.idle = nil
	}
}

// refused copes with a store that did not commit: receipts are told, so that
// their sender keeps them; results are kept and tried again.
func (e *Engine[S, D, F, E]) refused(inputs []input[F], err error) {
	e.failed = true
	e.opt.Trouble(err)
	var kept []input[F]
	for _, in := range inputs {
		if in.done != nil {
			in.done(err)
		} else {
			kept = append(kept, in)
		}
	}
	e.waiting = append(kept, e.waiting...)
	e.scheduled = true
	e.opt.Scheduler.After(flushRetry, e.flush)
}

func (b *batch[S, D, F, E]) run(inputs []input[F]) (err error) {
	if len(inputs) == 0 && !b.e.outboxNeedsStore() {
		return nil
	}
	if b.tx, err = b.e.opt.Store.Begin(); err != nil {
		return err
	}
	defer b.tx.Rollback()
	for len(inputs) > 0 {
		more, err := b.take(inputs[0])
		if err != nil {
			return err
		}
		// What a step withdraws comes back at once, before anything else.
		inputs = append(more, inputs[1:]...)
	}
	if err := b.lease(); err != nil {
		return err
	}
	return b.tx.Commit()
}

// outboxNeedsStore says that a lease or release is to be written.
func (e *Engine[S, D, F, E]) outboxNeedsStore() bool {
	for _, j := range e.outbox.jobs {
		if j.release || j.phase == ready && !e.stopped && e.outbox.first(j, nil) {
			return true
		}
	}
	return false
}

// take journals one fact. It returns the facts that the step brought about.
func (b *batch[S, D, F, E]) take(in input[F]) ([]input[F], error) {
	if in.settles != 0 {
		if err := b.settle(in.settles); err != nil {
			return nil, err
		}
	}
	key := in.fact.FactKey()
	if key != "" {
		seen, err := b.tx.Seen(key)
		if err != nil {
			return nil, err
		}
		if seen || b.seen[key] {
			b.done(in, nil)
			return nil, nil
		}
	}
	before, ok := b.staged[in.instance]
	if !ok {
		if before, ok = b.e.resident[in.instance]; !ok {
			var err error
			if before, err = b.tx.Load(in.instance); err != nil {
				return nil, err
			}
		}
	}
	res, err := b.e.opt.Machine.Step(before.State, before.Data, in.fact)
	if err != nil {
		// A hole in a table: the fact cannot be journalled. Whoever sent it keeps
		// it; the defect is for the operator.
		b.e.opt.Trouble(err)
		b.done(in, err)
		return nil, nil
	}
	b.seen[key] = key != ""
	entry := Entry[S, D, F, E]{
		Instance: in.instance, Fact: in.fact, Key: key, At: b.e.opt.Scheduler.Now(),
		From: before.State, Result: res, Steps: before.Steps + 1,
	}
	b.staged[in.instance] = Snapshot[S, D]{State: res.State, Data: res.Data, Steps: entry.Steps}
	b.entries = append(b.entries, entry)
	b.done(in, nil)
	return b.emit(entry)
}

func (b *batch[S, D, F, E]) done(in input[F], err error) {
	if in.done != nil {
		b.dones = append(b.dones, func() { in.done(err) })
	}
}

// emit sorts a step's effects into records, hints and the outbox.
func (b *batch[S, D, F, E]) emit(entry Entry[S, D, F, E]) ([]input[F], error) {
	var records []E
	var withdraws bool
	for _, effect := range entry.Result.Effects {
		switch h := b.e.opt.Handle(effect); {
		case h.Record:
			records = append(records, effect)
		case h.Withdraws:
			withdraws = true
		case h.Volatile:
			b.hints = append(b.hints, hint[E]{entry.Instance, effect})
		default:
			b.fresh = append(b.fresh, &job[F, E]{
				Queued:   Queued[E]{Instance: entry.Instance, Effect: effect, Step: entry.Steps},
				handling: h,
			})
		}
	}
	if err := b.tx.Append(entry, records); err != nil {
		return nil, err
	}
	if !withdraws {
		return nil, nil
	}
	return b.withdraw(entry.Instance)
}

// withdraw takes the instance's unsent effects out of the outbox.
func (b *batch[S, D, F, E]) withdraw(instance string) ([]input[F], error) {
	var facts []input[F]
	for _, j := range b.e.outbox.inOrder() {
		unsent := !j.sent && (j.phase == ready || j.phase == backingOff) && !b.settled[j.ID]
		if j.Instance != instance || any(j.handling.IfWithdrawn) == nil || !unsent {
			continue
		}
		if err := b.settle(j.ID); err != nil {
			return nil, err
		}
		facts = append(facts, input[F]{instance: instance, fact: j.handling.IfWithdrawn})
	}
	kept := b.fresh[:0]
	for _, j := range b.fresh {
		if j.Instance == instance && any(j.handling.IfWithdrawn) != nil {
			facts = append(facts, input[F]{instance: instance, fact: j.handling.IfWithdrawn})
		} else {
			kept = append(kept, j)
		}
	}
	b.fresh = kept
	return facts, nil
}

func (b *batch[S, D, F, E]) settle(id int64) error {
	if b.settled[id] {
		return nil
	}
	b.settled[id] = true
	return b.tx.Settle(id)
}

// lease writes the fresh effects into the outbox and notes which attempts begin
// now.
func (b *batch[S, D, F, E]) lease() error {
	now := b.e.opt.Scheduler.Now()
	for _, j := range b.e.outbox.inOrder() {
		if b.settled[j.ID] {
			continue
		}
		due := j.phase == ready && !b.e.stopped && b.e.outbox.first(j, b.settled)
		switch {
		case due:
			next := nextAttempt(j, now)
			if err := b.tx.Lease(j.ID, next); err != nil {
				return err
			}
			b.leased = append(b.leased, j)
		case j.release:
			if err := b.tx.Release(j.ID); err != nil {
				return err
			}
			b.freed = append(b.freed, j)
		}
	}
	taken := map[lane]bool{}
	for _, j := range b.fresh {
		l := lane{j.Instance, j.handling.Lane}
		free := l.name == "" || !taken[l] && b.e.outbox.empty(l, b.settled)
		taken[l] = true
		if free && !b.e.stopped {
			j.Leased = true
			j.Attempt = nextAttempt(j, now)
		}
		var err error
		if j.ID, err = b.tx.Enqueue(j.Queued); err != nil {
			return fmt.Errorf("durable: enqueue %s: %w", j.Effect.EffectName(), err)
		}
	}
	return nil
}

// apply makes the committed batch the engine's present, and acts on it.
func (b *batch[S, D, F, E]) apply() {
	for instance, s := range b.staged {
		b.e.resident[instance] = s
	}
	for id := range b.settled {
		b.e.outbox.remove(id)
	}
	for _, j := range b.freed {
		j.Leased, j.release = false, false
	}
	now := b.e.opt.Scheduler.Now()
	for _, j := range b.leased {
		j.Leased, j.release, j.Attempt = true, false, nextAttempt(j, now)
	}
	var begin []*job[F, E]
	begin = append(begin, b.leased...)
	for _, f := range b.fresh {
		j := b.e.outbox.add(f.Queued, f.handling)
		if j.Leased {
			begin = append(begin, j)
		}
	}
	for _, done := range b.dones {
		done()
	}
	for _, entry := range b.entries {
		b.e.opt.Stepped(entry)
	}
	for _, h := range b.hints {
		b.e.opt.Hint(h.instance, h.effect)
	}
	for _, j := range begin {
		b.e.execute(j)
	}
}

// nextAttempt is the attempt that begins now.
func nextAttempt[F, E any](j *job[F, E], now time.Time) Attempt {
	a := Attempt{Number: j.Attempt.Number + 1, First: j.Attempt.First}
	if a.First.IsZero() {
		a.First = now
	}
	return a
}
