package fsm

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// expand writes the rows out, one entry a state.
func (m *Machine[S, D, F, E]) expand() {
	count := map[cellKey]int{}
	for i := range m.decl.Rows {
		row := &m.decl.Rows[i]
		for _, from := range row.In {
			key := cellKey{string(from), row.On}
			count[key]++
			to := row.To
			if to == "" {
				to = from
			}
			id := string(from) + "." + row.On + "." + strconv.Itoa(count[key])
			m.entries = append(m.entries, Entry[S, D, F, E]{ID: id, From: from, To: to, Row: row})
		}
	}
	m.cells = make(map[cellKey][]*Entry[S, D, F, E], len(count))
	for i := range m.entries {
		e := &m.entries[i]
		key := cellKey{string(e.From), e.On}
		m.cells[key] = append(m.cells[key], e)
	}
}

// check returns every fault of the declaration, in a stable order.
func (m *Machine[S, D, F, E]) check() []string {
	c := &checker{}
	d := &m.decl
	c.terms("machine", []Term{d.Term})
	states := make([]Term, 0, len(d.States))
	for _, s := range d.States {
		states = append(states, Term{string(s.Name), s.Doc})
	}
	c.terms("state", states)
	c.terms("fact", d.Facts)
	c.terms("effect", d.Effects)
	c.declared("state", states, string(d.Initial), "the initial state")
	if d.Clone == nil {
		c.fault("Clone is missing")
	}
	for i := range m.entries {
		checkEntry(c, &m.entries[i], states, d.Facts, d.Effects)
	}
	if len(c.faults) > 0 {
		return c.faults // what follows would only repeat these
	}
	m.checkCells(c)
	m.checkReach(c)
	m.checkEmitted(c)
	return c.faults
}

type checker struct{ faults []string }

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *checker) terms(kind string, terms []Term) {
	seen := map[string]bool{}
	for _, t := range terms {
		switch {
		case !snakeCase.MatchString(t.Name):
			c.fault("%s %q: a name is snake_case", kind, t.Name)
		case seen[t.Name]:
			c.fault("%s %s is declared twice", kind, t.Name)
		case t.Doc == "":
			c.fault("%s %s has no doc sentence", kind, t.Name)
		}
		seen[t.Name] = true
	}
}

func (c *checker) declared(kind string, terms []Term, name, where string) {
	if !slices.ContainsFunc(terms, func(t Term) bool { return t.Name == name }) {
		c.fault("%s: %s %q is not declared", where, kind, name)
	}
}

func checkEntry[S ~string, D any, F Fact, E Effect](c *checker, e *Entry[S, D, F, E], states, facts, effects []Term) {
	c.declared("state", states, string(e.From), e.ID)
	c.declared("state", states, string(e.To), e.ID)
	c.declared("fact", facts, e.On, e.ID)
	if e.Why == "" {
		c.fault("%s: no reason", e.ID)
	}
	if e.Ignore && (len(e.Do) > 0 || e.To != e.From) {
		c.fault("%s: an ignored fact neither moves nor does anything", e.ID)
	}
	for _, g := range e.If {
		c.terms("guard of "+e.ID, []Term{g.Term})
		if g.Holds == nil {
			c.fault("%s: guard %s has no condition", e.ID, g.Name)
		}
	}
	for _, a := range e.Do {
		c.terms("action of "+e.ID, []Term{a.Term})
		if a.Do == nil {
			c.fault("%s: action %s does nothing", e.ID, a.Name)
		}
		for _, name := range a.Emits {
			c.declared("effect", effects, name, e.ID+": action "+a.Name)
		}
	}
}

// checkCells demands a cell for every pair, and no company for an unguarded row.
func (m *Machine[S, D, F, E]) checkCells(c *checker) {
	for _, s := range m.decl.States {
		for _, f := range m.decl.Facts {
			cell := m.cells[cellKey{string(s.Name), f.Name}]
			switch {
			case len(cell) == 0:
				c.fault("state %s has no cell for fact %s", s.Name, f.Name)
			case len(cell) > 1:
				for _, e := range cell {
					if len(e.If) == 0 {
						c.fault("%s has no guard but is not alone in its cell", e.ID)
					}
				}
			}
		}
	}
}

// checkReach walks the table forwards from the initial state and backwards from
// the settled ones.
func (m *Machine[S, D, F, E]) checkReach(c *checker) {
	forward, backward := map[S][]S{}, map[S][]S{}
	for i := range m.entries {
		e := &m.entries[i]
		forward[e.From] = append(forward[e.From], e.To)
		backward[e.To] = append(backward[e.To], e.From)
	}
	var settled []S
	for _, s := range m.decl.States {
		if s.Settled {
			settled = append(settled, s.Name)
		}
	}
	reached := closure([]S{m.decl.Initial}, forward)
	leaves := closure(settled, backward)
	for _, s := range m.decl.States {
		switch {
		case !reached[s.Name]:
			c.fault("state %s cannot be reached from %s", s.Name, m.decl.Initial)
		case !leaves[s.Name]:
			c.fault("state %s cannot reach a settled state", s.Name)
		}
	}
}

func closure[S comparable](from []S, next map[S][]S) map[S]bool {
	seen := map[S]bool{}
	for len(from) > 0 {
		s := from[len(from)-1]
		from = from[:len(from)-1]
		if !seen[s] {
			seen[s] = true
			from = append(from, next[s]...)
		}
	}
	return seen
}

func (m *Machine[S, D, F, E]) checkEmitted(c *checker) {
	emitted := map[string]bool{}
	for i := range m.entries {
		for _, a := range m.entries[i].Do {
			for _, name := range a.Emits {
				emitted[name] = true
			}
		}
	}
	for _, t := range m.decl.Effects {
		if !emitted[t.Name] {
			c.fault("effect %s is emitted by no row", t.Name)
		}
	}
}
