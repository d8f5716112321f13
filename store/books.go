package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	t "deskbridge/transitions"
)

// Books are all that the ledger holds, as of one commit.
type Books struct {
	// Starts are the tracks whose journal was pruned, as their remaining journal
	// begins, by id.
	Starts  []Track
	Journal []JournalEntry
	// Tracks are as the last step left them, by id.
	Tracks []Track
	// Messages, Turns, Deliveries and Requests are in the order of their making.
	Messages   []Row[t.Message]
	Turns      []Row[t.Turn]
	Deliveries []Row[t.Delivery]
	Requests   []Row[t.Request]
	Outbox     []Queued
}

// Row is one row about something that belongs to a track.
type Row[T any] struct {
	Track string
	// At is when the row last changed.
	At time.Time
	Of T
}

// Books reads everything in one transaction, so that it fits together however
// much is committed meanwhile.
func (l *Ledger) Books(ctx context.Context) (b Books, err error) {
	view, err := l.read.BeginTx(ctx, nil)
	if err != nil {
		return b, wrap("read", l.path, err)
	}
	defer func() { err = errors.Join(err, wrap("read", l.path, view.Rollback())) }()
	if b.Starts, err = l.tracks(ctx, view, `SELECT track, state, data, steps FROM start ORDER BY track`); err != nil {
		return b, err
	}
	if b.Journal, err = l.journal(ctx, view); err != nil {
		return b, err
	}
	if b.Tracks, err = l.tracks(ctx, view, `SELECT id, state, data, steps FROM track ORDER BY id`); err != nil {
		return b, err
	}
	if b.Outbox, err = l.outbox(ctx, view); err != nil {
		return b, err
	}
	return b, l.rows(ctx, view, &b)
}

// rows reads the tables that the daemon itself has no need to read.
func (l *Ledger) rows(ctx context.Context, view source, b *Books) (err error) {
	const (
		messages   = `SELECT track, at, id, sender, text, created, state, turn, said FROM message ORDER BY rowid`
		turns      = `SELECT track, at, id, state, start, stop_by, said FROM turn ORDER BY rowid`
		deliveries = `SELECT track, at, id, kind, state, turn, reply_to, body, sent, shown, code, said FROM delivery ORDER BY rowid`
		requests   = `SELECT track, at, id, kind, turn, state, generation, shown, form, decided_by, decision FROM request ORDER BY rowid`
	)
	var body []byte
	b.Messages, err = rowsOf(ctx, l, view, messages, func(m *t.Message) []any {
		return []any{&m.ID, &m.Sender, &m.Text, &m.Created, &m.State, &m.Turn, &m.Said}
	}, nil)
	if err != nil {
		return err
	}
	b.Turns, err = rowsOf(ctx, l, view, turns, func(o *t.Turn) []any {
		return []any{&o.ID, &o.State, &o.Start, &o.StopBy, &o.Said}
	}, nil)
	if err != nil {
		return err
	}
	b.Deliveries, err = rowsOf(ctx, l, view, deliveries, func(d *t.Delivery) []any {
		return []any{&d.ID, &d.Kind, &d.State, &d.Turn, &d.ReplyTo, &body, &d.Sent, &d.Shown, &d.Code, &d.Said}
	}, func(d *t.Delivery) error { return json.Unmarshal(body, &d.Body) })
	if err != nil {
		return err
	}
	b.Requests, err = rowsOf(ctx, l, view, requests, func(q *t.Request) []any {
		return []any{&q.ID, &q.Kind, &q.Turn, &q.State, &q.Generation, &q.Shown, &q.Form, &q.By, &q.Decision}
	}, nil)
	return err
}

// rowsOf reads the rows of one table: track and time, then the columns that fields
// names. Done, if not nil, ends the reading of a row.
func rowsOf[T any](ctx context.Context, l *Ledger, view source, query string, fields func(*T) []any, done func(*T) error) ([]Row[T], error) {
	var all []Row[T]
	err := l.scan(ctx, view, query, func(rows *sql.Rows) error {
		var row Row[T]
		var at int64
		if err := rows.Scan(append([]any{&row.Track, &at}, fields(&row.Of)...)...); err != nil {
			return err
		}
		row.At = time.UnixMilli(at)
		if done != nil {
			if err := done(&row.Of); err != nil {
				return wrap("read a row of "+row.Track+" in", l.path, err)
			}
		}
		all = append(all, row)
		return nil
	})
	return all, err
}
