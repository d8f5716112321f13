package transitions

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// happening is something that may happen next.
type happening struct {
	often    int
	possible bool
	happen   func()
}

// act lets one thing happen, as chance has it.
func (m *model) act() {
	var lots []func()
	for _, h := range slices.Concat(m.deeds(), m.turnHappenings(), m.requestHappenings(), m.faults()) {
		for range h.often {
			if h.possible {
				lots = append(lots, h.happen)
			}
		}
	}
	pick(m, lots)()
}

// below draws a number from 0 to n-1, each as likely as any other; rapid's own
// integers are mostly small.
func (m *model) below(n int) int {
	drawn, size := 0, 1
	for size < n {
		drawn, size = 2*drawn, 2*size
		if m.coin() {
			drawn++
		}
	}
	return drawn * n / size
}

func (m *model) coin() bool { return rapid.Bool().Draw(m.t, "coin") }

// pick picks one of some.
func pick[T any](m *model, some []T) T { return some[m.below(len(some))] }

// deeds are what people do, and what the outbox does about it.
func (m *model) deeds() []happening {
	due, underWay := m.due(), m.underWay()
	done := slices.DeleteFunc(slices.Clone(underWay), func(c *modelCall) bool { return !c.done })
	return []happening{
		{9, len(m.written) < 5, func() { m.write(m.newest()) }},
		{1, len(m.written) < 5 && len(m.tracks) > 1, func() { m.write(pick(m, m.tracks)) }},
		{2, true, m.stop},
		{1, len(m.tracks) < 3, m.begin},
		{1, len(m.tracks) < 3, m.listThreads},
		{2, len(m.tracks) < 3 && len(m.newest().data.Listed) > 0, m.resume},
		{30, len(due) > 0, func() { m.send(pick(m, due)) }},
		{8, len(underWay) > len(done), func() { m.serveAll(underWay) }},
		{20, len(done) > 0, func() {
			c := pick(m, done)
			m.settleCall(c, c.answer)
		}},
	}
}

// turnHappenings are what becomes of one track's turns.
func (m *model) turnHappenings() []happening {
	tr := m.newest()
	if m.coin() {
		tr = pick(m, m.tracks)
	}
	thread := m.server.threads[tr.data.Thread]
	running := thread.active()
	ends := []EndStatus{EndFailed, EndInterrupted}
	if running != nil && len(m.asked(running)) == 0 {
		ends = append(ends, EndCompleted)
	}
	return []happening{
		{8, running != nil && len(running.pending) > 0, func() { m.take(tr, running, m.coin()) }},
		{8, true, func() { m.pull(tr, Millis(m.below(40))) }},
		{4, running != nil, func() { m.end(running, pick(m, ends)) }},
		{2, running == nil && thread != nil, func() { m.startForeign(thread, m.coin()) }},
		{8, running != nil && len(m.asked(running)) < 2 && len(m.server.requests) < 5, func() { m.ask(tr.data.Thread, running) }},
	}
}

// requestHappenings are what becomes of requests.
func (m *model) requestHappenings() []happening {
	cards := m.requestsThat(func(r *modelRequest) bool { return r.card })
	open := m.requestsThat(func(r *modelRequest) bool { return r.open })
	unshown, unreplayed := m.unshown(), m.unreplayed()
	return []happening{
		{20, len(m.pushes) > 0, m.read},
		{5, len(cards) > 0, func() { m.answer(pick(m, cards)) }},
		{2, len(open) > 0, func() { m.resolve(pick(m, open)) }},
		{1, len(unshown) > 0, func() {
			r := pick(m, unshown)
			m.step(m.trackOn(r.thread), VisibilityOverdue{Request: r.id})
		}},
		{2, len(unreplayed) > 0, func() { m.bury(pick(m, unreplayed)) }},
	}
}

// bury tells that the server did not send a request again.
func (m *model) bury(r *modelRequest) {
	m.step(m.trackOn(r.thread), ReplayOverdue{Request: r.id, Connection: m.link.Connection})
}

// faults are what goes wrong.
func (m *model) faults() []happening {
	return []happening{
		{2, true, m.disconnect},
		{1, true, m.crash},
		{1, true, m.kill},
		{6, len(m.pipe) > 0, m.readPipe},
	}
}

// drain lets everything go well until nothing is left to do.
func (m *model) drain() {
	m.note("from here on nothing goes wrong")
	m.faulty = false
	for range 30 {
		m.carryAllOut()
		for _, r := range m.unreplayed() {
			m.bury(r)
		}
		m.answerAll()
		for _, tr := range slices.Clone(m.tracks) {
			turn := m.server.threads[tr.data.Thread].active()
			if turn != nil {
				m.take(tr, turn, true)
			}
			if turn != nil && !turn.mustStop && len(m.asked(turn)) == 0 {
				m.end(turn, EndCompleted)
			}
			m.pull(tr, settle)
		}
		if m.atRest() {
			return
		}
	}
	m.fatalf("stuck")
}

// carryAllOut empties the outbox and reads what the server sends.
func (m *model) carryAllOut() {
	for len(m.calls) > 0 || len(m.pushes) > 0 {
		for len(m.pushes) > 0 {
			m.read()
		}
		for _, c := range m.due() {
			m.handOut(c)
		}
		m.serveAll(m.underWay())
		if underWay := m.underWay(); len(underWay) > 0 {
			m.settleCall(underWay[0], underWay[0].answer)
		}
	}
}

// TestNothingIsStuckOrSentTwice lets people write, stop, begin anew and decide
// while everything goes wrong, and holds that, once faults stop, all tracks come
// to rest with every message in exactly one turn or given back, every outcome
// said or kept once, and every request settled by one decision at most.
func TestNothingIsStuckOrSentTwice(t *testing.T) {
	t.Parallel()
	for part := range 10 { // each from a seed of its own
		t.Run(strconv.Itoa(part+1), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				m := newModel(t)
				for range m.below(150) {
					m.act()
				}
				m.drain()
				m.settled()
			})
		})
	}
}
