package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"deskbridge/fsm/durable"
	t "deskbridge/transitions"
)

// source is what a query is asked of: the read side, or one view of it.
type source interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Outbox returns the calls that are not settled, in order.
func (l *Ledger) Outbox() ([]Queued, error) { return l.outbox(context.Background(), l.read) }

func (l *Ledger) outbox(ctx context.Context, from source) ([]Queued, error) {
	var all []Queued
	err := l.scan(ctx, from, `SELECT id, track, step, effect, body, leased, attempts, first_at, done FROM outbox ORDER BY id`, func(rows *sql.Rows) error {
		var q Queued
		var name string
		var body []byte
		var first int64
		if err := rows.Scan(&q.ID, &q.Instance, &q.Step, &name, &body, &q.Leased, &q.Attempt.Number, &first, &q.Attempt.Done); err != nil {
			return err
		}
		if first != 0 {
			q.Attempt.First = time.UnixMilli(first)
		}
		var err error
		q.Effect, err = t.DecodeEffect(name, body)
		all = append(all, q)
		return wrap(fmt.Sprintf("read call %d of %s in", q.ID, q.Instance), l.path, err)
	})
	return all, err
}

// Track is a track as the ledger has it.
type Track struct {
	ID string
	Snapshot
}

// Tracks returns every track, the one that moved last at the end; those whose journal
// is pruned come first.
func (l *Ledger) Tracks(ctx context.Context) ([]Track, error) {
	return l.tracks(ctx, l.read, `SELECT id, state, data, steps FROM track
		ORDER BY (SELECT seq FROM journal WHERE journal.track = track.id AND journal.step = track.steps), id`)
}

func (l *Ledger) tracks(ctx context.Context, from source, query string) ([]Track, error) {
	var all []Track
	err := l.scan(ctx, from, query, func(rows *sql.Rows) error {
		var tr Track
		var data []byte
		if err := rows.Scan(&tr.ID, &tr.State, &data, &tr.Steps); err != nil {
			return err
		}
		err := json.Unmarshal(data, &tr.Data)
		all = append(all, tr)
		return wrap("read track "+tr.ID+" of", l.path, err)
	})
	return all, err
}

// JournalEntry is one line of the journal.
type JournalEntry struct {
	Track    string
	Step     int64
	Fact     t.Fact
	At       time.Time
	From, To t.State
	Entry    string
}

// Journal returns the journal of the whole ledger, in order.
func (l *Ledger) Journal(ctx context.Context) ([]JournalEntry, error) { return l.journal(ctx, l.read) }

func (l *Ledger) journal(ctx context.Context, from source) ([]JournalEntry, error) {
	var all []JournalEntry
	err := l.scan(ctx, from, `SELECT track, step, fact, body, at, from_state, to_state, entry FROM journal ORDER BY seq`, func(rows *sql.Rows) error {
		var e JournalEntry
		var name string
		var body []byte
		var at int64
		if err := rows.Scan(&e.Track, &e.Step, &name, &body, &at, &e.From, &e.To, &e.Entry); err != nil {
			return err
		}
		e.At = time.UnixMilli(at)
		var err error
		e.Fact, err = t.DecodeFact(name, body)
		all = append(all, e)
		return wrap(fmt.Sprintf("read step %d of %s in", e.Step, e.Track), l.path, err)
	})
	return all, err
}

// scan runs a query and hands each of its rows over.
func (l *Ledger) scan(ctx context.Context, from source, query string, row func(*sql.Rows) error, args ...any) error {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return wrap("read", l.path, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return wrap("read", l.path, err)
		}
	}
	return wrap("read", l.path, rows.Err())
}

var _ durable.Tx[t.State, t.Data, t.Fact, t.Effect] = (*Tx)(nil)
