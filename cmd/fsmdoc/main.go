// Command fsmdoc prints the state diagram of the conversation machine, as it is
// declared in code.
//
//	go run ./cmd/fsmdoc                      Mermaid on standard output
//	go run ./cmd/fsmdoc -into README.md      replaces the marked block of a file
//	go run ./cmd/fsmdoc -into README.md -check   fails if that block is stale
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"deskbridge/transitions"
)

// The marks between which a file holds the diagram.
const (
	begin = "<!-- fsmdoc: begin -->\n"
	end   = "<!-- fsmdoc: end -->\n"
)

func main() {
	into := flag.String("into", "", "replace the marked block of this file")
	check := flag.Bool("check", false, "with -into: write nothing, and fail if the block is stale")
	flag.Parse()
	if err := run(*into, *check); err != nil {
		fmt.Fprintln(os.Stderr, "fsmdoc: "+err.Error())
		os.Exit(1)
	}
}

func run(into string, check bool) error {
	diagram := transitions.Conversation().Mermaid()
	if into == "" {
		_, err := fmt.Print(diagram)
		return err
	}
	old, err := os.ReadFile(into)
	if err != nil {
		return err
	}
	text, err := replace(string(old), "```mermaid\n"+diagram+"```\n")
	if err != nil {
		return fmt.Errorf("%s: %w", into, err)
	}
	switch {
	case text == string(old):
		return nil
	case check:
		return fmt.Errorf("the diagram in %s is stale; run `make generate`", into)
	}
	return os.WriteFile(into, []byte(text), 0o644)
}

// replace puts the block between the marks.
func replace(text, block string) (string, error) {
	head, rest, ok := strings.Cut(text, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("no block between %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return head + begin + block + end + tail, nil
}
