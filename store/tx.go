package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"deskbridge/fsm/durable"
	t "deskbridge/transitions"
)

// The engine's types, for the conversation machine.
type (
	// Entry is one journalled step.
	Entry = durable.Entry[t.State, t.Data, t.Fact, t.Effect]
	// Snapshot is a track as the ledger keeps it.
	Snapshot = durable.Snapshot[t.State, t.Data]
	// Queued is a call in the outbox.
	Queued = durable.Queued[t.Effect]
)

var _ durable.Store[t.State, t.Data, t.Fact, t.Effect] = (*Ledger)(nil)

// Tx is one write transaction; see [durable.Tx].
type Tx struct {
	l    *Ledger
	tx   driver.Tx
	over bool // committed, or rolled back
}

// Begin opens the write transaction.
func (l *Ledger) Begin() (durable.Tx[t.State, t.Data, t.Fact, t.Effect], error) {
	tx, err := l.engine.Begin()
	if err != nil {
		return nil, wrap("write to", l.path, err)
	}
	return &Tx{l: l, tx: tx}, nil
}

func (x *Tx) exec(s *statement, args ...any) (driver.Result, error) {
	res, err := s.exec(args)
	return res, wrap("write to", x.l.path, err)
}

// Load returns a track; one that the ledger does not know begins idle.
func (x *Tx) Load(track string) (Snapshot, error) {
	row, err := x.l.stmt.load.first(3, track)
	if err != nil {
		return Snapshot{}, wrap("read track "+track+" of", x.l.path, err)
	}
	if row == nil {
		return Snapshot{State: t.Idle, Data: t.Data{Track: track}}, nil
	}
	s := Snapshot{State: t.State(row[0].(string)), Steps: row[2].(int64)}
	err = unfit(json.Unmarshal([]byte(row[1].(string)), &s.Data))
	return s, wrap("read track "+track+" of", x.l.path, err)
}

// Seen says whether a fact with that key is in the journal, or was until it was
// pruned.
func (x *Tx) Seen(key string) (bool, error) {
	row, err := x.l.stmt.seen.first(1, key)
	if err != nil {
		return false, wrap("read", x.l.path, err)
	}
	return row[0].(int64) != 0, nil
}

// Append writes a step: the journal's entry, the track, and its records.
func (x *Tx) Append(e Entry, records []t.Effect) error {
	body, err := t.EncodeFact(e.Fact)
	if err != nil {
		return wrap("encode a fact for", x.l.path, unfit(err))
	}
	data, err := json.Marshal(e.Result.Data)
	if err != nil {
		return wrap("encode a track for", x.l.path, unfit(err))
	}
	at := e.At.UnixMilli()
	if _, err := x.exec(x.l.stmt.journal, e.Instance, e.Steps, e.Fact.FactName(), e.Key, string(body), at, string(e.From), string(e.Result.State), e.Result.Entry); err != nil {
		return err
	}
	if _, err := x.exec(x.l.stmt.track, e.Instance, string(e.Result.State), string(data), e.Steps); err != nil {
		return err
	}
	for _, r := range records {
		if err := x.record(e.Instance, at, r); err != nil {
			return err
		}
	}
	return nil
}

// record writes one row of the ledger.
func (x *Tx) record(track string, at int64, r t.Effect) (err error) {
	s := &x.l.stmt
	switch r := r.(type) {
	case t.RecordMessage:
		m := r.Message
		_, err = x.exec(s.message, m.ID, track, m.Sender, m.Text, int64(m.Created), string(m.State), m.Turn, m.Said, at)
	case t.RecordTurn:
		_, err = x.exec(s.turn, r.Turn.ID, track, string(r.Turn.State), r.Turn.Start, r.Turn.StopBy, r.Turn.Said, at)
	case t.RecordDelivery:
		d := r.Delivery
		body, unencoded := json.Marshal(d.Body)
		if err = wrap("encode a record for", x.l.path, unfit(unencoded)); err == nil {
			_, err = x.exec(s.delivery, d.ID, track, string(d.Kind), string(d.State), d.Turn, d.ReplyTo, string(body), d.Sent, d.Shown, d.Code, d.Said, at)
		}
	case t.RecordRequest:
		q := r.Request
		_, err = x.exec(s.request, q.ID, track, q.Kind, q.Turn, string(q.State), q.Generation, q.Shown, q.Form, q.By, q.Decision, at)
	case t.OpenTrack:
		data, unencoded := json.Marshal(r.Data())
		if err = wrap("encode a record for", x.l.path, unfit(unencoded)); err == nil {
			_, err = x.exec(s.next, r.Track, string(t.Idle), string(data), r.Thread)
		}
	case t.RecordThread:
		_, err = x.exec(s.thread, r.Thread, track)
	default:
		err = wrap("write to", x.l.path, unfit(fmt.Errorf("no row for record %s", r.EffectName())))
	}
	return err
}

// Enqueue writes a call into the outbox and returns its id.
func (x *Tx) Enqueue(q Queued) (int64, error) {
	body, err := t.EncodeEffect(q.Effect)
	if err != nil {
		return 0, wrap("encode an effect for", x.l.path, unfit(err))
	}
	res, err := x.exec(x.l.stmt.enqueue, q.Instance, q.Step, q.Effect.EffectName(), string(body), q.Leased, q.Attempt.Number, millis(q.Attempt.First), q.Attempt.Done)
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	return id, wrap("write to", x.l.path, err)
}

// Lease notes that an attempt begins.
func (x *Tx) Lease(id int64, a durable.Attempt) error {
	_, err := x.exec(x.l.stmt.lease, a.Number, millis(a.First), a.Done, id)
	return err
}

// Release notes that no attempt has taken effect.
func (x *Tx) Release(id int64) error {
	_, err := x.exec(x.l.stmt.release, id)
	return err
}

// Settle takes a call out of the outbox.
func (x *Tx) Settle(id int64) error {
	_, err := x.exec(x.l.stmt.settle, id)
	return err
}

// Commit makes all durable: it returns after the disk has it.
func (x *Tx) Commit() error {
	x.over = true
	return wrap("commit to", x.l.path, x.tx.Commit())
}

// Rollback undoes all. After Commit it does nothing, and if SQLite has undone all by
// itself, as it does on a full disk, its complaint that there is nothing to undo says
// nothing.
func (x *Tx) Rollback() {
	if !x.over {
		x.over = true
		_ = x.tx.Rollback()
	}
}

// millis is a moment as the ledger keeps it; 0 where there is none.
func millis(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}
