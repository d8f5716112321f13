package fsm

import "slices"

// Result is what one step yields.
type Result[S ~string, D any, E Effect] struct {
	State S
	Data  D
	// Effects are in the order in which the row's actions emitted them. They are
	// to be stored together with State and Data, before any is carried out.
	Effects []E
	// Entry is the ID of the table entry that decided.
	Entry string
	// Why is that entry's reason.
	Why string
	// Ignored says that the fact changed nothing.
	Ignored bool
}

// Step applies one fact to an instance. It is pure: the same input gives the
// same output, and data is left as it was. An unknown state or fact, a cell
// without exactly one enabled row, or an undeclared effect is a defect and
// comes back as a [*CellError].
func (m *Machine[S, D, F, E]) Step(state S, data D, fact F) (Result[S, D, E], error) {
	w := &work[D, F, E]{data: data}
	entry, err := m.resolve(state, &w.data, fact)
	if err != nil {
		return Result[S, D, E]{}, err
	}
	next, err := m.move(entry)
	if err != nil {
		return Result[S, D, E]{}, err
	}
	if len(entry.Do) > 0 {
		w.data = m.decl.Clone(data)
		if problem := w.do(entry.Do, fact); problem != "" {
			return Result[S, D, E]{}, m.cellError(state, fact, problem)
		}
	}
	return Result[S, D, E]{
		State: next, Data: w.data, Effects: w.effects, Entry: entry.ID, Why: entry.Why, Ignored: entry.Ignore,
	}, nil
}

// work is a step under way. Guards and actions may keep what they are given a
// pointer to, so all of it lies on the heap: in one piece.
type work[D any, F Fact, E Effect] struct {
	data    D
	effects []E
}

// do carries out a row's actions, and returns what was wrong with one of them.
func (w *work[D, F, E]) do(actions []Action[D, F, E], fact F) (problem string) {
	room := 0
	for i := range actions {
		room += len(actions[i].Emits)
	}
	emit := func(e E) {
		if w.effects == nil {
			w.effects = make([]E, 0, room) // most actions emit each kind once
		}
		w.effects = append(w.effects, e)
	}
	for i := range actions {
		a, before := &actions[i], len(w.effects)
		a.Do(&w.data, fact, emit)
		for _, e := range w.effects[before:] {
			if name := e.EffectName(); !slices.Contains(a.Emits, name) {
				problem = "action " + a.Name + " emitted " + name + " without declaring it"
			}
		}
		if problem != "" {
			return problem
		}
	}
	return ""
}

// resolve finds the one enabled entry of the cell.
func (m *Machine[S, D, F, E]) resolve(state S, data *D, fact F) (*Entry[S, D, F, E], error) {
	cell, ok := m.cells[cellKey{string(state), fact.FactName()}]
	if !ok {
		return nil, m.cellError(state, fact, "no such cell")
	}
	var enabled *Entry[S, D, F, E]
	for _, e := range cell {
		if !holds(e.If, data, fact) {
			continue
		}
		if enabled != nil {
			return nil, m.cellError(state, fact, "both "+enabled.ID+" and "+e.ID+" are enabled")
		}
		enabled = e
	}
	if enabled == nil {
		return nil, m.cellError(state, fact, "no row is enabled")
	}
	return enabled, nil
}

func holds[D any, F Fact](guards []Guard[D, F], data *D, fact F) bool {
	for i := range guards {
		if !guards[i].Holds(data, fact) {
			return false
		}
	}
	return true
}

// Not is the guard that holds when g does not.
func Not[D any, F Fact](g Guard[D, F]) Guard[D, F] {
	return Guard[D, F]{
		Term:  Term{Name: "not_" + g.Name, Doc: "Not: " + g.Doc},
		Holds: func(data *D, fact F) bool { return !g.Holds(data, fact) },
	}
}

// move lets the engine carry out the transition.
func (m *Machine[S, D, F, E]) move(e *Entry[S, D, F, E]) (S, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next, err := m.engine.fire(string(e.From), e.ID)
	return S(next), err
}

func (m *Machine[S, D, F, E]) cellError(state S, fact F, problem string) *CellError {
	return &CellError{Machine: m.decl.Name, State: string(state), Fact: fact.FactName(), Problem: problem}
}
