package durable

// flush journals what waits, in one transaction, and dispatches what that made
// due.
func (e *Engine[S, D, F, E]) flush() {
	e.scheduled = false
	inputs := e.waiting[:min(len(e.waiting), batchLimit)]
	b := newBatch(e)
	if err := b.run(inputs); err != nil {
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
	for instance, s := range b.staged {
		b.e.resident[instance] = s
	}
	begin := b.mirror()
	for _, err := range b.holes {
		b.e.opt.Trouble(err)
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
