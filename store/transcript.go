package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	t "deskbridge/transitions"
)

const (
	// maxTranscript bounds how much of a conversation is told to a thread that takes the
	// place of a lost one, in bytes of text; the newest part is told. It is read while
	// nothing else happens.
	maxTranscript = 64 << 10
	// maxTurns bounds of how many turns of a track it is.
	maxTurns = 100
)

// said are the messages that a track's last turns are proven to have, and what the chat
// was told of their outcomes, newest first. Of a long text the beginning is read.
const said = `
	WITH recent AS (SELECT rowid AS place, id FROM turn WHERE track = ?1 ORDER BY rowid DESC LIMIT ?2)
	SELECT recent.place AS place, 0 AS codex, message.rowid AS row, substr(message.text, 1, ?3) AS text, '' AS body
	FROM message JOIN recent ON recent.id = message.turn
	WHERE message.track = ?1 AND message.state IN (?4, ?5)
	UNION ALL
	SELECT recent.place, 1, delivery.rowid, substr(coalesce(json_extract(body, '$.text'), ''), 1, ?3),
		iif(json_extract(body, '$.sentence') IS NULL, '', body)
	FROM recent JOIN delivery ON delivery.id = 'outcome:' || recent.id
	WHERE delivery.kind = ?6 AND delivery.state = ?7
	ORDER BY place DESC, codex DESC, row DESC`

// Transcript returns what people and Codex said in the conversation before the track,
// as far as the thread that the track goes on from knew it: in the track before, and,
// where that too went on from a lost thread, in those before it. A message of which it
// is not proven that a turn had it is not in it, nor what the chat has not seen. It is
// oldest first, and bounded.
func (l *Ledger) Transcript(ctx context.Context, track string, language t.Language) ([]t.Utterance, error) {
	var newestFirst []t.Utterance
	left := maxTranscript
	conversation, number := t.SplitTrack(track)
	for number--; number > 0 && left > 0; number-- {
		former := t.TrackOf(conversation, number)
		part, err := l.saidIn(ctx, former, language)
		if err != nil {
			return nil, err
		}
		for _, u := range part {
			if len(u.Text) > left {
				u.Text = strings.ToValidUTF8(u.Text[:left], "")
			}
			if left -= len(u.Text); u.Text != "" {
				newestFirst = append(newestFirst, u)
			}
		}
		var rebuilds bool
		err = l.scan(ctx, l.read, `SELECT coalesce(json_extract(data, '$.rebuild'), 0) FROM track WHERE id = ?`, func(row *sql.Rows) error { return row.Scan(&rebuilds) }, former)
		if err != nil {
			return nil, err
		}
		if !rebuilds {
			break
		}
	}
	slices.Reverse(newestFirst)
	return newestFirst, nil
}

// saidIn is what was said in one track, newest first.
func (l *Ledger) saidIn(ctx context.Context, track string, language t.Language) (all []t.Utterance, err error) {
	err = l.scan(ctx, l.read, said, func(row *sql.Rows) error {
		var u t.Utterance
		var place, id int64
		var body string
		if err := row.Scan(&place, &u.Codex, &id, &u.Text, &body); err != nil {
			return err
		}
		if body != "" {
			var b t.Body
			if err := json.Unmarshal([]byte(body), &b); err != nil {
				return err
			}
			u.Text = b.Say(language)
		}
		all = append(all, u)
		return nil
	}, track, maxTurns, maxTranscript, string(t.MessageProven), string(t.MessageAnswered), string(t.Outcome), string(t.DeliveryShown))
	return all, err
}
