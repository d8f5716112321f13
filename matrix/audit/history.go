package audit

import (
	"fmt"
	"slices"

	"deskbridge/fsm"
	"deskbridge/store"
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// stepper steps a conversation; [transitions.Tables.Step] is one.
type stepper func(transitions.State, transitions.Data, transitions.Fact) (fsm.Result[transitions.State, transitions.Data, transitions.Effect], []transitions.Taken, error)

// history is how the ledger came about: its journal, stepped on again. What the
// rows no longer tell, the steps do.
type history struct {
	step stepper
	// tracks are as the last step left them.
	tracks []store.Track
	// known are the rows with all that was acknowledged, recorded or not; written
	// are the rows as the steps' records alone have written them.
	known, written invariant.Ledger
	tale
	// diverged says that the journal is not what the tables make of its facts. What
	// they make of the rest is still told, but nothing is held against it.
	diverged bool
	problems []string
	reported map[string]bool
}

// live steps on the whole journal and holds the invariants of each moment.
func live(a *Account, step stepper) *history {
	h := &history{step: step, tale: newTale(a.Deciders), reported: map[string]bool{}}
	for i := range a.Books.Journal {
		h.follow(&a.Books.Journal[i])
	}
	return h
}

// follow takes one entry of the journal.
func (h *history) follow(e *store.JournalEntry) {
	i := h.track(e.Track)
	before := h.tracks[i].Snapshot
	res, _, err := h.step(before.State, before.Data, e.Fact)
	if err != nil {
		h.diverge(e, "the tables do not take it: %v", err)
		return
	}
	if e.Step != before.Steps+1 || e.From != before.State || e.To != res.State || e.Entry != res.Entry {
		h.diverge(e, "the journal has %d: %s → %s by %s, the tables make %d: %s → %s by %s of it",
			e.Step, e.From, e.To, e.Entry, before.Steps+1, before.State, res.State, res.Entry)
	}
	h.tracks[i].Snapshot = store.Snapshot{State: res.State, Data: res.Data, Steps: e.Step}
	for _, effect := range res.Effects {
		if next, ok := effect.(transitions.OpenTrack); ok {
			h.track(next.Track)
		}
	}
	h.note(&h.known, before.State, e.Fact, res.Effects)
	h.known = h.known.Follow(e.Fact, res.Effects)
	h.written = h.written.Follow(nil, res.Effects)
	if !h.diverged {
		h.moment(e, invariant.Step{Fact: e.Fact, Before: &before.Data, After: &h.tracks[i].Data, Effects: res.Effects})
	}
}

// track is the index of a track, which is made if there is none of that id.
func (h *history) track(id string) int {
	if i := slices.IndexFunc(h.tracks, func(tr store.Track) bool { return tr.ID == id }); i >= 0 {
		return i
	}
	h.tracks = append(h.tracks, store.Track{ID: id, Snapshot: store.Snapshot{State: transitions.Idle, Data: transitions.Data{Track: id}}})
	return len(h.tracks) - 1
}

// moment holds what must hold of a step and right after it.
func (h *history) moment(e *store.JournalEntry, s invariant.Step) {
	if want := transitions.Derive(s.After); e.To != want {
		h.problem(e, "it leads to %s, but messages, turns, requests and deliveries say %s", e.To, want)
	}
	for _, problem := range invariant.Proven(s) {
		h.problem(e, "%s", problem)
	}
	v := h.view(h.known, h.tracks)
	for _, effect := range s.Effects {
		if said, ok := effect.(transitions.Deliver); ok {
			for _, problem := range invariant.SaidNow(&v, said) {
				h.problem(e, "%s", problem)
			}
		}
	}
	for _, problem := range invariant.Check(&v) {
		h.problem(e, "%s", problem)
	}
}

// view is what the invariants see of rows and tracks, with what the history tells
// beside them.
func (h *history) view(rows invariant.Ledger, tracks []store.Track) invariant.View {
	v := rows.View(inOrder(tracks)...)
	for i := range v.Messages {
		h.ofMessage(&v.Messages[i])
	}
	for i := range v.Requests {
		h.ofRequest(&v, &v.Requests[i])
	}
	return v
}

// inOrder puts tracks of one conversation into the order of their making.
func inOrder(tracks []store.Track) []invariant.TrackData {
	tracks = slices.Clone(tracks)
	slices.SortFunc(tracks, func(a, b store.Track) int {
		_, i := transitions.SplitTrack(a.ID)
		_, j := transitions.SplitTrack(b.ID)
		return i - j
	})
	all := make([]invariant.TrackData, len(tracks))
	for i := range tracks {
		all[i] = invariant.TrackData{State: tracks[i].State, Data: &tracks[i].Data}
	}
	return all
}

// diverge tells where the journal first is not what the tables make of it.
func (h *history) diverge(e *store.JournalEntry, format string, args ...any) {
	if !h.diverged {
		h.diverged = true
		h.problem(e, format, args...)
	}
}

// problem tells of a step what does not hold; what goes on not to hold is told
// once.
func (h *history) problem(e *store.JournalEntry, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if !h.reported[what] {
		h.reported[what] = true
		h.problems = append(h.problems, fmt.Sprintf("step %d of %s (%s): %s", e.Step, e.Track, e.Fact.FactName(), what))
	}
}
