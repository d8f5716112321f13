package fsm

import "slices"

// The pitch of the grid on which states stand, in pixels.
const (
	columnPitch = 330
	rowPitch    = 200
)

// point is a place in the picture. All of its arithmetic is in integers, so that
// the same bytes come out on every processor.
type point struct{ x, y int }

func (p point) minus(q point) point { return point{p.x - q.x, p.y - q.y} }

// placement says on which cell of a grid each state stands. Odd columns are
// shifted down by half a row, so that few lines run through a third state.
type placement struct {
	rows  int
	cells []int // cell → state, or -1
	pairs [][2]int
	depth []int // state → steps from the initial one
}

// place puts the states on a grid, the initial one into the first column, so
// that arrows are short, seldom cross, seldom run through a third state, and
// lead to the right where they lead away from the initial state. It begins with
// several orders and swaps cells as long as that helps.
func place(states int, initial int, arrows [][2]int) []point {
	best, bestCost := placement{}, -1
	for turn := range max(states, 1) {
		p := newPlacement(states, initial, arrows, turn)
		if cost := p.settle(); bestCost < 0 || cost < bestCost {
			best, bestCost = p, cost
		}
	}
	return best.points(states)
}

func newPlacement(states, initial int, arrows [][2]int, turn int) placement {
	p := placement{rows: gridRows(states), pairs: arrows, depth: depths(states, initial, arrows)}
	columns := (states+p.rows-1)/p.rows + 1
	p.cells = make([]int, columns*p.rows)
	order := make([]int, states)
	for i := range order {
		order[i] = (i + turn) % states
	}
	slices.SortStableFunc(order, func(a, b int) int { return p.depth[a] - p.depth[b] })
	for i := range p.cells {
		p.cells[i] = -1
		if i < states {
			p.cells[i] = order[i]
		}
	}
	return p
}

func gridRows(states int) int {
	switch {
	case states <= 2:
		return 1
	case states <= 5:
		return 2
	case states <= 12:
		return 3
	}
	rows := 4
	for rows*rows < states {
		rows++
	}
	return rows
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
		for i := range p.cells {
			for j := i + 1; j < len(p.cells); j++ {
				if p.cells[i] == p.cells[j] {
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

func (p *placement) swap(i, j int) { p.cells[i], p.cells[j] = p.cells[j], p.cells[i] }

func (p *placement) points(states int) []point {
	at := make([]point, states)
	for cell, state := range p.cells {
		if state < 0 {
			continue
		}
		column, row := cell/p.rows, cell%p.rows
		at[state] = point{column * columnPitch, row*rowPitch + column%2*rowPitch/2}
	}
	return at
}

func (p *placement) cost() int {
	at := p.points(len(p.depth))
	cost := 0
	for i, a := range p.pairs {
		from, to := at[a[0]], at[a[1]]
		cost += length(to.minus(from)) / 10
		if p.depth[a[0]] < p.depth[a[1]] && from.x >= to.x {
			cost += 25
		}
		for state, q := range at {
			if state != a[0] && state != a[1] && nearLine(from, to, q) {
				cost += 120
			}
		}
		for _, b := range p.pairs[:i] {
			if a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1] && crosses(from, to, at[b[0]], at[b[1]]) {
				cost += 40
			}
		}
	}
	for state, depth := range p.depth {
		if depth == 0 && at[state].x > 0 {
			cost += 500
		}
	}
	return cost
}

// nearLine says whether q is so near the line from a to b that a state there
// would stand on it.
func nearLine(a, b, q point) bool {
	for k := 1; k < 16; k++ {
		p := point{a.x + (b.x-a.x)*k/16, a.y + (b.y-a.y)*k/16}
		if abs(p.x-q.x) < 100 && abs(p.y-q.y) < 45 {
			return true
		}
	}
	return false
}

// crosses says whether the lines ab and cd cross.
func crosses(a, b, c, d point) bool {
	return side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b)
}

func side(a, b, c point) bool {
	return (b.x-a.x)*(c.y-a.y)-(b.y-a.y)*(c.x-a.x) > 0
}

func length(p point) int { return root(p.x*p.x + p.y*p.y) }

// root is the integer square root, rounded down.
func root(n int) int {
	if n < 2 {
		return n
	}
	r := n
	for next := (r + n/r) / 2; next < r; next = (r + n/r) / 2 {
		r = next
	}
	return r
}

func abs(n int) int { return max(n, -n) }
