package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"deskbridge/store"
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// Unlike tells which of the ledger's tables are not what the steps have written.
// It names the fields that differ, and not what stands in them.
func (h *History) Unlike(b *Books) []string {
	written := h.written.all()
	var messages []transitions.Message
	for i := range written.Messages {
		messages = append(messages, row(written.Messages[i].Message))
	}
	var p problems
	compare(&p, "tracks", h.Tracks, b.Tracks, func(tr store.Track) string { return tr.ID })
	deliveries := slices.Clone(written.Deliveries)
	for i := range deliveries {
		deliveries[i].ToldFailed = false // the track alone keeps it
	}
	compare(&p, "messages", messages, b.Messages, func(m transitions.Message) string { return m.ID })
	compare(&p, "turns", written.Turns, b.Turns, func(t transitions.Turn) string { return t.ID })
	compare(&p, "deliveries", deliveries, b.Deliveries, func(d transitions.Delivery) string { return d.ID })
	compare(&p, "requests", written.Requests, b.Requests, func(r transitions.Request) string { return r.ID })
	return p
}

// row leaves of a message what its row keeps.
func row(m transitions.Message) transitions.Message {
	m.Barred, m.Told, m.Confirmed, m.Question, m.Files = "", nil, false, "", nil
	return m
}

// compare compares a table with what was written to it, row by row.
func compare[T any](p *problems, table string, written, rows []T, id func(T) string) {
	was, is := fieldsByID(written, id), fieldsByID(rows, id)
	ids := maps.Clone(was)
	maps.Copy(ids, is)
	for _, key := range slices.Sorted(maps.Keys(ids)) {
		differs := "it is not there"
		if is[key] != nil {
			differs = "no step wrote it"
		}
		if was[key] != nil && is[key] != nil {
			differs = differing(was[key], is[key])
		}
		if differs != "" {
			p.add("the table of %s is not what the steps have written: %s: %s", table, key, differs)
		}
	}
	if len(rows) != len(is) {
		p.add("the table of %s is not what the steps have written: something is there twice", table)
	}
}

// fieldsByID are the rows' fields, as JSON, by the rows' ids.
func fieldsByID[T any](rows []T, id func(T) string) map[string]map[string]json.RawMessage {
	all := map[string]map[string]json.RawMessage{}
	for _, one := range rows {
		var fields map[string]json.RawMessage
		text, err := json.Marshal(one)
		if err == nil {
			err = json.Unmarshal(text, &fields)
		}
		if err != nil {
			panic(err) // a row is plain data
		}
		all[id(one)] = fields
	}
	return all
}

// differing names the fields in which two rows differ.
func differing(was, is map[string]json.RawMessage) string {
	names := maps.Clone(was)
	maps.Copy(names, is)
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if string(was[name]) != string(is[name]) {
			differ = append(differ, strings.ToLower(name))
		}
	}
	if differ == nil {
		return ""
	}
	return "another " + strings.Join(differ, " and ")
}

// Rows are those of the ledger. Of a message that is acknowledged and has no row,
// as no command has, only that is known.
func (h *History) Rows(b *Books) invariant.Ledger {
	l := invariant.Ledger{Turns: b.Turns, Deliveries: b.Deliveries, Requests: b.Requests}
	there := map[string]bool{}
	for _, m := range b.Messages {
		there[m.ID] = true
		l.Messages = append(l.Messages, invariant.Message{Message: m, Kind: invariant.Text})
	}
	for _, m := range h.Known().Messages {
		if there[m.ID] {
			continue
		}
		received := invariant.Message{Kind: m.Kind, Message: transitions.Message{ID: m.ID, Sender: m.Sender}}
		if m.Kind == invariant.Text {
			received.State = transitions.MessageKept
		}
		l.Messages = append(l.Messages, received)
	}
	return l
}

// problems collects sentences.
type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }
