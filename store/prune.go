package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// Cut is what is to be taken out of one conversation's part of the ledger.
type Cut struct {
	// Starts are the conversation's tracks as their remaining journal begins: their
	// entries up to that step go.
	Starts []Track
	// Messages, Turns, Deliveries and Requests are the rows that go.
	Messages, Turns, Deliveries, Requests []Version
}

// Version is a row as somebody has read it. A row that has changed since stays.
type Version struct {
	ID string
	At time.Time
}

// Removed counts what was taken out.
type Removed struct {
	Entries    int64 `json:"entries"`
	Messages   int64 `json:"messages"`
	Turns      int64 `json:"turns"`
	Deliveries int64 `json:"deliveries"`
	Requests   int64 `json:"requests"`
}

// Add adds what else was taken out.
func (r *Removed) Add(o Removed) {
	r.Entries += o.Entries
	r.Messages += o.Messages
	r.Turns += o.Turns
	r.Deliveries += o.Deliveries
	r.Requests += o.Requests
}

// Prune makes a cut, in one transaction. The tracks themselves and the outbox are
// not touched, and the keys of the entries stay: what was received once is never
// taken twice. It is a write, and belongs where the others are made.
func (l *Ledger) Prune(ctx context.Context, c Cut) (Removed, error) {
	tx, err := l.write.BeginTx(ctx, nil)
	if err != nil {
		return Removed{}, wrap("prune", l.path, err)
	}
	removed, err := l.cut(ctx, tx, c)
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		_ = tx.Rollback() // after a failed commit there is nothing left to undo
		return Removed{}, wrap("prune", l.path, err)
	}
	l.reach(PointCut)
	return removed, nil
}

func (l *Ledger) cut(ctx context.Context, tx *sql.Tx, c Cut) (r Removed, err error) {
	for _, start := range c.Starts {
		n, err := cutJournal(ctx, tx, start)
		if err != nil {
			return r, err
		}
		r.Entries += n
	}
	l.reach(PointCutting)
	for _, table := range []struct {
		query string
		rows  []Version
		count *int64
	}{
		{`DELETE FROM message WHERE id = ? AND at = ?`, c.Messages, &r.Messages},
		{`DELETE FROM turn WHERE id = ? AND at = ?`, c.Turns, &r.Turns},
		{`DELETE FROM delivery WHERE id = ? AND at = ?`, c.Deliveries, &r.Deliveries},
		{`DELETE FROM request WHERE id = ? AND at = ?`, c.Requests, &r.Requests},
	} {
		if *table.count, err = cutRows(ctx, tx, table.query, table.rows); err != nil {
			return r, err
		}
	}
	return r, nil
}

// cutJournal takes a track's entries up to a step out, keeps their keys, and notes
// where the journal begins now. One that begins there or later is left as it is.
func cutJournal(ctx context.Context, tx *sql.Tx, start Track) (int64, error) {
	data, err := json.Marshal(start.Data)
	if err != nil {
		return 0, err
	}
	const (
		keys    = `INSERT OR IGNORE INTO pruned_key (key) SELECT key FROM journal WHERE track = ? AND step <= ? AND key IS NOT NULL`
		entries = `DELETE FROM journal WHERE track = ? AND step <= ?`
		begins  = `INSERT INTO start (track, state, data, steps) VALUES (?, ?, ?, ?)
			ON CONFLICT (track) DO UPDATE SET state = excluded.state, data = excluded.data, steps = excluded.steps
			WHERE excluded.steps > start.steps`
	)
	_, keeping := tx.ExecContext(ctx, keys, start.ID, start.Steps)
	_, noting := tx.ExecContext(ctx, begins, start.ID, string(start.State), string(data), start.Steps)
	res, err := tx.ExecContext(ctx, entries, start.ID, start.Steps)
	if err = errors.Join(keeping, noting, err); err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func cutRows(ctx context.Context, tx *sql.Tx, query string, rows []Version) (gone int64, err error) {
	stmt, err := tx.PrepareContext(ctx, query)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	for _, row := range rows {
		res, err := stmt.ExecContext(ctx, row.ID, row.At.UnixMilli())
		if err != nil {
			return gone, err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return gone, err
		}
		gone += n
	}
	return gone, nil
}
