// Package export writes a ledger as lines of JSON, for whoever looks into one with
// tools of their own.
//
//	{"kind":"message","track":"oc_1/1","at":"…","row":{"id":"om_1","state":"answered","text_length":5,…}}
//
// What people, Codex and servers wrote is told by its length only, unless it is asked
// for: a string is passed on if it is known to be an id, a state or another word of the
// protocols, and any other is measured, so that a field which is new is never let out
// by mistake. The app's secret is in no line, whoever wrote it where.
//
// What belongs here: pure functions over what store has read. What does not: reading
// a ledger, and choosing where the lines go.
package export

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"deskbridge/store"
)

// Options say what is let out.
type Options struct {
	// WithText lets out what people, Codex and servers wrote.
	WithText bool
	// Secret is never let out.
	Secret string
}

// line is one line; Kind is one of track, message, turn, delivery, request, journal
// and outbox.
type line struct {
	Kind  string `json:"kind"`
	Track string `json:"track"`
	// At is when the row last changed, or the step was committed.
	At   *time.Time `json:"at,omitempty"`
	Step int64      `json:"step,omitempty"`
	// State is a track's; From and To are those of a step, by the table entry Entry.
	State string `json:"state,omitempty"`
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	Entry string `json:"entry,omitempty"`
	// Name is a fact's or an effect's.
	Name string `json:"name,omitempty"`
	// ID, Leased, Attempts and Since are those of a call.
	ID       int64      `json:"id,omitempty"`
	Leased   bool       `json:"leased,omitempty"`
	Attempts int        `json:"attempts,omitempty"`
	Since    *time.Time `json:"since,omitempty"`
	// Row is the row itself, the track's data, or what is in the fact or the effect.
	Row any `json:"row"`
}

// Write writes all that a ledger holds, table by table.
func Write(w io.Writer, b store.Books, o Options) error {
	e := exporter{w: w, Options: o}
	for _, tr := range b.Tracks {
		e.put(line{Kind: "track", Track: tr.ID, Step: tr.Steps, State: string(tr.State)}, tr.Data)
	}
	rows(&e, "message", b.Messages)
	rows(&e, "turn", b.Turns)
	rows(&e, "delivery", b.Deliveries)
	rows(&e, "request", b.Requests)
	for _, s := range b.Journal {
		e.put(line{
			Kind: "journal", Track: s.Track, At: moment(s.At), Step: s.Step, Name: s.Fact.FactName(),
			From: string(s.From), To: string(s.To), Entry: s.Entry,
		}, s.Fact)
	}
	for _, q := range b.Outbox {
		e.put(line{
			Kind: "outbox", Track: q.Instance, Step: q.Step, Name: q.Effect.EffectName(),
			ID: q.ID, Leased: q.Leased, Attempts: q.Attempt.Number, Since: moment(q.Attempt.First),
		}, q.Effect)
	}
	return e.err
}

func rows[T any](e *exporter, kind string, all []store.Row[T]) {
	for _, row := range all {
		e.put(line{Kind: kind, Track: row.Track, At: moment(row.At)}, row.Of)
	}
}

// moment is a time in UTC; nil: there is none.
func moment(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}

// exporter writes lines until the first error.
type exporter struct {
	Options
	w   io.Writer
	err error
}

func (e *exporter) put(l line, row any) {
	if e.err != nil {
		return
	}
	var text []byte
	if text, e.err = json.Marshal(row); e.err != nil {
		return
	}
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	if e.err = numbers.Decode(&row); e.err != nil {
		return
	}
	l.Row = e.cleared(row)
	out := json.NewEncoder(e.w)
	out.SetEscapeHTML(false)
	e.err = out.Encode(l)
}

// cleared is a value of JSON without what is not to be let out.
func (e *exporter) cleared(value any) any {
	switch value := value.(type) {
	case map[string]any:
		all := map[string]any{}
		for key, member := range value {
			if text, hidden := e.hidden(key, member); hidden {
				all[key+"_length"] = text
				continue
			}
			all[key] = e.cleared(member)
		}
		return all
	case []any:
		all := make([]any, len(value))
		for i, member := range value {
			all[i] = e.cleared(member)
		}
		return all
	case string:
		return e.withoutSecret(value)
	}
	return value
}

// hidden measures a member that is words: a string, or a list of them. Of anything
// else it says that it need not be hidden as a whole.
func (e *exporter) hidden(key string, member any) (length int, hidden bool) {
	if e.WithText || plain[key] {
		return 0, false
	}
	switch member := member.(type) {
	case string:
		return utf8.RuneCountInString(member), true
	case []any:
		for _, one := range member {
			text, ok := one.(string)
			if !ok {
				return 0, false
			}
			length += utf8.RuneCountInString(text)
		}
		return length, true
	}
	return 0, false
}

func (e *exporter) withoutSecret(text string) string {
	if e.Secret == "" {
		return text
	}
	return strings.ReplaceAll(text, e.Secret, "[secret]")
}

// plain are the members whose strings are ids, states and other words of the
// protocols.
var plain = map[string]bool{
	"about": true, "approval": true, "barred": true, "behind": true, "by": true, "closed": true, "connection": true, "created_by": true, "decision": true, "delivery": true,
	"dismissed": true, "effect": true, "form": true, "from": true, "generation": true, "id": true, "item": true,
	"key": true, "kind": true, "message": true, "messages": true, "model": true, "question": true, "reaction": true, "recalled": true,
	"refusal": true, "reply_to": true, "request": true, "resumed_by": true, "reviewer": true, "sandbox": true, "sender": true, "sentence": true, "settled": true,
	"shown": true, "shut": true, "start": true, "state": true, "status": true, "stop_by": true, "subject": true,
	"thread": true, "told": true, "track": true, "transcript": true, "turn": true, "turns": true, "unreplayed": true, "uuid": true,
	"version": true, "why": true,
}
