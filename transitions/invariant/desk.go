package invariant

import (
	"slices"

	"deskbridge/transitions"
)

// takenBack: what is taken back, too old or without its files is not sent.
func (s *Step) takenBack(p *problems) {
	barred := func(m *transitions.Message) bool {
		return m == nil || m.State == transitions.MessageProven || m.Barred != ""
	}
	switch f := s.Fact.(type) {
	case transitions.MessageRecalled:
		if !barred(s.message(f.Message)) {
			p.add("%s was taken back, and may still be sent", f.Message)
		}
	case transitions.SenderDismissed:
		for i := range s.After.Messages {
			if m := &s.After.Messages[i]; m.Sender == f.Sender && !barred(m) {
				p.add("%s is not admitted, and %s may still be sent", f.Sender, m.ID)
			}
		}
	case transitions.MessageStale:
		was := find(s.Before.Messages, func(m transitions.Message) bool { return m.ID == f.Message })
		held := was != nil && was.State == transitions.MessageOffered && was.Turn == f.Turn
		if now := s.message(f.Message); held && now != nil && now.State != transitions.MessageAsked {
			p.add("%s is too old to be sent, and counts as %s", f.Message, now.State)
		}
	case transitions.StaleAnswered:
		s.wanted(f, p)
	case transitions.AttachmentsReady:
		s.files(f.Message, f.Files, p)
	case transitions.AttachmentsFailed:
		if s.files(f.Message, f.Files, p) && !s.answers(f.Message) {
			p.add("files of %s are lost, and its sender was not told", f.Message)
		}
	case transitions.MessageReceived:
		asked := slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool {
			fetch, ok := e.(transitions.FetchFiles)
			return ok && fetch.Message == f.Message
		})
		if m := s.message(f.Message); m != nil && len(f.Files) > 0 && !asked {
			p.add("%s has files, and nobody fetches them", f.Message)
		}
	}
}

// wanted: whoever answers about a stale message is heeded or told.
func (s *Step) wanted(f transitions.StaleAnswered, p *problems) {
	meant := s.meant(f)
	var was, now *transitions.Message
	if len(meant) == 1 {
		was, now = meant[0], s.message(meant[0].ID)
	}
	may := was != nil && (f.Entitled || f.By == was.Sender)
	switch {
	case !may && !s.answers(f.Message):
		p.add("%s answered about %s, which is not heeded, and was told nothing", f.By, f.About)
	case !may && slices.ContainsFunc(meant, func(m *transitions.Message) bool { return s.message(m.ID) == nil || s.message(m.ID).State != m.State }):
		p.add("%s answered about %s, may not or did not say which, and was heeded", f.By, f.About)
	case may && !f.Run && !s.answers(f.Message):
		p.add("%s does not want %s sent, and was told nothing", f.By, was.ID)
	case may && now != nil && (now.State == transitions.MessageAsked || !f.Run || !now.Confirmed):
		p.add("%s said of %s whether it is wanted, and it counts as %s", f.By, was.ID, now.State)
	}
}

// meant are the messages that an answer about stale ones may mean.
func (s *Step) meant(f transitions.StaleAnswered) (all []*transitions.Message) {
	for i := range s.Before.Messages {
		m := &s.Before.Messages[i]
		about := f.About == m.ID || f.About != "" && f.About == m.Question
		if m.State == transitions.MessageAsked && (about || f.About == "" && m.Sender == f.By) {
			all = append(all, m)
		}
	}
	return all
}

// files: a message whose files are there, or lost, does not wait for them.
func (s *Step) files(message string, files []transitions.File, p *problems) (waited bool) {
	was := find(s.Before.Messages, func(m transitions.Message) bool { return m.ID == message })
	if was == nil || was.State != transitions.MessageFetching {
		return false
	}
	if now := s.message(message); now == nil || now.State == transitions.MessageFetching || !slices.Equal(now.Files, files) {
		p.add("the files of %s are there, and it does not have them", message)
	}
	return true
}

// desk: what is said of the track, its chat and its server is remembered, and what
// may only be hinted at is read.
func (s *Step) desk(p *problems) {
	for _, e := range s.Effects {
		if carries(e) != "" && len(s.After.Shut) > 0 {
			p.add("%s is sent on a track that is closed to sending", carries(e))
		}
	}
	if s.Before.Superseded {
		return
	}
	shut := func(why transitions.Closing, want bool) {
		if slices.Contains(s.After.Shut, why) != want {
			p.add("the track is closed for %q: %t", why, !want)
		}
	}
	reads := func() {
		if len(s.Before.Turns) > 0 && !slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool { return e.EffectName() == "pull" }) {
			p.add("%s asks for a read, and there is none", s.Fact.FactName())
		}
	}
	switch f := s.Fact.(type) {
	case transitions.TrackClosed:
		shut(f.Why, true)
	case transitions.TrackOpened:
		shut(f.Why, false)
	case transitions.ChatClosed:
		shut(transitions.ClosedByChat, true)
		for _, t := range s.After.Turns {
			if slices.Contains(s.Before.Shut, transitions.ClosedByChat) {
				break // an interrupt that was refused since is repeated after a read
			}
			if s.ours(t.ID) && t.ID != "" && (!t.Cut || t.State == transitions.TurnInFlight && !t.Interrupting) {
				p.add("nobody would hear of turn %q, and it goes on", t.ID)
			}
		}
	case transitions.ChatReopened:
		shut(transitions.ClosedByChat, false)
		for _, d := range s.Before.Deliveries {
			if now := find(s.After.Deliveries, func(o transitions.Delivery) bool { return o.ID == d.ID }); slices.Contains(s.Before.Shut, transitions.ClosedByChat) &&
				d.State == transitions.DeliveryFailed && (now == nil || now.State != transitions.DeliveryReady) {
				p.add("the chat is open again, and %s is not sent", d.ID)
			}
		}
	case transitions.ModelRequested:
		if !s.answers(f.Message) {
			p.add("%s chose a model, and was told nothing", f.Sender)
		}
		if !s.denied(f.Message, f.Sender, f.Entitled, p) && s.After.Model != f.Model {
			p.add("%s was chosen, and is not remembered", f.Model)
		}
	case transitions.ThreadResumed:
		reads()
		for _, r := range s.After.Requests {
			if r.Unreplayed != f.Connection {
				p.add("the thread was resumed, and %s need not be sent again", r.ID)
			}
		}
	case transitions.ThreadLost:
		underWay := slices.ContainsFunc(s.Before.Turns, func(t transitions.Turn) bool { return t.ID == "" && !t.Lost })
		if len(s.Before.Turns) > 0 && !underWay && !s.After.Superseded {
			p.add("the thread is lost, and the track goes on")
		}
	case transitions.ThreadStatusChanged:
		if f.Status != transitions.StatusActive {
			reads()
		}
	case transitions.BridgeStarted, transitions.PullImpossible:
		reads()
	case transitions.TurnSilent:
		if s.turn(f.Turn) != nil {
			reads()
			silent := transitions.Derive(s.Before)
			was := find(s.Before.Turns, func(t transitions.Turn) bool { return t.ID == f.Turn })
			if !was.ToldSilent && (silent == transitions.Steerable || silent == transitions.RecoveryPending) {
				s.hears(f.Turn, transitions.SaidSilent, p)
			}
		}
	case transitions.WaitingOverdue:
		if t := s.turn(f.Turn); t != nil && s.After.Waiting && len(s.After.Requests) == 0 && t.ToldWaiting {
			s.hears(f.Turn, transitions.SaidWaiting, p)
		}
	case transitions.AgentMessageCompleted:
		shown := slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool { return e.EffectName() == "show_progress" })
		if shown != s.ours(f.Turn) {
			p.add("progress of %s is shown: %t", f.Turn, shown)
		}
	case transitions.SendOverdue:
		if m := s.message(f.Message); m != nil && (waits(m) || m.State == transitions.MessageOffered) && len(m.Told) == 0 && len(s.After.Shut) == 0 {
			p.add("%s is not sent, and its sender was told nothing", f.Message)
		}
	}
}

// hears: who waits for the turn is told, and nobody is of another.
func (s *Step) hears(turn string, sentence transitions.SentenceID, p *problems) {
	told := slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool {
		d, ok := e.(transitions.Deliver)
		return ok && d.Body.Sentence == sentence
	})
	if told != s.ours(turn) {
		p.add("%s is said of %s: %t", sentence, turn, told)
	}
}

// ours says that the turn is open, and was asked for here or has a message of ours.
func (s *Step) ours(turn string) bool {
	t := s.turn(turn)
	return t != nil && (t.Start != "" || slices.ContainsFunc(s.After.Messages, func(m transitions.Message) bool {
		return m.State == transitions.MessageProven && m.Turn == turn
	}))
}

func waits(m *transitions.Message) bool {
	return m.State == transitions.MessageKept || m.State == transitions.MessageHeld
}
