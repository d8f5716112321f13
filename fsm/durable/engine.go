package durable

import (
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"

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
	// with a nil error that it does again; and of facts that were refused, because
	// the machine has no step on them or because they cannot be stored.
	Trouble func(err error)
	// Reach, if set, is called at each [Point].
	Reach func(Point)
}

// Engine runs the instances of one machine.
type Engine[S ~string, D any, F Fact, E fsm.Effect] struct {
	opt       Options[S, D, F, E]
	waiting   []input[F]
	started   bool
	scheduled bool // a flush will come
	failed    bool // the last flush failed
	stopped   bool
	resident  *lru.LRU[string, Snapshot[S, D]]
	outbox    *outbox[F, E]
	idle      []func()
}

// input is what goes into the journal in one piece: a receipt, or all facts of
// a result.
type input[F any] struct {
	instance string
	facts    []F
	effect   int64 // effect whose result this is; 0: a receipt
	upTo     int   // how far the effect is done; 0: it is settled
	done     func(error)
}

// batchLimit bounds the inputs of a transaction, and so the time until its
// first acknowledgement.
const batchLimit = 512

// residentLimit bounds the instances that are kept in memory; others are read from
// the store when a fact about them comes.
const residentLimit = 100_000

// flushRetry is how long a result waits for a store that refused it.
const flushRetry = time.Second

// New makes an engine; nothing happens before [Engine.Start].
func New[S ~string, D any, F Fact, E fsm.Effect](opt Options[S, D, F, E]) *Engine[S, D, F, E] {
	if opt.Reach == nil {
		opt.Reach = func(Point) {}
	}
	resident, err := lru.NewLRU[string, Snapshot[S, D]](residentLimit, nil)
	if err != nil {
		panic(err) // the limit is not positive
	}
	return &Engine[S, D, F, E]{opt: opt, resident: resident, outbox: newOutbox[F, E]()}
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
			results = append(results, input[F]{instance: q.Instance, facts: []F{lost}, effect: q.ID})
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
func (e *Engine[S, D, F, E]) Kick(due func(instance string, effect E) bool) {
	for _, j := range inOrder(e.outbox.jobs) {
		if j.phase == backingOff && due(j.Instance, j.Effect) {
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
	if (len(r.Facts) > 0) == (r.Again != nil) || r.Done != 0 && (r.Again != nil || r.Done <= j.Attempt.Done) {
		panic("durable: an executor must report facts, facts and how far the effect is done, or another attempt on " + j.Effect.EffectName())
	}
	e.opt.Reach(PointReported)
	switch {
	case r.Again == nil:
		e.result(j, r.Facts, r.Done)
	case j.recalled && any(j.handling.IfWithdrawn) != nil && j.untouched(*r.Again):
		e.result(j, []F{j.handling.IfWithdrawn}, 0)
	default:
		e.backOff(j, *r.Again)
	}
	e.schedule()
}

// result submits what became of a job: it is done up to there, or settled.
func (e *Engine[S, D, F, E]) result(j *job[F, E], facts []F, upTo int) {
	e.outbox.move(j, settling)
	e.waiting = append(e.waiting, input[F]{instance: j.Instance, facts: facts, effect: j.ID, upTo: upTo})
}

// backOff lets a job wait for its next attempt.
func (e *Engine[S, D, F, E]) backOff(j *job[F, E], again Again) {
	e.outbox.move(j, backingOff)
	j.sent = !again.Absent && (j.sent || again.Sent)
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
