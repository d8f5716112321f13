package codex

import (
	"slices"
	"time"

	"deskbridge/transitions"
)

const (
	// idlePause is how long a pull waits after word that a thread is idle: nearly
	// always turn/completed follows at once, and one pull is enough for both.
	idlePause = 50 * time.Millisecond
	// maxReported bounds what is remembered as reported, since the words are the
	// server's.
	maxReported = 64
)

// frame takes in one message of the server.
func (c *Client) frame(s *session, raw []byte) {
	switch f := decodeFrame(raw); f.Kind {
	case frameAnswer:
		if !s.answer(f) {
			c.counts.Strays++
			c.Log.Debug("an answer to no call", "connection", s.link.Connection)
		}
	case frameRequest:
		c.decline(s, f)
	case frameNotification:
		c.notified(f)
	default:
		c.counts.Junk++
		c.Log.Debug("a frame that is not of the protocol", "connection", s.link.Connection, "bytes", len(raw))
	}
}

// decline answers a request with an error. Codex takes that for a refusal: what
// it asked for is not done, and its turn goes on.
func (c *Client) decline(s *session, f frame) {
	c.counts.Declined++
	if err := s.decline(f.ID); err != nil {
		c.Log.Error("a request of Codex could not be declined", "method", f.Method, "reason", err)
		return
	}
	if !c.declined[f.Method] && len(c.declined) < maxReported {
		c.declined[f.Method] = true
		c.Log.Warn("Codex asks for something that the bridge cannot carry to a person yet; it was declined, as all of this kind will be", "method", f.Method)
	}
}

// notified takes in a notification. What is not known means nothing.
func (c *Client) notified(f frame) {
	c.upgrade.notified++
	var e event
	decode(f.Params, &e) // without parameters it is about no thread
	t := c.threads[e.ThreadID]
	if t == nil {
		c.skip(f.Method)
		return
	}
	t.heard = c.Scheduler.Now()
	switch f.Method {
	case "turn/started":
		c.moved(t)
		c.begun(t, e.Turn.ID)
	case "turn/completed":
		c.moved(t)
		if e.Turn.Status == turnFailed {
			t.fail(e.Turn.ID, e.Turn.Error.Message)
		}
		c.hint(t, e.Turn.ID, 0)
	case "thread/status/changed":
		c.moved(t)
		switch e.Status.Type {
		case threadIdle, threadSystemError:
			c.hint(t, "", idlePause)
		case threadNotLoaded:
			t.resumed = false
		}
	case "thread/settings/updated":
		if t.resumed {
			t.reported = decodeSettings(f.Params)
			c.weigh(t)
		}
	case "thread/closed":
		t.resumed = false
	case "item/started", "item/completed":
		if e.Item.Type == itemUser && e.Item.ClientID != "" && e.TurnID != "" {
			c.announce(t, e.TurnID, e.Item.ClientID)
		}
	default:
		c.skip(f.Method)
	}
}

// skip counts what means nothing here.
func (c *Client) skip(method string) {
	c.counts.Skipped++
	if !c.skipped[method] && len(c.skipped) < maxReported {
		c.skipped[method] = true
		c.Log.Debug("notifications of this kind mean nothing to the bridge", "method", method)
	}
}

// moved notes that a turn began or ended, so that a pull under way does not claim
// that the thread is idle; the next one may.
func (c *Client) moved(t *thread) {
	t.moved++
	t.again = t.again || t.pulling
}

// begun reads a thread of which nothing is waited for, since a turn of another client
// began in it.
func (c *Client) begun(t *thread, turn string) {
	ours := t.watch.Unsettled || t.starting > 0 || slices.ContainsFunc(t.fresh, func(f freshTurn) bool { return f.id == turn })
	if !ours {
		t.current = false
		c.hint(t, "", idlePause)
	}
}

// announce tells that a message is an item of a running turn, once.
func (c *Client) announce(t *thread, turn, message string) {
	if t.told[turn] || slices.Contains(t.announced[turn], message) {
		return
	}
	if t.announced == nil {
		t.announced = map[string][]string{}
	}
	t.announced[turn] = append(t.announced[turn], message)
	c.Emit(t.track, []transitions.Fact{transitions.TurnRunning{Turn: turn, Messages: []string{message}}})
}
