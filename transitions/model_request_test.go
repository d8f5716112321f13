package transitions

import (
	"maps"
	"slices"
)

// modelRequest is a request as the server has it, and its card in the chat.
type modelRequest struct {
	id     string
	thread string
	on     *modelTurn
	asks   RequestOpened
	open   bool   // the server waits for an answer
	sentOn string // the connection that it was last sent on
	readOn string // the connection that the bridge last read it from

	card, closed bool     // its card stands in the chat, without buttons
	made         []string // what people who may decide have decided
	told         string   // the decision that the bridge sends
	reached      []string // the decisions that the server took
}

// modelPush is what the server sends of itself about a thread.
type modelPush struct {
	thread string
	fact   Fact
}

// ask lets a turn ask a person; the thread's flag may be told before.
func (m *model) ask(thread string, turn *modelTurn) {
	id := m.next("req_")
	r := &modelRequest{id: id, thread: thread, on: turn, open: true}
	r.asks = RequestOpened{Request: id, Kind: "command", Turn: turn.id, Generation: m.link.Generation}
	m.server.requests[id] = r
	m.note("%s asks %s", turn.id, id)
	if m.coin() {
		m.pushFlag(thread)
	}
	m.pushRequest(r)
}

// asked are the open requests of a turn.
func (m *model) asked(turn *modelTurn) []*modelRequest {
	return m.requestsThat(func(r *modelRequest) bool { return r.open && r.on == turn })
}

func (m *model) requestsThat(is func(*modelRequest) bool) []*modelRequest {
	var some []*modelRequest
	for _, id := range slices.Sorted(maps.Keys(m.server.requests)) {
		if r := m.server.requests[id]; is(r) {
			some = append(some, r)
		}
	}
	return some
}

func (m *model) pushRequest(r *modelRequest) {
	r.sentOn = m.link.Connection
	m.pushes = append(m.pushes, modelPush{r.thread, r.asks})
}

func (m *model) pushFlag(thread string) {
	waits := len(m.requestsThat(func(r *modelRequest) bool { return r.open && r.thread == thread })) > 0
	status := StatusIdle
	if m.server.threads[thread].active() != nil {
		status = StatusActive
	}
	m.pushes = append(m.pushes, modelPush{thread, ThreadStatusChanged{Status: status, Waiting: waits}})
}

// resolve lets the server wait for a request no longer.
func (m *model) resolve(r *modelRequest) {
	r.open = false
	m.note("%s is resolved", r.id)
	m.pushes = append(m.pushes, modelPush{r.thread, RequestResolved{Request: r.id}})
	m.pushFlag(r.thread)
}

// decide lets a decision reach the server; only the first one counts.
func (m *model) decide(r *modelRequest, decision string) {
	if !r.open {
		return
	}
	r.reached = append(r.reached, decision)
	m.resolve(r)
	if decision == "cancel" {
		m.end(r.on, EndInterrupted)
	}
}

// read lets the bridge read the next push.
func (m *model) read() {
	p := m.pushes[0]
	m.pushes = m.pushes[1:]
	tr := m.trackOn(p.thread)
	if opened, ok := p.fact.(RequestOpened); ok {
		m.server.requests[opened.Request].readOn = m.link.Connection
	}
	m.step(tr, p.fact)
}

// replay lets the server send on a new connection what is open, and the flags.
func (m *model) replay() {
	m.pushes = nil
	for _, tr := range m.tracks {
		if tr.data.Thread != "" {
			m.pushes = append(m.pushes, modelPush{tr.data.Thread, ThreadResumed{Thread: tr.data.Thread, Connection: m.link.Connection}})
			m.pushFlag(tr.data.Thread)
		}
	}
	for _, r := range m.requestsThat(func(r *modelRequest) bool { return r.open }) {
		m.pushRequest(r)
	}
}

// unreplayed are the requests that the track knows, and that the server does not
// send on this connection, where it has resumed the thread.
func (m *model) unreplayed() []*modelRequest {
	return m.requestsThat(func(r *modelRequest) bool {
		known := m.trackOn(r.thread).data.request(r.id)
		return r.sentOn != m.link.Connection && known != nil && known.Unreplayed == m.link.Connection
	})
}

// unshown are the requests whose card is on its way.
func (m *model) unshown() []*modelRequest {
	return m.requestsThat(func(r *modelRequest) bool {
		return slices.ContainsFunc(m.calls, func(c *modelCall) bool {
			e, ok := c.effect.(ShowRequest)
			return ok && e.Request == r.id
		})
	})
}

// answerAll lets every open request be answered: by an admin who sees its card,
// or else by another client. A superseded track answers those of the turns that
// it ends itself.
func (m *model) answerAll() {
	for _, r := range m.requestsThat(func(r *modelRequest) bool { return r.open && !r.on.mustStop }) {
		tr := m.trackOn(r.thread)
		switch known := tr.data.request(r.id); {
		case known == nil && tr.state != Superseded:
			m.fatalf("%s is open, and %s does not know it", r.id, tr.id)
		case known != nil && known.State == RequestDecided:
			// Codex is being told.
		case known != nil && known.visible():
			r.made = append(r.made, "accept")
			m.step(tr, RequestAnswered{Request: r.id, By: "ou_a", Decision: "accept", Message: m.next("om_click_"), Entitled: true})
		default:
			m.resolve(r)
		}
	}
}
