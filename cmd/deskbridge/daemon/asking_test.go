package daemon

import (
	"testing"

	"deskbridge/transitions"
)

// TestAnAnswerGoesToTheTrackThatAsked: two people are asked on two tracks of one
// conversation, since the thread was lost in between. Answers to the former question
// went to the newest track, which had asked nothing of the kind.
func TestAnAnswerGoesToTheTrackThatAsked(t *testing.T) {
	t.Parallel()
	asked := func(message, sender, question string) *transitions.Data {
		return &transitions.Data{Messages: []transitions.Message{{ID: message, Sender: sender, State: transitions.MessageAsked, Question: question}}}
	}
	b := &Bridge{asking: map[string]*transitions.Data{
		"oc_1/1": asked("om_1", "ou_1", "om_q1"),
		"oc_1/3": asked("om_2", "ou_2", "om_q2"),
	}}
	for name, c := range map[string]struct {
		answer transitions.StaleAnswered
		track  string
	}{
		"to the former question": {transitions.StaleAnswered{About: "om_q1", By: "ou_1"}, "oc_1/1"},
		"to the former message":  {transitions.StaleAnswered{About: "om_1", By: "ou_2"}, "oc_1/1"},
		"of the former sender":   {transitions.StaleAnswered{By: "ou_1"}, "oc_1/1"},
		"to the newer question":  {transitions.StaleAnswered{About: "om_q2", By: "ou_2"}, "oc_1/3"},
		"of somebody else":       {transitions.StaleAnswered{By: "ou_3"}, "oc_1/4"},
	} {
		if got := b.askingTrack("oc_1/4", c.answer); got != c.track {
			t.Errorf("%s: it goes to %s, want %s", name, got, c.track)
		}
	}
}
