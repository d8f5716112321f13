package codex

import (
	"strings"

	"deskbridge/transitions"
)

// phaseFinal marks an agent message as part of the turn's answer. Older models
// give no phase at all.
const phaseFinal = "final_answer"

// reply is what a turn answers: the agent messages of phase final_answer, in
// order, with an empty line between them; where none carries that phase, the
// last agent message. Other agent messages are progress. An interrupted or failed
// turn with an answer has one; but what it said on the way there, as its phase
// tells, answers nothing.
func reply(items []item, end transitions.EndStatus) string {
	var finals []string
	final, last := false, ""
	for _, it := range items {
		if it.Type != itemAgent {
			continue
		}
		if it.Text != "" && (it.Phase == "" || end == transitions.EndCompleted) {
			last = it.Text
		}
		if it.Phase == phaseFinal {
			final = true
			if it.Text != "" {
				finals = append(finals, it.Text)
			}
		}
	}
	if final {
		return strings.Join(finals, "\n\n")
	}
	return last
}
