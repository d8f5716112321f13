package durable

import (
	"errors"
	"slices"
)

// flush journals what waits, in one transaction, and dispatches what that made
// due. Nobody is told of anything before the next flush is set.
func (e *Engine[S, D, F, E]) flush() {
	e.scheduled = false
	b, tried, unfit, err := e.commit()
	if err != nil {
		e.refused(tried, err)
	} else {
		e.committed(b, tried)
	}
	for _, tell := range unfit {
		tell()
	}
	if err == nil && e.stopped && len(e.waiting) == 0 && !e.outbox.busy() {
		idle := e.idle
		e.idle = nil
		for _, done := range idle {
			done()
		}
	}
}

// commit writes what waits in one transaction: so many inputs. What the store cannot
// take while it is well is set aside, and keeps nobody else waiting: what waits before
// it is written now, and the rest by the next flush.
func (e *Engine[S, D, F, E]) commit() (b *batch[S, D, F, E], tried int, unfit []func(), err error) {
	tried = min(len(e.waiting), batchLimit)
	for {
		b = newBatch(e)
		err = b.run(e.waiting[:tried])
		if !errors.Is(err, ErrUnfit) || b.at == tried {
			return b, tried, unfit, err
		}
		unfit = append(unfit, e.setAside(e.waiting[b.at], err))
		e.waiting = slices.Delete(e.waiting, b.at, b.at+1)
		tried = b.at
	}
}

// setAside refuses a receipt. The effect of a result stays leased: what became of it
// is found out at the next start, as after a crash. The function returned tells.
func (e *Engine[S, D, F, E]) setAside(in input[F], err error) (tell func()) {
	if in.effect != 0 {
		e.outbox.move(e.outbox.jobs[in.effect], stranded)
	}
	return func() {
		e.opt.Trouble(err)
		if in.done != nil {
			in.done(err)
		}
	}
}

// committed acts on a batch that is in the store. One that had nothing to write says
// nothing of the store.
func (e *Engine[S, D, F, E]) committed(b *batch[S, D, F, E], tried int) {
	e.waiting = e.waiting[tried:]
	if len(e.waiting) > 0 {
		e.schedule()
	}
	if b.tx == nil {
		return
	}
	if e.failed {
		e.failed = false
		e.opt.Trouble(nil)
	}
	b.apply()
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
	for _, l := range b.parted {
		l.job.Attempt = l.attempt
		o.move(l.job, ready)
	}
	var begin []*job[F, E]
	for _, l := range b.leased {
		l.job.Leased, l.job.Attempt, l.job.sent = true, l.attempt, l.attempt.Sent
		o.move(l.job, underWay)
		begin = append(begin, l.job)
	}
	for _, j := range b.fresh {
		if j.Leased {
			j.phase = underWay
			begin = append(begin, j.job)
		}
		o.add(j.job)
	}
	return begin
}
