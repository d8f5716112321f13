package fsm

import (
	"fmt"
	"strings"
)

// Mermaid draws the machine as a Mermaid state diagram, the same bytes each
// time: one arrow for each pair of states, labelled with the facts that lead
// along it. Facts that stay are left out of the picture; the table has them.
// Reserved states stand apart, as a note says.
func (m *Machine[S, D, F, E]) Mermaid() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stateDiagram-v2\n    [*] --> %s\n", m.decl.Initial)
	for _, from := range m.decl.States {
		for _, to := range m.decl.States {
			if facts := m.factsBetween(from.Name, to.Name); from.Name != to.Name && len(facts) > 0 {
				fmt.Fprintf(&b, "    %s --> %s : %s\n", from.Name, to.Name, strings.Join(facts, ", "))
			}
		}
	}
	for _, s := range m.decl.States {
		if s.Reserved != "" {
			fmt.Fprintf(&b, "    %s\n    note right of %s : %s\n", s.Name, s.Name, s.Reserved)
		}
	}
	return b.String()
}

// factsBetween lists the facts with a row from one state to the other, in
// declared order, each once.
func (m *Machine[S, D, F, E]) factsBetween(from, to S) []string {
	var facts []string
	for _, f := range m.decl.Facts {
		for _, e := range m.cells[cellKey{string(from), f.Name}] {
			if e.To == to {
				facts = append(facts, f.Name)
				break
			}
		}
	}
	return facts
}
