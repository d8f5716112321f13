package audit

import (
	"maps"
	"slices"
	"strings"

	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// tale is what the steps tell and no row keeps.
type tale struct {
	// anyway may decide on any request; nil: nobody knows who may.
	anyway []string
	// deliveries are named by the uuid that their messages carry.
	deliveries map[string]string
	// parts are the messages of those deliveries that are several, in order.
	parts map[string][]string
	// items are the messages of ours that were seen in each turn.
	items map[string][]string
	// fenced are the messages that a /stop or /new found in no turn, or that were
	// taken back; behind are those of them that were sent all the same.
	fenced, behind map[string]bool
	// handed are the messages on their way to the next track, with when they were
	// written.
	handed map[string]transitions.Millis
	// clicks are the decisions of people, in order; answers are what went to Codex
	// about each request, in order.
	clicks  []click
	answers map[string][]string
	// closed are the requests whose card was to say that they are over.
	closed map[string]bool
	// resumes are the messages that came before a /resume, by its own.
	resumes map[string][]string
}

// click is a person's decision on a request.
type click struct {
	transitions.RequestAnswered
	// allowed says that the person might decide.
	allowed bool
}

func newTale(anyway []string) tale {
	return tale{
		anyway: anyway, deliveries: map[string]string{}, parts: map[string][]string{}, items: map[string][]string{},
		fenced: map[string]bool{}, behind: map[string]bool{}, handed: map[string]transitions.Millis{},
		answers: map[string][]string{}, closed: map[string]bool{}, resumes: map[string][]string{},
	}
}

// note takes a step in, given the rows and the track's state before it.
func (t *tale) note(before *invariant.Ledger, state transitions.State, f transitions.Fact, effects []transitions.Effect) {
	switch f := f.(type) {
	case transitions.MessageReceived:
		delete(t.handed, f.Message)
	case transitions.StopRequested:
		t.command(before, state, f.Created, effects)
	case transitions.NewRequested:
		t.command(before, state, f.Created, effects)
	case transitions.ResumeRequested:
		// What is there now is fenced if the /resume is carried out.
		t.resumes[f.Message] = t.before(before, f.Created)
	case transitions.ThreadFound:
		if state != transitions.Superseded {
			there := t.resumes[f.Message]
			t.fence(before, func(m *invariant.Message) bool { return slices.Contains(there, m.ID) })
		}
	case transitions.MessageRecalled:
		t.fence(before, func(m *invariant.Message) bool { return m.ID == f.Message })
	case transitions.SenderDismissed:
		t.fence(before, func(m *invariant.Message) bool { return m.Sender == f.Sender })
	case transitions.TurnRunning:
		t.see(f.Turn, f.Messages)
	case transitions.TurnEnded:
		t.see(f.Turn, f.Messages)
	case transitions.DeliveryPartShown:
		t.parts[f.Delivery] = append(t.parts[f.Delivery], f.Shown)
	case transitions.DeliveryConfirmed:
		if before := t.parts[f.Delivery]; before != nil {
			t.parts[f.Delivery] = append(before, f.Shown)
		}
	case transitions.RequestAnswered:
		believed := t.anyway == nil && f.Entitled
		t.clicks = append(t.clicks, click{f, believed || slices.Contains(t.mayDecide(before, turnOf(before, f.Request)), f.By)})
	}
	for _, e := range effects {
		switch e := e.(type) {
		case transitions.StartTurn:
			t.send(e.Message)
		case transitions.SteerTurn:
			t.send(e.Message)
		case transitions.HandOver:
			t.handed[e.Message] = e.Created
		case transitions.Deliver:
			t.deliveries[e.UUID] = e.Delivery
		case transitions.AnswerRequest:
			t.answers[e.Request] = append(t.answers[e.Request], e.Decision)
		case transitions.CloseRequest:
			t.closed[e.Request] = true
		}
	}
}

func (t *tale) see(turn string, messages []string) {
	for _, id := range messages {
		if !slices.Contains(t.items[turn], id) {
			t.items[turn] = append(t.items[turn], id)
		}
	}
}

// command takes a /stop or /new in. What is on its way from the former track is behind
// it only if it was written before it: the two came by different ways.
func (t *tale) command(before *invariant.Ledger, state transitions.State, written transitions.Millis, effects []transitions.Effect) {
	if state == transitions.Superseded || denied(effects) {
		return
	}
	there := t.before(before, written)
	t.fence(before, func(m *invariant.Message) bool { return slices.Contains(there, m.ID) })
}

// before are the messages that came before a command.
func (t *tale) before(rows *invariant.Ledger, written transitions.Millis) (ids []string) {
	for i := range rows.Messages {
		if at, onItsWay := t.handed[rows.Messages[i].ID]; !onItsWay || at <= written {
			ids = append(ids, rows.Messages[i].ID)
		}
	}
	return ids
}

// fence puts those messages that are meant and are in no turn behind a /stop, /new or
// recall.
func (t *tale) fence(rows *invariant.Ledger, meant func(*invariant.Message) bool) {
	seen := slices.Concat(slices.Collect(maps.Values(t.items))...)
	for i := range rows.Messages {
		if m := &rows.Messages[i]; meant(m) && !slices.Contains(seen, m.ID) {
			t.fenced[m.ID] = true
		}
	}
}

// denied says that whoever commanded was told that they may not.
func denied(effects []transitions.Effect) bool {
	return slices.ContainsFunc(effects, func(e transitions.Effect) bool {
		d, ok := e.(transitions.Deliver)
		return ok && d.Body.Sentence == transitions.SaidNotYours
	})
}

func (t *tale) send(message string) {
	if t.fenced[message] {
		t.behind[message] = true
	}
}

// ofMessage tells what no row of the message does.
func (t *tale) ofMessage(m *invariant.Message) {
	m.SentBehindFence = t.behind[m.ID]
	if _, onItsWay := t.handed[m.ID]; onItsWay && m.Hold == "" {
		m.Hold = invariant.HeldByHandOver
	}
}

// ofRequest tells what no row of the request does.
func (t *tale) ofRequest(v *invariant.View, r *invariant.Request) {
	rows := invariant.Ledger{Messages: v.Messages, Turns: v.Turns}
	r.Names = t.mayDecide(&rows, r.Turn)
	r.Decisions = t.answers[r.ID]
	r.Closed = t.closed[r.ID]
	r.Told = slices.ContainsFunc(v.Deliveries, func(d transitions.Delivery) bool {
		return d.Body.Sentence == transitions.SaidUnshowable && strings.HasPrefix(d.ID, "notice:"+r.ID+":")
	})
	if c := t.clickOf(r); c != nil {
		r.Card, r.Entitled = c.Request, c.allowed
	}
}

// clickOf is the click that the request's decision came from: who is said to have
// decided clicked so on its card or, where there is no such click, on another.
func (t *tale) clickOf(r *invariant.Request) (found *click) {
	for i := range t.clicks {
		c := &t.clicks[i]
		if c.By != r.By || c.Decision != r.Decision {
			continue
		}
		if c.Request == r.ID {
			return c
		}
		found = c
	}
	return found
}

// mayDecide lists who may decide on what a turn asks: who wrote what started it or
// is proven in it, and who may anyway.
func (t *tale) mayDecide(rows *invariant.Ledger, turn string) []string {
	names := slices.Clone(t.anyway)
	for i := range rows.Messages {
		m := &rows.Messages[i]
		proven := m.Turn == turn && (m.State == transitions.MessageProven || m.State == transitions.MessageAnswered)
		started := slices.ContainsFunc(rows.Turns, func(o transitions.Turn) bool { return o.ID == turn && o.Start == m.ID })
		if turn != "" && (proven || started) && !slices.Contains(names, m.Sender) {
			names = append(names, m.Sender)
		}
	}
	return names
}

// turnOf is the turn that asks the request.
func turnOf(rows *invariant.Ledger, request string) string {
	for i := range rows.Requests {
		if rows.Requests[i].ID == request {
			return rows.Requests[i].Turn
		}
	}
	return ""
}
