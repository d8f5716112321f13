package durable

import (
	"fmt"
	"time"

	"deskbridge/fsm"
)

// Options make an engine.
type Options[S ~string, D any, F Fact, E fsm.Effect] struct {
	Scheduler Scheduler
	Store     Store[S, D, F, E]
	Machine   Machine[S, D, F, E]
	Handle    func(E) Handling[F]
	Executor  Executor[F, E]
	// Hint gets the volatile effects, after the commit.
	Hint func(instance string, effect E)
	// Stepped sees every step after its commit.
	Stepped func(entry Entry[S, D, F, E])
	// Backoff is how long to wait before the attempt after the given one.
	Backoff func(attempt int) time.Duration
	// Trouble hears of failures that the engine copes with, and of their end
	// with a nil error. It is for the operator.
	Trouble func(err error)
}

// Engine runs the instances of one machine.
type Engine[S ~string, D any, F Fact, E fsm.Effect] struct {
	opt       Options[S, D, F, E]
	waiting   []input[F]
	scheduled bool
	failed    bool // the last flush failed
	stopped   bool
	resident  map[string]Snapshot[S, D]
	outbox    *outbox[F, E]
	idle      []func()
}

// input is a fact on its way into the journal.
type input[F any] struct {
	instance string
	fact     F
	settles  int64 // effect that this result settles; 0: none
	done     func(error)
}

// batchLimit bounds a transaction, and so the time until its first
// acknowledgement.
const batchLimit = 512

// flushRetry is how long a result waits for a store that refused it.
const flushRetry = time.Second

// New makes an engine; nothing happens before [Engine.Start].
func New[S ~string, D any, F Fact, E fsm.Effect](opt Options[S, D, F, E]) *Engine[S, D, F, E] {
	return &Engine[S, D, F, E]{opt: opt, resident: map[string]Snapshot[S, D]{}, outbox: newOutbox[F, E]()}
}

// Start takes up the outbox where the last life of the engine left it.
func (e *Engine[S, D, F, E]) Start() error {
	pending, err := e.opt.Store.Outbox()
	if err != nil {
		return fmt.Errorf("durable: read the outbox: %w", err)
	}
	for _, q := range pending {
		h := e.opt.Handle(q.Effect)
		j := e.outbox.add(q, h)
		switch {
		case !q.Leased:
		case any(h.IfLost) != nil:
			j.phase = settling
			e.waiting = append(e.waiting, input[F]{instance: q.Instance, fact: h.IfLost, settles: q.ID})
		default:
			j.sent = true
		}
	}
	e.schedule()
	return nil
}

// Submit journals a fact about an instance and steps it. Done, if not nil, is
// called once: with nil after the commit, or with the reason why the fact is
// not in the journal.
func (e *Engine[S, D, F, E]) Submit(instance string, fact F, done func(error)) {
	if e.stopped {
		if done != nil {
			done(ErrStopped)
		}
		return
	}
	e.waiting = append(e.waiting, input[F]{instance: instance, fact: fact, done: done})
	e.schedule()
}

// Kick ends the backoff of those effects for which due is true: what stood in
// their way is gone.
func (e *Engine[S, D, F, E]) Kick(due func(effect E) bool) {
	for _, j := range e.outbox.inOrder() {
		if j.phase == backingOff && due(j.Effect) {
			j.wake()
		}
	}
}

// Stop takes no more facts but results, begins no more attempts, and calls done
// when none is under way. What is left in the outbox is taken up by the next
// Start.
func (e *Engine[S, D, F, E]) Stop(done func()) {
	e.stopped = true
	e.idle = append(e.idle, done)
	e.schedule()
}

func (e *Engine[S, D, F, E]) schedule() {
	if !e.scheduled {
		e.scheduled = true
		e.opt.Scheduler.Post(e.flush)
	}
}

// execute begins an attempt that has been leased.
func (e *Engine[S, D, F, E]) execute(j *job[F, E]) {
	j.phase = underWay
	reported := false
	e.opt.Executor.Execute(j.Instance, j.Effect, j.Attempt, func(r Report[F]) {
		if reported {
			panic("durable: an executor reported twice on " + j.Effect.EffectName())
		}
		reported = true
		e.report(j, r)
	})
}

// report takes an attempt's result.
func (e *Engine[S, D, F, E]) report(j *job[F, E], r Report[F]) {
	if r.Again != nil {
		j.sent = j.sent || r.Again.Sent
		j.release = !j.sent
		j.phase = backingOff
		wait := max(r.Again.After, e.opt.Backoff(j.Attempt.Number))
		j.forget = e.opt.Scheduler.After(wait, func() { j.wake() })
		j.wake = func() {
			j.forget()
			j.phase = ready
			e.schedule()
		}
		e.schedule()
		return
	}
	if len(r.Facts) == 0 {
		panic("durable: an executor reported neither a fact nor another attempt on " + j.Effect.EffectName())
	}
	j.phase = settling
	for i, f := range r.Facts {
		in := input[F]{instance: j.Instance, fact: f}
		if i == len(r.Facts)-1 {
			in.settles = j.ID
		}
		e.waiting = append(e.waiting, in)
	}
	e.schedule()
}
