package transitions

import (
	"slices"
	"strings"
)

// holdState holds what must be true of a track after every step.
func (m *model) holdState(tr *modelTrack) {
	if want := Derive(&tr.data); tr.state != want {
		m.fatalf("%s is %s, but messages, turns, requests and deliveries say %s", tr.id, tr.state, want)
	}
	for _, r := range tr.data.Requests {
		if r.visible() && !m.server.requests[r.ID].card {
			m.fatalf("%s is called visible, and stands in no chat", r.ID)
		}
	}
	for _, msg := range tr.data.queue() {
		if !m.mayHold(tr) {
			m.fatalf("%s is held in %s for no reason", msg.ID, tr.state)
		}
	}
}

// mayHold says that there is a reason to hold text: a visible request, an
// unknown active turn, no thread yet, or a turn that takes no text and is not
// known to be over.
func (m *model) mayHold(tr *modelTrack) bool {
	switch tr.state {
	case WaitingVisible, RecoveryPending:
		return true
	case Superseded:
		return false
	}
	return tr.data.Thread == "" || slices.ContainsFunc(m.server.everBegun(), func(t *modelTurn) bool {
		return t.deaf && tr.data.turn(t.id) != nil
	})
}

// holdEffect holds what must be true of everything that a track asks for.
func (m *model) holdEffect(tr *modelTrack, was State, e Effect) {
	switch e := e.(type) {
	case StartTurn:
		m.holdOnce(e.Message)
	case SteerTurn:
		m.holdOnce(e.Message)
	case HandOver:
		m.holdOnce(e.Message)
		if m.trackNamed(NextTrack(tr.id)) == nil {
			m.fatalf("%s is handed to a track that does not exist", e.Message)
		}
	case InterruptTurn:
		m.holdInterrupt(e)
	case Deliver:
		m.holdDelivery(was, e)
	case AnswerRequest:
		m.holdDecision(tr, e)
	case CloseRequest:
		if r := m.server.requests[e.Request]; r.open && r.told == "" {
			m.fatalf("%s waits for a decision, and its card is closed", e.Request)
		}
	}
}

// holdFence holds that nothing from before a /stop or /new goes to Codex.
func (m *model) holdFence(message string) {
	if m.fenced[message] {
		m.fatalf("%s came before the /stop or /new, was in no turn, and is sent to Codex afterwards", message)
	}
}

// holdOnce holds that what is in a turn goes nowhere else.
func (m *model) holdOnce(message string) {
	if turn := m.server.turnWith(message); turn != nil {
		m.fatalf("%s is an item of %s, and goes on its way again", message, turn.id)
	}
}

// holdInterrupt holds that a turn is interrupted by one call at a time.
func (m *model) holdInterrupt(e InterruptTurn) {
	if slices.ContainsFunc(m.calls, func(c *modelCall) bool { return c.effect == e }) {
		m.fatalf("%s is interrupted while an interrupt of it is under way", e.Turn)
	}
}

// holdDelivery holds that nothing is said twice, nothing that is not so, and no
// outcome by a track that was superseded before. What was refused is sent again, but
// for what stands in the chat.
func (m *model) holdDelivery(was State, e Deliver) {
	if e.From != m.parts[e.Delivery] {
		m.fatalf("%s is sent from %d, and stands in the chat up to %d", e.Delivery, e.From, m.parts[e.Delivery])
	}
	if m.refused[e.Delivery] {
		m.refused[e.Delivery] = false
		return
	}
	if e.Kind == Outcome && was == Superseded {
		m.fatalf("%s is pushed by a track that is superseded", e.Delivery)
	}
	m.said[e.Delivery] = append(m.said[e.Delivery], e)
	// Another track may have the same to say of a message that it was handed.
	again := e.Body.Sentence == SaidNewThread
	if len(m.said[e.Delivery]) > 1 && !again {
		m.fatalf("%s is said twice", e.Delivery)
	}
	if id, ok := strings.CutPrefix(e.Delivery, "outcome:"); ok && e.Body.Sentence == SaidStopped && !m.wasStopped(id) {
		m.fatalf("%s is said to be stopped, and is not", id)
	}
}

// wasStopped says that a /stop or /new was recorded for the turn and that it was
// interrupted.
func (m *model) wasStopped(turn string) bool {
	return slices.ContainsFunc(m.server.turns(), func(t *modelTurn) bool {
		return t.id == turn && t.status == EndInterrupted && t.mustStop
	})
}

// holdDecision holds that one decision on a request goes to Codex: that of a
// person who may decide, or, if the track ends its turn, that it is declined.
func (m *model) holdDecision(tr *modelTrack, e AnswerRequest) {
	r := m.server.requests[e.Request]
	if r.told != "" && r.told != e.Decision {
		m.fatalf("%s is decided as %s, after %s", r.id, e.Decision, r.told)
	}
	r.told = e.Decision
	declined := e.Decision == Decline && tr.state == Superseded && r.on.mustStop
	if !slices.Contains(r.made, e.Decision) && !declined {
		m.fatalf("nobody who may decide on %s decided %s", r.id, e.Decision)
	}
}
