package invariant

import (
	"slices"

	"deskbridge/transitions"
)

// thread: what the server reports a thread to run under is compared and not forgotten,
// and the place of a lost thread is taken by one that people are told of.
func (s *Step) thread(p *problems) {
	s.policy(p)
	for _, e := range s.Effects {
		switch e := e.(type) {
		case transitions.OpenTrack:
			lost := s.After.Lost != ""
			if e.Rebuild != lost {
				p.add("the thread is lost: %t, and the next track goes on from it: %t", lost, e.Rebuild)
			}
			closed := slices.Contains(s.After.Shut, transitions.ClosedByPolicy)
			if e.Thread == "" && (lost || closed) && e.Policy != s.After.Policy {
				p.add("the next track forgets what this one may run under")
			}
			if slices.Contains(e.Shut, transitions.ClosedByPolicy) {
				p.add("the next track is closed for the policy of a thread that it does not have")
			}
		case transitions.OpenThread:
			if e.Rebuild != s.After.Rebuild || e.Policy != s.After.Policy {
				p.add("a thread is asked for as if nothing had been before")
			}
		}
	}
	switch f := s.Fact.(type) {
	case transitions.ThreadLost:
		if s.After.Superseded && !s.Before.Superseded && s.After.Lost == "" {
			p.add("the thread is lost, and it is forgotten why")
		}
	case transitions.ThreadOpened:
		s.rebuilt(f, p)
	case transitions.ThreadResumed:
		if s.Before.Superseded && len(s.Before.Turns) == 0 {
			return
		}
		if f.Version != "" && s.After.ResumedBy != f.Version {
			p.add("version %s took the thread up, and %q is remembered", f.Version, s.After.ResumedBy)
		}
		if s.Before.CreatedBy == "" && s.After.CreatedBy != f.Created {
			p.add("version %s made the thread, and %q is remembered", f.Created, s.After.CreatedBy)
		}
	}
}

// policy: only an operator lets a track run under more than before.
func (s *Step) policy(p *problems) {
	var allowed, reported transitions.Policy
	switch f := s.Fact.(type) {
	case transitions.TrackOpened:
		if f.Why == transitions.ClosedByPolicy && slices.Contains(s.Before.Shut, f.Why) {
			allowed = f.Policy
		}
	case transitions.TrackClosed:
		if f.Why == transitions.ClosedByPolicy && !s.Before.Superseded && s.After.Found != f.Policy {
			p.add("the track is closed, and it is forgotten for which policy")
		}
	case transitions.ThreadOpened:
		if s.Before.Opening && s.Before.Thread == "" {
			reported = f.Policy
		}
	case transitions.ThreadResumed:
		if !s.Before.Superseded || len(s.Before.Turns) > 0 {
			reported = f.Policy
		}
	}
	if allowed != (transitions.Policy{}) {
		if s.After.Policy != allowed {
			p.add("an operator has allowed a policy, and it is not remembered")
		}
		return
	}
	if looser := s.After.Policy.LooserThan(s.Before.Policy); len(looser) > 0 {
		p.add("the %s is looser than before, and nobody has allowed that", looser[0].Part)
	}
	if reported != (transitions.Policy{}) && len(reported.LooserThan(s.Before.Policy)) == 0 && s.After.Policy != reported {
		p.add("the server reports a policy that is no looser, and it is not remembered")
	}
}

// rebuilt: whose text starts the first turn after a loss learns what Codex knows.
func (s *Step) rebuilt(f transitions.ThreadOpened, p *problems) {
	if !s.Before.Opening || s.Before.Superseded {
		return
	}
	if s.After.Rebuilt != (f.Transcript == transitions.TranscriptGiven) || s.After.CreatedBy != f.Version || s.After.ResumedBy != f.Version {
		p.add("%s is open, and its origin is not remembered", f.Thread)
	}
	starts := slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool { return e.EffectName() == "start_turn" })
	for sentence, due := range map[transitions.SentenceID]bool{
		transitions.SaidRebuilt:   starts && f.Transcript == transitions.TranscriptGiven,
		transitions.SaidForgotten: starts && f.Transcript == transitions.TranscriptMissing,
	} {
		said := slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool {
			d, ok := e.(transitions.Deliver)
			return ok && d.Body.Sentence == sentence
		})
		if told := slices.ContainsFunc(s.Before.Messages, func(m transitions.Message) bool { return slices.Contains(m.Told, sentence) }); said != due && !told {
			p.add("%s is open, and %s is said: %t", f.Thread, sentence, said)
		}
	}
}
