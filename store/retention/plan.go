package retention

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"deskbridge/store"
	"deskbridge/store/audit"
	t "deskbridge/transitions"
)

// Least is the youngest that anything may be when it is pruned. Feishu brings a
// message again for some hours.
const Least = 7 * 24 * time.Hour

// Plan is what may be pruned.
type Plan struct {
	Cuts []Cut
	// Kept is what is old and not settled.
	Kept []Kept
}

// Cut is what may be pruned of one conversation.
type Cut struct {
	Conversation string
	store.Cut
	// Entries counts the entries of the journal that go.
	Entries int64
}

// Removes counts what the cut takes out.
func (c *Cut) Removes() store.Removed {
	return store.Removed{
		Entries: c.Entries, Messages: int64(len(c.Messages)), Turns: int64(len(c.Turns)),
		Deliveries: int64(len(c.Deliveries)), Requests: int64(len(c.Requests)),
	}
}

// Kept says what of a conversation stays although it is old.
type Kept struct {
	Conversation string `json:"conversation"`
	What         string `json:"what"`
}

// Of plans to prune what is older than a moment.
func Of(books store.Books, before time.Time) (p Plan) {
	at := versions(books)
	for _, c := range audit.Conversations(books) {
		w := begin(&c.Books, at)
		w.through(&c.Books, before)
		if w.best != nil {
			p.Cuts = append(p.Cuts, w.cut(c.ID))
			left, _ := audit.Quiet(w.best)
			for _, id := range left.Deliveries {
				p.Kept = append(p.Kept, Kept{c.ID, "delivery " + id + ", which did not reach the chat, and what belongs to it"})
			}
		}
		if w.why != "" {
			p.Kept = append(p.Kept, Kept{c.ID, "all since " + w.why})
		}
	}
	return p
}

// kinds of rows.
const (
	messages = iota
	turns
	deliveries
	requests
	kinds
)

// written are the ids of rows that steps have written, by kind.
type written [kinds]map[string]bool

func (w *written) add(kind int, id string) {
	if w[kind] == nil {
		w[kind] = map[string]bool{}
	}
	w[kind][id] = true
}

func (w *written) record(e t.Effect) {
	switch e := e.(type) {
	case t.RecordMessage:
		w.add(messages, e.Message.ID)
	case t.RecordTurn:
		w.add(turns, e.Turn.ID)
	case t.RecordDelivery:
		w.add(deliveries, e.Delivery.ID)
	case t.RecordRequest:
		w.add(requests, e.Request.ID)
	}
}

// versions are when each row last changed, by kind and id.
func versions(b store.Books) (at [kinds]map[string]time.Time) {
	for kind := range at {
		at[kind] = map[string]time.Time{}
	}
	for _, row := range b.Messages {
		at[messages][row.Of.ID] = row.At
	}
	for _, row := range b.Turns {
		at[turns][row.Of.ID] = row.At
	}
	for _, row := range b.Deliveries {
		at[deliveries][row.Of.ID] = row.At
	}
	for _, row := range b.Requests {
		at[requests][row.Of.ID] = row.At
	}
	return at
}

// walk is a way through the journal of one conversation.
type walk struct {
	audit.Replay
	at [kinds]map[string]time.Time
	// handed are the messages on their way from one track to the next.
	handed map[string]bool
	// before are the rows that the steps up to the best place for a cut have
	// written; since are those of the steps after it.
	before, since written
	// best are the tracks at the last place where a cut can be made, which is behind
	// so many entries; nil: there is none.
	best    []store.Track
	entries int64
	// why is why something old stays; empty: nothing does.
	why string
}

// begin is a walk at the beginning of the journal, where only what lingered is there.
func begin(b *audit.Books, at [kinds]map[string]time.Time) walk {
	w := walk{at: at, Replay: audit.NewReplay(b, t.Standard().Step), handed: map[string]bool{}}
	left, _ := audit.Quiet(b.Starts)
	for kind, ids := range [kinds][]string{messages: left.Messages, turns: left.Turns, deliveries: left.Deliveries} {
		for _, id := range ids {
			w.since.add(kind, id)
		}
	}
	return w
}

// through goes through the journal to its end.
func (w *walk) through(b *audit.Books, before time.Time) {
	old := true
	for i := range b.Journal {
		e := &b.Journal[i]
		if d := w.step(e); d != nil {
			// Where the journal cannot be understood, nobody knows what is settled.
			w.best = nil
			w.why = fmt.Sprintf("step %d of %s, of which this bridge makes something else (%s)", e.Step, e.Track, d.Why)
			return
		}
		if old = old && e.At.Before(before); !old {
			continue
		}
		w.why = w.open(b.Outbox)
		if w.why == "" {
			w.best, w.entries = slices.Clone(w.Tracks), int64(i+1)
			for kind := range w.since {
				if w.before[kind] == nil {
					w.before[kind] = map[string]bool{}
				}
				maps.Copy(w.before[kind], w.since[kind])
			}
			w.since = written{}
		}
	}
}

// step takes one entry.
func (w *walk) step(e *store.JournalEntry) *audit.Divergence {
	_, res, d := w.Take(e)
	if d != nil {
		return d
	}
	if f, ok := e.Fact.(t.MessageReceived); ok {
		delete(w.handed, f.Message)
	}
	for _, effect := range res.Effects {
		w.since.record(effect)
		if over, ok := effect.(t.HandOver); ok {
			w.handed[over.Message] = true
		}
	}
	return nil
}

// open says what is not settled just now; empty: all is quiet, and a cut can be
// made.
func (w *walk) open(outbox []store.Queued) string {
	if _, open := audit.Quiet(w.Tracks); open != "" {
		return open
	}
	for _, tr := range w.Tracks {
		for _, q := range outbox {
			if q.Instance == tr.ID && q.Step <= tr.Steps {
				return fmt.Sprintf("the call %s of step %d of %s is still in the outbox", q.Effect.EffectName(), q.Step, tr.ID)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.handed)) {
		return fmt.Sprintf("message %s is on its way to the next track", id)
	}
	return ""
}

// cut is the best cut: rows that were written again behind it stay, and what lingers.
func (w *walk) cut(conversation string) Cut {
	left, _ := audit.Quiet(w.best)
	return Cut{Conversation: conversation, Entries: w.entries, Cut: store.Cut{
		Starts:     w.best,
		Messages:   w.gone(messages, left.Messages),
		Turns:      w.gone(turns, left.Turns),
		Deliveries: w.gone(deliveries, left.Deliveries),
		Requests:   w.gone(requests, nil),
	}}
}

func (w *walk) gone(kind int, left []string) (all []store.Version) {
	for _, id := range slices.Sorted(maps.Keys(w.before[kind])) {
		if at, there := w.at[kind][id]; there && !w.since[kind][id] && !slices.Contains(left, id) {
			all = append(all, store.Version{ID: id, At: at})
		}
	}
	return all
}
