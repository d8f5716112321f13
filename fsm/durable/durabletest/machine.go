package durabletest

import (
	"errors"
	"fmt"
	"slices"

	"deskbridge/fsm"
	"deskbridge/fsm/durable"
)

// State is where an instance of the suite's machine is.
type State string

// The states.
const (
	// Fresh: nothing was told.
	Fresh State = "fresh"
	// Told: something was.
	Told State = "told"
)

// Data is what an instance remembers: what it was told, in order.
type Data struct{ Story []string }

// Fact is what the machine steps on: effects are wanted, or something became of
// one, or both.
type Fact struct {
	// Key identifies the happening; empty: every occurrence counts.
	Key string `json:",omitempty"`
	// Wants are the effects that the step emits.
	Wants []Effect `json:",omitempty"`
	// Effect is the name of the one that this is about, and How what became of it.
	Effect string `json:",omitempty"`
	How    string `json:",omitempty"`
	// Hole says that the machine has no step on it.
	Hole bool `json:",omitempty"`
	// Unfit says that the store cannot write it: an error that is [durable.ErrUnfit].
	Unfit bool `json:",omitempty"`
}

// What becomes of an effect. Each is an end but those of parts, see [part].
const (
	done      = "done"
	lost      = "lost"
	withdrawn = "withdrawn"
)

// part says that an effect is done up to there.
func part(n int) string { return fmt.Sprint("part ", n) }

// FactName is the same for all.
func (f Fact) FactName() string { return "told" }

// FactKey is the key.
func (f Fact) FactKey() string { return f.Key }

func (f Fact) String() string {
	if f.Effect != "" {
		return f.Effect + " " + f.How
	}
	return f.Key
}

// Kind is what is done with an effect.
type Kind string

// The kinds.
const (
	// Call goes into the outbox.
	Call Kind = "call"
	// Record is written with the step.
	Record Kind = "record"
	// Withdraw takes what was not sent out of the outbox.
	Withdraw Kind = "withdraw"
)

// Effect is what a step asks for.
type Effect struct {
	Kind Kind
	// Name identifies a call or record.
	Name string `json:",omitempty"`
	// Lane, Fragile and Recallable are how a call is handled: where it queues, and
	// whether there is a fact for its loss and for its withdrawal.
	Lane       string `json:",omitempty"`
	Fragile    bool   `json:",omitempty"`
	Recallable bool   `json:",omitempty"`
	// Parts is how many parts a call has; 0 is one.
	Parts int `json:",omitempty"`
	// Then is what the fact wants that says that the call is done.
	Then []Effect `json:",omitempty"`
	// Unfit says that the store cannot write it: an error that is [durable.ErrUnfit].
	Unfit bool `json:",omitempty"`
}

// EffectName is the kind.
func (e Effect) EffectName() string { return string(e.Kind) }

// The engine over the suite's machine.
type (
	engine    = durable.Engine[State, Data, durable.Fact, Effect]
	handling  = durable.Handling[durable.Fact]
	report    = durable.Report[durable.Fact]
	executor  = durable.ExecutorFunc[durable.Fact, Effect]
	entry     = durable.Entry[State, Data, durable.Fact, Effect]
	snapshot  = durable.Snapshot[State, Data]
	queued    = durable.Queued[Effect]
	tx        = durable.Tx[State, Data, durable.Fact, Effect]
	ledger    = Ledger[State, Data, durable.Fact, Effect]
	place     = Place[State, Data, durable.Fact, Effect]
	result    = fsm.Result[State, Data, Effect]
	lineOf    = Line[durable.Fact]
	onlyStore = durable.Store[State, Data, durable.Fact, Effect]
)

// machine is the suite's.
type machine struct{}

var errHole = errors.New("the machine has no step on this")

func (machine) Step(_ State, data Data, f durable.Fact) (result, error) {
	fact := f.(Fact)
	if fact.Hole {
		return result{}, errHole
	}
	return result{
		State: Told, Data: Data{Story: append(slices.Clone(data.Story), fact.String())},
		Effects: fact.Wants, Entry: "any.told.1",
	}, nil
}

func handle(e Effect) handling {
	h := handling{Record: e.Kind == Record, Withdraws: e.Kind == Withdraw, Lane: e.Lane}
	if e.Fragile {
		h.IfLost = Fact{Effect: e.Name, How: lost}
	}
	if e.Recallable {
		h.IfWithdrawn = Fact{Effect: e.Name, How: withdrawn}
	}
	return h
}
