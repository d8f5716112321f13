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
	entry, err := m.resolve(state, &data, fact)
	if err != nil {
		return Result[S, D, E]{}, err
	}
	next, err := m.move(entry)
	if err != nil {
		return Result[S, D, E]{}, err
	}
	res := Result[S, D, E]{State: next, Data: data, Entry: entry.ID, Why: entry.Why, Ignored: entry.Ignore}
	if len(entry.Do) == 0 {
		return res, nil
	}
	res.Data = m.decl.Clone(data)
	for _, a := range entry.Do {
		var undeclared string
		a.Do(&res.Data, fact, func(e E) {
			if !slices.Contains(a.Emits, e.EffectName()) {
				undeclared = e.EffectName()
			}
			res.Effects = append(res.Effects, e)
		})
		if undeclared != "" {
			return Result[S, D, E]{}, m.cellError(state, fact, "action "+a.Name+" emitted "+undeclared+" without declaring it")
		}
	}
	return res, nil
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
	for _, g := range guards {
		if !g.Holds(data, fact) {
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
