package audit

import (
	"maps"
	"slices"

	"deskbridge/store"
	"deskbridge/transitions"
)

// Books are one conversation's part of the ledger.
type Books struct {
	// Starts are the tracks whose journal was pruned, as it begins now.
	Starts  []store.Track
	Journal []store.JournalEntry
	Tracks  []store.Track
	// Messages, Turns, Deliveries and Requests are the rows, in the order of their
	// making.
	Messages   []transitions.Message
	Turns      []transitions.Turn
	Deliveries []transitions.Delivery
	Requests   []transitions.Request
	Outbox     []store.Queued
}

// Conversation is the books of one conversation, with its name.
type Conversation struct {
	ID string
	Books
}

// Whole are the books of a ledger that has one conversation only.
func Whole(all store.Books) Books {
	return Books{
		Starts: all.Starts, Journal: all.Journal, Tracks: all.Tracks, Outbox: all.Outbox,
		Messages: bare(all.Messages), Turns: bare(all.Turns), Deliveries: bare(all.Deliveries), Requests: bare(all.Requests),
	}
}

func bare[T any](rows []store.Row[T]) (all []T) {
	for i := range rows {
		all = append(all, rows[i].Of)
	}
	return all
}

// Conversations takes the books of a ledger apart, by the conversations' ids.
func Conversations(all store.Books) (apart []Conversation) {
	found := map[string]*Books{}
	of := func(track string) *Books {
		id, _ := transitions.SplitTrack(track)
		if found[id] == nil {
			found[id] = &Books{}
		}
		return found[id]
	}
	for _, tr := range all.Starts {
		b := of(tr.ID)
		b.Starts = append(b.Starts, tr)
	}
	for _, e := range all.Journal {
		b := of(e.Track)
		b.Journal = append(b.Journal, e)
	}
	for _, tr := range all.Tracks {
		b := of(tr.ID)
		b.Tracks = append(b.Tracks, tr)
	}
	for _, row := range all.Messages {
		b := of(row.Track)
		b.Messages = append(b.Messages, row.Of)
	}
	for _, row := range all.Turns {
		b := of(row.Track)
		b.Turns = append(b.Turns, row.Of)
	}
	for _, row := range all.Deliveries {
		b := of(row.Track)
		b.Deliveries = append(b.Deliveries, row.Of)
	}
	for _, row := range all.Requests {
		b := of(row.Track)
		b.Requests = append(b.Requests, row.Of)
	}
	for _, q := range all.Outbox {
		b := of(q.Instance)
		b.Outbox = append(b.Outbox, q)
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		apart = append(apart, Conversation{ID: id, Books: *found[id]})
	}
	return apart
}
