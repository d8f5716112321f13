package fsm

import (
	"fmt"
	"strings"
)

// Mermaid draws the machine; see [Outline.Mermaid].
func (m *Machine[S, D, F, E]) Mermaid() string { return m.Outline().Mermaid() }

// Mermaid draws the machine as a Mermaid state diagram, the same bytes each
// time: one arrow for each pair of states, labelled with the facts that lead
// along it, or with the first of them where they are many; a comment below
// lists the others. Facts that stay are left out of the picture; the table has
// them.
func (o Outline) Mermaid() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stateDiagram-v2\n    [*] --> %s\n", o.Initial)
	for _, a := range o.Arrows() {
		shown, more := a.shorten()
		fmt.Fprintf(&b, "    %s --> %s : %s\n", a.From, a.To, strings.Join(shown, ", "))
		if len(more) > 0 {
			fmt.Fprintf(&b, "    %%%% more: %s\n", strings.Join(more, ", "))
		}
	}
	return b.String()
}

// labelFacts is how many lines an arrow's label has at most, where a picture
// gives each fact a line: longer labels cover other arrows.
const labelFacts = 3

// shorten lists what stands on the arrow: all of its facts, or the first ones
// and how many more there are. These come second.
func (a Arrow) shorten() (shown, more []string) {
	if len(a.Facts) <= labelFacts {
		return a.Facts, nil
	}
	shown, more = a.Facts[:labelFacts-1:labelFacts-1], a.Facts[labelFacts-1:]
	return append(shown, fmt.Sprintf("+%d more", len(more))), more
}

// DOT draws the machine in the language of Graphviz, with the same arrows as
// [Outline.Mermaid]; the tooltip of an arrow lists all of its facts. Settled
// states have a double line.
func (o Outline) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n    rankdir=LR\n    node [shape=box, style=rounded, fontname=Courier]\n", o.Name)
	fmt.Fprintf(&b, "    edge [fontname=Courier, fontsize=10]\n    _start [shape=point, label=\"\"]\n    _start -> %s\n", quoteDOT(o.Initial))
	for _, s := range o.States {
		fmt.Fprintf(&b, "    %s [tooltip=%s", quoteDOT(s.Name), quoteDOT(s.Doc))
		if s.Settled {
			b.WriteString(", peripheries=2")
		}
		b.WriteString("]\n")
	}
	for _, a := range o.Arrows() {
		shown, _ := a.shorten()
		all := quoteDOT(a.title())
		fmt.Fprintf(&b, "    %s -> %s [label=%s, tooltip=%s, labeltooltip=%s]\n",
			quoteDOT(a.From), quoteDOT(a.To), quoteDOT(strings.Join(shown, "\n")), all, all)
	}
	b.WriteString("}\n")
	return b.String()
}

// title names an arrow, and lists its facts, a line each.
func (a Arrow) title() string { return a.From + " → " + a.To + "\n" + strings.Join(a.Facts, "\n") }

// quoteDOT writes a quoted string of the DOT language.
func quoteDOT(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
