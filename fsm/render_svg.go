package fsm

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// inks are the colours of the arrows, one for each source state, dark enough for
// text on white.
var inks = []string{"#1d4ed8", "#b45309", "#0f766e", "#be123c", "#6d28d9", "#4d7c0f", "#0369a1", "#a21caf", "#854d0e", "#374151"}

const svgStyle = `.node rect{fill:#fff;stroke-width:1.6}
.node .rest{fill:none;stroke-width:1}
.node text{font:600 14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;text-anchor:middle}
.node .second{font:12px system-ui,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
.edge path{fill:none;stroke-width:1.4}
.edge rect{fill:#fff;stroke-width:.7}
.edge text{font:11px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;text-anchor:middle}
.start{fill:#374151;stroke:#374151;stroke-width:1.4}`

// SVG draws the machine, the same bytes each time, with the arrows of
// [Outline.Arrows] in the colour of the state that they leave. An arrow is
// labelled with its first fact and the number of others; its title, which a
// browser shows under the pointer, lists all. States are groups of class node
// with the attribute data-state, arrows of class edge with data-from, data-to and data-facts.
func (o Outline) SVG() string {
	index := map[string]int{}
	for i, s := range o.States {
		index[s.Name] = i
	}
	arrows := o.Arrows()
	r := router{}
	for _, a := range arrows {
		r.arrows = append(r.arrows, [2]int{index[a.From], index[a.To]})
		r.widths = append(r.widths, len(arrowLabel(a))*charWidth+10)
	}
	for i, p := range place(len(o.States), index[o.Initial], r.arrows) {
		r.nodes = append(r.nodes, box{p, nodeWidth(o.States[i]), nodeHeight})
	}
	r.run()
	start := box{point{r.nodes[index[o.Initial]].x - r.nodes[index[o.Initial]].w/2 - 40, r.nodes[index[o.Initial]].y}, 12, 12}

	var b strings.Builder
	low, high := r.extent(start)
	w, h := high.x-low.x, high.y-low.y
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="%d %d %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n",
		low.x, low.y, w, h, w, h, html.EscapeString(o.Name+": "+o.Doc))
	fmt.Fprintf(&b, "<style>\n%s\n</style>\n<defs>\n", svgStyle)
	for i := range o.States {
		o.marker(&b, strconv.Itoa(i), ink(i))
	}
	o.marker(&b, "start", "#374151")
	fmt.Fprintf(&b, "</defs>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", low.x, low.y, w, h)
	fmt.Fprintf(&b, `<g class="start"><circle cx="%d" cy="%d" r="6"/><path d="M%d %dh26" marker-end="url(#%s-start)"/></g>`+"\n",
		start.x, start.y, start.x+6, start.y, o.Name)
	for i, a := range arrows {
		o.drawPath(&b, a, r.routes[i], r.arrows[i][0])
	}
	for i, a := range arrows { // labels lie above all lines
		drawLabel(&b, a, r.routes[i].label, ink(r.arrows[i][0]))
	}
	for i, s := range o.States {
		drawNode(&b, s, r.nodes[i], ink(i))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func ink(state int) string { return inks[state%len(inks)] }

// nodeWidth has room for the name, and for the label, whose signs may be as wide
// as Chinese ones.
func nodeWidth(s OutlineState) int {
	return max(utf8.RuneCountInString(s.Name)*9+30, utf8.RuneCountInString(s.Label)*12+24, 110)
}

// arrowLabel is the first fact, and how many others there are.
func arrowLabel(a Arrow) string {
	if len(a.Facts) == 1 {
		return a.Facts[0]
	}
	return a.Facts[0] + " +" + strconv.Itoa(len(a.Facts)-1)
}

// marker writes an arrowhead. Its id bears the machine's name, so that several
// pictures can stand in one page.
func (o Outline) marker(b *strings.Builder, id, colour string) {
	fmt.Fprintf(b, `<marker id="%s-%s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L10 5L0 9z" fill="%s"/></marker>`+"\n",
		o.Name, id, colour)
}

func (o Outline) drawPath(b *strings.Builder, a Arrow, w route, from int) {
	c := w.curve
	fmt.Fprintf(b, `<g class="edge" data-from="%s" data-to="%s" data-facts="%s"><path d="M%d %dQ%d %d %d %d" stroke="%s" marker-end="url(#%s-%d)"/></g>`+"\n",
		a.From, a.To, strings.Join(a.Facts, " "), c[0].x, c[0].y, c[1].x, c[1].y, c[2].x, c[2].y, ink(from), o.Name, from)
}

func drawLabel(b *strings.Builder, a Arrow, l box, colour string) {
	fmt.Fprintf(b, `<g class="edge" data-from="%s" data-to="%s" data-facts="%s"><title>%s</title>`,
		a.From, a.To, strings.Join(a.Facts, " "), html.EscapeString(a.title()))
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" stroke="%s"/>`, l.x-l.w/2, l.y-l.h/2, l.w, l.h, colour)
	fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s">%s</text></g>`+"\n", l.x, l.y+4, colour, html.EscapeString(arrowLabel(a)))
}

func drawNode(b *strings.Builder, s OutlineState, n box, colour string) {
	fmt.Fprintf(b, `<g class="node" data-state="%s"><title>%s</title>`, s.Name, html.EscapeString(s.Doc))
	rect := func(inset int, class string) {
		fmt.Fprintf(b, `<rect%s x="%d" y="%d" width="%d" height="%d" rx="%d" stroke="%s"/>`,
			class, n.x-n.w/2+inset, n.y-n.h/2+inset, n.w-2*inset, n.h-2*inset, 10-inset, colour)
	}
	rect(0, "")
	if s.Settled {
		rect(3, ` class="rest"`)
	}
	if s.Label == "" {
		fmt.Fprintf(b, `<text x="%d" y="%d">%s</text></g>`+"\n", n.x, n.y+5, s.Name)
		return
	}
	fmt.Fprintf(b, `<text class="second" x="%d" y="%d">%s</text>`, n.x, n.y-4, html.EscapeString(s.Label))
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text></g>`+"\n", n.x, n.y+14, s.Name)
}

// extent is the smallest rectangle about everything, with a margin.
func (r *router) extent(start box) (low, high point) {
	low, high = start.point, start.point
	add := func(b box) {
		low = point{min(low.x, b.x-b.w/2), min(low.y, b.y-b.h/2)}
		high = point{max(high.x, b.x+b.w/2), max(high.y, b.y+b.h/2)}
	}
	add(start)
	for _, n := range r.nodes {
		add(n)
	}
	for _, w := range r.routes {
		add(w.label)
		for _, p := range w.trail {
			add(box{p, 0, 0})
		}
	}
	const margin = 14
	return point{low.x - margin, low.y - margin}, point{high.x + margin, high.y + margin}
}
