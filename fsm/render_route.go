package fsm

// Sizes in the picture, in pixels.
const (
	nodeHeight  = 44
	labelHeight = 16
	charWidth   = 7  // of a label's font
	laneOffset  = 10 // how far an arrow runs beside the line between two states
	samples     = 48 // points at which a curve is looked at
)

// box is a rectangle about its middle.
type box struct {
	point
	w, h int
}

func (b box) grown(by int) box { return box{b.point, b.w + 2*by, b.h + 2*by} }

func (b box) has(p point) bool { return 2*abs(p.x-b.x) < b.w && 2*abs(p.y-b.y) < b.h }

func (b box) meets(c box) bool { return 2*abs(b.x-c.x) < b.w+c.w && 2*abs(b.y-c.y) < b.h+c.h }

// around is a box that has all of the points within it.
func around(points []point) box {
	low, high := points[0], points[0]
	for _, p := range points {
		low = point{min(low.x, p.x), min(low.y, p.y)}
		high = point{max(high.x, p.x), max(high.y, p.y)}
	}
	return box{point{(low.x + high.x) / 2, (low.y + high.y) / 2}, high.x - low.x + 2, high.y - low.y + 2}
}

// curve is a quadratic Bézier curve.
type curve [3]point

// at returns the point at k of n along the curve.
func (c curve) at(k, n int) point {
	a, b, d := (n-k)*(n-k), 2*k*(n-k), k*k
	return point{(a*c[0].x + b*c[1].x + d*c[2].x) / (n * n), (a*c[0].y + b*c[1].y + d*c[2].y) / (n * n)}
}

// part returns the curve between k and l of n.
func (c curve) part(k, l, n int) curve {
	mix := func(a, b, d int) int { return ((n-k)*(n-l)*a + ((n-k)*l+k*(n-l))*b + k*l*d) / (n * n) }
	mid := point{mix(c[0].x, c[1].x, c[2].x), mix(c[0].y, c[1].y, c[2].y)}
	return curve{c.at(k, n), mid, c.at(l, n)}
}

// route is an arrow as it is drawn.
type route struct {
	curve curve
	label box
	trail []point // points along the curve
	about box     // what the trail keeps within
	cost  int     // of its own shape
}

// router finds a way for each arrow, and a place for its label.
type router struct {
	nodes  []box
	arrows [][2]int
	widths []int // of the labels
	routes []route
}

// Bends and label places to choose from; the first ones are the dearest to the eye.
var (
	bends  = []int{24, 56, 96, 144, 200, -56, -96, -144, -200}
	places = []int{22, 18, 26, 14, 30, 34, 10, 38}
)

// run routes the arrows one after another, and then each again among all others.
func (r *router) run() {
	r.routes = make([]route, len(r.arrows))
	choices := make([][]route, len(r.arrows))
	for i := range r.arrows {
		choices[i] = r.choices(i)
	}
	for range 4 {
		for i := range r.arrows {
			best, bestCost, near := 0, -1, 0
			for k := range choices[i] {
				if k%len(places) == 0 { // the next bend
					near = r.closeness(i, &choices[i][k])
				}
				if c := near + r.cost(i, &choices[i][k]); bestCost < 0 || c < bestCost {
					best, bestCost = k, c
				}
			}
			r.routes[i] = choices[i][best]
		}
	}
}

// choices lists the ways that an arrow may take, bend by bend, with the cost
// that does not depend on the others.
func (r *router) choices(i int) []route {
	from, to := r.nodes[r.arrows[i][0]], r.nodes[r.arrows[i][1]]
	var list []route
	for bendRank, bend := range bends {
		c := clip(bow(from.point, to.point, bend), from, to)
		trail := make([]point, 0, samples+1)
		hits := 0
		for k := range samples + 1 {
			p := c.at(k, samples)
			trail = append(trail, p)
			for n, node := range r.nodes {
				if n != r.arrows[i][0] && n != r.arrows[i][1] && node.grown(8).has(p) {
					hits++
				}
			}
		}
		about := around(trail)
		for placeRank, place := range places {
			label := box{c.at(place, samples), r.widths[i], labelHeight}
			cost := bendRank*14 + placeRank*4 + hits*80
			for _, node := range r.nodes {
				if node.grown(4).meets(label) {
					cost += 3000
				}
			}
			list = append(list, route{curve: c, label: label, trail: trail, about: about, cost: cost})
		}
	}
	return list
}

// cost is what a way costs for itself, and for what its label and the others'
// labels cover.
func (r *router) cost(i int, w *route) int {
	cost := w.cost
	for j := range r.routes {
		other := &r.routes[j]
		if j == i || other.trail == nil {
			continue
		}
		if other.label.grown(3).meets(w.label) {
			cost += 900
		}
		cost += 12 * (covered(w.label, other) + covered(other.label, w))
	}
	return cost
}

// covered counts the points of a way that a label covers; it looks at every
// other one.
func covered(label box, w *route) int {
	label = label.grown(1)
	if !label.meets(w.about) {
		return 0
	}
	count := 0
	for k := 0; k <= samples; k += 2 {
		if label.has(w.trail[k]) {
			count++
		}
	}
	return count
}

// closeness counts how long a curve runs beside the others, their ends apart:
// little for a crossing, much for a common stretch.
func (r *router) closeness(i int, w *route) int {
	const near = 14
	cost := 0
	for j := range r.routes {
		other := &r.routes[j]
		if j == i || other.trail == nil || !other.about.grown(near).meets(w.about) {
			continue
		}
		for k := 6; k <= samples-6; k += 3 {
			for l := 6; l <= samples-6; l += 3 {
				if abs(w.trail[k].x-other.trail[l].x)+abs(w.trail[k].y-other.trail[l].y) < near {
					cost += 6
				}
			}
		}
	}
	return cost
}

// bow is the curve from a to b that bends to the left of its way; there and
// back bend to different sides.
func bow(a, b point, bend int) curve {
	d := b.minus(a)
	long := max(length(d), 1)
	beside := func(p point, by int) point { return point{p.x + d.y*by/long, p.y - d.x*by/long} }
	lane := laneOffset
	if bend < 0 {
		lane = -lane
	}
	mid := point{(a.x + b.x) / 2, (a.y + b.y) / 2}
	return curve{beside(a, lane), beside(mid, bend), beside(b, lane)}
}

// clip cuts off what lies within the two states.
func clip(c curve, from, to box) curve {
	const fine = 256
	k, l := 0, fine
	for k < l && from.grown(1).has(c.at(k, fine)) {
		k++
	}
	for l > k && to.grown(3).has(c.at(l, fine)) {
		l--
	}
	return c.part(k, l, fine)
}
