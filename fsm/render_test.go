package fsm_test

import (
	"strings"
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

// TestALongLabelIsCutAndItsRestIsNotLost holds that an arrow shows three facts,
// or two and how many more there are, and that those stand in the text all the
// same: in a comment of Mermaid, in a tooltip of Graphviz.
func TestALongLabelIsCutAndItsRestIsNotLost(t *testing.T) {
	t.Parallel()
	for facts, want := range map[int]string{
		1: "--> state_number_1 : fact_number_1\n    state",
		3: "--> state_number_1 : fact_number_1, fact_number_2, fact_number_3\n    state",
		4: "--> state_number_1 : fact_number_1, fact_number_2, +2 more\n    %% more: fact_number_3, fact_number_4\n    state",
	} {
		if got := dense(2, facts).Mermaid(); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	want := `-> "state_number_1" [label="fact_number_1\nfact_number_2\n+2 more", tooltip="state_number_0 → state_number_1\nfact_number_1\nfact_number_2\nfact_number_3\nfact_number_4", labeltooltip=`
	if got := dense(2, 4).DOT(); !strings.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, got)
	}
}
