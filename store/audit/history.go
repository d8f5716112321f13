package audit

import (
	"fmt"
	"slices"

	"deskbridge/store"
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// History is how a conversation's part of the ledger came about: its journal,
// stepped on again. What the rows no longer tell, the steps do.
type History struct {
	Replay
	// Diverged says that the journal is not what the tables make of its facts. What
	// they make of the rest is still told, but nothing is held against it.
	Diverged bool
	// Problems are what did not hold at some step, each once.
	Problems []string

	// known are the rows with all that was acknowledged, recorded or not; written
	// are the rows as the steps' records alone have written them.
	known, written shelf
	tale
	reported map[string]bool
}

// Follow steps on a whole journal and holds the invariants of each moment.
// Deciders may decide on whatever the conversation's turns ask, beside those who
// wrote to them; nil: nobody knows, and what each fact says of it is believed.
func Follow(b *Books, deciders []string, step Stepper) *History {
	h := &History{Replay: NewReplay(b, step), tale: newTale(deciders), reported: map[string]bool{}}
	h.known.recent, h.written.recent = lingered(b), lingered(b)
	for i := range b.Journal {
		h.follow(&b.Journal[i])
	}
	return h
}

// Known are the rows with all that was acknowledged, recorded or not.
func (h *History) Known() invariant.Ledger { return h.known.all() }

// Delivery is the delivery whose message, or first part, carries that uuid.
func (h *History) Delivery(uuid string) string { return h.deliveries[uuid] }

// Parts are the messages of a delivery that is several, in order; of another, none.
func (h *History) Parts(delivery string) []string { return h.parts[delivery] }

// Items are the messages of ours that were seen in a turn.
func (h *History) Items(turn string) []string { return h.items[turn] }

// follow takes one entry of the journal.
func (h *History) follow(e *store.JournalEntry) {
	before, res, d := h.Take(e)
	if d != nil {
		h.diverge(e, d.Why)
	}
	if d != nil && !d.Stepped {
		return
	}
	h.note(&h.known.recent, before.State, e.Fact, res.Effects)
	h.known.follow(e.Fact, res.Effects)
	h.written.follow(nil, res.Effects)
	if !h.Diverged {
		h.moment(e, invariant.Step{Fact: e.Fact, Before: &before.Data, After: &res.Data, Effects: res.Effects})
	}
	if left, open := Quiet(h.Tracks); open == "" && len(h.handed) == 0 {
		h.known.shelve(left)
		h.written.shelve(left)
	}
}

// moment holds what must hold of a step and right after it. The rows are those of
// which something may still be said: what was over when all was quiet is not gone
// through again at each step, which would take for ever.
func (h *History) moment(e *store.JournalEntry, s invariant.Step) {
	if want := transitions.Derive(s.After); e.To != want {
		h.problem(e, "it leads to %s, but messages, turns, requests and deliveries say %s", e.To, want)
	}
	for _, problem := range invariant.Proven(s) {
		h.problem(e, "%s", problem)
	}
	v := h.View(h.known.recent, h.Tracks)
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

// View is what the invariants see of rows and tracks, with what the history tells
// beside them.
func (h *History) View(rows invariant.Ledger, tracks []store.Track) invariant.View {
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
func (h *History) diverge(e *store.JournalEntry, why string) {
	if !h.Diverged {
		h.Diverged = true
		h.problem(e, "%s", why)
	}
}

// problem tells of a step what does not hold; what goes on not to hold is told
// once.
func (h *History) problem(e *store.JournalEntry, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if !h.reported[what] {
		h.reported[what] = true
		h.Problems = append(h.Problems, fmt.Sprintf("step %d of %s (%s): %s", e.Step, e.Track, e.Fact.FactName(), what))
	}
}
