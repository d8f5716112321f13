package transitions

import (
	"maps"
	"slices"
)

// modelServer is a Codex that is as simple as can be.
type modelServer struct {
	threads  map[string]*modelThread // a thread that is gone is nil
	lost     []*modelTurn            // turns of which nothing was stored
	requests map[string]*modelRequest
}

// modelThread is a Codex thread.
type modelThread struct{ turns []*modelTurn }

// modelTurn is a turn.
type modelTurn struct {
	id      string
	status  EndStatus // empty while it runs
	items   []string  // our messages that are items of it
	seen    []string  // items that the bridge was told of
	pending []string  // accepted text that no item carries yet
	starts  []string  // messages whose turn/start was answered with it
	// deaf says that it takes no text, as a review does.
	deaf bool
	// mustStop says that a /stop or /new was recorded for it: once faults stop, it
	// ends only if it is interrupted.
	mustStop bool
}

func newModelServer() modelServer {
	return modelServer{threads: map[string]*modelThread{}, requests: map[string]*modelRequest{}}
}

// active is the turn that runs.
func (th *modelThread) active() *modelTurn {
	if th != nil && len(th.turns) > 0 && th.turns[len(th.turns)-1].status == "" {
		return th.turns[len(th.turns)-1]
	}
	return nil
}

// turns are all turns that the server has stored, of all threads.
func (s *modelServer) turns() []*modelTurn {
	var all []*modelTurn
	for _, id := range slices.Sorted(maps.Keys(s.threads)) {
		if th := s.threads[id]; th != nil {
			all = append(all, th.turns...)
		}
	}
	return all
}

// everBegun are all turns, also those of which nothing was stored.
func (s *modelServer) everBegun() []*modelTurn { return slices.Concat(s.turns(), s.lost) }

// turnWith is the turn that has the message as an item.
func (s *modelServer) turnWith(message string) *modelTurn {
	for _, turn := range s.turns() {
		if slices.Contains(turn.items, message) {
			return turn
		}
	}
	return nil
}

func (m *model) serveThread(e OpenThread) Fact {
	if m.faulty && m.below(10) == 9 {
		return ThreadRefused{Said: "no"}
	}
	id := m.next("thread_")
	m.server.threads[id] = &modelThread{}
	if !e.Rebuild {
		return ThreadOpened{Thread: id}
	}
	return ThreadOpened{Thread: id, Transcript: []Transcript{"", TranscriptGiven, TranscriptMissing}[m.below(3)]}
}

func (m *model) serveStart(e StartTurn) Fact {
	th := m.server.threads[e.Thread]
	if th == nil {
		return TurnStartRefused{Message: e.Message, Refusal: ThreadGone, Said: "thread not found"}
	}
	if m.faulty && m.below(10) == 9 {
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
	th := m.server.threads[e.Thread]
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
	turn := m.server.threads[e.Thread].active()
	if turn == nil || turn.id != e.Turn {
		return InterruptRefused{Turn: e.Turn, Said: "no active turn to interrupt"}
	}
	m.end(turn, EndInterrupted)
	return InterruptAccepted{Turn: e.Turn}
}

// startForeign lets another client of the thread start a turn.
func (m *model) startForeign(th *modelThread, deaf bool) {
	th.turns = append(th.turns, &modelTurn{id: m.next("foreign_"), deaf: deaf})
	m.note("another client starts %s", th.active().id)
}

// end ends a turn; what no item carries is gone, and nobody is asked any more.
func (m *model) end(turn *modelTurn, status EndStatus) {
	turn.status, turn.pending = status, nil
	m.note("%s ends %s", turn.id, status)
	for _, r := range m.asked(turn) {
		m.resolve(r)
	}
}

// take makes accepted text items of the thread's turn, and tells.
func (m *model) take(tr *modelTrack, turn *modelTurn, tell bool) {
	taken := turn.pending
	turn.items, turn.pending = append(turn.items, taken...), nil
	m.note("%s takes %v in", turn.id, taken)
	if tell {
		for _, id := range taken {
			turn.seen = append(turn.seen, id)
			m.step(tr, TurnRunning{Turn: turn.id, Messages: []string{id}})
		}
	}
}

func replyOf(turn *modelTurn) string {
	if turn.status == EndCompleted {
		return "reply of " + turn.id
	}
	return ""
}
