package durabletest

import (
	"testing"
	"time"

	"deskbridge/fsm"
	"deskbridge/fsm/durable"
)

// Subject is a store under test, over the types of its machine.
type Subject[S ~string, D any, F fsm.Fact, E fsm.Effect] struct {
	// New makes a place where no ledger is yet. What it needs ends with the test.
	New func(t *testing.T) Place[S, D, F, E]
	// Clock makes a scheduler at the given time.
	Clock func(time.Time) Clock
	Dialect[S, D, F, E]
}

// Place is what outlives a process: a file, or a server.
type Place[S ~string, D any, F fsm.Fact, E fsm.Effect] interface {
	// Open opens the ledger on what was committed here.
	Open() (Ledger[S, D, F, E], error)
	// Crash is told when the process dies. What is done with an open ledger
	// afterwards, such as a rollback or Close, changes nothing of what is found
	// by the next Open.
	Crash() error
}

// Ledger is an open store, with what the suite looks at.
type Ledger[S ~string, D any, F fsm.Fact, E fsm.Effect] interface {
	durable.Store[S, D, F, E]
	// Journal lists the facts that were stepped on, in order.
	Journal() ([]Line[F], error)
	// Records lists the names of the records in the ledger, in any order.
	Records() ([]string, error)
	// Spoil makes an instance of the ledger unreadable.
	Spoil(instance string) error
	Close() error
}

// Line is a line of the journal.
type Line[F any] struct {
	Instance string
	Step     int64
	Fact     F
}

// Dialect says the suite's things in the types of a machine, and reads them again
// after the store has read them.
type Dialect[S ~string, D any, F fsm.Fact, E fsm.Effect] struct {
	States     map[State]S
	Data       func(Data) D
	ReadData   func(D) Data
	Fact       func(Fact) F
	ReadFact   func(F) Fact
	Effect     func(Effect) E
	ReadEffect func(E) Effect
}

// Clock is a scheduler whose time stands still until it is moved.
type Clock interface {
	durable.Scheduler
	// Settle runs all that is due.
	Settle()
	// Advance moves the time on, and runs what falls due on the way.
	Advance(time.Duration)
}

// speaking is a ledger that speaks the suite's types.
type speaking[S ~string, D any, F fsm.Fact, E fsm.Effect] struct {
	Ledger[S, D, F, E]
	d Dialect[S, D, F, E]
}

func (s speaking[S, D, F, E]) Outbox() ([]queued, error) {
	pending, err := s.Ledger.Outbox()
	var all []queued
	for _, q := range pending {
		// Whether an attempt may have been sent is not the store's to know.
		q.Attempt.Sent = false
		all = append(all, queued{
			ID: q.ID, Instance: q.Instance, Effect: s.d.ReadEffect(q.Effect), Step: q.Step, Leased: q.Leased, Attempt: q.Attempt,
		})
	}
	return all, err
}

func (s speaking[S, D, F, E]) Journal() ([]lineOf, error) {
	lines, err := s.Ledger.Journal()
	var all []lineOf
	for _, l := range lines {
		all = append(all, lineOf{l.Instance, l.Step, s.d.ReadFact(l.Fact)})
	}
	return all, err
}

func (s speaking[S, D, F, E]) Begin() (tx, error) {
	x, err := s.Ledger.Begin()
	if err != nil {
		return nil, err
	}
	return speakingTx[S, D, F, E]{x, s.d}, nil
}

type speakingTx[S ~string, D any, F fsm.Fact, E fsm.Effect] struct {
	durable.Tx[S, D, F, E]
	d Dialect[S, D, F, E]
}

func (x speakingTx[S, D, F, E]) Load(instance string) (snapshot, error) {
	s, err := x.Tx.Load(instance)
	if err != nil {
		return snapshot{}, err
	}
	read := snapshot{State: State("unknown: " + string(s.State)), Data: x.d.ReadData(s.Data), Steps: s.Steps}
	for ours, theirs := range x.d.States {
		if theirs == s.State {
			read.State = ours
		}
	}
	return read, nil
}

func (x speakingTx[S, D, F, E]) Append(e entry, records []Effect) error {
	var effects, written []E
	for _, effect := range e.Result.Effects {
		effects = append(effects, x.d.Effect(effect))
	}
	for _, r := range records {
		written = append(written, x.d.Effect(r))
	}
	return x.Tx.Append(durable.Entry[S, D, F, E]{
		Instance: e.Instance, Fact: x.d.Fact(e.Fact.(Fact)), Key: e.Key, At: e.At, From: x.d.States[e.From], Steps: e.Steps,
		Result: fsm.Result[S, D, E]{
			State: x.d.States[e.Result.State], Data: x.d.Data(e.Result.Data), Effects: effects, Entry: e.Result.Entry,
		},
	}, written)
}

func (x speakingTx[S, D, F, E]) Enqueue(q queued) (int64, error) {
	return x.Tx.Enqueue(durable.Queued[E]{
		Instance: q.Instance, Effect: x.d.Effect(q.Effect), Step: q.Step, Leased: q.Leased, Attempt: q.Attempt,
	})
}

// speakingPlace is a place whose ledgers speak the suite's types.
type speakingPlace[S ~string, D any, F fsm.Fact, E fsm.Effect] struct {
	Place[S, D, F, E]
	d Dialect[S, D, F, E]
}

func (p speakingPlace[S, D, F, E]) Open() (ledger, error) {
	l, err := p.Place.Open()
	if err != nil {
		return nil, err
	}
	return speaking[S, D, F, E]{l, p.d}, nil
}
