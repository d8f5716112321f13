package store

import "errors"

// statements are the prepared statements of the write side.
type statements struct {
	seen, load, journal, track, message, turn, delivery, request, thread, next *statement
	enqueue, lease, release, settle                                            *statement
}

func (s *statements) prepare(c conn) error {
	for _, p := range []struct {
		to  **statement
		sql string
	}{
		{&s.seen, `SELECT EXISTS (SELECT 1 FROM journal WHERE key = ?1) OR EXISTS (SELECT 1 FROM pruned_key WHERE key = ?1)`},
		{&s.load, `SELECT state, data, steps FROM track WHERE id = ?`},
		{&s.journal, `INSERT INTO journal (track, step, fact, key, body, at, from_state, to_state, entry) VALUES (?, ?, ?, nullif(?, ''), ?, ?, ?, ?, ?)`},
		{&s.track, `INSERT INTO track (id, state, data, steps) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET state = excluded.state, data = excluded.data, steps = excluded.steps`},
		{&s.message, `INSERT INTO message (id, track, sender, text, created, state, turn, said, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET track = excluded.track, state = excluded.state, turn = excluded.turn, said = excluded.said, at = excluded.at`},
		{&s.turn, `INSERT INTO turn (id, track, state, start, stop_by, said, at) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET state = excluded.state, start = excluded.start, stop_by = excluded.stop_by, said = excluded.said, at = excluded.at`},
		{&s.delivery, `INSERT INTO delivery (id, track, kind, state, turn, reply_to, body, sent, shown, code, said, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET state = excluded.state, sent = excluded.sent, shown = excluded.shown, code = excluded.code, said = excluded.said, at = excluded.at`},
		{&s.request, `INSERT INTO request (id, track, kind, turn, state, generation, shown, form, decided_by, decision, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET state = excluded.state, shown = excluded.shown, form = excluded.form, decided_by = excluded.decided_by, decision = excluded.decision, at = excluded.at`},
		{&s.next, `INSERT INTO track (id, state, data, steps, thread) VALUES (?, ?, ?, 0, ?) ON CONFLICT (id) DO NOTHING`},
		{&s.thread, `UPDATE track SET thread = ? WHERE id = ?`},
		{&s.enqueue, `INSERT INTO outbox (track, step, effect, body, leased, attempts, first_at, done) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`},
		{&s.lease, `UPDATE outbox SET leased = 1, attempts = ?, first_at = ?, done = ? WHERE id = ?`},
		{&s.release, `UPDATE outbox SET leased = 0 WHERE id = ?`},
		{&s.settle, `DELETE FROM outbox WHERE id = ?`},
	} {
		stmt, err := c.prepare(p.sql)
		if err != nil {
			return err
		}
		*p.to = stmt
	}
	return nil
}

func (s *statements) close() error {
	var errs []error
	for _, stmt := range []*statement{
		s.seen, s.load, s.journal, s.track, s.message, s.turn, s.delivery, s.request, s.thread, s.next,
		s.enqueue, s.lease, s.release, s.settle,
	} {
		if stmt != nil {
			errs = append(errs, stmt.Close())
		}
	}
	return errors.Join(errs...)
}
