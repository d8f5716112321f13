package audit

import (
	"deskbridge/store/audit"
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// Check returns what does not agree in the accounts of a scenario that is over,
// and what does not hold that must hold of every bridge.
func Check(a Account) []string { return check(&a, transitions.Standard().Step) }

func check(a *Account, step audit.Stepper) []string {
	h := audit.Follow(&a.Books, a.Deciders, step)
	all := h.Problems
	if !h.Diverged {
		all = append(all, h.Unlike(&a.Books)...)
	}
	v := a.view(h)
	all = append(all, invariant.Check(&v)...)
	for _, seen := range edges {
		all = append(all, seen(a, h)...)
	}
	return all
}
