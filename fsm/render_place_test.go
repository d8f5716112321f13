package fsm

import (
	"testing"

	"pgregory.net/rapid"
)

// TestAPlacementCostsWhatItsPictureShows holds the cost, which looks everything
// up in the grid's lists, against one that measures the points of the picture.
func TestAPlacementCostsWhatItsPictureShows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.IntRange(1, 14).Draw(t, "states")
		state := rapid.IntRange(0, states-1)
		arrows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int {
			return [2]int{state.Draw(t, "from"), state.Draw(t, "to")}
		}), 0, 20).Draw(t, "arrows")
		g := newGrid(states)
		p := newPlacement(g, depths(states, state.Draw(t, "initial"), arrows), arrows, rapid.IntRange(0, states).Draw(t, "turn"))
		cell := rapid.IntRange(0, len(g.points)-1)
		for range rapid.IntRange(0, 8).Draw(t, "swaps") {
			p.swap(cell.Draw(t, "one cell"), cell.Draw(t, "another"))
		}
		at := make([]point, states)
		for cell, state := range p.states {
			if state >= 0 {
				at[state] = g.points[cell]
			}
		}
		if got, want := p.cost(), measured(at, p.depth, arrows); got != want {
			t.Fatalf("the cost is %d, and %d by the picture", got, want)
		}
	})
}

// measured is what [placement.cost] says, from the points alone.
func measured(at []point, depth []int, arrows [][2]int) int {
	cost := 0
	for i, a := range arrows {
		from, to := at[a[0]], at[a[1]]
		cost += length(to.minus(from)) / 10
		if depth[a[0]] < depth[a[1]] && from.x >= to.x {
			cost += 25
		}
		for state, q := range at {
			if state != a[0] && state != a[1] && nearLine(from, to, q) {
				cost += 120
			}
		}
		for _, b := range arrows[:i] {
			apart := a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1]
			c, d := at[b[0]], at[b[1]]
			if apart && side(from, to, c) != side(from, to, d) && side(c, d, from) != side(c, d, to) {
				cost += 40
			}
		}
	}
	for state, d := range depth {
		if d == 0 && at[state].x > 0 {
			cost += 500
		}
	}
	return cost
}

// TestWhatALabelCoversIsCounted holds that looking at a curve's surroundings
// first overlooks no point of it.
func TestWhatALabelCoversIsCounted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.IntRange(-120, 120)
		somewhere := rapid.Custom(func(t *rapid.T) point { return point{coordinate.Draw(t, "x"), coordinate.Draw(t, "y")} })
		c := curve{somewhere.Draw(t, "from"), somewhere.Draw(t, "bend"), somewhere.Draw(t, "to")}
		w := route{curve: c}
		for k := range samples + 1 {
			w.trail = append(w.trail, c.at(k, samples))
		}
		w.about = around(w.trail)
		label := box{somewhere.Draw(t, "label"), rapid.IntRange(1, 160).Draw(t, "width"), labelHeight}
		want := 0
		for k := 0; k <= samples; k += 2 {
			if label.grown(1).has(w.trail[k]) {
				want++
			}
		}
		if got := covered(label, &w); got != want {
			t.Fatalf("covers %d, want %d", got, want)
		}
	})
}
