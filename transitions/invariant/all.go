package invariant

import "fmt"

// Invariant is one of the nine.
type Invariant struct {
	Number int
	// Name is the design's heading, Text its sentence.
	Name, Text string
	// Check returns what does not hold, as sentences with ids.
	Check func(*View) []string
}

// All lists the invariants in the design's order.
func All() []Invariant {
	return []Invariant{
		{1, "Nothing lost in", "An acknowledged message ends, after faults stop, as exactly one of: proven in a turn, an answer, a command, given back to its sender with the reason, or unresolved: its sender was asked once whether to send it again.", NothingLostIn},
		{2, "Nothing twice in", "At most one userMessage item per message, over all turns and threads.", NothingTwiceIn},
		{3, "Nothing lost out", "The outcome of every turn of a live track that holds a message of ours reaches the chat, or its failure is visible after bounded retries.", NothingLostOut},
		{4, "Nothing twice out", "No outcome appears twice in the chat.", NothingTwiceOut},
		{5, "Nothing invented", "\"Stopped\" only with a recorded /stop for that very turn and status interrupted; \"waiting for you\" only with a visible open request; \"sent to Codex\" only with proof.", NothingInvented},
		{6, "Nothing falsely held", "Text is held only by a named hold, and each says so. A request that can't be shown is shown in a poorer form, and after a bounded time says so.", NothingFalselyHeld},
		{7, "Nothing approved by mistake", "A decision applies to the request its card was drawn for, once, by someone entitled. A card of a dead request says so.", NothingApprovedByMistake},
		{8, "Nothing stuck", "Once faults stop, every track settles within a bounded number of steps, or waits visibly for a named person.", NothingStuck},
		{9, "Turn identity", "A fact about turn A never changes what is known about turn B, in whatever order they arrive.", TurnIdentity},
	}
}

// Check holds a view against all invariants and returns what does not hold, each
// with the number and the name of its invariant.
func Check(v *View) (problems []string) {
	for _, inv := range All() {
		for _, problem := range inv.Check(v) {
			problems = append(problems, fmt.Sprintf("invariant %d, %s: %s", inv.Number, inv.Name, problem))
		}
	}
	return problems
}

// problems collects sentences.
type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }
