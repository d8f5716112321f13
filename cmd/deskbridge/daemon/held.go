package daemon

import (
	t "deskbridge/transitions"
)

// held knows which track has which thread, so that no two have the same.
type held struct {
	// by is the track that has the thread: the newest of its conversation, or one that
	// was left and still ends a turn on it.
	by map[string]string
	// claims are the tracks that ask for a thread, which nobody else is given meanwhile.
	claims map[string]string
}

func newHeld() held { return held{by: map[string]string{}, claims: map[string]string{}} }

// watch notes what a track has.
func (h held) watch(track string, d *t.Data) {
	switch {
	case d.Thread == "":
	case !d.Superseded || d.Watch().Unsettled:
		h.by[d.Thread] = track
	case h.by[d.Thread] == track:
		delete(h.by, d.Thread)
	}
}

// why is why a track cannot have a thread; newest tells which track of a conversation
// that is.
func (h held) why(track, thread string, newest func(conversation string) string) t.Unavailable {
	if by := h.claims[thread]; by != "" && by != track {
		return t.TakenElsewhere
	}
	by := h.by[thread]
	if by == "" || by == track {
		return ""
	}
	if conversation, _ := t.SplitTrack(by); newest(conversation) != by {
		return t.StillEnding
	}
	return t.TakenElsewhere
}

// claim keeps a thread for the track that asks for it, unless another one has it or
// asked before.
func (h held) claim(track, thread string) {
	if h.claims[thread] == "" && h.by[thread] == "" {
		h.claims[thread] = track
	}
}

// release ends the claims of a track.
func (h held) release(track string) {
	for thread, by := range h.claims {
		if by == track {
			delete(h.claims, thread)
		}
	}
}
