package invariant

import "deskbridge/transitions"

// NothingApprovedByMistake is invariant 7. A request's id stands for its thread,
// turn and item, for the server process and for a digest of its parameters, so
// that the same id is the same request.
func NothingApprovedByMistake(v *View) []string {
	var p problems
	for i := range v.Requests {
		r := &v.Requests[i]
		if r.By != "" && !r.Entitled {
			p.add("request %s was decided by %s, who may not", r.ID, r.By)
		}
		if r.Card != "" && r.Card != r.ID {
			p.add("request %s was decided by the card of %s", r.ID, r.Card)
		}
		for _, d := range r.Decisions {
			switch {
			case r.By == "" && d == transitions.Decline && r.Decision == d:
				// The track is superseded, and declines what it is asked.
			case r.By == "":
				p.add("Codex was told %q about request %s, and nobody decided", d, r.ID)
			case d != r.Decision:
				p.add("Codex was told %q about request %s, and %s decided %q", d, r.ID, r.By, r.Decision)
			}
		}
		over := r.State == transitions.RequestEnded || r.State == transitions.RequestDead
		if v.AtRest && over && (r.Shown != "" || r.InChat) && !r.Closed {
			p.add("request %s is %s, and its card does not say so", r.ID, r.State)
		}
	}
	return p
}
