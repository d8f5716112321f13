package transitions

import "slices"

// atRest says that nothing is left to do: what a track still remembers is owed a
// delivery that is known to have failed, or perhaps failed.
func (m *model) atRest() bool {
	busy := slices.ContainsFunc(m.tracks, func(tr *modelTrack) bool {
		d := &tr.data
		return len(d.Turns)+len(d.Requests) > 0 || slices.ContainsFunc(d.Messages, func(msg Message) bool { return !failedToAnswer(d, msg) })
	})
	return len(m.calls)+len(m.pushes) == 0 && !busy
}

func failedToAnswer(d *Data, msg Message) bool {
	return slices.ContainsFunc(d.Deliveries, func(del Delivery) bool {
		return del.Turn == msg.Turn && del.Kind == Outcome && del.State != DeliveryReady
	})
}

// settled holds what must be true of everything in the end.
func (m *model) settled() {
	for _, tr := range m.tracks {
		if quiet := tr.state == Idle || tr.state == Delivered; quiet != (tr == m.newest()) {
			m.fatalf("%s is at rest in %s", tr.id, tr.state)
		}
	}
	for _, turn := range m.server.turns() {
		if len(turn.items) > 0 {
			m.settledTurn(turn)
		}
	}
	for _, id := range m.written {
		if in, back := m.itemsWith(id), m.givenBack(id); in+back != 1 {
			m.fatalf("%s is %d items, and was given back %d times", id, in, back)
		}
	}
	for _, r := range m.requestsThat(func(*modelRequest) bool { return true }) {
		m.settledRequest(r)
	}
}

// settledTurn holds that the outcome of a turn with a message of ours was said
// once, or kept once.
func (m *model) settledTurn(turn *modelTurn) {
	var bodies []Body
	for _, e := range m.said["outcome:"+turn.id] {
		bodies = append(bodies, e.Body)
	}
	for _, del := range m.archived["outcome:"+turn.id] {
		bodies = append(bodies, del.Body)
	}
	if len(bodies) != 1 || bodies[0].Text != replyOf(turn) {
		m.fatalf("the outcome of %s was said or kept as %v", turn.id, bodies)
	}
}

// itemsWith counts the turns that have the message. What was seen in a turn that
// is lost is told or kept as lost, and not sent again.
func (m *model) itemsWith(message string) int {
	n := 0
	for _, turn := range m.server.turns() {
		for _, id := range turn.items {
			if id == message {
				n++
			}
		}
	}
	for _, turn := range m.server.lost {
		if slices.Contains(turn.seen, message) {
			n += len(m.said["outcome:"+turn.id]) + len(m.archived["outcome:"+turn.id])
		}
	}
	return n
}

// givenBack counts how often the sender was told that the message was not sent,
// was refused, or may be lost.
func (m *model) givenBack(message string) int {
	n := 0
	for _, why := range []SentenceID{SaidNotSent, SaidRefused, SaidVanished, SaidUnresolved} {
		n += len(m.said["notice:"+message+":"+string(why)])
	}
	return n
}

// settledRequest holds that a request is over, by one decision at most, and that
// its card says so.
func (m *model) settledRequest(r *modelRequest) {
	if r.open {
		m.fatalf("%s waits for a decision for ever", r.id)
	}
	if len(r.reached) > 1 || len(r.reached) == 1 && r.reached[0] != r.told {
		m.fatalf("%s was decided as %s, and Codex got %v", r.id, r.told, r.reached)
	}
	if r.card && !r.closed {
		m.fatalf("the card of %s, which is over, has its buttons", r.id)
	}
}
