package transitions

import (
	"maps"
	"slices"
)

// settle is how far apart two reads of the model are that prove an absence.
const settle Millis = 30

// due lists the calls that may be sent: of a track's lane, the first.
func (m *model) due() []*modelCall {
	type lane struct {
		track *modelTrack
		name  string
	}
	var due []*modelCall
	busy := map[lane]bool{}
	for _, c := range m.calls {
		l := lane{c.track, Handle(c.effect).Lane}
		if !c.sent && !busy[l] {
			due = append(due, c)
		}
		busy[l] = l.name != ""
	}
	return due
}

// underWay lists the calls that are sent and not settled.
func (m *model) underWay() []*modelCall {
	return slices.DeleteFunc(slices.Clone(m.calls), func(c *modelCall) bool { return !c.sent })
}

// send hands a call to whoever carries it out; what goes to Codex mostly arrives
// at once.
func (m *model) send(c *modelCall) {
	m.handOut(c)
	if !m.toCodex(c) || m.below(4) > 0 {
		m.serve(c)
	}
}

// handOut takes a call from the outbox.
func (m *model) handOut(c *modelCall) {
	c.sent = true
	switch e := c.effect.(type) {
	case StartTurn:
		m.holdFence(e.Message)
	case SteerTurn:
		m.holdFence(e.Message)
	}
}

// toCodex says that the call travels on the connection. A decision does so only
// on one that the request came on.
func (m *model) toCodex(c *modelCall) bool {
	switch e := c.effect.(type) {
	case OpenThread, StartTurn, SteerTurn, InterruptTurn, ListThreads, BindThread:
		return true
	case AnswerRequest:
		return m.server.requests[e.Request].readOn == m.link.Connection
	}
	return false
}

// serveAll lets what is on the connection arrive.
func (m *model) serveAll(calls []*modelCall) {
	for _, c := range calls {
		if !c.done {
			m.serve(c)
		}
	}
}

// serve lets the other side carry a call out, and answer.
func (m *model) serve(c *modelCall) {
	if e, ok := c.effect.(AnswerRequest); ok && !m.toCodex(c) {
		c.done, c.answer = true, DecisionUnknown{Request: e.Request}
	} else {
		m.carryOut(c)
	}
	m.note("    got: %s %s, answer: %s", c.effect.EffectName(), asJSON(m.t, c.effect), asJSON(m.t, c.answer))
}

func (m *model) carryOut(c *modelCall) {
	c.done = true
	switch e := c.effect.(type) {
	case OpenThread:
		c.answer = m.serveThread(e)
	case StartTurn:
		c.answer = m.serveStart(e)
	case SteerTurn:
		c.answer = m.serveSteer(e)
	case InterruptTurn:
		c.answer = m.serveInterrupt(e)
	case ListThreads:
		c.answer = m.serveList(e)
	case BindThread:
		c.answer = m.serveBind(e)
	case AnswerRequest:
		m.decide(m.server.requests[e.Request], e.Decision)
		c.answer = DecisionWritten{Request: e.Request}
	case Deliver:
		m.showPart(c.track, e)
		c.answer = m.show(e)
	case ShowRequest:
		c.answer, c.done = m.showCard(e)
		c.sent = c.done
	case CloseRequest:
		r := m.server.requests[e.Request]
		r.closed = r.card
	case HandOver:
		m.step(m.trackNamed(NextTrack(c.track.id)), e.Received(c.track.id))
		c.answer = HandedOver{Message: e.Message}
	default:
		m.fatalf("nobody carries out %s", e.EffectName())
	}
}

// settleCall ends a call with a fact, if there is one.
func (m *model) settleCall(c *modelCall, f Fact) {
	m.calls = slices.DeleteFunc(m.calls, func(o *modelCall) bool { return o == c })
	if f != nil {
		m.step(c.track, f)
	}
}

// reconnect leaves what was sent and not read yet in the pipe, or loses it.
func (m *model) reconnect(why string) {
	m.note("%s", why)
	m.link.Connection = m.next("c")
	m.told = map[string]bool{}
	m.replay()
	for _, c := range m.underWay() {
		if !c.done && m.coin() {
			m.pipe = append(m.pipe, c)
			m.pipeEnds = m.now + settle
		}
	}
}

// readPipe lets the server carry out what came over a connection that has ended.
func (m *model) readPipe() {
	late := m.pipe
	m.pipe = nil
	for _, c := range late {
		unheard := *c // its answer reaches nobody
		m.note("the server reads late: %s %s", c.effect.EffectName(), asJSON(m.t, c.effect))
		m.carryOut(&unheard)
	}
}

// disconnect loses the answers of the calls under way.
func (m *model) disconnect() {
	lost := m.link
	m.reconnect("the connection ends")
	for _, c := range m.underWay() {
		switch e := c.effect.(type) {
		case OpenThread, ListThreads, BindThread:
			c.sent, c.done = false, false
		case StartTurn:
			m.settleCall(c, TurnStartUnknown{Message: e.Message, Link: lost})
		case SteerTurn, InterruptTurn, AnswerRequest:
			m.settleCall(c, Handle(e).IfLost)
		}
	}
}

// crash ends the bridge and starts it again.
func (m *model) crash() {
	m.reconnect("the bridge dies and starts again")
	for _, c := range m.underWay() {
		if lost := Handle(c.effect).IfLost; lost != nil {
			m.settleCall(c, lost)
		} else {
			c.sent, c.done, c.answer = false, false, nil
		}
	}
}

// kill ends the server process: a turn that runs reads as interrupted or leaves
// no trace, a thread without a turn is gone, and so are all requests.
func (m *model) kill() {
	m.note("the server dies and starts again")
	for _, id := range slices.Sorted(maps.Keys(m.server.threads)) {
		th := m.server.threads[id]
		if turn := th.active(); turn != nil && m.coin() {
			th.turns = th.turns[:len(th.turns)-1]
			m.end(turn, EndInterrupted)
			m.server.lost = append(m.server.lost, turn)
			m.note("%s leaves no trace", turn.id)
		} else if turn != nil {
			m.end(turn, EndInterrupted)
		}
		if th != nil && len(th.turns) == 0 {
			m.server.threads[id] = nil
		}
	}
	m.disconnect()
	m.pipe = nil
	if m.owned {
		m.link.Generation = m.next("g")
		for _, tr := range m.tracks {
			m.step(tr, GenerationChanged{Generation: m.link.Generation})
		}
	}
}

// pull reads the track's thread.
func (m *model) pull(tr *modelTrack, after Millis) {
	m.now += after
	if m.now >= m.pipeEnds {
		m.readPipe()
	}
	id := tr.data.Thread
	if id == "" {
		return
	}
	th := m.server.threads[id]
	answer := PullAnswered{Idle: th.active() == nil, Link: m.link, At: m.now, Settle: settle}
	for _, c := range m.underWay() {
		if e, ok := c.effect.(StartTurn); ok && e.Thread == id {
			answer.Idle = false // the client does not call a thread idle while it asks for a turn
		}
	}
	var facts []Fact
	if th != nil {
		watch := tr.data.Watch()
		for _, turn := range th.turns {
			answer.Turns = append(answer.Turns, turn.id)
			switch {
			case turn.status == "":
				turn.seen = slices.Clone(turn.items)
				facts = append(facts, TurnRunning{Turn: turn.id, Messages: turn.seen})
			case slices.Contains(watch.Turns, turn.id), len(turn.items) > 0 && !m.told[turn.id]:
				facts = append(facts, TurnEnded{Turn: turn.id, Status: turn.status, Messages: slices.Clone(turn.items), Reply: replyOf(turn), Said: "reason"})
				m.told[turn.id] = true
			}
		}
	}
	for _, f := range append(facts, answer) {
		m.step(tr, f)
	}
}
