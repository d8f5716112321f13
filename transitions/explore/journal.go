package explore

import (
	"fmt"
	"slices"
	"strings"

	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// tell journals facts, steps on each and on what comes back at once, and lets go
// out what can.
func (w *world) tell(facts ...toTrack) {
	for len(facts) > 0 && len(w.broken) == 0 {
		f := facts[0]
		facts = facts[1:]
		if end, ok := f.fact.(transitions.TurnEnded); ok {
			if w.ended(end.Turn) {
				continue // the journal takes a happening once
			}
			w.Ended = with(w.Ended, end.Turn)
		}
		facts = append(facts, w.stepOn(f.track, f.fact)...)
	}
	w.dispatch()
}

// stepOn steps a track on a fact and returns those that follow from it at once.
func (w *world) stepOn(tr int, f transitions.Fact) []toTrack {
	w.see(f)
	before := w.Tracks[tr]
	if _, found := f.(transitions.ThreadFound); found && before.State != transitions.Superseded {
		w.fenceResume()
	}
	res, small, err := w.step(before.State, before.Data, f)
	if err != nil {
		w.fault("%v", err)
		return nil
	}
	w.last = append(w.last, happened{f, before.Data.Track, res.Entry, small, res.State, res.Effects})
	w.Tracks[tr] = track{res.State, res.Data}
	data := &w.Tracks[tr].Data
	if want := transitions.Derive(data); res.State != want {
		w.fault("%s leads to %s, but messages, turns, requests and deliveries say %s", res.Entry, res.State, want)
	}
	for _, problem := range Agrees(f, &before.Data, data, res.Effects) {
		w.fault("%s: %s", res.Entry, problem)
	}
	for _, problem := range invariant.Proven(invariant.Step{Fact: f, Before: &before.Data, After: data, Effects: res.Effects}) {
		w.fault("%s: %s", res.Entry, problem)
	}
	w.Ledger = w.Ledger.Follow(f, res.Effects)
	w.sort()
	var follow []toTrack
	for _, e := range res.Effects {
		if r, ok := e.(transitions.RecordRequest); ok {
			w.noteDecision(&r.Request)
		}
		follow = append(follow, to(tr, w.emit(tr, e)...)...)
	}
	return follow
}

// see notes which items the bridge is told of.
func (w *world) see(f transitions.Fact) {
	id, told := "", 0
	switch f := f.(type) {
	case transitions.TurnRunning:
		id, told = f.Turn, len(f.Messages)
	case transitions.TurnEnded:
		id, told = f.Turn, len(f.Messages)
	}
	for i := range w.Threads {
		for j := range w.Threads[i].Turns {
			if t := &w.Threads[i].Turns[j]; t.ID == id {
				t.Seen = max(t.Seen, min(told, len(t.Items)))
			}
		}
	}
}

func (w *world) fault(format string, args ...any) {
	w.broken = append(w.broken, fmt.Sprintf(format, args...))
}

// sort makes worlds the same that differ only in the order of their rows.
func (w *world) sort() {
	slices.SortFunc(w.Ledger.Messages, func(a, b invariant.Message) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(w.Ledger.Turns, func(a, b transitions.Turn) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(w.Ledger.Requests, func(a, b transitions.Request) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(w.Ledger.Deliveries, func(a, b transitions.Delivery) int { return strings.Compare(a.ID, b.ID) })
}

func (w *world) ended(turn string) bool { return slices.Contains(w.Ended, turn) }

func replyOf(turn string) string { return "reply of " + turn }
