package invariant

import (
	"reflect"
	"slices"

	"deskbridge/transitions"
)

// threads: whoever asks for the threads or for one of them gets it or is told, a number
// means what it stood for, and a conversation that goes on elsewhere does so behind a
// fence.
func (s *Step) threads(p *problems) {
	resuming := slices.Contains(s.Before.Shut, transitions.ClosedByResume)
	told := func(message string) {
		if !s.answers(message) {
			p.add("%s came, and its sender was told nothing", message)
		}
	}
	switch f := s.Fact.(type) {
	case transitions.ThreadsRequested:
		if s.Before.Superseded || !s.has(transitions.ListThreads{Message: f.Message}) {
			told(f.Message)
		}
	case transitions.ThreadsListed:
		told(f.Message)
		if s.Before.Superseded {
			return
		}
		var listed []transitions.ListedThread
		for _, th := range f.Threads {
			listed = append(listed, transitions.ListedThread{Thread: th.Thread, Title: th.Title})
		}
		if !slices.Equal(listed, s.After.Listed) {
			p.add("%s lists threads, and others are remembered", f.Message)
		}
	case transitions.ThreadsUnlisted:
		told(f.Message)
	case transitions.ResumeRequested:
		s.resume(f, p)
	case transitions.ThreadFound:
		if resuming {
			told(f.Message)
		}
		if resuming && !s.Before.Superseded {
			s.goesOn(f, p)
		}
	case transitions.ThreadUnavailable:
		if resuming {
			told(f.Message)
		}
	}
	over := false
	switch s.Fact.(type) {
	case transitions.ThreadFound, transitions.ThreadUnavailable:
		over = true
		if slices.Contains(s.After.Shut, transitions.ClosedByResume) || s.After.Resume.Message != "" {
			p.add("the /resume is over, and counts as under way")
		}
	case transitions.ResumeRequested:
		over = !resuming // it may begin
	case transitions.MessageReceived:
		over = true // it may come behind it
	}
	if !over && !reflect.DeepEqual(s.Before.Resume, s.After.Resume) {
		p.add("%s changes what is known of the /resume", s.Fact.FactName())
	}
}

// resume: a /resume is carried out for whoever may, if its number means another thread.
func (s *Step) resume(f transitions.ResumeRequested, p *problems) {
	i := slices.IndexFunc(s.Effects, func(e transitions.Effect) bool { return e.EffectName() == "bind_thread" })
	if i < 0 {
		if !s.answers(f.Message) {
			p.add("%s came, and its sender was told nothing", f.Message)
		}
		if s.After.Superseded != s.Before.Superseded || len(s.After.Shut) != len(s.Before.Shut) {
			p.add("%s is not carried out, and the track is another", f.Message)
		}
		if s.denied(f.Message, f.Sender, f.Entitled, p) || s.Before.Superseded || slices.Contains(s.Before.Shut, transitions.ClosedByResume) {
			return
		}
		if f.Number > 0 && f.Number <= len(s.Before.Listed) && s.Before.Listed[f.Number-1].Thread != s.Before.Thread {
			p.add("%s is not carried out, and may be", f.Message)
		}
		return
	}
	bind := s.Effects[i].(transitions.BindThread)
	wrote := func(t transitions.Turn) bool { return s.wroteTo(f.Sender, t) }
	may := f.Entitled || len(s.Before.Turns) == 0 || slices.ContainsFunc(s.Before.Turns, wrote)
	means := f.Number > 0 && f.Number <= len(s.Before.Listed) && s.Before.Listed[f.Number-1].Thread == bind.Thread
	switch {
	case !may:
		p.add("%s came from %s, who may not, and is carried out", f.Message, f.Sender)
	case !means || bind.Thread == s.Before.Thread || bind.Message != f.Message:
		p.add("%s asks for %s, and the number means something else", f.Message, bind.Thread)
	case s.Before.Superseded || slices.Contains(s.Before.Shut, transitions.ClosedByResume):
		p.add("%s is carried out, and should not be just now", f.Message)
	case s.After.Resume.Message != f.Message || s.After.Resume.Created != f.Created || !slices.Contains(s.After.Shut, transitions.ClosedByResume):
		p.add("%s is carried out, and that is not remembered", f.Message)
	}
}

// goesOn: the conversation goes on in the thread that was found. What came before the
// /resume is behind a fence, and what came after it goes along, in order.
func (s *Step) goesOn(f transitions.ThreadFound, p *problems) {
	opened := slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool {
		next, ok := e.(transitions.OpenTrack)
		return ok && next.Thread == f.Thread
	})
	if !opened || !s.After.Superseded {
		p.add("%s is found, and the conversation does not go on there", f.Thread)
	}
	if s.After.FencedAt < s.Before.Resume.Created {
		p.add("%s is carried out, and when is not remembered", f.Message)
	}
	for _, t := range s.After.Turns {
		if t.StopBy == "" {
			p.add("%s is carried out, and turn %q is not to stop", f.Message, t.ID)
		}
		s.stops(t.ID, p)
	}
	for _, m := range s.After.Messages {
		if m.State != transitions.MessageProven && m.Barred == "" && !slices.Contains(s.Before.Resume.Behind, m.ID) {
			p.add("%s is carried out, and %s is not behind it", f.Message, m.ID)
		}
	}
	for _, e := range s.Effects {
		if over, ok := e.(transitions.HandOver); ok && !slices.Contains(s.Before.Resume.Behind, over.Message) {
			p.add("%s came before %s, and goes along", over.Message, f.Message)
		}
	}
	for _, id := range s.Before.Resume.Behind {
		m := find(s.Before.Messages, func(m transitions.Message) bool { return m.ID == id })
		goes := slices.ContainsFunc(s.Effects, func(e transitions.Effect) bool {
			over, ok := e.(transitions.HandOver)
			return ok && over.Message == id
		})
		if m != nil && (waits(m) || m.State == transitions.MessageFetching) && !goes {
			p.add("%s came after %s, and does not go along", id, f.Message)
		}
	}
}
