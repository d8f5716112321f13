package fsm

import (
	"fmt"
	"strings"
)

// DeclarationError lists every fault of a declaration at once.
type DeclarationError struct {
	Machine string
	Faults  []string
}

func (e *DeclarationError) Error() string {
	return fmt.Sprintf("fsm: machine %s is not well declared:\n  %s", e.Machine, strings.Join(e.Faults, "\n  "))
}

// CellError is a defect that only data reveals: a cell in which not exactly one
// row is enabled, a name that is not declared. Nothing has changed.
type CellError struct {
	Machine, State, Fact, Problem string
}

func (e *CellError) Error() string {
	return fmt.Sprintf("fsm: machine %s in state %s on fact %s: %s", e.Machine, e.State, e.Fact, e.Problem)
}
