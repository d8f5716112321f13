package fsm_test

import (
	"testing"

	"deskbridge/fsm"
	"github.com/google/go-cmp/cmp"
)

func TestTheDiagramShowsEveryMoveOnce(t *testing.T) {
	t.Parallel()
	want := `stateDiagram-v2
    [*] --> locked
    locked --> unlocked : coin
    unlocked --> locked : push
    broken
    note right of broken : entered once it can break
`
	if diff := cmp.Diff(want, fsm.MustNew(turnstile()).Mermaid()); diff != "" {
		t.Error(diff)
	}
}

// TestArrowsCarryTheirFactsInDeclaredOrder holds for a pair of states that
// several facts, and several rows of one fact, lead between.
func TestArrowsCarryTheirFactsInDeclaredOrder(t *testing.T) {
	t.Parallel()
	d := turnstile()
	d.Facts = append(d.Facts, named("reset", "Somebody reset it."))
	d.Rows = append(d.Rows,
		row{In: []state{locked, unlocked}, On: "reset", To: locked, Why: "It begins anew."})
	d.Rows[4].To = locked // the second row of the same fact leads there, too
	d.States = d.States[:2]
	want := `stateDiagram-v2
    [*] --> locked
    locked --> unlocked : coin
    unlocked --> locked : push, reset
`
	m := fsm.MustNew(d)
	for range 20 { // the same bytes each time
		if diff := cmp.Diff(want, m.Mermaid()); diff != "" {
			t.Fatal(diff)
		}
	}
}
