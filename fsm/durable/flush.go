package durable

import (
	"errors"
	"slices"
)

// flush journals what waits, in one transaction, and dispatches what that made
// due.
func (e *Engine[S, D, F, E]) flush() {
	e.scheduled = false
	b, inputs, err := e.commit()
	if err != nil {
		e.refused(len(inputs), err)
		return
	}
	e.waiting = e.waiting[len(inputs):]
	if len(e.waiting) > 0 {
		e.schedule()
	}
	if e.failed {
		e.failed = false
		e.opt.Trouble(nil)
	}
	b.apply()
	if e.stopped && len(e.waiting) == 0 && !e.outbox.busy() {
		idle := e.idle
		e.idle = nil
		for _, done := range idle {
			done()
		}
	}
}

// commit writes what waits in one transaction. What the store cannot take while it
// is well is set aside, so that it keeps nobody else waiting.
func (e *Engine[S, D, F, E]) commit() (*batch[S, D, F, E], []input[F], error) {
	for {
		inputs := e.waiting[:min(len(e.waiting), batchLimit)]
		b := newBatch(e)
		err := b.run(inputs)
		if !errors.Is(err, ErrUnfit) || b.at == len(inputs) {
			return b, inputs, err
		}
		unfit := inputs[b.at]
		e.waiting = slices.Delete(e.waiting, b.at, b.at+1)
		e.setAside(unfit, err)
	}
}

// setAside refuses a receipt. The effect of a result stays leased: what became of it
// is found out at the next start, as after a crash.
func (e *Engine[S, D, F, E]) setAside(in input[F], err error) {
	if in.effect != 0 {
		e.outbox.move(e.outbox.jobs[in.effect], stranded)
	}
	e.opt.Trouble(err)
	if in.done != nil {
		in.done(err)
	}
}

// refused copes with a store that did not commit: receipts are told, so that
// their sender keeps them; results are kept and tried again. The next flush is
// set before anybody is told: whoever submits again at once waits for it too.
func (e *Engine[S, D, F, E]) refused(tried int, err error) {
	e.failed = true
	e.scheduled = true
	e.opt.Scheduler.After(flushRetry, e.flush)
	var kept []input[F]
	var told []func(error)
	for _, in := range e.waiting[:tried] {
		if in.done != nil {
			told = append(told, in.done)
		} else {
			kept = append(kept, in)
		}
	}
	e.waiting = append(kept, e.waiting[tried:]...)
	e.opt.Trouble(err)
	for _, done := range told {
		done(err)
	}
}

// apply makes the committed batch the engine's present, and acts on it.
func (b *batch[S, D, F, E]) apply() {
	b.e.opt.Reach(PointCommitted)
	for _, entry := range b.entries {
		b.e.resident.Add(entry.Instance, b.staged[entry.Instance])
	}
	begin := b.mirror()
	for _, err := range b.holes {
		b.e.opt.Trouble(err)
	}
	for _, done := range b.dones {
		done()
	}
	b.e.opt.Reach(PointAcknowledged)
	for _, entry := range b.entries {
		b.e.opt.Stepped(entry)
	}
	for _, h := range b.hints {
		b.e.opt.Hint(h.instance, h.effect)
	}
	for _, j := range begin {
		b.e.execute(j)
		b.e.opt.Reach(PointDispatched)
	}
}

// mirror does to the outbox in memory what the batch did to the one in the
// store. It returns the jobs whose attempt begins now.
func (b *batch[S, D, F, E]) mirror() []*job[F, E] {
	o := b.e.outbox
	for id := range b.settled {
		o.remove(id)
	}
	for _, j := range b.recalled {
		j.recalled = true
	}
	for _, j := range b.freed {
		j.Leased = false
		delete(o.unreleased, j.ID)
	}
	var begin []*job[F, E]
	for _, l := range b.partly {
		l.job.Attempt, l.job.sent, l.job.Leased = l.attempt, false, false
		o.move(l.job, ready)
	}
	if !b.e.stopped {
		b.leased = append(b.partly, b.leased...)
	}
	for _, l := range b.leased {
		l.job.Leased, l.job.Attempt = true, l.attempt
		o.move(l.job, underWay)
		begin = append(begin, l.job)
	}
	for _, j := range b.fresh {
		if j.Leased {
			j.phase = underWay
			begin = append(begin, j)
		}
		o.add(j)
	}
	return begin
}
