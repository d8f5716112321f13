package codex

import (
	"encoding/json"
	"slices"

	"deskbridge/transitions"
)

// resumption is how a resume went.
type resumption struct {
	state resumeState
	err   error // unless resumeDone
}

// gone says that the thread cannot be had any more.
func (r resumption) gone() bool {
	refusal, ok := refused(r.err)
	return r.state == resumeNotStored || r.state == resumeRefused && ok && refusal.means() == meansArchived
}

type resumeState string

const (
	// resumeDone: the server holds the thread, and its events come here.
	resumeDone resumeState = "done"
	// resumeNotYet: the server holds the thread, which has no first turn on disk
	// yet. Its events may not come here.
	resumeNotYet resumeState = "not yet"
	// resumeNotStored: the thread is not on disk. It is either gone, or loaded
	// and without a first turn; a call on it tells which.
	resumeNotStored resumeState = "not stored"
	// resumeRefused: the server does not want to, as with an archived thread.
	resumeRefused resumeState = "refused"
	// resumeHeld: another server process has the thread. Nothing is done with it
	// here meanwhile, and nothing that is read of it is believed.
	resumeHeld resumeState = "held"
	// resumeOverloaded: not now.
	resumeOverloaded resumeState = "overloaded"
	// resumeUnsent: there was no answer.
	resumeUnsent resumeState = "unsent"
)

type resumeParams struct {
	ThreadID string `json:"threadId"`
	// ExcludeTurns keeps the answer small however long the thread is.
	ExcludeTurns bool `json:"excludeTurns,omitempty"`
	settings
}

// resume makes sure that the thread is loaded and that its events come over this
// connection, then runs the function, at once if that is so already. Several at
// a time share one call.
func (c *Client) resume(s *session, t *thread, then func(resumption)) {
	if t.resumed {
		then(resumption{state: resumeDone})
		return
	}
	t.resuming = append(t.resuming, then)
	if len(t.resuming) > 1 {
		return
	}
	c.callResume(s, t)
}

func (c *Client) callResume(s *session, t *thread) {
	params := resumeParams{ThreadID: t.id, ExcludeTurns: c.can(CanResumeWithoutTurns), settings: c.settings()}
	s.call(methodResume, params, c.CallTimeout, func(result json.RawMessage, err error) {
		if refusal, ok := refused(err); ok && params.ExcludeTurns && c.lacks(refusal) && !c.can(CanResumeWithoutTurns) {
			c.callResume(s, t)
			return
		}
		r := resumptionOf(err)
		if r.state == resumeHeld && !t.held {
			c.Log.Warn("another app-server with the same CODEX_HOME has a thread of this desk; nothing is sent to it until that one is ended", "thread", t.id, "err", err)
		}
		t.held = r.state == resumeHeld
		waiting := t.resuming
		t.resuming = nil
		if r.state == resumeDone {
			// What cannot be read in the answer is not known, which no policy allows.
			state, _ := decodeThread(result)
			c.resumed(s, t, state)
		}
		if r.gone() && t.watch.Barred {
			c.unbar(t) // the thread that takes its place is weighed when it is opened
		}
		for _, then := range waiting {
			then(r)
		}
	})
}

func resumptionOf(err error) resumption {
	if err == nil {
		return resumption{state: resumeDone}
	}
	refusal, ok := refused(err)
	if !ok {
		return resumption{resumeUnsent, err}
	}
	switch refusal.means() {
	case meansNotYet:
		return resumption{resumeNotYet, err}
	case meansNotStored, meansNotLoaded:
		return resumption{resumeNotStored, err}
	case meansHeld:
		return resumption{resumeHeld, err}
	case meansOverloaded:
		return resumption{resumeOverloaded, err}
	default:
		return resumption{resumeRefused, err}
	}
}

// resumed takes in what the server says of a thread that it holds now.
func (c *Client) resumed(s *session, t *thread, state threadState) {
	w := t.watch
	t.resumed, t.reported, t.heard = true, state.Policy, c.Scheduler.Now()
	// Where nothing was waited for and no turn runs, there is nothing to be read first.
	t.current = t.current || !t.regained && state.Status != threadActive
	if c.threads[t.id] != t {
		return // the track has gone on to another thread
	}
	looser := c.weigh(t)
	news := w.ResumedBy != c.version || !looser && state.Policy != w.Policy
	if t.regained || news {
		c.Emit(t.track, []transitions.Fact{transitions.ThreadResumed{
			Thread: t.id, Connection: s.link.Connection, Version: c.version, Created: state.CreatedBy, Policy: state.Policy,
		}})
	}
	if !t.current && !t.pulling {
		c.schedule(t, 0)
	}
}

// bar closes a track whose thread would run under more than before.
func (c *Client) bar(track string, found transitions.Policy, looser []transitions.Looser) {
	for _, l := range looser {
		c.Log.Error("Codex would run this conversation's thread under a looser policy than before; nothing is sent to it until an operator allows that (`deskbridge policy`), or Codex is set as it was and its app-server started anew",
			"track", track, "part", l.Part, "was", l.Was, "is", l.Is)
	}
	c.Emit(track, []transitions.Fact{transitions.TrackClosed{Why: transitions.ClosedByPolicy, Policy: found}})
}

// weigh compares what the thread is reported to run under with what its track may, tells
// the track what is new, and reports whether it is looser.
func (c *Client) weigh(t *thread) bool {
	w := t.watch
	looser := t.reported.LooserThan(w.Policy)
	switch {
	case len(looser) > 0 && (!w.Barred || t.reported != w.Found):
		c.bar(t.track, t.reported, looser)
	case len(looser) == 0 && w.Barred:
		c.unbar(t)
	}
	return len(looser) > 0
}

// barred says that the thread would run under more than the track may, and sees to it
// that the track knows.
func (c *Client) barred(t *thread) bool { return t.resumed && c.weigh(t) }

// unbar opens a track whose thread runs under no more than before, or is no more.
func (c *Client) unbar(t *thread) {
	c.Emit(t.track, []transitions.Fact{transitions.TrackOpened{Why: transitions.ClosedByPolicy}})
}

// ready makes sure that the thread is resumed and, where something may have happened in
// it that is not told yet, that it has been read, then runs the function.
func (c *Client) ready(s *session, t *thread, then func(resumption)) {
	c.resume(s, t, func(r resumption) {
		if c.threads[t.id] != t {
			r = resumption{resumeUnsent, errForgotten}
		}
		if r.state != resumeDone || t.current {
			then(r)
			return
		}
		t.parked = append(t.parked, then)
		if !t.pulling {
			c.schedule(t, 0)
		}
	})
}

// release runs what waited for a read, which has failed where there is an error.
func (t *thread) release(err error) {
	r := resumption{state: resumeDone}
	if err != nil {
		r = resumption{resumeUnsent, err}
	}
	parked := t.parked
	t.parked = nil
	for _, then := range parked {
		then(r)
	}
}

// withhold says that a turn runs which the track does not know yet, so that its text is
// steered into that rather than started over. A track that sends it all the same, once
// it has been told, believes that the turn is over: Codex decides then.
func (t *thread) withhold() bool {
	if t.running == "" || t.withheld == t.running {
		return false
	}
	t.withheld = t.running
	return true
}

// resumeQuiet resumes the threads of which nothing is waited for, one after the other,
// so that what another client begins in them is told.
func (c *Client) resumeQuiet(s *session) {
	for _, id := range slices.Backward(c.followed) {
		if t := c.threads[id]; t != nil && !t.resumed && !t.tried {
			t.tried = true
			c.resume(s, t, func(resumption) {
				if s == c.up() {
					c.resumeQuiet(s)
				}
			})
			return
		}
	}
}
