package transitions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// settle is how far apart two reads of the model are that prove an absence.
const settle Millis = 30

// modelTurn is a turn as a Codex has it that is as simple as can be.
type modelTurn struct {
	id      string
	status  EndStatus // empty while it runs
	items   []string  // our messages that are items of it
	seen    []string  // items that the bridge was told of
	pending []string  // accepted text that no item carries yet
	starts  []string  // messages whose turn/start was answered with it
	// deaf says that it takes no text, as a review does.
	deaf bool
	// mustStop says that a /stop was recorded for it: once faults stop, it ends
	// only if it is interrupted.
	mustStop bool
}

// modelThread is a Codex thread; a thread that is gone is nil.
type modelThread struct{ turns []*modelTurn }

// active is the turn that runs.
func (th *modelThread) active() *modelTurn {
	if th != nil && len(th.turns) > 0 && th.turns[len(th.turns)-1].status == "" {
		return th.turns[len(th.turns)-1]
	}
	return nil
}

// modelCall is an effect in the outbox.
type modelCall struct {
	effect Effect
	sent   bool
	// answer of the other side, not read yet; nil: it has not got the call.
	answer Fact
}

// model is the whole world around one track, told truthfully: a naive Codex, a
// naive outbox, a chat. Only what people write, what goes wrong and what comes
// first is chance.
type model struct {
	t     *rapid.T
	story []string

	state   State
	data    Data
	journal map[string]bool

	calls   []*modelCall
	threads map[string]*modelThread
	lost    []*modelTurn // turns of which nothing was stored
	// pipe are calls on a connection that has ended, which the server may still
	// read until pipeEnds.
	pipe     []*modelCall
	pipeEnds Millis
	link     Link
	now      Millis
	faulty   bool            // things may go wrong
	told     map[string]bool // ended turns told on this connection
	serial   int

	written []string
	fenced  map[string]bool      // a /stop came after the message
	stopped map[string]bool      // messages whose start a /stop was recorded for
	said    map[string][]Deliver // what the chat was to be told, by delivery
}

func newModel(t *rapid.T) *model {
	return &model{
		t: t, faulty: true, state: Idle, data: Data{Track: "oc_1/1"}, journal: map[string]bool{},
		threads: map[string]*modelThread{}, link: Link{Connection: "c1", Generation: "g1"}, now: 1000,
		told: map[string]bool{}, fenced: map[string]bool{}, stopped: map[string]bool{},
		said: map[string][]Deliver{},
	}
}

func (m *model) next(prefix string) string {
	m.serial++
	return fmt.Sprintf("%s%d", prefix, m.serial)
}

func (m *model) note(format string, args ...any) {
	m.story = append(m.story, fmt.Sprintf(format, args...))
}

func (m *model) fatalf(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s\nstate %s\ndata %s\nthe story:\n  %s", fmt.Sprintf(format, args...), m.state, asJSON(m.t, m.data), strings.Join(m.story, "\n  "))
}

// step journals a fact, steps, and takes the effects into the outbox.
func (m *model) step(f Fact) {
	if key := f.FactKey(); key != "" {
		if m.journal[key] {
			return
		}
		m.journal[key] = true
	}
	res, err := Conversation().Step(m.state, m.data, f)
	if err != nil {
		m.fatalf("%v", err)
	}
	m.note("%s %s → %s", f.FactName(), asJSON(m.t, f), res.State)
	m.state, m.data = res.State, res.Data
	if want := Derive(&m.data); m.state != want {
		m.fatalf("the state is %s, but messages, turns and deliveries say %s", m.state, want)
	}
	for _, e := range res.Effects {
		switch e := e.(type) {
		case RecordMessage, RecordTurn, RecordDelivery, RecordThread, Pull, ShowReceipt:
			continue
		case Withdraw:
			m.withdraw()
			continue
		case StartTurn:
			m.offered(e.Message)
		case SteerTurn:
			m.offered(e.Message)
		case InterruptTurn:
			m.interrupted(e)
		case Deliver:
			m.saidNow(e)
		}
		m.note("    %s %s", e.EffectName(), asJSON(m.t, e))
		m.calls = append(m.calls, &modelCall{effect: e})
	}
}

// offered holds the fence.
func (m *model) offered(message string) {
	if m.fenced[message] {
		m.fatalf("%s came before the /stop, was in no turn, and is sent to Codex afterwards", message)
	}
	if turn := m.turnWith(message); turn != nil {
		m.fatalf("%s is an item of %s, and is sent to Codex again", message, turn.id)
	}
}

// interrupted holds that a turn is interrupted by one call at a time.
func (m *model) interrupted(e InterruptTurn) {
	if slices.ContainsFunc(m.calls, func(c *modelCall) bool { return c.effect == e }) {
		m.fatalf("%s is interrupted while an interrupt of it is under way", e.Turn)
	}
}

// saidNow holds that nothing is said twice, and nothing that is not so.
func (m *model) saidNow(e Deliver) {
	m.said[e.Delivery] = append(m.said[e.Delivery], e)
	if len(m.said[e.Delivery]) > 1 && e.Body.Sentence != SaidNewThread {
		m.fatalf("%s is said twice", e.Delivery)
	}
	if id, ok := strings.CutPrefix(e.Delivery, "outcome:"); ok && e.Body.Sentence == SaidStopped {
		if !slices.ContainsFunc(m.turns(), func(t *modelTurn) bool { return t.id == id && t.status == EndInterrupted && t.mustStop }) {
			m.fatalf("%s is said to be stopped, and is not", id)
		}
	}
}

// withdraw takes unsent text out of the outbox.
func (m *model) withdraw() {
	var back []Fact
	m.calls = slices.DeleteFunc(m.calls, func(c *modelCall) bool {
		h := Handle(c.effect)
		if c.sent || h.IfWithdrawn == nil {
			return false
		}
		back = append(back, h.IfWithdrawn)
		return true
	})
	for _, f := range back {
		m.step(f)
	}
}

// write lets a person write something.
func (m *model) write() {
	id := m.next("om_")
	m.written = append(m.written, id)
	m.step(MessageReceived{Message: id, Sender: "ou_a", Text: "text " + id, Created: m.now})
}

// stop lets a person stop what there is.
func (m *model) stop() {
	for i := range m.data.Messages {
		if msg := m.data.Messages[i]; m.turnWith(msg.ID) == nil {
			m.fenced[msg.ID] = true
		}
	}
	for _, known := range m.data.Turns {
		m.stopped[known.Start] = known.Start != ""
		for _, turn := range m.turns() {
			if turn.id == known.ID || known.ID == "" && slices.Contains(turn.starts, known.Start) {
				turn.mustStop = true
			}
		}
	}
	m.step(StopRequested{Message: m.next("om_stop_"), Sender: "ou_a", Created: m.now})
}

// turns are all turns that the server has stored, of all threads.
func (m *model) turns() []*modelTurn {
	var all []*modelTurn
	for _, id := range slices.Sorted(maps.Keys(m.threads)) {
		if th := m.threads[id]; th != nil {
			all = append(all, th.turns...)
		}
	}
	return all
}

// turnWith is the turn that has the message as an item.
func (m *model) turnWith(message string) *modelTurn {
	for _, turn := range m.turns() {
		if slices.Contains(turn.items, message) {
			return turn
		}
	}
	return nil
}
