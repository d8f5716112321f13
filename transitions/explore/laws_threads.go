package explore

import (
	"slices"

	"deskbridge/transitions"
)

// threads: whoever asks about threads is told or asked for; what is being carried out
// holds text back, and no longer than that; and a track that is left passes on what the
// chat knows.
func (c *change) threads() {
	told := func(message string) bool {
		_, onItsWay := one(c.before.Deliveries, func(d transitions.Delivery) bool { return d.ReplyTo == message })
		return onItsWay || asks(c, func(e transitions.Deliver) bool { return e.ReplyTo == message })
	}
	resumes := func(d *transitions.Data) bool { return slices.Contains(d.Shut, transitions.ClosedByResume) }
	switch f := c.fact.(type) {
	case transitions.ThreadsRequested:
		if !told(f.Message) && !asks(c, func(e transitions.ListThreads) bool { return e.Message == f.Message }) {
			c.fault("%s asks for the threads, and nobody is asked for them", f.Message)
		}
	case transitions.ThreadsListed:
		list, ok := last(c, func(e transitions.Deliver) bool { return e.ReplyTo == f.Message })
		shows := len(list.Body.Parts) > 0 || len(f.Threads) == 0 || c.before.Superseded
		if ok && !shows || !told(f.Message) {
			c.fault("%s is answered, and its sender is not shown the threads", f.Message)
		}
	case transitions.ThreadsUnlisted:
		if !told(f.Message) {
			c.fault("there is no list for %s, and its sender is told nothing", f.Message)
		}
	case transitions.ResumeRequested:
		if !told(f.Message) && !asks(c, func(e transitions.BindThread) bool { return e.Message == f.Message }) {
			c.fault("%s asks for a thread, and nobody is asked for it", f.Message)
		}
	case transitions.MessageReceived:
		_, kept := one(c.after.Messages, func(m transitions.Message) bool { return m.ID == f.Message })
		if kept && resumes(c.before) && f.From == "" && !slices.Contains(c.after.Resume.Behind, f.Message) {
			if m, _ := one(c.after.Messages, func(m transitions.Message) bool { return m.ID == f.Message }); waiting(&m) || m.State == transitions.MessageFetching {
				c.fault("%s came after the /resume, and that is not remembered", f.Message)
			}
		}
	}
	if resumes(c.after) != (c.after.Resume.Message != "") {
		c.fault("a /resume is being carried out: %t, and it is %q", resumes(c.after), c.after.Resume.Message)
	}
	if next, ok := last(c, func(transitions.OpenTrack) bool { return true }); ok {
		if slices.Contains(next.Shut, transitions.ClosedByResume) || len(next.Listed) != len(c.before.Listed) || next.Model != c.before.Model {
			c.fault("the next track begins with what is not so: %+v", next)
		}
	}
}
