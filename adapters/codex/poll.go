package codex

import (
	"maps"
	"slices"
	"time"

	"deskbridge/transitions"
)

const (
	// soonest is the first pause before a thread is read again that was said to
	// have moved and did not show it: what is told is on disk a moment later.
	soonest = 50 * time.Millisecond
	// pollSpread is the share by which pauses between pulls are spread.
	pollSpread = 0.2
	// maxQuiet bounds how many threads are followed of which nothing is waited for, the
	// last used ones. Any other is resumed when it is written to.
	maxQuiet = 256
)

// thread is what is known about one Codex thread: for which track it is read,
// when next, and what the present connection has to do with it.
type thread struct {
	id, track string
	watch     transitions.Watch
	// single says that a page of several turns was too large to be read, and
	// unreadable that one of a single turn was, and that this was said.
	single, unreadable bool

	// The rhythm.
	pulling   bool
	again     bool // a hint came while pulling
	wanted    bool // a pull is due once connected
	due       time.Time
	stopTimer func()    // set while a pull is scheduled
	by        time.Time // when one was asked for; zero: none was
	pause     int       // pauses since something moved; each is twice the last
	heard     time.Time // when anything was heard of it last, or it was taken up
	awaited   string    // a turn that a notification said to be over
	soon      int       // pulls since, which did not show it

	bound
}

// bound is what ends with the connection.
type bound struct {
	resumed   bool
	held      bool                // by another server, as the last resume said
	resuming  []func(resumption)  // who waits for the resume under way
	regained  bool                // something was waited for when the connection came up
	tried     bool                // to resume it, though nothing is waited for
	reported  transitions.Policy  // what it was said to run under
	current   bool                // all that happened before is told, or nothing did
	parked    []func(resumption)  // who waits for that
	running   string              // the turn in progress, of those listed last
	items     int                 // how many it had
	withheld  string              // the running turn for which a start was held back
	starting  int                 // turn/start calls under way
	fresh     []freshTurn         // turns that were started and not read yet
	moved     int                 // notifications about turns so far
	announced map[string][]string // turn → messages told to run in it
	told      map[string]bool     // turns told to be over, of those listed
	failed    map[string]string   // turn → why it failed, as its end was told
	severed   severed
}

// severed is a newest turn that reads as interrupted without a time of its end,
// and since when it has, with the thread idle.
type severed struct {
	turn  string
	since time.Time
}

// freshTurn is a turn that a turn/start was answered with.
type freshTurn struct {
	id string
	at time.Time
}

// thread returns the entry of a thread, which is made where it is missing.
func (c *Client) thread(track, id string) *thread {
	t := c.threads[id]
	if t == nil {
		t = &thread{id: id}
		c.threads[id] = t
	}
	t.track = track
	return t
}

// Watch says what of the track only a read can settle. It is to be called for
// every track at the start, and after each step of one.
func (c *Client) Watch(track string, w transitions.Watch) {
	if old := c.tracks[track]; old != w.Thread {
		if t := c.threads[old]; t != nil {
			c.forget(t)
		}
		delete(c.tracks, track)
	}
	if w.Thread == "" || !w.Unsettled && !w.Live && c.threads[w.Thread] == nil {
		return // nothing to read or to follow, and nothing known that would have to change
	}
	if t := c.threads[w.Thread]; t != nil && t.track != track && !w.Unsettled && !w.Live {
		return // another track has it by now
	}
	c.tracks[track] = w.Thread
	c.follow(w.Thread, !w.Unsettled && w.Live)
	t := c.thread(track, w.Thread)
	before := t.watch
	t.watch = w
	if t.resumed && w.Barred && len(t.reported.LooserThan(w.Policy)) == 0 {
		c.unbar(t)
	}
	switch {
	case !w.Unsettled && !w.Live:
		c.forget(t)
	case !w.Unsettled && !before.Unsettled, !w.Unsettled && (!t.current || len(t.parked) > 0):
		// What is to be read still is: another client's turn, or what others wait for.
	case !w.Unsettled:
		t.unschedule()
		t.wanted, t.again, t.awaited, t.by = false, false, "", time.Time{}
	case !before.Unsettled || !slices.Equal(before.Turns, w.Turns):
		t.pause = 0
		c.schedule(t, c.PollMin)
	}
}

// follow keeps the list of the threads of which nothing is waited for; those used
// longest ago are followed no more where there are too many.
func (c *Client) follow(id string, quiet bool) {
	if i := slices.Index(c.followed, id); i >= 0 {
		c.followed = slices.Delete(c.followed, i, i+1)
	}
	if !quiet {
		return
	}
	if len(c.followed) == maxQuiet {
		c.forget(c.threads[c.followed[0]])
	}
	c.followed = append(c.followed, id)
}

// forget drops a thread's entry. A pull under way goes on without effect.
func (c *Client) forget(t *thread) {
	c.follow(t.id, false)
	t.release(errForgotten)
	t.unschedule()
	t.wanted, t.again = false, false
	if c.threads[t.id] == t {
		delete(c.threads, t.id)
	}
	if c.tracks[t.track] == t.id {
		delete(c.tracks, t.track)
	}
}

// schedule makes a pull happen in d at the latest, or once connected.
func (c *Client) schedule(t *thread, d time.Duration) {
	if c.up() == nil {
		t.wanted = true
		return
	}
	due := c.Scheduler.Now().Add(d)
	if t.stopTimer != nil && !due.Before(t.due) {
		return
	}
	t.unschedule()
	t.due = due
	t.stopTimer = c.Scheduler.After(d, func() {
		t.stopTimer = nil
		s := c.up()
		switch {
		case s == nil:
			t.wanted = true
		case t.pulling:
			t.again = true // one at a time
		default:
			c.pull(s, t)
		}
	})
}

// unschedule takes a scheduled pull back.
func (t *thread) unschedule() {
	if t.stopTimer != nil {
		t.stopTimer()
		t.stopTimer = nil
	}
}

// ask makes a pull happen once d has passed, whatever pulls come before.
func (c *Client) ask(t *thread, d time.Duration) {
	by := c.Scheduler.Now().Add(d)
	if t.by.IsZero() || by.Before(t.by) {
		t.by = by
	}
	c.schedule(t, d)
}

// hint is word of something that a pull would show, in d from now; turn is the
// one said to be over, if one is.
func (c *Client) hint(t *thread, turn string, d time.Duration) {
	if !t.watch.Unsettled && t.current {
		return // nothing is waited for, and nothing is untold
	}
	t.pause = 0
	if turn != "" {
		t.awaited, t.soon = turn, 0
	}
	c.schedule(t, d)
}

// pulled sets the time of the next pull after one has ended.
func (c *Client) pulled(t *thread) {
	t.pulling = false
	if c.threads[t.id] != t {
		return
	}
	if !t.by.IsZero() {
		c.schedule(t, t.by.Sub(c.Scheduler.Now()))
	}
	pause := grown(soonest, c.PollMin, t.soon)
	switch {
	case t.again:
		t.again = false
		c.schedule(t, 0)
	case t.awaited != "" && pause < c.PollMin:
		t.soon++
		c.schedule(t, pause)
	case t.watch.Unsettled:
		t.awaited = ""
		c.schedule(t, c.spread(grown(c.PollMin, c.PollMax, t.pause), pollSpread))
		t.pause++
	default:
		t.awaited = ""
	}
}

// disconnected forgets what the connection had to do with the thread, and the
// thread itself if nothing of it is waited for.
func (c *Client) disconnected(t *thread) {
	t.wanted = t.wanted || t.pulling || t.stopTimer != nil
	t.unschedule()
	t.release(errLost)
	t.pulling, t.again, t.bound = false, false, bound{}
	if !t.wanted && !t.watch.Unsettled && !t.watch.Live {
		c.forget(t)
	}
}

// pullUnsettled reads all threads of which something is waited for.
func (c *Client) pullUnsettled() {
	for _, id := range slices.Sorted(maps.Keys(c.threads)) {
		t := c.threads[id]
		if t.wanted || t.watch.Unsettled {
			t.wanted, t.pause, t.regained = false, 0, t.watch.Unsettled
			c.schedule(t, 0)
		}
	}
}
