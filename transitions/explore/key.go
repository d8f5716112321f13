package explore

import (
	"slices"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

// Key leaves out what makes no difference: what time it is, but for how long ago a
// turn was missing and what came first; which number a track has; and which turns
// have ended that nobody tells of any more.
func (w *world) Key() explore.Key {
	same := w.life
	fences := w.fences()
	same.Tracks = slices.Clone(w.Tracks)
	for i := range same.Tracks {
		w.timeless(&same.Tracks[i].Data, fences)
	}
	same.Calls = slices.Clone(w.Calls)
	for i := range same.Calls {
		if h, ok := same.Calls[i].Effect.(transitions.HandOver); ok {
			h.Created = since(h.Created, fences)
			same.Calls[i].Effect = h
		}
	}
	same.Ledger.Messages = slices.Clone(w.Ledger.Messages)
	for i := range same.Ledger.Messages {
		same.Ledger.Messages[i].Created = 0 // the track's own says it
	}
	same.Late = slices.Clone(w.Late)
	for i, f := range same.Late {
		if p, ok := f.(transitions.PullAnswered); ok {
			p.At = 0 // no other read comes before it is told
			same.Late[i] = p
		}
	}
	return explore.KeyOf(same)
}

func (w *world) timeless(d *transitions.Data, fences []transitions.Millis) {
	d.Track = ""
	d.Closed = w.known(d.Closed)
	d.FencedAt, d.Resume.Created = since(d.FencedAt, fences), since(d.Resume.Created, fences)
	d.Messages = slices.Clone(d.Messages)
	for i := range d.Messages {
		d.Messages[i].Created = since(d.Messages[i].Created, fences)
	}
	d.Settled = without(d.Settled, func(id string) bool { return w.request(id) == nil })
	d.Recalled = without(d.Recalled, func(id string) bool { return !w.handed(id) })
	if len(w.Tracks) == 1 {
		d.Dismissed, d.Readmitted = nil, nil // nothing can come from a former track
	}
	d.Readmitted = slices.Clone(d.Readmitted)
	for i := range d.Readmitted {
		d.Readmitted[i].At = since(d.Readmitted[i].At, fences)
	}
	d.Requests = slices.Clone(d.Requests)
	for i := range d.Requests {
		if r := &d.Requests[i]; r.Unreplayed != "" && r.Unreplayed != w.Link.Connection {
			r.Unreplayed = "before"
		}
	}
	d.Turns = slices.Clone(d.Turns)
	for i := range d.Turns {
		if t := &d.Turns[i]; t.Missing != 0 {
			t.Missing = 1 + min(1, (w.now-t.Missing)/settle)
		}
		// That text of ours is proven in it says so too.
		d.Turns[i].Begun = d.Turns[i].Begun && !slices.ContainsFunc(d.Messages, func(m transitions.Message) bool {
			return m.State == transitions.MessageProven && m.Turn == d.Turns[i].ID
		})
	}
}

// fences are the moments of the last /stop or /new of each track, of the /resume that
// is being carried out, and before those who were dismissed wrote again.
func (w *world) fences() (at []transitions.Millis) {
	for i := range w.Tracks {
		at = append(at, w.Tracks[i].Data.FencedAt, w.Tracks[i].Data.Resume.Created)
		for _, again := range w.Tracks[i].Data.Readmitted {
			at = append(at, again.At-1)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// since is a moment by how many of the fences came before it. That is all that
// anybody asks of it.
func since(at transitions.Millis, fences []transitions.Millis) transitions.Millis {
	n, _ := slices.BinarySearch(fences, at)
	return transitions.Millis(n)
}

// known keeps the ended turns that may still be told of.
func (w *world) known(turns []string) []string {
	return without(turns, func(id string) bool {
		return !slices.Contains(w.Ended, id) && !slices.ContainsFunc(w.Ledger.Turns, func(t transitions.Turn) bool { return t.ID == id })
	})
}
