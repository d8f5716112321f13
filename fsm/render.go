package fsm

import (
	"fmt"
	"strings"
)

// Mermaid draws the machine; see [Outline.Mermaid].
func (m *Machine[S, D, F, E]) Mermaid() string { return m.Outline().Mermaid() }

// Mermaid draws the machine as a Mermaid state diagram, the same bytes each
// time: one arrow for each pair of states, labelled with the facts that lead
// along it. Facts that stay are left out of the picture; the table has them.
// Reserved states stand apart, as a note says.
func (o Outline) Mermaid() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stateDiagram-v2\n    [*] --> %s\n", o.Initial)
	for _, a := range o.Arrows() {
		fmt.Fprintf(&b, "    %s --> %s : %s\n", a.From, a.To, strings.Join(a.Facts, ", "))
	}
	for _, s := range o.States {
		if s.Reserved != "" {
			fmt.Fprintf(&b, "    %s\n    note right of %s : %s\n", s.Name, s.Name, s.Reserved)
		}
	}
	return b.String()
}

// DOT draws the machine in the language of Graphviz, with the same arrows as
// [Outline.Mermaid]. Settled states have a double line, reserved ones a dashed.
func (o Outline) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n    rankdir=LR\n    node [shape=box, style=rounded, fontname=monospace]\n", o.Name)
	fmt.Fprintf(&b, "    edge [fontname=monospace, fontsize=10]\n    _start [shape=point, label=\"\"]\n    _start -> %s\n", quoteDOT(o.Initial))
	for _, s := range o.States {
		fmt.Fprintf(&b, "    %s [tooltip=%s", quoteDOT(s.Name), quoteDOT(s.Doc))
		switch {
		case s.Reserved != "":
			b.WriteString(`, style="rounded,dashed"`)
		case s.Settled:
			b.WriteString(", peripheries=2")
		}
		b.WriteString("]\n")
	}
	for _, a := range o.Arrows() {
		fmt.Fprintf(&b, "    %s -> %s [label=%s]\n", quoteDOT(a.From), quoteDOT(a.To), quoteDOT(strings.Join(a.Facts, "\n")))
	}
	b.WriteString("}\n")
	return b.String()
}

// quoteDOT writes a quoted string of the DOT language.
func quoteDOT(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
