package audit

import (
	"fmt"
	"slices"

	"deskbridge/fsm"
	"deskbridge/store"
	"deskbridge/transitions"
)

// Result is what a step yields.
type Result = fsm.Result[transitions.State, transitions.Data, transitions.Effect]

// Stepper steps a conversation; [transitions.Tables.Step] is one.
type Stepper func(transitions.State, transitions.Data, transitions.Fact) (Result, []transitions.Taken, error)

// Replay takes the steps of a conversation's journal again.
type Replay struct {
	// Tracks are as the last step left them.
	Tracks []store.Track
	step   Stepper
}

// NewReplay begins where the journal does.
func NewReplay(b *Books, step Stepper) Replay {
	return Replay{Tracks: slices.Clone(b.Starts), step: step}
}

// Divergence says that the journal is not what the tables make of its facts.
type Divergence struct {
	Why string
	// Stepped says that the tables took the fact all the same.
	Stepped bool
}

// Take takes one entry of the journal, and returns the track as it was before and
// what the tables make of the fact.
func (r *Replay) Take(e *store.JournalEntry) (before store.Snapshot, res Result, d *Divergence) {
	i := r.track(e.Track)
	before = r.Tracks[i].Snapshot
	res, _, err := r.step(before.State, before.Data, e.Fact)
	if err != nil {
		return before, res, &Divergence{Why: fmt.Sprintf("the tables do not take it: %v", err)}
	}
	if e.Step != before.Steps+1 || e.From != before.State || e.To != res.State || e.Entry != res.Entry {
		d = &Divergence{Stepped: true, Why: fmt.Sprintf("the journal has %d: %s → %s by %s, the tables make %d: %s → %s by %s of it",
			e.Step, e.From, e.To, e.Entry, before.Steps+1, before.State, res.State, res.Entry)}
	}
	r.Tracks[i].Snapshot = store.Snapshot{State: res.State, Data: res.Data, Steps: e.Step}
	for _, effect := range res.Effects {
		if next, ok := effect.(transitions.OpenTrack); ok {
			r.begin(next)
		}
	}
	return before, res, d
}

// begin makes the next track, if there is none of that id.
func (r *Replay) begin(next transitions.OpenTrack) {
	made := len(r.Tracks)
	if i := r.track(next.Track); i == made {
		r.Tracks[i].Data = next.Data()
	}
}

// track is the index of a track, which is made if there is none of that id.
func (r *Replay) track(id string) int {
	if i := slices.IndexFunc(r.Tracks, func(tr store.Track) bool { return tr.ID == id }); i >= 0 {
		return i
	}
	r.Tracks = append(r.Tracks, store.Track{ID: id, Snapshot: store.Snapshot{State: transitions.Idle, Data: transitions.Data{Track: id}}})
	return len(r.Tracks) - 1
}
