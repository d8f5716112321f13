package codex

import (
	"slices"

	"deskbridge/transitions"
)

// messages are the ids of the messages that are items of the turn, in order.
func (t turn) messages() []string {
	var ids []string
	for _, it := range t.Items {
		if it.Type == itemUser && it.ClientID != "" {
			ids = append(ids, it.ClientID)
		}
	}
	return ids
}

// end tells how the turn ended, as far as the list says, and whether it has. A
// status that is not known is no end.
func (t turn) end() (transitions.EndStatus, bool) {
	switch t.Status {
	case turnCompleted:
		return transitions.EndCompleted, true
	case turnInterrupted:
		return transitions.EndInterrupted, true
	case turnFailed:
		return transitions.EndFailed, true
	default:
		return "", false
	}
}

// turnFacts says what listed turns prove, oldest first: newest is the list as
// the server gives it. A running turn is told in every snapshot. An ended one is
// told if it is waited for, or if it holds messages from a bridge and told does
// not have it yet; other ended turns are foreign and old. Of a turn in doubt
// nothing is told.
func turnFacts(newest []turn, doubted string, waited []string, told map[string]bool) []transitions.Fact {
	var facts []transitions.Fact
	for _, t := range slices.Backward(newest) {
		messages := t.messages()
		status, ended := t.end()
		switch {
		case t.Status == turnInProgress:
			facts = append(facts, transitions.TurnRunning{Turn: t.ID, Messages: messages})
		case !ended, t.ID == doubted:
		case slices.Contains(waited, t.ID), len(messages) > 0 && !told[t.ID]:
			ended := transitions.TurnEnded{
				Turn: t.ID, Status: status, Messages: messages, Reply: reply(t.Items, status),
			}
			if status == transitions.EndFailed {
				ended.Said = t.Said
			}
			facts = append(facts, ended)
		}
	}
	return facts
}

// severed reports whether the turn reads as interrupted without a time of its
// end. That is how a turn reads whose server was killed; but for some tens of
// milliseconds a turn that has just begun may read so, too.
func (t turn) severed() bool { return t.Status == turnInterrupted && !t.Completed }

// ids are the turns' ids, newest first.
func ids(turns []turn) []string {
	var all []string
	for _, t := range turns {
		all = append(all, t.ID)
	}
	return all
}

// fail notes why a turn failed, as its end was told. Versions up to 0.145 store such a
// turn as completed and without the reason, so that no read tells it again.
func (t *thread) fail(turn, said string) {
	if t.failed == nil || len(t.failed) == maxReported {
		t.failed = map[string]string{}
	}
	t.failed[turn] = said
}

// withFailures puts into a list what was told of turns that failed: of those that read
// as completed without an answer.
func (t *thread) withFailures(newest []turn) []turn {
	if len(t.failed) == 0 {
		return newest
	}
	newest = slices.Clone(newest)
	for i := range newest {
		said, failed := t.failed[newest[i].ID]
		if failed && newest[i].Status == turnCompleted && reply(newest[i].Items, transitions.EndCompleted) == "" {
			newest[i].Status, newest[i].Said = turnFailed, said
		}
	}
	return newest
}
