package fsm

import "slices"

// placement says on which cell of a grid each state stands.
type placement struct {
	grid   *grid
	states []int // cell → state, or -1
	cells  []int // state → cell
	arrows [][2]int
	depth  []int // state → steps from the initial one
}

// place puts the states on a grid, the initial one into the first column, so
// that arrows are short, seldom cross, seldom run through a third state, and
// lead to the right where they lead away from the initial state. It begins with
// several orders and swaps cells as long as that helps.
func place(states int, initial int, arrows [][2]int) []point {
	g, depth := newGrid(states), depths(states, initial, arrows)
	best, bestCost := placement{}, -1
	for turn := range max(states, 1) {
		p := newPlacement(g, depth, arrows, turn)
		if cost := p.settle(); bestCost < 0 || cost < bestCost {
			best, bestCost = p, cost
		}
	}
	points := make([]point, states)
	for state, cell := range best.cells {
		points[state] = g.points[cell]
	}
	return points
}

// newPlacement puts the states in the order of their depth; the turn decides
// between those of the same depth.
func newPlacement(g *grid, depth []int, arrows [][2]int, turn int) placement {
	p := placement{grid: g, cells: make([]int, len(depth)), arrows: arrows, depth: depth}
	order := make([]int, len(depth))
	for i := range order {
		order[i] = (i + turn) % len(depth)
	}
	slices.SortStableFunc(order, func(a, b int) int { return depth[a] - depth[b] })
	p.states = slices.Repeat([]int{-1}, len(g.points))
	for cell, state := range order {
		p.states[cell], p.cells[state] = state, cell
	}
	return p
}

// depths counts the arrows from the initial state; a state that none lead to
// counts as the farthest.
func depths(states, initial int, arrows [][2]int) []int {
	depth := slices.Repeat([]int{states}, states)
	depth[initial] = 0
	queue := []int{initial}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, a := range arrows {
			if a[0] == at && depth[a[1]] == states {
				depth[a[1]] = depth[at] + 1
				queue = append(queue, a[1])
			}
		}
	}
	return depth
}

// settle makes the best swap of two cells until none is better, and returns the
// cost that is left.
func (p *placement) settle() int {
	cost := p.cost()
	for {
		best, bi, bj := cost, -1, -1
		for i := range p.states {
			for j := i + 1; j < len(p.states); j++ {
				if p.states[i] == p.states[j] {
					continue
				}
				p.swap(i, j)
				if c := p.cost(); c < best {
					best, bi, bj = c, i, j
				}
				p.swap(i, j)
			}
		}
		if bi < 0 {
			return cost
		}
		p.swap(bi, bj)
		cost = best
	}
}

func (p *placement) swap(i, j int) {
	p.states[i], p.states[j] = p.states[j], p.states[i]
	for _, cell := range []int{i, j} {
		if state := p.states[cell]; state >= 0 {
			p.cells[state] = cell
		}
	}
}

func (p *placement) cost() int {
	g, cost := p.grid, 0
	for i, a := range p.arrows {
		from, to := p.cells[a[0]], p.cells[a[1]]
		line := g.line(from, to)
		cost += g.length[line] / 10
		if p.depth[a[0]] < p.depth[a[1]] && g.points[from].x >= g.points[to].x {
			cost += 25
		}
		for _, cell := range g.near[line] {
			if p.states[cell] >= 0 {
				cost += 120
			}
		}
		for _, b := range p.arrows[:i] {
			if a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1] && g.cross(from, to, p.cells[b[0]], p.cells[b[1]]) {
				cost += 40
			}
		}
	}
	for state, depth := range p.depth {
		if depth == 0 && g.points[p.cells[state]].x > 0 {
			cost += 500
		}
	}
	return cost
}
