package fsm

// The pitch of the grid on which states stand, in pixels.
const (
	columnPitch = 330
	rowPitch    = 200
)

// point is a place in the picture. All of its arithmetic is in integers, so that
// the same bytes come out on every processor.
type point struct{ x, y int }

func (p point) minus(q point) point { return point{p.x - q.x, p.y - q.y} }

// grid is the cells on which states may stand, with all that a placement asks
// of them worked out beforehand: it asks hundreds of thousands of times.
type grid struct {
	points []point // of the cells, column by column
	// For the line from cell a to cell b, at a*len(points)+b:
	length []int   // how long it is
	near   [][]int // the other cells that it runs through
	// For cell c as well, at (a*len(points)+b)*len(points)+c:
	left []bool // whether c lies to the left of the line
}

// newGrid makes a grid with room for that many states, and a column to spare.
// Odd columns are shifted down by half a row, so that few lines run through a
// third cell.
func newGrid(states int) *grid {
	rows := gridRows(states)
	columns := (states+rows-1)/rows + 1
	g := &grid{}
	for column := range columns {
		for row := range rows {
			g.points = append(g.points, point{column * columnPitch, row*rowPitch + column%2*rowPitch/2})
		}
	}
	for a, from := range g.points {
		for b, to := range g.points {
			var near []int
			for c, p := range g.points {
				g.left = append(g.left, side(from, to, p))
				if c != a && c != b && nearLine(from, to, p) {
					near = append(near, c)
				}
			}
			g.near = append(g.near, near)
			g.length = append(g.length, length(to.minus(from)))
		}
	}
	return g
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

// line is the place of the line from a to b in the grid's lists.
func (g *grid) line(a, b int) int { return a*len(g.points) + b }

// cross says whether the lines ab and cd cross.
func (g *grid) cross(a, b, c, d int) bool {
	n := len(g.points)
	ab, cd := g.line(a, b)*n, g.line(c, d)*n
	return g.left[ab+c] != g.left[ab+d] && g.left[cd+a] != g.left[cd+b]
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
