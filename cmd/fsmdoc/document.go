package main

import (
	"fmt"
	"strings"
)

// document is what people read first: the picture, the states, and which test
// holds which promise.
func (b book) document() string {
	first := b.machines[0]
	var text strings.Builder
	text.WriteString("# The conversation machine\n\n" + generated + "\n")
	text.WriteString("Every cell of every machine, with its reason, is in [machine.md](../golden/machine/machine.md);\n" +
		"[machine.html](../golden/machine/machine.html) is the same as a page to click through, and\n" +
		"[machine.json](../golden/machine/machine.json) for programs. `go run ./cmd/fsmdoc -format html -journal FILE` draws\n" +
		"the path of a journal, as `deskbridge journal` prints it, into that page.\n\n")
	text.WriteString("![The states and the facts that lead between them](../golden/machine/" + first.Name + ".svg)\n\n")
	text.WriteString("The same in Mermaid, and every fact of every arrow:\n\n" + b.block() + "\n" + first.MarkdownMoves())
	text.WriteString("## States\n\n| state | | meaning |\n|---|---|---|\n")
	for _, s := range first.States {
		fmt.Fprintf(&text, "| `%s` | %s | %s |\n", s.Name, s.Label, tableText(s.Doc))
	}
	text.WriteString("\n## What is promised, and the tests that hold it\n\n| | promise | held by |\n|---|---|---|\n")
	for _, p := range promises {
		fmt.Fprintf(&text, "| %s | %s | %s |\n", p.number, tableText(p.sentence), p.tests())
	}
	return text.String()
}

func (p promise) tests() string {
	var list []string
	for _, t := range p.heldBy {
		list = append(list, fmt.Sprintf("[`%s`](../%s)", t.name, t.folder))
	}
	return strings.Join(list, "<br>")
}
