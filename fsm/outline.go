package fsm

import "slices"

// Outline is a machine as plain values, in declared order: what its documents
// are made from. Its lists are never nil, so that they are lists in JSON too.
type Outline struct {
	Name    string          `json:"machine"`
	Doc     string          `json:"doc"`
	Initial string          `json:"initial"`
	States  []OutlineState  `json:"states"`
	Facts   []OutlineTerm   `json:"facts"`
	Effects []OutlineTerm   `json:"effects"`
	Guards  []OutlineTerm   `json:"guards"`
	Actions []OutlineAction `json:"actions"`
	// Cells has one entry for each state and fact, state by state.
	Cells []OutlineCell `json:"cells"`
}

// OutlineTerm is a declared name with its meaning.
type OutlineTerm struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// OutlineState is a declared state.
type OutlineState struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	// Label is a second name for pictures and tables, say in another language.
	// No declaration has it: whoever renders the outline may set it.
	Label   string `json:"label,omitempty"`
	Settled bool   `json:"settled"`
}

// OutlineAction is an action with the kinds of effect it may emit.
type OutlineAction struct {
	Name  string   `json:"name"`
	Doc   string   `json:"doc"`
	Emits []string `json:"emits"`
}

// OutlineCell is what one state makes of one fact.
type OutlineCell struct {
	State string       `json:"state"`
	Fact  string       `json:"fact"`
	Rows  []OutlineRow `json:"rows"`
}

// OutlineRow is one entry of the table. Effects are those that its actions may
// emit, each once.
type OutlineRow struct {
	ID      string   `json:"id"`
	Guards  []string `json:"guards"`
	Target  string   `json:"target"`
	Actions []string `json:"actions"`
	Effects []string `json:"effects"`
	Ignore  bool     `json:"ignore"`
	Why     string   `json:"why"`
}

// Arrow is a move from one state to another, with the facts that have a row
// along it, in declared order.
type Arrow struct {
	From, To string
	Facts    []string
}

// Outline describes the machine. Guards and actions are in the order of their
// first use in the table.
func (m *Machine[S, D, F, E]) Outline() Outline {
	d := &m.decl
	o := Outline{
		Name: d.Name, Doc: d.Doc, Initial: string(d.Initial),
		States: []OutlineState{}, Facts: outlineTerms(d.Facts), Effects: outlineTerms(d.Effects),
		Guards: []OutlineTerm{}, Actions: []OutlineAction{}, Cells: []OutlineCell{},
	}
	for _, s := range d.States {
		o.States = append(o.States, OutlineState{Name: string(s.Name), Doc: s.Doc, Settled: s.Settled})
		for _, f := range d.Facts {
			cell := OutlineCell{State: string(s.Name), Fact: f.Name, Rows: []OutlineRow{}}
			for _, e := range m.cells[cellKey{cell.State, f.Name}] {
				cell.Rows = append(cell.Rows, outlineRow(e))
			}
			o.Cells = append(o.Cells, cell)
		}
	}
	for i := range d.Rows {
		for _, g := range d.Rows[i].If {
			if !slices.ContainsFunc(o.Guards, func(t OutlineTerm) bool { return t.Name == g.Name }) {
				o.Guards = append(o.Guards, OutlineTerm(g.Term))
			}
		}
		for _, a := range d.Rows[i].Do {
			if !slices.ContainsFunc(o.Actions, func(t OutlineAction) bool { return t.Name == a.Name }) {
				o.Actions = append(o.Actions, OutlineAction{a.Name, a.Doc, append([]string{}, a.Emits...)})
			}
		}
	}
	return o
}

func outlineTerms(terms []Term) []OutlineTerm {
	list := make([]OutlineTerm, 0, len(terms))
	for _, t := range terms {
		list = append(list, OutlineTerm(t))
	}
	return list
}

func outlineRow[S ~string, D any, F Fact, E Effect](e *Entry[S, D, F, E]) OutlineRow {
	row := OutlineRow{
		ID: e.ID, Target: string(e.To), Ignore: e.Ignore, Why: e.Why,
		Guards: []string{}, Actions: []string{}, Effects: []string{},
	}
	for _, g := range e.If {
		row.Guards = append(row.Guards, g.Name)
	}
	for _, a := range e.Do {
		row.Actions = append(row.Actions, a.Name)
		for _, name := range a.Emits {
			if !slices.Contains(row.Effects, name) {
				row.Effects = append(row.Effects, name)
			}
		}
	}
	return row
}

// Arrows lists the moves between different states, by source and then target in
// declared order. Facts that stay make no arrow.
func (o Outline) Arrows() []Arrow {
	facts := map[[2]string][]string{}
	for _, cell := range o.Cells {
		for _, row := range cell.Rows {
			key := [2]string{cell.State, row.Target}
			if list := facts[key]; len(list) == 0 || list[len(list)-1] != cell.Fact {
				facts[key] = append(list, cell.Fact)
			}
		}
	}
	var arrows []Arrow
	for _, from := range o.States {
		for _, to := range o.States {
			if list := facts[[2]string{from.Name, to.Name}]; from.Name != to.Name && len(list) > 0 {
				arrows = append(arrows, Arrow{from.Name, to.Name, list})
			}
		}
	}
	return arrows
}
