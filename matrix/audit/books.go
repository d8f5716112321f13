package audit

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"

	"deskbridge/store"
	"deskbridge/transitions"
)

// Books are the ledger's tables.
type Books struct {
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

// Read reads the ledger of a data folder that no daemon writes to.
func Read(ctx context.Context, dir string) (b Books, err error) {
	ledger, err := store.Open(ctx, dir)
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	if b.Journal, err = ledger.Journal(ctx); err != nil {
		return b, err
	}
	if b.Tracks, err = ledger.Tracks(ctx); err != nil {
		return b, err
	}
	if b.Outbox, err = ledger.Outbox(); err != nil {
		return b, err
	}
	return b, b.readRows(ctx, dir)
}

// readRows reads the tables that the daemon itself has no need to read.
func (b *Books) readRows(ctx context.Context, dir string) (err error) {
	file := url.URL{Scheme: "file", Opaque: url.PathEscape(filepath.Join(dir, "ledger.db")), RawQuery: "mode=ro"}
	db, err := sql.Open("sqlite3", file.String()) // the store's driver
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	const (
		messages   = `SELECT id, sender, text, created, state, turn, said FROM message ORDER BY rowid`
		turns      = `SELECT id, state, start, stop_by, said FROM turn ORDER BY rowid`
		deliveries = `SELECT id, kind, state, turn, reply_to, body, shown, code, said FROM delivery ORDER BY rowid`
		requests   = `SELECT id, kind, turn, state, generation, shown, form, decided_by, decision FROM request ORDER BY rowid`
	)
	if b.Messages, err = readAll(ctx, db, messages, scanMessage); err != nil {
		return err
	}
	if b.Turns, err = readAll(ctx, db, turns, scanTurn); err != nil {
		return err
	}
	if b.Deliveries, err = readAll(ctx, db, deliveries, scanDelivery); err != nil {
		return err
	}
	b.Requests, err = readAll(ctx, db, requests, scanRequest)
	return err
}

func scanMessage(r *sql.Rows, m *transitions.Message) error {
	return r.Scan(&m.ID, &m.Sender, &m.Text, &m.Created, &m.State, &m.Turn, &m.Said)
}

func scanTurn(r *sql.Rows, t *transitions.Turn) error {
	return r.Scan(&t.ID, &t.State, &t.Start, &t.StopBy, &t.Said)
}

func scanDelivery(r *sql.Rows, d *transitions.Delivery) error {
	var body []byte
	if err := r.Scan(&d.ID, &d.Kind, &d.State, &d.Turn, &d.ReplyTo, &body, &d.Shown, &d.Code, &d.Said); err != nil {
		return err
	}
	return json.Unmarshal(body, &d.Body)
}

func scanRequest(r *sql.Rows, q *transitions.Request) error {
	return r.Scan(&q.ID, &q.Kind, &q.Turn, &q.State, &q.Generation, &q.Shown, &q.Form, &q.By, &q.Decision)
}

// readAll reads all rows of a query.
func readAll[T any](ctx context.Context, db *sql.DB, query string, scan func(*sql.Rows, *T) error) (all []T, err error) {
	found, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	for found.Next() {
		var one T
		if err := scan(found, &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, found.Err()
}
