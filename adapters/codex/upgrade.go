package codex

import (
	"encoding/json"
	"slices"
)

// maxLoaded bounds how many threads are asked whether they are idle.
const maxLoaded = 1000

// upgrade puts the installed program in the place of a server that was started from
// an older one: once, while nothing is going on.
//
//	look ─newer─▶ quiet? ─▶ all threads idle? ─settle─▶ hold ─▶ all threads idle? ─▶ replace
//	  ▲             │              │                                  │
//	  └─────────────┴──────────────┴────────────── no ────────────────┘
//
// The bridge itself must wait for nothing, and the server must say of each thread that
// it holds, whoever opened it, that no turn runs and no request waits, twice with the
// settle time between, since a turn that has just begun may not show. Meanwhile no
// notification may come, and in the second round nothing is sent. A thread without a
// stored turn would be lost with the server, so that it keeps it. The process is then
// asked to end; Codex lets a turn that began in between finish first. Other clients of
// that server lose their connection, and no turn.
type upgrade struct {
	installed Installed
	// told is the pair of versions that was told last, refused the generation that
	// could not be replaced.
	told, refused string
	missed        string // why the program could not be asked, last
	holding       bool   // nothing is to be sent
	asked         bool   // whether an account is needed
	notified      int    // notifications of the server so far
	stopLook      func()
}

// comparison is what is to be done about a server's version, beside the installed one.
type comparison string

const (
	// comparisonSame: nothing; one of the two may also be unknown.
	comparisonSame comparison = "same"
	// comparisonNewer: the installed one is newer, and is put in its place.
	comparisonNewer comparison = "newer"
	// comparisonOlder: the installed one is older. It may not understand what the
	// newer one has stored, so that the server stays.
	comparisonOlder comparison = "older"
)

// compareVersions compares a running server's version with that of the program.
func compareVersions(running, installed string) comparison {
	r, knownR := parseVersion(running)
	i, knownI := parseVersion(installed)
	switch c := i.compare(r); {
	case !knownR || !knownI || c == 0:
		return comparisonSame
	case c > 0:
		return comparisonNewer
	default:
		return comparisonOlder
	}
}

// begin looks at the installed program, now and from time to time, as long as the
// connection lasts.
func (u *upgrade) begin(c *Client, s *session) {
	u.end()
	if c.Installed == nil {
		return
	}
	c.Installed(func(found Installed, err error) {
		if s.closed {
			return
		}
		if err == nil {
			u.missed = ""
			u.installed = found
			u.compare(c, s)
		} else if err.Error() != u.missed {
			u.missed = err.Error()
			c.Log.Warn("the Codex that runs goes on, but could not be started again", "err", err)
		}
		u.later(c, s)
	})
}

// end ends what is under way.
func (u *upgrade) end() {
	u.holding = false
	if u.stopLook != nil {
		u.stopLook()
		u.stopLook = nil
	}
}

// later looks again after a while.
func (u *upgrade) later(c *Client, s *session) {
	if s.closed || u.stopLook != nil {
		return
	}
	u.stopLook = c.Scheduler.After(c.UpgradeLook, func() {
		u.stopLook = nil
		u.begin(c, s)
	})
}

func (u *upgrade) compare(c *Client, s *session) {
	defer u.account(c, s)
	what := compareVersions(c.version, u.installed.Version)
	pair := c.generation + " " + u.installed.Version
	tell := u.told != pair
	switch {
	case what == comparisonNewer && VerdictOn(u.installed.Version) != VerdictBlocked:
		if tell {
			u.told = pair
			c.Log.Warn("a newer version of Codex is installed than the one that runs", "running", c.version, "installed", u.installed.Version, "then", u.then(c))
		}
		if c.Replace != nil && c.can(CanListLoaded) && u.refused != c.generation && c.quiet(s) {
			u.round(c, s, func() { u.settle(c, s) })
		}
	case what == comparisonOlder && tell:
		u.told = pair
		c.Log.Warn("an older version of Codex is installed than the one that runs; it stays, since the older one may not understand what it has stored", "running", c.version, "installed", u.installed.Version, "otherwise", ending(c.generation))
	}
}

// then says what becomes of a server that is older than the installed program.
func (u *upgrade) then(c *Client) string {
	if c.Replace == nil {
		return "it stays; " + ending(c.generation)
	}
	return "it is replaced as soon as no turn runs on it"
}

// account warns once of a run of the bridge if nobody is logged in who would have to
// be: a model provider of one's own needs no account.
func (u *upgrade) account(c *Client, s *session) {
	if u.installed.LoggedIn != AnswerNo || u.asked {
		return
	}
	u.asked = true
	s.call(methodAccount, struct{}{}, c.CallTimeout, func(result json.RawMessage, err error) {
		var wire struct {
			Account json.RawMessage `json:"account"`
			Needed  bool            `json:"requiresOpenaiAuth"`
		}
		if err == nil && decode(result, &wire) && wire.Needed && !present(wire.Account) {
			c.Log.Warn("nobody is logged in to Codex, and its model provider asks for an account; turns will fail until `codex login` is run for its CODEX_HOME")
		}
	})
}

// quiet reports whether the bridge itself waits for nothing.
func (c *Client) quiet(s *session) bool {
	if s != c.up() || len(s.calls) > 0 {
		return false
	}
	for _, t := range c.threads {
		if t.watch.Unsettled || t.wanted || t.pulling || t.starting > 0 || len(t.resuming) > 0 {
			return false
		}
	}
	return true
}

// settle asks a second time after the settle time, with nothing sent meanwhile.
func (u *upgrade) settle(c *Client, s *session) {
	notified := u.notified
	c.Scheduler.After(c.Settle, func() {
		if s.closed || !c.quiet(s) || u.notified != notified {
			return // the next look tries again
		}
		u.holding = true
		u.round(c, s, func() {
			if u.notified != notified {
				u.release(c)
				return
			}
			u.replace(c, s)
		})
	})
}

// release lets calls go again.
func (u *upgrade) release(c *Client) {
	if !u.holding {
		return
	}
	u.holding = false
	c.pullUnsettled()
	if c.OnReady != nil {
		c.OnReady()
	}
}

// replace ends the server and dials anew once it is gone.
func (u *upgrade) replace(c *Client, s *session) {
	generation := s.link.Generation
	c.Log.Info("the app-server is being replaced; no turn runs on it", "running", c.version, "installed", u.installed.Version)
	c.drop()
	c.phase = phaseReplacing
	c.Replace(generation, func(err error) {
		if err != nil {
			u.refused = generation
			c.Log.Warn("the app-server could not be replaced; it stays", "err", err, "otherwise", ending(generation))
		}
		if c.phase == phaseReplacing {
			c.dial()
		}
	})
}

// round asks whether all threads of the server are idle, and goes on if so.
func (u *upgrade) round(c *Client, s *session, idle func()) {
	r := &idleRound{c: c, s: s, idle: idle, busy: func(why string) {
		c.Log.Debug("the app-server is not replaced now", "reason", why)
		u.release(c)
	}}
	r.loaded("", 0)
}

// idleRound asks one thing after the other, so that it costs a busy server little.
type idleRound struct {
	c    *Client
	s    *session
	idle func()
	busy func(why string)
}

func (r *idleRound) call(method string, params any, done func(json.RawMessage, error)) {
	r.s.call(method, params, r.c.CallTimeout, func(result json.RawMessage, err error) {
		if r.s.closed {
			return
		}
		done(result, err)
	})
}

// loaded lists the threads that the server holds.
func (r *idleRound) loaded(cursor string, seen int) {
	params := struct {
		Cursor string `json:"cursor,omitempty"`
	}{cursor}
	r.call(methodLoaded, params, func(result json.RawMessage, err error) {
		if refusal, ok := refused(err); ok {
			r.c.lacks(refusal)
		}
		var wire struct {
			Data []string `json:"data"`
			Next string   `json:"nextCursor"`
		}
		if err != nil || json.Unmarshal(result, &wire) != nil || wire.Data == nil {
			r.busy("it does not say which threads it holds")
			return
		}
		if seen += len(wire.Data); seen > maxLoaded || wire.Next != "" && wire.Next == cursor {
			r.busy("it holds too many threads")
			return
		}
		r.threads(wire.Data, func() {
			if wire.Next == "" {
				r.idle()
				return
			}
			r.loaded(wire.Next, seen)
		})
	})
}

// threads asks each thread in turn.
func (r *idleRound) threads(ids []string, then func()) {
	if len(ids) == 0 {
		then()
		return
	}
	r.call(methodRead, readParams{ThreadID: ids[0]}, func(result json.RawMessage, err error) {
		state, decoding := decodeThread(result)
		if err != nil || decoding != nil || !slices.Contains([]string{threadIdle, threadSystemError, threadNotLoaded}, state.Status) {
			r.busy("a thread is not idle")
			return
		}
		if state.Ephemeral {
			r.threads(ids[1:], then) // nothing of it is to be kept
			return
		}
		r.stored(ids[0], func() { r.threads(ids[1:], then) })
	})
}

// stored asks for the newest turn: there is one, and it is over.
func (r *idleRound) stored(id string, then func()) {
	params := listParams{ThreadID: id, Limit: 1, ItemsView: viewFull}
	r.call(methodList, params, func(result json.RawMessage, err error) {
		newest, decoding := decodePage(result)
		if err != nil || decoding != nil || len(newest.Turns) == 0 {
			r.busy("a thread has no stored turn")
			return
		}
		if _, ended := newest.Turns[0].end(); !ended {
			r.busy("a turn runs")
			return
		}
		then()
	})
}
