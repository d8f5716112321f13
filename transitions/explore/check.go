package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// Broken holds the invariants that hold at any moment.
func (w *world) Broken() []string {
	if len(w.broken) > 0 {
		return w.broken
	}
	v := w.view()
	return invariant.Check(&v)
}

// Unsettled holds the invariants of a world at rest.
func (w *world) Unsettled() []string {
	v := w.view()
	v.AtRest = true
	return invariant.Check(&v)
}

// view is what the invariants see of the world.
func (w *world) view() invariant.View {
	var tracks []invariant.TrackData
	for i := range w.Tracks {
		tracks = append(tracks, invariant.TrackData{State: w.Tracks[i].State, Data: &w.Tracks[i].Data})
	}
	v := w.Ledger.View(tracks...)
	v.Outside = true
	v.Waits = len(w.Calls)
	for i := range v.Messages {
		if k := w.writtenAt(v.Messages[i].ID); k >= 0 {
			v.Messages[i].SentBehindFence = w.Written[k].Behind
		}
		if w.handed(v.Messages[i].ID) && v.Messages[i].Hold == "" {
			v.Messages[i].Hold = invariant.HeldByHandOver
		}
	}
	for i := range v.Requests {
		w.viewRequest(&v, &v.Requests[i])
	}
	for i := range w.Threads {
		for j := range w.Threads[i].Turns {
			t := &w.Threads[i].Turns[j]
			c := invariant.CodexTurn{ID: t.ID, Status: t.Status, Messages: t.Items, Reply: t.Reply, Gone: t.Gone}
			if t.Status == string(transitions.EndFailed) {
				c.Said = reason
			}
			v.CodexTurns = append(v.CodexTurns, c)
		}
	}
	for _, d := range w.Chat {
		v.Chat = append(v.Chat, invariant.Shown{ID: "shown:" + d, Delivery: d})
	}
	return v
}

// handed says that the message is on its way to another track.
func (w *world) handed(message string) bool {
	return slices.ContainsFunc(w.Calls, func(c call) bool {
		e, ok := c.Effect.(transitions.HandOver)
		return ok && e.Message == message
	})
}

func (w *world) viewRequest(v *invariant.View, row *invariant.Request) {
	row.Names = []string{admin}
	row.Card = cardOf(row.Decision)
	row.Showing = slices.ContainsFunc(w.Calls, func(c call) bool {
		return c.Effect == transitions.Effect(transitions.ShowRequest{Request: row.ID, Kind: row.Kind, Turn: row.Turn})
	})
	row.Told = slices.ContainsFunc(v.Deliveries, func(d transitions.Delivery) bool {
		return d.Body.Sentence == transitions.SaidUnshowable && strings.Contains(d.ID, row.ID)
	})
	if r := w.request(row.ID); r != nil {
		row.Closed, row.Decisions, row.Entitled, row.InChat = r.Closed, r.Answers, r.Entitled, r.Card
	}
}

// Narrate tells the steps of the move that led here.
func (w *world) Narrate() (lines []string) {
	for i := range w.last {
		h := &w.last[i]
		lines = append(lines, fmt.Sprintf("%s: %s %s → %s (%s)", h.track, h.fact.FactName(), asJSON(h.fact), h.state, h.entry))
		for _, e := range h.effects {
			if !transitions.Handle(e).Record && !slices.Contains([]string{"show_receipt", "pull"}, e.EffectName()) {
				lines = append(lines, "  "+e.EffectName()+" "+asJSON(e))
			}
		}
	}
	return lines
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
