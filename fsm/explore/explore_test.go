package explore_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/fsm/explore"
)

// jugs is the puzzle of two jugs of three and five litres.
type jugs struct {
	three, five int
	// rule is what the puzzle's world must never be or come to; nil: anything goes.
	rule *rule
}

// rule bends the puzzle for a test.
type rule struct {
	broken    func(jugs) bool
	unsettled func(jugs) bool
	// fair is the fair move of a world; nil: it is at rest.
	fair func(jugs) (explore.Move, bool)
}

func (j jugs) Key() explore.Key { return explore.KeyOf(struct{ three, five int }{j.three, j.five}) }

func (j jugs) Moves() []explore.Move {
	pour := min(j.three, 5-j.five)
	back := min(j.five, 3-j.three)
	return []explore.Move{
		j.to("fill three", 3, j.five), j.to("fill five", j.three, 5),
		j.to("empty three", 0, j.five), j.to("empty five", j.three, 0),
		j.to("pour three into five", j.three-pour, j.five+pour), j.to("pour five into three", j.three+back, j.five-back),
	}
}

func (j jugs) to(name string, three, five int) explore.Move {
	return explore.Move{Name: name, Next: func() explore.World { return jugs{three, five, j.rule} }}
}

func (j jugs) Fair() (explore.Move, bool) {
	if j.rule == nil || j.rule.fair == nil {
		return explore.Move{}, false
	}
	return j.rule.fair(j)
}

func (j jugs) Broken() []string {
	if j.rule != nil && j.rule.broken != nil && j.rule.broken(j) {
		return []string{"there are four litres"}
	}
	return nil
}

func (j jugs) Unsettled() []string {
	if j.rule != nil && j.rule.unsettled != nil && j.rule.unsettled(j) {
		return []string{"water is left"}
	}
	return nil
}

func (j jugs) Narrate() []string { return []string{fmt.Sprintf("%d and %d", j.three, j.five)} }

func run(r *rule, opt explore.Options) explore.Report {
	if opt.MaxFair == 0 {
		opt.MaxFair = 20
	}
	return explore.Run([]explore.World{jugs{rule: r}}, opt)
}

func TestRunSeesEveryWorldOnce(t *testing.T) {
	t.Parallel()
	got := run(nil, explore.Options{})
	want := explore.Report{States: 16, Edges: 96, Depth: 7, Complete: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheResultDoesNotDependOnTheWorkers(t *testing.T) {
	t.Parallel()
	four := &rule{broken: func(j jugs) bool { return j.five == 4 }}
	var seen [][]string
	for _, workers := range []int{1, 2, 7} {
		var edges []string
		report := run(four, explore.Options{Workers: workers, Edge: func(from, to explore.World) {
			edges = append(edges, fmt.Sprintf("%v %v", from.(jugs).Narrate(), to.(jugs).Narrate()))
		}})
		seen = append(seen, slices.Concat(edges, report.Violation.Story))
	}
	for _, other := range seen[1:] {
		if diff := cmp.Diff(seen[0], other); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAViolationIsToldByTheShortestWay(t *testing.T) {
	t.Parallel()
	got := run(&rule{broken: func(j jugs) bool { return j.five == 4 }}, explore.Options{})
	want := &explore.Violation{
		Problems: []string{"there are four litres"},
		Moves:    6,
		Story: []string{
			"    0 and 0", "fill five", "    0 and 5", "pour five into three", "    3 and 2", "empty three", "    0 and 2",
			"pour five into three", "    2 and 0", "fill five", "    2 and 5", "pour five into three", "    3 and 4",
		},
	}
	if diff := cmp.Diff(want, got.Violation); diff != "" {
		t.Error(diff)
	}
}

func TestTheFairPathOfEachWorldIsFollowed(t *testing.T) {
	t.Parallel()
	empty := func(j jugs) (explore.Move, bool) {
		switch {
		case j.three > 0:
			return j.to("empty three", 0, j.five), true
		case j.five > 0:
			return j.to("empty five", j.three, 0), true
		}
		return explore.Move{}, false
	}
	swing := func(j jugs) (explore.Move, bool) {
		if j.five == 5 {
			return j.to("empty five", j.three, 0), true
		}
		return j.to("fill five", j.three, 5), true
	}
	for _, c := range []struct {
		name string
		rule rule
		want *explore.Violation
	}{
		{"one that comes to rest is no violation", rule{fair: empty, unsettled: func(j jugs) bool { return j.five+j.three > 0 }}, nil},
		{"rest must be settled", rule{fair: func(j jugs) (explore.Move, bool) {
			return j.to("empty three", 0, j.five), j.three > 0
		}, unsettled: func(j jugs) bool { return j.five > 0 && j.three == 0 }}, &explore.Violation{
			Problems: []string{"water is left"}, Moves: 1,
			Story: []string{"    0 and 0", "fill five", "    0 and 5", "— from here on nothing goes wrong —"},
		}},
		{"what must hold always must hold on it", rule{fair: empty, broken: func(j jugs) bool { return j.three == 0 && j.five == 2 }}, &explore.Violation{
			Problems: []string{"there are four litres"}, Moves: 2,
			Story: []string{
				"    0 and 0", "fill five", "    0 and 5", "pour five into three", "    3 and 2",
				"— from here on nothing goes wrong —", "empty three", "    0 and 2",
			},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := run(&c.rule, explore.Options{})
			if diff := cmp.Diff(c.want, got.Violation); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("it must end", func(t *testing.T) {
		t.Parallel()
		got := run(&rule{fair: swing}, explore.Options{MaxFair: 5}).Violation
		want := []string{"nothing goes wrong any more, and after 5 moves there is still no rest"}
		if diff := cmp.Diff(want, got.Problems); diff != "" {
			t.Error(diff)
		}
	})
}

func TestBoundsEndTheRun(t *testing.T) {
	t.Parallel()
	if got := run(nil, explore.Options{MaxDepth: 2}); got.Complete || got.Depth != 2 {
		t.Errorf("by depth: %+v", got)
	}
	if got := run(nil, explore.Options{MaxStates: 3}); got.Complete || got.States < 3 || got.States == 16 {
		t.Errorf("by states: %+v", got)
	}
}

func TestARootMayBeBrokenItself(t *testing.T) {
	t.Parallel()
	got := run(&rule{broken: func(jugs) bool { return true }}, explore.Options{}).Violation
	if got == nil || got.Moves != 0 || len(got.Story) != 1 {
		t.Errorf("got %+v", got)
	}
}
