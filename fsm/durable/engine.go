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
	// Trouble is for the operator. It hears of a store that does not commit, and
	// with a nil error that it does again; and of facts that were refused because
	// the machine has no step on them.
	Trouble func(err error)
}

// Engine runs the instances of one machine.
type Engine[S ~string, D any, F Fact, E fsm.Effect] struct {
	opt       Options[S, D, F, E]
	waiting   []input[F]
	started   bool
	scheduled bool // a flush will come
	failed    bool // the last flush failed
	stopped   bool
	resident  map[string]Snapshot[S, D]
	outbox    *outbox[F, E]
	idle      []func()
}

// input is what goes into the journal in one piece: a receipt, or all facts of
// a result.
type input[F any] struct {
	instance string
	facts    []F
	settles  int64 // effect that this result settles; 0: none
	done     func(error)
}

// batchLimit bounds the inputs of a transaction, and so the time until its
// first acknowledgement.
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
	var results []input[F]
	for _, q := range pending {
		j := &job[F, E]{Queued: q, handling: e.opt.Handle(q.Effect)}
		switch lost := j.handling.IfLost; {
		case !q.Leased:
		case any(lost) != nil:
			j.phase = settling
			results = append(results, input[F]{instance: q.Instance, facts: []F{lost}, settles: q.ID})
		default:
			j.sent = true
		}
		e.outbox.add(j)
	}
	// What is lost happened before anything that was submitted since.
	e.waiting = append(results, e.waiting...)
	e.started = true
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
	e.waiting = append(e.waiting, input[F]{instance: instance, facts: []F{fact}, done: done})
	e.schedule()
}

// Kick ends the backoff of those effects for which due is true: what stood in
// their way is gone.
func (e *Engine[S, D, F, E]) Kick(due func(effect E) bool) {
	for _, j := range inOrder(e.outbox.jobs) {
		if j.phase == backingOff && due(j.Effect) {
			e.wake(j)
		}
	}
}

// Stop takes no more facts but results, begins no more attempts than are
// leased, and calls done when none is under way. What is left in the outbox is
// taken up by the next Start.
func (e *Engine[S, D, F, E]) Stop(done func()) {
	e.stopped = true
	e.idle = append(e.idle, done)
	e.schedule()
}

// schedule makes sure that a flush will come. Before Start only that of Stop
// does.
func (e *Engine[S, D, F, E]) schedule() {
	if !e.scheduled && (e.started || e.stopped) {
		e.scheduled = true
		e.opt.Scheduler.Post(e.flush)
	}
}

// execute begins an attempt that has been leased.
func (e *Engine[S, D, F, E]) execute(j *job[F, E]) {
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
	if (len(r.Facts) > 0) == (r.Again != nil) {
		panic("durable: an executor must report either facts or another attempt on " + j.Effect.EffectName())
	}
	switch {
	case r.Again == nil:
		e.settle(j, r.Facts)
	case j.recalled && any(j.handling.IfWithdrawn) != nil && !j.sent && !r.Again.Sent:
		e.settle(j, []F{j.handling.IfWithdrawn})
	default:
		e.backOff(j, *r.Again)
	}
	e.schedule()
}

// settle submits what settles a job.
func (e *Engine[S, D, F, E]) settle(j *job[F, E], facts []F) {
	e.outbox.move(j, settling)
	e.waiting = append(e.waiting, input[F]{instance: j.Instance, facts: facts, settles: j.ID})
}

// backOff lets a job wait for its next attempt.
func (e *Engine[S, D, F, E]) backOff(j *job[F, E], again Again) {
	e.outbox.move(j, backingOff)
	if again.Sent {
		j.sent = true
	}
	if !j.sent {
		e.outbox.unreleased[j.ID] = j
	}
	wait := max(again.After, e.opt.Backoff(j.Attempt.Number))
	j.forget = e.opt.Scheduler.After(wait, func() { e.wake(j) })
}

// wake ends a backoff.
func (e *Engine[S, D, F, E]) wake(j *job[F, E]) {
	j.forget()
	e.outbox.move(j, ready)
	e.schedule()
}
