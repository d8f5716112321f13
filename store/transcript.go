package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	t "deskbridge/transitions"
)

// maxTranscript bounds how much of a conversation is told to a thread that takes the
// place of a lost one, in bytes of text; the newest part is told.
const maxTranscript = 64 << 10

// said are the messages that a track's turns are proven to have, and what the chat was
// told of their outcomes, in the order of the turns.
const said = `
	SELECT turn.rowid AS place, 0 AS codex, message.rowid AS row, message.text AS text, '' AS body
	FROM message JOIN turn ON turn.id = message.turn
	WHERE message.track = ?1 AND message.state IN (?2, ?3)
	UNION ALL
	SELECT turn.rowid, 1, delivery.rowid, '', delivery.body
	FROM delivery JOIN turn ON turn.id = delivery.turn
	WHERE delivery.track = ?1 AND delivery.kind = ?4 AND delivery.state = ?5
	ORDER BY place, codex, row`

// Transcript returns what people and Codex said in the conversation before the track,
// as far as the thread that the track goes on from knew it: in the track before, and,
// where that too went on from a lost thread, in those before it. A message of which it
// is not proven that a turn had it is not in it, nor what the chat has not seen. It is
// oldest first, and bounded.
func (l *Ledger) Transcript(ctx context.Context, track string, language t.Language) ([]t.Utterance, error) {
	var newestFirst []t.Utterance
	size := 0
	conversation, number := t.SplitTrack(track)
	for number--; number > 0; number-- {
		former := t.TrackOf(conversation, number)
		part, err := l.saidIn(ctx, former, language)
		if err != nil {
			return nil, err
		}
		for _, u := range slices.Backward(part) {
			if size += len(u.Text); size > maxTranscript && len(newestFirst) > 0 {
				return reversed(newestFirst), nil
			}
			newestFirst = append(newestFirst, u)
		}
		var rebuilds bool
		err = l.scan(ctx, l.read, `SELECT coalesce(json_extract(data, '$.rebuild'), 0) FROM track WHERE id = ?`, func(row *sql.Rows) error { return row.Scan(&rebuilds) }, former)
		if err != nil || !rebuilds {
			return reversed(newestFirst), err
		}
	}
	return reversed(newestFirst), nil
}

func reversed(all []t.Utterance) []t.Utterance {
	slices.Reverse(all)
	return all
}

// saidIn is what was said in one track.
func (l *Ledger) saidIn(ctx context.Context, track string, language t.Language) (all []t.Utterance, err error) {
	err = l.scan(ctx, l.read, said, func(row *sql.Rows) error {
		var u t.Utterance
		var place, id int64
		var body string
		if err := row.Scan(&place, &u.Codex, &id, &u.Text, &body); err != nil {
			return err
		}
		if u.Codex {
			var b t.Body
			if err := json.Unmarshal([]byte(body), &b); err != nil {
				return err
			}
			u.Text = b.Say(language)
		}
		all = append(all, u)
		return nil
	}, track, string(t.MessageProven), string(t.MessageAnswered), string(t.Outcome), string(t.DeliveryShown))
	return all, err
}
