package transitions

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// model is the whole world around one conversation, told truthfully: its tracks,
// a naive Codex, a naive outbox, a chat. Only what people do, what goes wrong
// and what comes first is chance.
type model struct {
	t     *rapid.T
	story []string

	tracks  []*modelTrack // oldest first
	journal map[string]bool
	calls   []*modelCall

	server modelServer
	link   Link
	// owned says that the server process is ours, so that we know which it is.
	owned bool
	// pushes are what the server has sent on this connection and nobody has read.
	pushes []modelPush
	// pipe are calls on a connection that has ended, which the server may still
	// read until pipeEnds.
	pipe     []*modelCall
	pipeEnds Millis
	now      Millis
	faulty   bool            // things may go wrong
	told     map[string]bool // ended turns told on this connection
	serial   int

	written  []string
	fenced   map[string]bool      // a /stop or /new came after the message, or a /resume
	stopped  map[string]bool      // messages whose start a /stop or /new was recorded for
	sender   map[string]string    // of a message
	said     map[string][]Deliver // what the chat was to be told, by delivery
	refused  map[string]bool      // what the chat did not take, and nobody sent again
	parts    map[string]int       // how much of a delivery stands in the chat
	archived map[string][]Delivery
}

// modelTrack is a track as the engine keeps it.
type modelTrack struct {
	id    string
	state State
	data  Data
	// before is how much had been written when its /resume came.
	before int
}

// modelCall is an effect in the outbox.
type modelCall struct {
	track  *modelTrack
	effect Effect
	sent   bool
	// done says that the other side has it; answer is what it said, if anything,
	// and is not read yet.
	done   bool
	answer Fact
}

func newModel(t *rapid.T) *model {
	m := &model{
		t: t, faulty: true, journal: map[string]bool{}, server: newModelServer(),
		owned: rapid.Bool().Draw(t, "owned"), link: Link{Connection: "c1"}, now: 1000,
		told: map[string]bool{}, fenced: map[string]bool{}, stopped: map[string]bool{}, sender: map[string]string{},
		refused: map[string]bool{}, parts: map[string]int{},
		said: map[string][]Deliver{}, archived: map[string][]Delivery{},
	}
	if m.owned {
		m.link.Generation = "g1"
	}
	m.openTrack(FirstTrack("oc_1"))
	return m
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
	var tracks strings.Builder
	for _, tr := range m.tracks {
		fmt.Fprintf(&tracks, "\n%s %s %s", tr.id, tr.state, asJSON(m.t, tr.data))
	}
	m.t.Fatalf("%s%s\nthe story:\n  %s", fmt.Sprintf(format, args...), tracks.String(), strings.Join(m.story, "\n  "))
}

// openTrack makes the conversation's next track.
func (m *model) openTrack(id string) {
	m.tracks = append(m.tracks, &modelTrack{id: id, state: Idle, data: Data{Track: id}})
}

// newest is the track that takes what people write.
func (m *model) newest() *modelTrack { return m.tracks[len(m.tracks)-1] }

// trackNamed is the track of that id; nil if there is none.
func (m *model) trackNamed(id string) *modelTrack {
	for _, tr := range m.tracks {
		if tr.id == id {
			return tr
		}
	}
	return nil
}

// trackOn is the track that is bound to the thread; nil if none is.
func (m *model) trackOn(thread string) *modelTrack {
	for _, tr := range m.tracks {
		if thread != "" && tr.data.Thread == thread {
			return tr
		}
	}
	return nil
}

// step journals a fact, steps, and takes the effects into the outbox.
func (m *model) step(tr *modelTrack, f Fact) {
	if key := f.FactKey(); key != "" {
		if m.journal[key] {
			return
		}
		m.journal[key] = true
	}
	if _, found := f.(ThreadFound); found && tr.state != Superseded {
		m.fenceFirst(tr.before)
	}
	res, err := Conversation().Step(tr.state, tr.data, f)
	if err != nil {
		m.fatalf("%s: %v", tr.id, err)
	}
	m.note("%s: %s %s → %s", tr.id, f.FactName(), asJSON(m.t, f), res.State)
	was := tr.state
	tr.state, tr.data = res.State, res.Data
	m.holdState(tr)
	withdraws := false
	for _, e := range res.Effects {
		switch h := Handle(e); {
		case e.EffectName() == "show_receipt": // nothing depends on it
		case h.Record:
			m.record(tr, e)
		case h.Withdraws:
			withdraws = true
		case !h.Volatile:
			m.note("    %s %s", e.EffectName(), asJSON(m.t, e))
			m.holdEffect(tr, was, e)
			m.calls = append(m.calls, &modelCall{track: tr, effect: e})
		}
	}
	if withdraws {
		m.withdraw(tr)
	}
}

// record takes in what the world sees of a record.
func (m *model) record(tr *modelTrack, e Effect) {
	switch e := e.(type) {
	case OpenTrack:
		m.note("    open_track %s", e.Track)
		if m.trackNamed(e.Track) != nil {
			m.fatalf("%s is opened twice", e.Track)
		}
		m.openTrack(e.Track)
		m.newest().data = e.Data()
	case RecordDelivery:
		if del := e.Delivery; del.State == DeliveryArchived {
			m.note("    archived: %s", asJSON(m.t, del))
			m.archived[del.ID] = append(m.archived[del.ID], del)
			if tr.state != Superseded {
				m.fatalf("%s of the newest track is not pushed", del.ID)
			}
		}
	}
}

// withdraw takes the track's unsent text out of the outbox.
func (m *model) withdraw(tr *modelTrack) {
	var back []Fact
	m.calls = slices.DeleteFunc(m.calls, func(c *modelCall) bool {
		h := Handle(c.effect)
		if c.track != tr || c.sent || h.IfWithdrawn == nil {
			return false
		}
		back = append(back, h.IfWithdrawn)
		return true
	})
	for _, f := range back {
		m.step(tr, f)
	}
}
