package durable

import (
	"time"

	"deskbridge/fsm"
)

// Fact is a fact that can be journalled.
type Fact interface {
	fsm.Fact
	// FactKey identifies the happening; empty: every occurrence counts.
	FactKey() string
}

// Scheduler runs functions one at a time. Everything in this package happens in
// functions that it runs.
type Scheduler interface {
	Now() time.Time
	Post(f func())
	After(d time.Duration, f func()) (stop func())
}

// Handling is how the outbox treats an effect.
type Handling[F any] struct {
	// Record effects are written in the step's own transaction.
	Record bool
	// Volatile effects are hints: handed on after the commit, not stored.
	Volatile bool
	// Lane orders effects: of those of one instance and lane, one is under way
	// at a time, in the order in which they were emitted. Empty: it waits for
	// nobody.
	Lane string
	// Withdraws says that unsent effects of the instance which can be withdrawn,
	// and were emitted before this one, are taken out of the outbox. One that may
	// have been sent goes on; if this life of the engine learns that it was not,
	// it is withdrawn then.
	Withdraws bool
	// IfLost is the fact to be recorded when an attempt was begun and nobody saw
	// what became of it. Nil: repeating the effect does no harm.
	IfLost F
	// IfWithdrawn is the fact to be recorded when the effect is taken out of the
	// outbox unsent. Nil: it is not to be withdrawn.
	IfWithdrawn F
}

// Attempt says which try at an effect this is.
type Attempt struct {
	// Number counts from 1.
	Number int
	// First is when the first one began that may have taken effect: this one, if
	// none before it did.
	First time.Time
	// Sent says that one before it may have taken effect.
	Sent bool
	// Done is how far the effect is done, as [Report.Done] counted it; 0 at first.
	// The other members are about what is left.
	Done int
}

// Report is what became of an attempt: facts, which settle the effect, or Again.
type Report[F any] struct {
	Facts []F
	Again *Again
	// Done, where it is more than the attempt's, says that the effect is done only
	// up to there, and that the facts tell of that: they are journalled, and the
	// attempt at the rest begins. An effect of several parts is carried out so, and
	// a crash between two of them repeats none.
	Done int
}

// Again asks for another attempt.
type Again struct {
	// Sent says that this attempt may have taken effect, so that the effect must
	// not be withdrawn.
	Sent bool
	// Absent says that no attempt so far has taken effect, this one included: it was
	// looked up. The next one is as the first.
	Absent bool
	// After is the least time to wait; the backoff may make it longer.
	After time.Duration
	// Err is why, for the operator.
	Err error
}

// Snapshot is an instance as the store keeps it.
type Snapshot[S ~string, D any] struct {
	State S
	Data  D
	// Steps counts the facts that it has stepped on.
	Steps int64
}

// Entry is one journalled step.
type Entry[S ~string, D any, F fsm.Fact, E fsm.Effect] struct {
	Instance string
	Fact     F
	Key      string
	At       time.Time
	From     S
	Result   fsm.Result[S, D, E]
	Steps    int64
}

// Queued is an effect in the outbox.
type Queued[E any] struct {
	ID       int64
	Instance string
	Effect   E
	// Step is the instance's step count when it was emitted.
	Step int64
	// Leased says that an attempt may have been made.
	Leased bool
	// Attempt is the last one begun; its number is 0 before the first.
	Attempt Attempt
}

// Store is what the engine asks of a ledger. It is used from one goroutine.
type Store[S ~string, D any, F fsm.Fact, E fsm.Effect] interface {
	// Begin opens the write transaction; there is one at a time.
	Begin() (Tx[S, D, F, E], error)
	// Outbox returns what is not settled, in the order of its ids.
	Outbox() ([]Queued[E], error)
}

// Tx is one transaction. After an error nothing of it may remain. An error that is
// [ErrUnfit] is about one instance or fact; any other, about the store.
type Tx[S ~string, D any, F fsm.Fact, E fsm.Effect] interface {
	// Load returns the instance, a fresh one if the store does not know it.
	Load(instance string) (Snapshot[S, D], error)
	// Seen says whether a fact with that key is in the journal.
	Seen(key string) (bool, error)
	// Append writes the journal's entry, the instance's new state and its records.
	Append(entry Entry[S, D, F, E], records []E) error
	// Enqueue writes an effect into the outbox and returns its id.
	Enqueue(q Queued[E]) (int64, error)
	// Lease notes that an attempt begins: its number, when the first one began, and
	// how far the effect is done.
	Lease(id int64, attempt Attempt) error
	// Release notes that no attempt at what is left of the effect has taken effect.
	Release(id int64) error
	// Settle takes the effect out of the outbox.
	Settle(id int64) error
	Commit() error
	// Rollback undoes all; after Commit it does nothing.
	Rollback()
}

// Machine steps; [fsm.Machine] does.
type Machine[S ~string, D any, F fsm.Fact, E fsm.Effect] interface {
	Step(state S, data D, fact F) (fsm.Result[S, D, E], error)
}

// Executor carries effects out. Execute must not block, and must call done
// once, from the scheduler.
type Executor[F, E any] interface {
	Execute(instance string, effect E, attempt Attempt, done func(Report[F]))
}

// ExecutorFunc is a function that is an executor.
type ExecutorFunc[F, E any] func(instance string, effect E, attempt Attempt, done func(Report[F]))

// Execute calls f.
func (f ExecutorFunc[F, E]) Execute(instance string, effect E, attempt Attempt, done func(Report[F])) {
	f(instance, effect, attempt, done)
}
