package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"deskbridge/transitions"
)

// clientName is how the bridge introduces itself.
const clientName = "deskbridge"

// attempt is one attempt to be connected, from dialing to the end. What an
// earlier one still says is told by its not being the client's any more.
type attempt struct {
	cancel  func()
	session *session // once open
}

// dial begins the next attempt.
func (c *Client) dial() {
	c.phase, c.stopRetry = phaseDialing, nil
	c.serial++
	link := transitions.Link{Connection: c.RunID + "-" + strconv.Itoa(c.serial)}
	a := &attempt{}
	c.attempt = a
	a.cancel = c.Dialer.Dial(Handler{
		Opened: func(conn Conn) {
			if c.attempt != a || a.session != nil {
				conn.Close()
				return
			}
			link.Generation = conn.Generation()
			a.session = newSession(c.Scheduler, conn, link, c.silent)
			c.greet(a.session)
		},
		Frame: func(raw []byte) {
			if c.attempt == a && a.session != nil {
				c.frame(a.session, raw)
			}
		},
		Cut: func(head []byte, size int64) {
			if c.attempt == a && a.session != nil {
				c.cut(a.session, head, size)
			}
		},
		Skip: c.skipDelta,
		Closed: func(reason error) {
			if c.attempt == a {
				c.lost(reason)
			}
		},
	})
}

type initializeParams struct {
	ClientInfo   clientInfo   `json:"clientInfo"`
	Capabilities capabilities `json:"capabilities"`
}

type clientInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

type capabilities struct {
	// ExperimentalAPI is what thread/turns/list needs before 0.155.0.
	ExperimentalAPI bool `json:"experimentalApi"`
}

// greet does the handshake. Its answer is what makes a connection one.
func (c *Client) greet(s *session) {
	c.phase = phaseGreeting
	params := initializeParams{
		ClientInfo:   clientInfo{Name: clientName, Title: "Desk bridge", Version: c.Version},
		Capabilities: capabilities{ExperimentalAPI: true},
	}
	s.call("initialize", params, c.CallTimeout, func(result json.RawMessage, err error) {
		refusal, ok := refused(err)
		switch {
		case errors.Is(err, errLost): // told by what ended the connection
		case ok && refusal.means() == meansOverloaded:
			c.lost(err)
		case err != nil:
			c.lost(&Trouble{
				Kind: NotAnswering, Err: err,
				What:   "Codex refuses to speak with the bridge",
				Remedy: "install a version of Codex that is known to work",
			})
		default:
			c.greeted(s, result)
		}
	})
}

func (c *Client) greeted(s *session, result json.RawMessage) {
	var wire struct {
		UserAgent string `json:"userAgent"`
	}
	decode(result, &wire) // an unusable name is as good as none
	c.met(serverVersion(wire.UserAgent), s.link.Generation)
	if c.verdict == VerdictBlocked {
		c.lost(&Trouble{
			Kind:   TooOld,
			What:   fmt.Sprintf("Codex %s is running, which is too old for the bridge", c.version),
			Remedy: "install " + Minimum + " or newer, and " + ending(s.link.Generation),
		})
		return
	}
	if err := s.notify("initialized"); err != nil {
		c.lost(err)
		return
	}
	c.phase, c.upSince = phaseUp, c.Scheduler.Now()
	c.counts.Connections++
	c.Log.Info("connected to Codex", "connection", s.link.Connection, "server", s.link.Generation, "version", c.version, "contract", c.verdict)
	c.recovered()
	c.serverIs(s.link.Generation)
	c.pullUnsettled()
	c.resumeQuiet(s)
	if c.OnReady != nil {
		c.OnReady()
	}
	c.upgrade.begin(c, s)
}

// met notes which server it is that answers, and says what is to be said about its
// version once. What another one could not do, this one may.
func (c *Client) met(version, generation string) {
	if generation == "" || generation != c.generation {
		clear(c.lacking)
	}
	again := c.verdict != "" && version == c.version
	c.version, c.generation, c.verdict = version, generation, VerdictOn(version)
	switch {
	case again, c.verdict == VerdictVerified, c.verdict == VerdictBlocked: // the latter is a trouble
	default:
		c.Log.Warn(c.verdict.Sentence(version))
	}
}

// ending is what an operator does so that another app-server takes the place of that of
// a generation. One of which that is not known was not started by the bridge.
func ending(generation string) string {
	if pid, ok := pidOf(generation); ok {
		return fmt.Sprintf("end the app-server that is running with `kill %d`: the bridge starts a new one", pid)
	}
	return "end the app-server that is running, and start it again"
}

// serverIs tells the tracks that another server process answers: what the former one
// asked is dead. Which one that was, a former life of the bridge may have known, so that
// after a start all tracks are told of which a request is open.
func (c *Client) serverIs(now string) {
	if now == "" || now == c.server {
		return
	}
	first := c.server == ""
	c.server = now
	for _, id := range slices.Sorted(maps.Keys(c.threads)) {
		if t := c.threads[id]; t.watch.Asks || t.watch.Unsettled && !first {
			c.Emit(t.track, []transitions.Fact{transitions.GenerationChanged{Generation: now}})
		}
	}
}

// silent gives the connection up when a call finds no answer: the server may be
// stuck, and on a new connection an absence can be proven. An interrupt is the
// exception, since some versions never answer a second one.
func (c *Client) silent(method string) {
	if method == methodInterrupt {
		return
	}
	// It is not ended from here: the turns that it may be working on would be lost.
	c.lost(&Trouble{
		Kind: NotAnswering, Err: errSilent,
		What:   fmt.Sprintf("Codex did not answer (%s)", method),
		Remedy: "the bridge connects again by itself; if this stays, " + ending(c.attempt.session.link.Generation),
	})
}

// lost ends the attempt, if there is one, and sets the time for the next.
func (c *Client) lost(reason error) {
	if c.attempt == nil {
		return
	}
	if c.phase == phaseUp && c.Scheduler.Now().Sub(c.upSince) >= c.RetryMax {
		// A server that falls over again and again comes up in between; only a
		// connection that lasted counts as a success.
		c.retries = 0
	}
	wait := c.spread(grown(c.RetryMin, c.RetryMax, c.retries), 0.5)
	c.retries++
	c.stopRetry = c.Scheduler.After(wait, c.dial)
	c.drop()
	var trouble *Trouble
	if errors.As(reason, &trouble) {
		c.report(trouble)
	} else {
		c.Log.Info("no connection to Codex", "reason", reason, "retry", wait)
	}
}

// drop ends the attempt and settles its calls.
func (c *Client) drop() {
	a := c.attempt
	// Before any call is settled, so that what is done about it finds the client
	// as it is: not connected.
	c.attempt, c.phase = nil, phaseWaiting
	c.upgrade.end()
	a.cancel()
	if a.session != nil {
		a.session.close()
	}
	for _, t := range c.threads {
		c.disconnected(t)
	}
}
