package daemon

import (
	"testing"

	"deskbridge/transitions"
)

// TestNoThreadIsGivenToTwoTracks holds who has a thread: the newest track of another
// conversation, one that was left and still ends its turn, and one that asks for it.
func TestNoThreadIsGivenToTwoTracks(t *testing.T) {
	t.Parallel()
	newest := map[string]string{"oc_1": "oc_1/2", "oc_2": "oc_2/1", "oc_3": "oc_3/1"}
	trackOf := func(conversation string) string { return newest[conversation] }
	h := newHeld()
	running := []transitions.Turn{{ID: "A", State: transitions.TurnInFlight}}
	h.watch("oc_1/1", &transitions.Data{Thread: "left", Superseded: true, Turns: running})
	h.watch("oc_1/2", &transitions.Data{Thread: "mine"})
	h.watch("oc_2/1", &transitions.Data{Thread: "theirs"})
	h.watch("oc_3/1", &transitions.Data{})
	h.claim("oc_2/1", "asked for")
	h.claim("oc_2/1", "mine")
	for _, c := range []struct {
		track, thread string
		want          transitions.Unavailable
	}{
		{"oc_1/2", "mine", ""},
		{"oc_1/2", "left", transitions.StillEnding},
		{"oc_3/1", "left", transitions.StillEnding},
		{"oc_1/2", "theirs", transitions.TakenElsewhere},
		{"oc_1/2", "asked for", transitions.TakenElsewhere},
		{"oc_2/1", "asked for", ""},
		{"oc_1/2", "nobody's", ""},
	} {
		if got := h.why(c.track, c.thread, trackOf); got != c.want {
			t.Errorf("%s asks for %s: %q, want %q", c.track, c.thread, got, c.want)
		}
	}
	h.release("oc_2/1")
	h.watch("oc_1/1", &transitions.Data{Thread: "left", Superseded: true})
	for _, thread := range []string{"asked for", "left"} {
		if got := h.why("oc_3/1", thread, trackOf); got != "" {
			t.Errorf("%s is free, and cannot be had: %q", thread, got)
		}
	}
	// A thread that another track has by now does not fall back to the one that left it.
	h.watch("oc_3/1", &transitions.Data{Thread: "left"})
	h.watch("oc_1/1", &transitions.Data{Thread: "left", Superseded: true})
	if got := h.why("oc_1/2", "left", trackOf); got != transitions.TakenElsewhere {
		t.Errorf("it is %q", got)
	}
}
