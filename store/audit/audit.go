package audit

import (
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// Check returns what does not hold of a conversation, as far as the ledger itself
// can tell, at whatever moment it was read. Each is a sentence with the ids of what
// it is about.
func Check(b *Books) []string { return check(b, transitions.Standard().Step) }

func check(b *Books, step Stepper) []string {
	h := Follow(b, nil, step)
	if h.Diverged {
		// What the tables would have made of the rest says nothing about the ledger.
		return h.Problems
	}
	all := append(h.Problems, h.Unlike(b)...)
	v := h.View(h.Rows(b), b.Tracks)
	v.Waits = len(b.Outbox)
	for _, problem := range invariant.Check(&v) {
		if !h.reported[problem] {
			all = append(all, problem)
		}
	}
	return all
}
