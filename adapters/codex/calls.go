package codex

import (
	"encoding/json"
	"errors"
	"time"

	"deskbridge/transitions"
)

// The methods that the bridge calls.
const (
	methodOpen      = "thread/start"
	methodResume    = "thread/resume"
	methodRead      = "thread/read"
	methodList      = "thread/turns/list"
	methodStart     = "turn/start"
	methodSteer     = "turn/steer"
	methodInterrupt = "turn/interrupt"
	methodLoaded    = "thread/loaded/list"
	methodAccount   = "account/read"
)

// againSoon is the least time before a call is tried again that was not sent or
// was refused for the moment. While not connected it hardly matters: OnReady
// says when to try.
const againSoon = time.Second

// Execute carries out an effect that is meant for Codex, and runs done once with
// what became of it; done never runs before Execute has returned. What is under
// way when the client is stopped is never reported.
//
// A call that is not sent, for want of a connection or because the server is
// overloaded, is to be tried again. One that is sent and finds no answer is
// reported as unknown, with the connection that carried it. A pull is reported
// as settled at once; what it reads is emitted.
func (c *Client) Execute(track string, e transitions.Effect, a transitions.Attempt, done func(transitions.Report)) {
	c.Scheduler.Post(func() { c.execute(track, e, a, done) })
}

func (c *Client) execute(track string, e transitions.Effect, a transitions.Attempt, done func(transitions.Report)) {
	if e, ok := e.(transitions.Pull); ok {
		c.ask(c.thread(track, e.Thread), time.Duration(e.After)*time.Millisecond)
		done(transitions.Settled())
		return
	}
	s := c.up()
	if s == nil {
		done(c.unasked(e, a))
		return
	}
	switch e := e.(type) {
	case transitions.ListThreads:
		(&listing{c: c, s: s, track: track, e: e, a: a, done: done}).page("")
	case transitions.BindThread:
		c.bindThread(s, track, e, a, done)
	case transitions.OpenThread:
		c.openThread(s, track, e, a, done)
	case transitions.StartTurn:
		c.startTurn(s, c.thread(track, e.Thread), e, a, done)
	case transitions.SteerTurn:
		c.steerTurn(s, c.thread(track, e.Thread), e, a, done)
	case transitions.InterruptTurn:
		c.interruptTurn(s, e, a, done)
	default:
		// The wiring sends effects to the wrong adapter.
		panic("codex: not an effect for Codex: " + e.EffectName())
	}
}

// unsent is the report of a call that had no effect and is to be tried again.
// Each further attempt waits longer, spread by chance.
func (c *Client) unsent(a transitions.Attempt, err error) transitions.Report {
	after := c.spread(grown(againSoon, c.RetryMax, a.Number-1), 0.5)
	return transitions.Report{Again: &transitions.Again{After: after, Err: err}}
}

// settings are what a thread is opened and resumed with. A server that holds the
// thread already ignores them; one that loads it keeps the thread's approval
// policy by itself, but not its sandbox.
type settings struct {
	ApprovalPolicy string `json:"approvalPolicy,omitempty"`
	Sandbox        string `json:"sandbox,omitempty"`
	Model          string `json:"model,omitempty"`
}

func (c *Client) settings() settings {
	return settings{ApprovalPolicy: c.ApprovalPolicy, Sandbox: c.Sandbox, Model: c.Model}
}

type openParams struct {
	Cwd string `json:"cwd,omitempty"`
	settings
}

func (c *Client) openThread(s *session, track string, e transitions.OpenThread, a transitions.Attempt, done func(transitions.Report)) {
	params := openParams{Cwd: c.Workdir, settings: c.settings()}
	s.call(methodOpen, params, c.CallTimeout, func(result json.RawMessage, err error) {
		if refusal, ok := refused(err); ok && refusal.means() == meansOverloaded {
			done(c.unsent(a, err))
			return
		} else if ok {
			done(transitions.Settled(transitions.ThreadRefused{Said: refusal.Message}))
			return
		}
		var state threadState
		if err == nil {
			state, err = decodeThread(result)
		}
		if err != nil {
			done(c.perhapsOpened(a, err))
			return
		}
		if !e.Rebuild {
			done(c.opened(track, e, state, ""))
			return
		}
		c.rebuild(s, track, state.ID, func(fate transitions.Transcript, err error) {
			if err != nil {
				done(c.perhapsOpened(a, err))
				return
			}
			done(c.opened(track, e, state, fate))
		})
	})
}

// perhapsOpened is the report of a thread of which nobody knows whether there is one, or
// what it was given. It has no turn, and is left; another is opened.
func (c *Client) perhapsOpened(a transitions.Attempt, err error) transitions.Report {
	report := c.unsent(a, err)
	report.Again.Sent = true
	return report
}

// opened is the report of a thread that was opened.
func (c *Client) opened(track string, e transitions.OpenThread, state threadState, fate transitions.Transcript) transitions.Report {
	t := c.thread(track, state.ID)
	// Whoever opens a thread gets its events, and nothing happened in it before.
	t.resumed, t.current, t.reported, t.heard = true, true, state.Policy, c.Scheduler.Now()
	if looser := state.Policy.LooserThan(e.Policy); len(looser) > 0 {
		c.bar(track, state.Policy, looser)
	}
	return transitions.Settled(transitions.ThreadOpened{
		Thread: state.ID, Version: c.version, Policy: state.Policy, Transcript: fate,
	})
}

type startParams struct {
	ThreadID string  `json:"threadId"`
	Input    []input `json:"input"`
	// Model holds for this turn and those after it; empty: as before.
	Model string `json:"model,omitempty"`
	// ClientUserMessageID comes back as the clientId of the userMessage item. The
	// server does not deduplicate it.
	ClientUserMessageID string `json:"clientUserMessageId"`
}

func (c *Client) startTurn(s *session, t *thread, e transitions.StartTurn, a transitions.Attempt, done func(transitions.Report)) {
	c.ready(s, t, func(r resumption) {
		if report, ok := c.unresumed(r, a, func(refusal transitions.Refusal, said string) transitions.Fact {
			return transitions.TurnStartRefused{Message: e.Message, Refusal: refusal, Said: said}
		}); ok {
			done(report)
			return
		}
		if c.barred(t) || t.withhold() {
			done(transitions.Settled(transitions.TurnStartWithdrawn{Message: e.Message}))
			return
		}
		if c.stale(e.Created, e.Confirmed) {
			done(transitions.Settled(transitions.MessageStale{Message: e.Message}))
			return
		}
		t.starting++
		params := startParams{ThreadID: e.Thread, Input: inputsOf(e.Text, e.Files), Model: e.Model, ClientUserMessageID: e.Message}
		s.call(methodStart, params, c.CallTimeout, func(result json.RawMessage, err error) {
			if !s.closed {
				t.starting--
			}
			if refusal, ok := refused(err); ok {
				done(c.refusedTurn(t, r, refusal, a, func(why transitions.Refusal) transitions.Fact {
					return transitions.TurnStartRefused{Message: e.Message, Refusal: why, Said: refusal.Message}
				}))
				return
			}
			var id string
			if err == nil {
				id, err = decodeTurnID(result)
			}
			if err != nil {
				done(transitions.Settled(transitions.TurnStartUnknown{Message: e.Message, Link: s.link}))
				c.unusable(s, err)
				return
			}
			t.fresh = append(t.fresh, freshTurn{id: id, at: c.Scheduler.Now()})
			done(transitions.Settled(transitions.TurnStartAccepted{Message: e.Message, Turn: id}))
		})
	})
}

// stale says that a message is too old to be sent without another word of its
// sender: whatever held it, the world it was written for may be gone.
func (c *Client) stale(created transitions.Millis, confirmed bool) bool {
	return !confirmed && c.Wall().Sub(time.UnixMilli(int64(created))) > c.Stale
}

type steerParams struct {
	ThreadID            string  `json:"threadId"`
	ExpectedTurnID      string  `json:"expectedTurnId"`
	Input               []input `json:"input"`
	ClientUserMessageID string  `json:"clientUserMessageId"`
}

func (c *Client) steerTurn(s *session, t *thread, e transitions.SteerTurn, a transitions.Attempt, done func(transitions.Report)) {
	// A turn that takes no text: the text waits for its end.
	unsteerable := func(said string) transitions.Report {
		return transitions.Settled(transitions.SteerRefused{Message: e.Message, Turn: e.Turn, Refusal: transitions.NotSteerable, Said: said})
	}
	if !c.can(CanSteer) {
		done(unsteerable(c.missing(methodSteer)))
		return
	}
	c.ready(s, t, func(r resumption) {
		if report, ok := c.unresumed(r, a, func(refusal transitions.Refusal, said string) transitions.Fact {
			return transitions.SteerRefused{Message: e.Message, Turn: e.Turn, Refusal: refusal, Said: said}
		}); ok {
			done(report)
			return
		}
		if c.barred(t) {
			done(transitions.Settled(transitions.SteerWithdrawn{Message: e.Message, Turn: e.Turn}))
			return
		}
		if c.stale(e.Created, e.Confirmed) {
			done(transitions.Settled(transitions.MessageStale{Message: e.Message, Turn: e.Turn}))
			return
		}
		params := steerParams{
			ThreadID: e.Thread, ExpectedTurnID: e.Turn, Input: inputsOf(e.Text, e.Files), ClientUserMessageID: e.Message,
		}
		s.call(methodSteer, params, c.CallTimeout, func(_ json.RawMessage, err error) {
			if refusal, ok := refused(err); ok && c.lacks(refusal) {
				done(unsteerable(refusal.Message))
				return
			} else if ok {
				done(c.refusedTurn(t, r, refusal, a, func(why transitions.Refusal) transitions.Fact {
					return transitions.SteerRefused{Message: e.Message, Turn: e.Turn, Refusal: why, Said: refusal.Message}
				}))
				return
			}
			if err != nil {
				done(transitions.Settled(transitions.SteerUnknown{Message: e.Message, Turn: e.Turn}))
				return
			}
			done(transitions.Settled(transitions.SteerAccepted{Message: e.Message, Turn: e.Turn}))
		})
	})
}

type interruptParams struct {
	ThreadID string `json:"threadId"`
	TurnID   string `json:"turnId"`
}

// interruptTurn needs no resume: a server that does not hold the thread has no
// turn of it to end.
func (c *Client) interruptTurn(s *session, e transitions.InterruptTurn, a transitions.Attempt, done func(transitions.Report)) {
	if !c.can(CanInterrupt) {
		done(transitions.Settled(transitions.InterruptRefused{Turn: e.Turn, Said: c.missing(methodInterrupt)}))
		return
	}
	params := interruptParams{ThreadID: e.Thread, TurnID: e.Turn}
	s.call(methodInterrupt, params, c.InterruptTimeout, func(_ json.RawMessage, err error) {
		refusal, ok := refused(err)
		switch {
		case ok && refusal.means() == meansOverloaded:
			done(c.unsent(a, err))
		case ok:
			c.lacks(refusal)
			done(transitions.Settled(transitions.InterruptRefused{Turn: e.Turn, Said: refusal.Message}))
		case err != nil:
			done(transitions.Settled(transitions.InterruptUnknown{Turn: e.Turn}))
		default:
			done(transitions.Settled(transitions.InterruptAccepted{Turn: e.Turn}))
		}
	})
}

// unresumed is the report of a call that is not made because of how the resume
// before it went, if it is not. A thread that can't be resumed only for want of
// a first turn may take the call all the same.
func (c *Client) unresumed(r resumption, a transitions.Attempt, fact func(transitions.Refusal, string) transitions.Fact) (transitions.Report, bool) {
	switch r.state {
	case resumeDone, resumeNotYet, resumeNotStored:
		return transitions.Report{}, false
	case resumeRefused:
		refusal, _ := refused(r.err)
		why := transitions.OtherRefusal
		if r.gone() {
			why = transitions.ThreadGone
		}
		return transitions.Settled(fact(why, refusal.Message)), true
	default:
		return c.unsent(a, r.err), true
	}
}

// refusedTurn is the report of a refused turn/start or turn/steer.
func (c *Client) refusedTurn(t *thread, r resumption, refusal *CallError, a transitions.Attempt, fact func(transitions.Refusal) transitions.Fact) transitions.Report {
	means := refusal.means()
	switch {
	case means == meansOverloaded:
		return c.unsent(a, refusal)
	case means == meansNotLoaded && r.state == resumeNotStored:
		return transitions.Settled(fact(transitions.ThreadGone))
	case means == meansNotLoaded:
		// It was dropped since it was resumed. The next attempt resumes it.
		t.resumed = false
		return c.unsent(a, refusal)
	default:
		return transitions.Settled(fact(means.refusal()))
	}
}

// unusable gives a connection up on which an answer could not be read, so
// that what it was about can be settled on another one.
func (c *Client) unusable(s *session, err error) {
	if (errors.Is(err, errUnusable) || errors.Is(err, errTooLarge)) && s == c.up() {
		c.lost(err)
	}
}
