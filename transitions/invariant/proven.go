package invariant

import (
	"cmp"
	"slices"

	"deskbridge/transitions"
)

// Step is one step of a conversation.
type Step struct {
	Fact          transitions.Fact
	Before, After *transitions.Data
	Effects       []transitions.Effect
}

// Proven holds what a fact proves, or demands at once, against what is remembered
// after the step on it. It is the plain reading of each fact, said once more without
// any table.
func Proven(s Step) []string {
	var p problems
	if turn, ok := About(s.Fact); ok {
		p = append(p, Untouched(s.Before, s.After, turn)...)
	}
	s.persons(&p)
	s.waiting(&p)
	s.turns(&p)
	s.calls(&p)
	s.requests(&p)
	s.deliveries(&p)
	s.takenBack(&p)
	s.desk(&p)
	s.thread(&p)
	s.threads(&p)
	return p
}

// persons: what is written is kept, a /stop reaches everything, and whoever clicks
// is told or heeded.
func (s *Step) persons(p *problems) {
	switch f := s.Fact.(type) {
	case transitions.MessageReceived:
		on := slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool {
			h, ok := e.(transitions.HandOver)
			return ok && h.Message == f.Message
		})
		taken := slices.Contains(s.Before.Recalled, f.Message)
		if s.message(f.Message) == nil && !on && !taken && !s.answers(f.Message) {
			p.add("%s was received, and is neither remembered, passed on nor given back", f.Message)
		}
	case transitions.StopRequested:
		if s.denied(f.Message, f.Sender, f.Entitled, p) {
			return
		}
		s.fence(f.Message, f.Sender, f.Entitled, f.Created, p)
		stopping := s.Before.Superseded || slices.ContainsFunc(s.Before.Turns, func(t transitions.Turn) bool { return t.StopBy != "" })
		if (stopping || len(s.Before.Turns)+len(s.Before.Messages) == 0) && !s.answers(f.Message) {
			p.add("%s came, and its sender was told nothing", f.Message)
		}
	case transitions.NewRequested:
		if s.denied(f.Message, f.Sender, f.Entitled, p) {
			return
		}
		s.fence(f.Message, f.Sender, true, f.Created, p)
		if !s.After.Superseded || !s.answers(f.Message) {
			p.add("%s came, and the track goes on, or its sender was told nothing", f.Message)
		}
		for _, r := range s.After.Requests {
			if r.State != transitions.RequestDecided {
				p.add("%s came, and request %s is not declined", f.Message, r.ID)
			}
		}
	case transitions.RequestAnswered:
		if r := s.request(f.Request); !s.answers(f.Message) && (r == nil || r.State != transitions.RequestDecided || r.By != f.By) {
			p.add("%s decided on %s, which is not heeded, and was told nothing", f.By, f.Request)
		}
	}
}

// denied says that whoever commanded was told that they may not; then nothing else
// comes of it, and it is so.
func (s *Step) denied(command, by string, entitled bool, p *problems) bool {
	if !slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool {
		d, ok := e.(transitions.Deliver)
		return ok && d.Body.Sentence == transitions.SaidNotYours
	}) {
		return false
	}
	wrote := func(t transitions.Turn) bool { return s.wroteTo(by, t) }
	if entitled || len(s.Before.Turns) == 0 || slices.ContainsFunc(s.Before.Turns, wrote) {
		p.add("%s came from %s, who may, and was denied", command, by)
	}
	if s.After.Superseded || s.After.FencedAt != s.Before.FencedAt || s.After.Model != s.Before.Model {
		p.add("%s came from %s, who may not, and was carried out", command, by)
	}
	return true
}

func (s *Step) wroteTo(by string, t transitions.Turn) bool {
	return slices.ContainsFunc(s.Before.Messages, func(m transitions.Message) bool {
		return m.Sender == by && (m.ID == t.Start || m.State == transitions.MessageProven && t.ID != "" && m.Turn == t.ID)
	})
}

// fence: a /stop reaches every turn that the person may stop, a /new every turn, and
// both every message that is in none.
func (s *Step) fence(command, by string, all bool, at transitions.Millis, p *problems) {
	if s.Before.Superseded {
		return
	}
	for _, t := range s.After.Turns {
		if t.StopBy == "" && (all || s.wroteTo(by, t)) {
			p.add("%s came, and turn %q is not to stop", command, t.ID)
		}
		s.stops(t.ID, p)
	}
	for _, m := range s.After.Messages {
		if m.State != transitions.MessageProven && m.Barred == "" {
			p.add("%s came, and %s is not behind it", command, m.ID)
		}
	}
	if s.After.FencedAt < at {
		p.add("%s came, and when is not remembered", command)
	}
}

// stops: a turn that is to stop and runs is being interrupted.
func (s *Step) stops(id string, p *problems) {
	if t := s.turn(id); t != nil && t.StopBy != "" && t.State == transitions.TurnInFlight && !t.Interrupting {
		p.add("%s runs, is to stop, and is not being interrupted", id)
	}
}

// waiting: what waits has not been received only, once there is a thread, and does
// not wait in a track that is left.
func (s *Step) waiting(p *problems) {
	for _, m := range s.After.Messages {
		switch {
		case m.State == transitions.MessageKept && s.After.Thread != "":
			p.add("%s counts as received, and there is a thread to send it to", m.ID)
		case waits(&m) && s.After.Superseded:
			p.add("%s waits in a track that is left", m.ID)
		case HoldOf(s.After, &m).says() && !slices.Contains(m.Told, HoldOf(s.After, &m).Sentence()):
			p.add("%s waits for %s, and its sender was not told", m.ID, HoldOf(s.After, &m))
		}
	}
}

// turns: what is known of a turn is remembered, and a turn that is over is not
// waited for.
func (s *Step) turns(p *problems) {
	switch f := s.Fact.(type) {
	case transitions.TurnRunning:
		t := s.turn(f.Turn)
		if slices.Contains(s.Before.Closed, f.Turn) || s.Before.Superseded && t == nil {
			return // over, or another client's on a thread that is left
		}
		if t == nil || t.State != transitions.TurnInFlight {
			p.add("%s runs, and is not known to", f.Turn)
		}
		s.items(f.Messages, p)
		s.stops(f.Turn, p)
	case transitions.TurnStartAccepted:
		if slices.ContainsFunc(s.Before.Turns, func(t transitions.Turn) bool { return t.ID == "" && t.Start == f.Message }) {
			s.stops(f.Turn, p)
		}
	case transitions.TurnEnded:
		if s.turn(f.Turn) != nil || !slices.Contains(s.After.Closed, f.Turn) {
			p.add("%s is over, and is not known to be", f.Turn)
		}
		if !slices.Contains(s.Before.Closed, f.Turn) {
			s.items(f.Messages, p)
		}
	case transitions.PullAnswered:
		for _, t := range s.After.Turns {
			if t.Missing != 0 && (!f.Idle || t.ID != "" && slices.Contains(f.Turns, t.ID)) {
				p.add("turn %q counts as missing, and is there, or may be", t.ID)
			}
		}
		for _, t := range s.Before.Turns {
			lacks := f.Idle && t.ID != "" && !slices.Contains(f.Turns, t.ID)
			// While another is proven absent, it may be left to the next read.
			same := len(s.Before.Turns) == len(s.After.Turns)
			if now := s.turn(t.ID); lacks && same && now != nil && now.Missing == 0 {
				p.add("a read lacks %s, and that is not remembered", t.ID)
			}
			if lacks && t.Missing != 0 && f.At-t.Missing >= f.Settle && s.turn(t.ID) != nil {
				p.add("two reads lack %s, and it is waited for", t.ID)
			}
		}
	case transitions.ThreadOpened:
		if s.After.Opening || s.After.Thread == "" && s.Before.Opening {
			p.add("%s is open, and the track still asks for one", f.Thread)
		}
	}
}

// items: a message of which an item is seen is proven.
func (s *Step) items(messages []string, p *problems) {
	for _, id := range messages {
		if m := s.message(id); m != nil && m.State != transitions.MessageProven {
			p.add("%s is an item of a turn, and counts as %s", id, m.State)
		}
	}
}

// calls: the answer to a call is an answer.
func (s *Step) calls(p *problems) {
	over := func(message, turn string) {
		m := s.message(message)
		again := slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool { return carries(e) == message })
		if m != nil && m.State == transitions.MessageOffered && m.Turn == turn && !again {
			p.add("the call with %s is over, and is waited for", message)
		}
	}
	switch f := s.Fact.(type) {
	case transitions.TurnStartAccepted:
		over(f.Message, "")
	case transitions.TurnStartRefused:
		over(f.Message, "")
		s.movesOn(p)
	case transitions.TurnStartUnknown:
		over(f.Message, "")
	case transitions.TurnStartWithdrawn:
		over(f.Message, "")
	case transitions.SteerAccepted:
		over(f.Message, f.Turn)
	case transitions.SteerRefused:
		over(f.Message, f.Turn)
	case transitions.SteerUnknown:
		over(f.Message, f.Turn)
	case transitions.SteerWithdrawn:
		over(f.Message, f.Turn)
	case transitions.ThreadLost:
		s.movesOn(p)
	case transitions.InterruptRefused:
		s.interrupt(f.Turn, p)
	case transitions.InterruptUnknown:
		s.interrupt(f.Turn, p)
	}
}

// movesOn: that text goes to another thread is told once.
func (s *Step) movesOn(p *problems) {
	var told bool
	var first string
	for _, e := range s.Effects {
		switch e := e.(type) {
		case transitions.HandOver:
			first = cmp.Or(first, e.Message)
		case transitions.Deliver:
			told = told || e.Body.Sentence == transitions.SaidNewThread
		}
	}
	if told != (first != "") {
		p.add("%q goes to another thread, and that is told: %t", first, told)
	}
}

func (s *Step) interrupt(turn string, p *problems) {
	if t := s.turn(turn); t != nil && t.Interrupting {
		p.add("the interrupt of %s is over, and counts as under way", turn)
	}
}

// requests: what is known of a request is remembered, and one that is over is not
// waited for.
func (s *Step) requests(p *problems) {
	gone := func(id, why string) {
		if s.request(id) != nil {
			p.add("request %s %s, and is waited for", id, why)
		}
	}
	switch f := s.Fact.(type) {
	case transitions.RequestOpened:
		ours := !s.Before.Superseded || s.turn(f.Turn) != nil
		if !slices.Contains(s.Before.Closed, f.Turn) && ours && (s.request(f.Request) == nil || s.turn(f.Turn) == nil) {
			p.add("request %s is open, and it or its turn is not remembered", f.Request)
		}
		if r := s.request(f.Request); r != nil && r.State == transitions.RequestDecided && !s.has(transitions.AnswerRequest{Request: r.ID, Decision: r.Decision}) {
			p.add("request %s came again, and the decision on it was not repeated", f.Request)
		}
	case transitions.RequestVisible:
		if r := s.request(f.Request); r == nil && !s.has(transitions.CloseRequest{Request: f.Request}) {
			p.add("the card of %s came late, and was not closed", f.Request)
		} else if r != nil && (r.Shown == "" || r.State == transitions.RequestHidden || r.State == transitions.RequestUnshown) {
			p.add("request %s is visible, and counts as %s", f.Request, r.State)
		}
	case transitions.RequestUnshowable:
		s.unshown(f.Request, p)
	case transitions.VisibilityOverdue:
		s.unshown(f.Request, p)
	case transitions.RequestResolved:
		gone(f.Request, "is resolved")
	case transitions.ReplayOverdue:
		if r := find(s.Before.Requests, func(r transitions.Request) bool { return r.ID == f.Request }); r != nil && r.Unreplayed != "" && r.Unreplayed == f.Connection {
			gone(f.Request, "is dead")
		}
	case transitions.GenerationChanged:
		for _, r := range s.After.Requests {
			if r.Generation != "" && r.Generation != f.Generation {
				gone(r.ID, "was asked by another process")
			}
		}
	case transitions.ThreadStatusChanged:
		if waits := f.Status == transitions.StatusActive && f.Waiting; len(s.After.Turns) > 0 && s.After.Waiting != waits {
			p.add("the thread's flag is not noted")
		}
	}
}

func (s *Step) unshown(id string, p *problems) {
	if r := s.request(id); r != nil && r.State == transitions.RequestHidden {
		p.add("request %s cannot be shown, and that is not remembered", id)
	}
}

// deliveries: the answer of the chat is one.
func (s *Step) deliveries(p *problems) {
	counts := func(id string, as ...transitions.DeliveryState) {
		d := find(s.After.Deliveries, func(d transitions.Delivery) bool { return d.ID == id })
		if d != nil && !slices.Contains(as, d.State) {
			p.add("the chat answered about %s, and it counts as %s", id, d.State)
		}
	}
	was := func(id string) *transitions.Delivery {
		return find(s.Before.Deliveries, func(d transitions.Delivery) bool { return d.ID == id })
	}
	switch f := s.Fact.(type) {
	case transitions.DeliveryConfirmed:
		counts(f.Delivery)
		if d := was(f.Delivery); d != nil && d.Body.Sentence == transitions.SaidStale {
			if m := s.message(d.ReplyTo); m != nil && m.Question != f.Shown {
				p.add("%s asks about %s, and a reply to it would be about nothing", f.Shown, m.ID)
			}
		}
	case transitions.DeliveryPartShown:
		d := find(s.After.Deliveries, func(d transitions.Delivery) bool { return d.ID == f.Delivery })
		if d != nil && d.Sent < f.UpTo {
			p.add("%s stands in the chat up to %d, and counts as sent up to %d", f.Delivery, f.UpTo, d.Sent)
		}
	case transitions.DeliveryRefused:
		counts(f.Delivery, transitions.DeliveryFailed)
		if d := was(f.Delivery); d != nil && d.Kind == transitions.Outcome && !d.ToldFailed && !s.answers(d.ReplyTo) {
			p.add("%s could not be posted, and nobody was told", f.Delivery)
		}
	case transitions.MessageReceived:
		// What is not taken in says nothing of the chat.
		if m := s.message(f.Message); m != nil && m.Barred == "" && m.State != transitions.MessageMoved {
			for _, d := range s.After.Deliveries {
				if d.State == transitions.DeliveryFailed {
					p.add("somebody wrote, and %s is not sent again", d.ID)
				}
			}
			for i := range s.After.Messages {
				if m := &s.After.Messages[i]; m.State == transitions.MessageAsked && m.Question == "" && !s.asking(m.ID) {
					p.add("somebody wrote, and the sender of %s, who may not have been asked, is not asked again", m.ID)
				}
			}
		}
	case transitions.DeliveryUnknown:
		counts(f.Delivery, transitions.DeliveryInDoubt, transitions.DeliveryFailed)
	}
}

// asking says that the question about a message is on its way.
func (s *Step) asking(message string) bool {
	return find(s.After.Deliveries, func(d transitions.Delivery) bool {
		return d.ReplyTo == message && d.Body.Sentence == transitions.SaidStale
	}) != nil
}

func (s *Step) message(id string) *transitions.Message {
	return find(s.After.Messages, func(m transitions.Message) bool { return m.ID == id })
}

func (s *Step) turn(id string) *transitions.Turn {
	return find(s.After.Turns, func(t transitions.Turn) bool { return t.ID == id })
}

func (s *Step) request(id string) *transitions.Request {
	return find(s.After.Requests, func(r transitions.Request) bool { return r.ID == id })
}

func (s *Step) has(e transitions.Effect) bool { return slices.Contains(s.Effects, e) }

// answers says that the step tells something to whoever wrote the message.
func (s *Step) answers(message string) bool {
	return slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool {
		d, ok := e.(transitions.Deliver)
		return ok && d.ReplyTo == message
	})
}

// carries is the message that a call carries to Codex.
func carries(e transitions.Effect) string {
	switch e := e.(type) {
	case transitions.StartTurn:
		return e.Message
	case transitions.SteerTurn:
		return e.Message
	}
	return ""
}
