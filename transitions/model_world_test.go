package transitions

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// due lists the calls that may be sent: of a lane, the first.
func (m *model) due() []*modelCall {
	var due []*modelCall
	busy := map[string]bool{}
	for _, c := range m.calls {
		lane := Handle(c.effect).Lane
		if !c.sent && !busy[lane] {
			due = append(due, c)
		}
		busy[lane] = lane != ""
	}
	return due
}

// underWay lists the calls that are sent and not answered.
func (m *model) underWay() []*modelCall {
	return slices.DeleteFunc(slices.Clone(m.calls), func(c *modelCall) bool { return !c.sent })
}

// serve lets the other side carry a call out, and answer.
func (m *model) serve(c *modelCall) {
	switch e := c.effect.(type) {
	case OpenThread:
		id := m.next("thread_")
		m.threads[id] = &modelThread{}
		c.answer = ThreadOpened{Thread: id}
	case StartTurn:
		c.answer = m.serveStart(e)
	case SteerTurn:
		c.answer = m.serveSteer(e)
	case InterruptTurn:
		c.answer = m.serveInterrupt(e)
	case Deliver:
		c.answer = m.show(e)
	default:
		m.fatalf("nobody carries out %s", e.EffectName())
	}
	m.note("    got: %s, answer: %s", asJSON(m.t, c.effect), asJSON(m.t, c.answer))
}

// show lets the chat take a delivery, or not.
func (m *model) show(e Deliver) Fact {
	confirmed := DeliveryConfirmed{Delivery: e.Delivery, Shown: "shown:" + e.Delivery}
	if !m.faulty {
		return confirmed
	}
	return rapid.SampledFrom([]Fact{
		confirmed, DeliveryRefused{Delivery: e.Delivery, Code: 230002, Said: "no"}, DeliveryUnknown{Delivery: e.Delivery},
	}).Draw(m.t, "shown")
}

func (m *model) serveStart(e StartTurn) Fact {
	th := m.threads[e.Thread]
	if th == nil {
		return TurnStartRefused{Message: e.Message, Refusal: ThreadGone, Said: "thread not found"}
	}
	if m.faulty && rapid.IntRange(0, 9).Draw(m.t, "refuse") == 9 {
		return TurnStartRefused{Message: e.Message, Refusal: OtherRefusal, Said: "no"}
	}
	turn := th.active()
	if turn == nil {
		turn = &modelTurn{id: m.next("turn_")}
		th.turns = append(th.turns, turn)
	}
	// Where a turn runs, the text is folded into it.
	turn.pending, turn.starts = append(turn.pending, e.Message), append(turn.starts, e.Message)
	turn.mustStop = turn.mustStop || m.stopped[e.Message]
	return TurnStartAccepted{Message: e.Message, Turn: turn.id}
}

func (m *model) serveSteer(e SteerTurn) Fact {
	refused := SteerRefused{Message: e.Message, Turn: e.Turn}
	th := m.threads[e.Thread]
	switch turn := th.active(); {
	case th == nil:
		refused.Refusal = ThreadGone
	case turn == nil:
		refused.Refusal = NoActiveTurn
	case turn.id != e.Turn:
		refused.Refusal = OtherTurn
	case turn.deaf:
		refused.Refusal = NotSteerable
	default:
		turn.pending = append(turn.pending, e.Message)
		return SteerAccepted{Message: e.Message, Turn: e.Turn}
	}
	return refused
}

func (m *model) serveInterrupt(e InterruptTurn) Fact {
	turn := m.threads[e.Thread].active()
	if turn == nil || turn.id != e.Turn {
		return InterruptRefused{Turn: e.Turn, Said: "no active turn to interrupt"}
	}
	m.end(turn, EndInterrupted)
	return InterruptAccepted{Turn: e.Turn}
}

// end ends a turn; what no item carries is gone.
func (m *model) end(turn *modelTurn, status EndStatus) {
	turn.status, turn.pending = status, nil
	m.note("%s ends %s", turn.id, status)
}

// take makes accepted text items of the turn, and tells.
func (m *model) take(turn *modelTurn, tell bool) {
	taken := turn.pending
	turn.items, turn.pending = append(turn.items, taken...), nil
	m.note("%s takes %v in", turn.id, taken)
	if tell {
		for _, id := range taken {
			turn.seen = append(turn.seen, id)
			m.step(TurnRunning{Turn: turn.id, Messages: []string{id}})
		}
	}
}

// settleCall ends a call with a fact.
func (m *model) settleCall(c *modelCall, f Fact) {
	m.calls = slices.DeleteFunc(m.calls, func(o *modelCall) bool { return o == c })
	m.step(f)
}

// reconnect leaves what was sent and not read yet in the pipe, or loses it.
func (m *model) reconnect(why string) {
	m.note("%s", why)
	m.link.Connection = m.next("c")
	m.told = map[string]bool{}
	for _, c := range m.underWay() {
		if c.answer == nil && rapid.Bool().Draw(m.t, "late") {
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
		m.serve(&unheard)
	}
}

// disconnect loses the answers of the calls under way.
func (m *model) disconnect() {
	lost := m.link
	m.reconnect("the connection ends")
	for _, c := range m.underWay() {
		switch e := c.effect.(type) {
		case OpenThread:
			c.sent = false
		case StartTurn:
			m.settleCall(c, TurnStartUnknown{Message: e.Message, Link: lost})
		case SteerTurn, InterruptTurn:
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
			c.sent = false
		}
	}
}

// kill ends the server process: a turn that runs reads as interrupted or leaves
// no trace, and a thread without a turn is gone.
func (m *model) kill() {
	m.note("the server dies and starts again")
	for _, id := range slices.Sorted(maps.Keys(m.threads)) {
		th := m.threads[id]
		if turn := th.active(); turn != nil && rapid.Bool().Draw(m.t, "lose") {
			th.turns = th.turns[:len(th.turns)-1]
			m.lost = append(m.lost, turn)
			m.note("%s leaves no trace", turn.id)
		} else if turn != nil {
			m.end(turn, EndInterrupted)
		}
		if th != nil && len(th.turns) == 0 {
			m.threads[id] = nil
		}
	}
	m.disconnect()
	m.pipe = nil
	m.link.Generation = m.next("g")
}

// pull reads the track's thread.
func (m *model) pull(after Millis) {
	m.now += after
	if m.now >= m.pipeEnds {
		m.readPipe()
	}
	id := m.data.Thread
	if id == "" {
		return
	}
	th := m.threads[id]
	answer := PullAnswered{Idle: th.active() == nil, Link: m.link, At: m.now, Settle: settle}
	for _, c := range m.underWay() {
		if _, ok := c.effect.(StartTurn); ok {
			answer.Idle = false // the client does not call a thread idle while it asks for a turn
		}
	}
	var facts []Fact
	if th != nil {
		watch := m.data.Watch()
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
		m.step(f)
	}
}

func replyOf(turn *modelTurn) string {
	if turn.status == EndCompleted {
		return "reply of " + turn.id
	}
	return ""
}

// act lets one thing happen, as chance has it.
func (m *model) act() {
	thread := m.threads[m.data.Thread]
	running, due, underWay := thread.active(), m.due(), m.underWay()
	answered := slices.DeleteFunc(slices.Clone(underWay), func(c *modelCall) bool { return c.answer == nil })
	happenings := []struct {
		often    int
		possible bool
		happen   func()
	}{
		{4, len(m.written) < 4, m.write},
		{8, len(due) > 0, func() { m.send(rapid.SampledFrom(due).Draw(m.t, "call")) }},
		{4, len(underWay) > len(answered), func() { m.serveAll(underWay) }},
		{6, len(answered) > 0, func() {
			c := rapid.SampledFrom(answered).Draw(m.t, "call")
			m.settleCall(c, c.answer)
		}},
		{4, running != nil && len(running.pending) > 0, func() { m.take(running, rapid.Bool().Draw(m.t, "tell")) }},
		{6, true, func() { m.pull(Millis(rapid.IntRange(1, 40).Draw(m.t, "after"))) }},
		{3, running != nil, func() {
			m.end(running, rapid.SampledFrom([]EndStatus{EndCompleted, EndFailed, EndInterrupted}).Draw(m.t, "status"))
		}},
		{2, true, m.stop},
		{2, running == nil && thread != nil, func() { m.startForeign(thread, rapid.Bool().Draw(m.t, "deaf")) }},
		{2, true, m.disconnect},
		{1, true, m.crash},
		{1, true, m.kill},
		{2, len(m.pipe) > 0, m.readPipe},
	}
	var lots []func()
	for _, h := range happenings {
		for range h.often {
			if h.possible {
				lots = append(lots, h.happen)
			}
		}
	}
	lots[rapid.IntRange(0, len(lots)-1).Draw(m.t, "lot")]()
}

// send hands a call to the connection; mostly it arrives at once.
func (m *model) send(c *modelCall) {
	c.sent = true
	_, toChat := c.effect.(Deliver)
	if toChat || rapid.IntRange(0, 3).Draw(m.t, "arrives") > 0 {
		m.serve(c)
	}
}

// serveAll lets what is on the connection arrive.
func (m *model) serveAll(calls []*modelCall) {
	for _, c := range calls {
		if c.answer == nil {
			m.serve(c)
		}
	}
}

// startForeign lets another client of the thread start a turn.
func (m *model) startForeign(th *modelThread, deaf bool) {
	th.turns = append(th.turns, &modelTurn{id: m.next("foreign_"), deaf: deaf})
	m.note("another client starts %s", th.active().id)
}

// drain lets everything go well until nothing is left to do.
func (m *model) drain() {
	m.note("from here on nothing goes wrong")
	m.faulty = false
	for range 20 {
		for len(m.calls) > 0 {
			for _, c := range m.due() {
				c.sent = true
			}
			m.serveAll(m.underWay())
			c := m.underWay()[0]
			m.settleCall(c, c.answer)
		}
		if turn := m.threads[m.data.Thread].active(); turn != nil {
			m.take(turn, true)
			if !turn.mustStop {
				m.end(turn, EndCompleted)
			}
		}
		m.pull(settle)
		if len(m.calls) == 0 && len(m.data.Turns) == 0 && !slices.ContainsFunc(m.data.Messages, m.unsettled) {
			return
		}
	}
	m.fatalf("stuck")
}

// unsettled says that a message is neither told about nor owed a delivery that
// is known to have failed, or perhaps failed.
func (m *model) unsettled(msg Message) bool {
	return !slices.ContainsFunc(m.data.Deliveries, func(d Delivery) bool {
		return d.Turn == msg.Turn && d.Kind == Outcome && d.State != DeliveryReady
	})
}

// settled holds what must be true of every message and turn in the end.
func (m *model) settled() {
	if m.state != Idle && m.state != Delivered {
		m.fatalf("at rest in %s", m.state)
	}
	items := map[string]int{}
	for _, turn := range m.turns() {
		for _, id := range turn.items {
			items[id]++
		}
		said := m.said["outcome:"+turn.id]
		if len(turn.items) > 0 && (len(said) != 1 || said[0].Body.Text != replyOf(turn)) {
			m.fatalf("the outcome of %s was said as %v", turn.id, said)
		}
	}
	for _, turn := range m.lost {
		// What was seen in it is told to be lost, and not sent again.
		for _, id := range turn.seen {
			items[id] += len(m.said["outcome:"+turn.id])
		}
	}
	for _, id := range m.written {
		back := 0
		for _, why := range []SentenceID{SaidNotSent, SaidRefused, SaidVanished} {
			back += len(m.said["notice:"+id+":"+string(why)])
		}
		if items[id]+back != 1 {
			m.fatalf("%s is %d items, and was given back %d times", id, items[id], back)
		}
	}
}

// TestNothingIsStuckOrSentTwice lets people write and stop while everything goes
// wrong, and holds that, once faults stop, the track comes to rest with every
// message in exactly one turn or given back, and every outcome said once.
func TestNothingIsStuckOrSentTwice(t *testing.T) {
	t.Parallel()
	for part := range 10 { // each from a seed of its own
		t.Run(strconv.Itoa(part+1), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				m := newModel(t)
				for range rapid.IntRange(1, 60).Draw(t, "steps") {
					m.act()
				}
				m.drain()
				m.settled()
			})
		})
	}
}
