package audit

import (
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// shelf is the rows of a conversation: recent ones, which may still change, and
// those before the conversation last was quiet, put away. What lingers is both.
type shelf struct {
	recent, past invariant.Ledger
	// Where each row of the past is, by its id.
	messages, turns, deliveries, requests map[string]int
}

// follow takes a step into the rows.
func (s *shelf) follow(f transitions.Fact, effects []transitions.Effect) {
	s.recent = s.recent.Follow(f, effects)
}

// shelve puts the recent rows away, but for those that linger.
func (s *shelf) shelve(left Lingering) {
	s.past.Messages = put(s.past.Messages, s.recent.Messages, &s.messages, func(m *invariant.Message) string { return m.ID })
	s.past.Turns = put(s.past.Turns, s.recent.Turns, &s.turns, func(t *transitions.Turn) string { return t.ID })
	s.past.Deliveries = put(s.past.Deliveries, s.recent.Deliveries, &s.deliveries, func(d *transitions.Delivery) string { return d.ID })
	s.past.Requests = put(s.past.Requests, s.recent.Requests, &s.requests, func(r *transitions.Request) string { return r.ID })
	s.recent = left.of(s.recent)
}

// all are all rows, in the order of their making. Nothing can follow after that.
func (s *shelf) all() invariant.Ledger {
	s.shelve(Lingering{})
	return s.past
}

// put replaces the rows with the same id, and adds the others.
func put[T any](rows, newer []T, at *map[string]int, id func(*T) string) []T {
	if *at == nil {
		*at = map[string]int{}
	}
	for i := range newer {
		key := id(&newer[i])
		if j, ok := (*at)[key]; ok {
			rows[j] = newer[i]
			continue
		}
		(*at)[key] = len(rows)
		rows = append(rows, newer[i])
	}
	return rows
}
