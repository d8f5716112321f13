package explore

import "slices"

// tell makes the story of a violation by going its way once more.
func (s *search) tell(last node, st *step) *Violation {
	way := []node{last}
	for at := last.parent; at >= 0; at = s.nodes[at].parent {
		way = append(way, s.nodes[at])
	}
	slices.Reverse(way)
	v := &Violation{Problems: st.problems, Moves: len(way) - 1}
	w := s.roots[way[0].move]
	v.Story = narrate(v.Story, w)
	for _, n := range way[1:] {
		m := w.Moves()[n.move]
		w = m.Next()
		v.Story = narrate(append(v.Story, m.Name), w)
	}
	if st.fair >= 0 {
		v.Story = append(v.Story, "— from here on nothing goes wrong —")
	}
	for range min(max(st.fair, 0), fairTold) {
		m, ok := w.Fair()
		if !ok {
			break
		}
		w = m.Next()
		v.Story = narrate(append(v.Story, m.Name), w)
	}
	return v
}

// fairTold is how much of a fair path is told: one without end repeats itself.
const fairTold = 40

func narrate(story []string, w World) []string {
	n, ok := w.(Narrator)
	if !ok {
		return story
	}
	for _, line := range n.Narrate() {
		story = append(story, "    "+line)
	}
	return story
}
