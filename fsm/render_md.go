package fsm

import (
	"fmt"
	"strings"
)

// The marks of the matrix, in the order in which a cell shows them.
const (
	markMoves   = "→"
	markActs    = "•"
	markIgnores = "·"
)

// Mark says in one or two characters what a cell does: → for a row that goes to
// another state, • for one that stays and is no ignore, and · for an ignore.
func (c OutlineCell) Mark() string {
	var moves, acts, ignores bool
	for _, row := range c.Rows {
		switch {
		case row.Target != c.State:
			moves = true
		case row.Ignore:
			ignores = true
		default:
			acts = true
		}
	}
	var mark string
	if moves {
		mark += markMoves
	}
	if acts {
		mark += markActs
	}
	if ignores {
		mark += markIgnores
	}
	return mark
}

// Markdown writes the machine out as a section of a Markdown document: its
// states, facts and effects, the moves between states, the matrix of its cells,
// every row of every cell with its reason, and what its guards and actions mean.
// The rows of a state have the anchor machine-state, which the tables link to.
func (o Outline) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", o.Name, o.Doc)
	o.markdownStates(&b)
	markdownTerms(&b, "fact", o.Facts)
	markdownTerms(&b, "effect", o.Effects)
	b.WriteString(o.MarkdownMoves())
	o.markdownMatrix(&b)
	for _, s := range o.States {
		o.markdownCells(&b, s)
	}
	markdownTerms(&b, "guard", o.Guards)
	if len(o.Actions) > 0 {
		b.WriteString("| action | meaning | may emit |\n|---|---|---|\n")
		for _, a := range o.Actions {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", a.Name, cellText(a.Doc), codes(a.Emits, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (o Outline) markdownStates(b *strings.Builder) {
	b.WriteString("| state | meaning | |\n|---|---|---|\n")
	for _, s := range o.States {
		var marks []string
		if s.Name == o.Initial {
			marks = append(marks, "initial")
		}
		if s.Settled {
			marks = append(marks, "may rest here")
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", o.linked(s), cellText(s.Doc), cellText(strings.Join(marks, "; ")))
	}
	b.WriteString("\n")
}

// linked is the state's title as a link to its rows.
func (o Outline) linked(s OutlineState) string {
	return "[" + s.title() + "](#" + o.anchor(s) + ")"
}

func (o Outline) anchor(s OutlineState) string { return o.Name + "-" + s.Name }

// title is the state's name, with its label if it has one.
func (s OutlineState) title() string {
	if s.Label == "" {
		return "`" + s.Name + "`"
	}
	return "`" + s.Name + "` " + cellText(s.Label)
}

func markdownTerms(b *strings.Builder, kind string, terms []OutlineTerm) {
	if len(terms) == 0 {
		return
	}
	fmt.Fprintf(b, "| %s | meaning |\n|---|---|\n", kind)
	for _, t := range terms {
		fmt.Fprintf(b, "| `%s` | %s |\n", t.Name, cellText(t.Doc))
	}
	b.WriteString("\n")
}

// MarkdownMoves writes the moves between different states as a Markdown table,
// each with all facts that have a row along it.
func (o Outline) MarkdownMoves() string {
	arrows := o.Arrows()
	if len(arrows) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("| from | to | on |\n|---|---|---|\n")
	for _, a := range arrows {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", a.From, a.To, codes(a.Facts, ", "))
	}
	b.WriteString("\n")
	return b.String()
}

// markdownMatrix writes facts down and states across, with each cell's mark.
func (o Outline) markdownMatrix(b *strings.Builder) {
	fmt.Fprintf(b, "%s goes to another state · %s stays and acts or notes · %s is ignored, for a reason\n\n",
		"`"+markMoves+"`", "`"+markActs+"`", "`"+markIgnores+"`")
	marks := map[[2]string]string{}
	for _, c := range o.Cells {
		marks[[2]string{c.State, c.Fact}] = c.Mark()
	}
	head, rule := "| fact |", "|---|"
	for _, s := range o.States {
		head += " [`" + s.Name + "`](#" + o.anchor(s) + ") |"
		rule += ":-:|"
	}
	b.WriteString(head + "\n" + rule + "\n")
	for _, f := range o.Facts {
		fmt.Fprintf(b, "| `%s` |", f.Name)
		for _, s := range o.States {
			fmt.Fprintf(b, " %s |", marks[[2]string{s.Name, f.Name}])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

func (o Outline) markdownCells(b *strings.Builder, s OutlineState) {
	fmt.Fprintf(b, "<a id=\"%s\"></a>\n\n### %s: %s\n\n%s\n\n", o.anchor(s), o.Name, s.title(), s.Doc)
	b.WriteString("| row | if | goes to | does | may emit | because |\n|---|---|---|---|---|---|\n")
	for _, c := range o.Cells {
		if c.State != s.Name {
			continue
		}
		for _, row := range c.Rows {
			target := "stays"
			switch {
			case row.Ignore:
				target = "ignored"
			case row.Target != c.State:
				target = "`" + row.Target + "`"
			}
			fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", strings.TrimPrefix(row.ID, c.State+"."),
				codes(row.Guards, "<br>"), target, codes(row.Actions, "<br>"), codes(row.Effects, "<br>"), cellText(row.Why))
		}
	}
	b.WriteString("\n")
}

// codes writes names as code.
func codes(names []string, between string) string {
	list := make([]string, 0, len(names))
	for _, name := range names {
		list = append(list, "`"+name+"`")
	}
	return strings.Join(list, between)
}

// cellText keeps text within one cell of a Markdown table, and from being read
// as HTML.
func cellText(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}
