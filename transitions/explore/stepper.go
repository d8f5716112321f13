package explore

import (
	"fmt"

	"deskbridge/fsm"
	"deskbridge/transitions"
)

// Taken is an entry of one of the small machines that a step took.
type Taken = transitions.Taken

// Stepper steps a conversation, and tells which entries of the small machines it
// took. It must be pure.
type Stepper func(transitions.State, transitions.Data, transitions.Fact) (fsm.Result[transitions.State, transitions.Data, transitions.Effect], []Taken, error)

// Program is the stepper of the program's own tables.
func Program() Stepper { return transitions.Standard().Step }

// survive lets something happen. Rows of a faulty table may run actions on data
// that they were not made for; that is a violation like any other, and not the
// end of the exploration.
func (w *world) survive(happen func()) {
	defer func() {
		if r := recover(); r != nil {
			w.broken = append(w.broken, fmt.Sprintf("a row ran on data that it is not made for: %v", r))
		}
	}()
	happen()
}
