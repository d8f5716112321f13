package transitions

import "slices"

// tick is the moment at which a person does something: no two are the same.
func (m *model) tick() Millis {
	m.now++
	return m.now
}

func (m *model) someone() string {
	return pick(m, []string{"ou_a", "ou_b"})
}

// write lets a person write something; where it is routed to is the newest track,
// or was a moment ago.
func (m *model) write(tr *modelTrack) {
	id := m.next("om_")
	m.written, m.sender[id] = append(m.written, id), m.someone()
	m.step(tr, MessageReceived{Message: id, Sender: m.sender[id], Text: "text " + id, Created: m.tick()})
}

// stop lets a person stop what there is, if they may.
func (m *model) stop() {
	by, entitled := m.commander()
	m.step(m.newest(), StopRequested{Message: m.next("om_stop_"), Sender: by, Created: m.tick(), Entitled: entitled})
}

// begin lets a person begin a new conversation, if they may.
func (m *model) begin() {
	by, entitled := m.commander()
	m.step(m.newest(), NewRequested{Message: m.next("om_new_"), Sender: by, Created: m.tick(), Entitled: entitled})
}

// commander is an admin, or somebody who never wrote anything: they may command
// only where no turn is in flight.
func (m *model) commander() (by string, entitled bool) {
	if m.below(5) > 0 {
		m.fence()
		return "ou_admin", true
	}
	if len(m.newest().data.Turns) == 0 {
		m.fence()
	}
	return "ou_stranger", false
}

// fence notes what is behind the fence now, and which turns are to end.
func (m *model) fence() { m.fenceFirst(len(m.written)) }

// fenceFirst is the same where only the first of what was written is behind it.
func (m *model) fenceFirst(n int) {
	for _, id := range m.written[:n] {
		if m.server.turnWith(id) == nil {
			m.fenced[id] = true
		}
	}
	for _, known := range m.newest().data.Turns {
		m.stopped[known.Start] = known.Start != ""
		for _, turn := range m.server.everBegun() {
			if turn.id == known.ID || known.ID == "" && slices.Contains(turn.starts, known.Start) {
				turn.mustStop = true
			}
		}
	}
}

// answer lets a person decide on a request whose card stands in the chat.
func (m *model) answer(r *modelRequest) {
	tr := m.trackOn(r.thread)
	a := RequestAnswered{
		Request: r.id, By: m.someone(), Message: m.next("om_click_"),
		Decision: pick(m, []string{"accept", "decline", "cancel"}),
		Entitled: m.below(3) == 0,
	}
	wrote := slices.ContainsFunc(slices.Concat(r.on.starts, r.on.items), func(id string) bool { return m.sender[id] == a.By })
	if a.Entitled || wrote {
		r.made = append(r.made, a.Decision)
	}
	m.step(tr, a)
}

// showPart lets the chat take a part of an outcome, which is not the last, or none.
func (m *model) showPart(tr *modelTrack, e Deliver) {
	if e.Kind == Outcome && m.faulty && m.below(4) == 0 {
		m.parts[e.Delivery]++
		m.step(tr, DeliveryPartShown{Delivery: e.Delivery, Shown: "part:" + e.Delivery, UpTo: m.parts[e.Delivery]})
	}
}

// show lets the chat take the rest of a delivery, or not.
func (m *model) show(e Deliver) Fact {
	confirmed := DeliveryConfirmed{Delivery: e.Delivery, Shown: "shown:" + e.Delivery}
	if !m.faulty {
		return confirmed
	}
	answer := pick(m, []Fact{
		confirmed, confirmed, confirmed, confirmed, confirmed, confirmed,
		DeliveryRefused{Delivery: e.Delivery, Code: 230002, Said: "no"}, DeliveryUnknown{Delivery: e.Delivery},
	})
	_, m.refused[e.Delivery] = answer.(DeliveryRefused)
	return answer
}

// showCard lets the chat take a request's card, or not. Without an answer, it is
// sent again with the same uuid.
func (m *model) showCard(e ShowRequest) (answer Fact, done bool) {
	r := m.server.requests[e.Request]
	fate := 0
	if m.faulty {
		fate = m.below(5)
	}
	switch fate {
	case 1:
		if r.card {
			break // it stands already
		}
		return RequestUnshowable{Request: r.id, Said: "no"}, true
	case 2:
		r.card = r.card || m.coin()
		return nil, false
	}
	r.card = true
	return RequestVisible{Request: r.id, Shown: "card:" + r.id}, true
}
