package fsm

import "sync"

// Fact is what a machine steps on: something that happened, as a value.
type Fact interface {
	// FactName is the declared name of the fact's kind.
	FactName() string
}

// Effect is what a step asks to be done: a value, carried out by others.
type Effect interface {
	// EffectName is the declared name of the effect's kind.
	EffectName() string
}

// Term is a declared name with its meaning in one sentence.
type Term struct {
	Name string
	Doc  string
}

// State is a declared state.
type State[S ~string] struct {
	Name S
	Doc  string
	// Settled states are where the machine may come to rest.
	Settled bool
}

// Guard is a named condition on data and fact. Holds must be pure.
type Guard[D any, F Fact] struct {
	Term
	Holds func(data *D, fact F) bool
}

// Action is a named change of the data together with the effects it asks for.
// Do may assign to data and emit effects; whether it runs is the row's decision.
type Action[D any, F Fact, E Effect] struct {
	Term
	// Emits names the kinds of effect that Do may emit.
	Emits []string
	Do    func(data *D, fact F, emit func(E))
}

// Row is one line of a machine's table.
type Row[S ~string, D any, F Fact, E Effect] struct {
	// In lists the states the row holds for; the table has one row for each.
	In []S
	// On is the name of the fact's kind.
	On string
	// If are the guards that must all hold; none means always.
	If []Guard[D, F]
	// To is the target; empty means the state stays.
	To S
	// Do are the actions, in order.
	Do []Action[D, F, E]
	// Ignore marks a cell in which the fact changes nothing.
	Ignore bool
	// Why is the reason, in one sentence.
	Why string
}

// Declaration is a machine as data.
type Declaration[S ~string, D any, F Fact, E Effect] struct {
	Term
	Initial S
	States  []State[S]
	Facts   []Term
	Effects []Term
	Rows    []Row[S, D, F, E]
	// Clone copies data so deeply that changing the copy leaves the original.
	Clone func(D) D
}

// Entry is a row as it stands in one cell of the checked table.
type Entry[S ~string, D any, F Fact, E Effect] struct {
	// ID is state.fact.n, n counting the rows of the cell from 1.
	ID   string
	From S
	To   S
	*Row[S, D, F, E]
}

// Machine is a checked declaration, ready to step. One serves any number of
// instances; it may be used from several goroutines.
type Machine[S ~string, D any, F Fact, E Effect] struct {
	decl    Declaration[S, D, F, E]
	entries []Entry[S, D, F, E]
	cells   map[cellKey][]*Entry[S, D, F, E]

	mu     sync.Mutex
	engine *relation
}

type cellKey struct{ state, fact string }

// New checks a declaration and returns its machine, or a [*DeclarationError]
// that lists everything wrong with it.
func New[S ~string, D any, F Fact, E Effect](decl Declaration[S, D, F, E]) (*Machine[S, D, F, E], error) {
	m := &Machine[S, D, F, E]{decl: decl}
	m.expand()
	if faults := m.check(); len(faults) > 0 {
		return nil, &DeclarationError{Machine: decl.Name, Faults: faults}
	}
	arcs := make([]arc, 0, len(m.entries))
	for i := range m.entries {
		e := &m.entries[i]
		arcs = append(arcs, arc{event: e.ID, from: string(e.From), to: string(e.To)})
	}
	m.engine = newRelation(string(decl.Initial), arcs)
	return m, nil
}

// MustNew is [New] for declarations that are part of the program: a faulty one
// is a defect of the program and panics.
func MustNew[S ~string, D any, F Fact, E Effect](decl Declaration[S, D, F, E]) *Machine[S, D, F, E] {
	m, err := New(decl)
	if err != nil {
		panic(err)
	}
	return m
}

// Declaration returns what the machine was made from.
func (m *Machine[S, D, F, E]) Declaration() Declaration[S, D, F, E] { return m.decl }

// Entries returns the table, one entry a state and row, in declared order.
func (m *Machine[S, D, F, E]) Entries() []Entry[S, D, F, E] { return m.entries }

// Entry returns the entry of that ID.
func (m *Machine[S, D, F, E]) Entry(id string) (Entry[S, D, F, E], bool) {
	for i := range m.entries {
		if m.entries[i].ID == id {
			return m.entries[i], true
		}
	}
	return Entry[S, D, F, E]{}, false
}
