package codex

import (
	"log/slog"
	"time"

	"deskbridge/adapters/sched"
	"deskbridge/transitions"
)

// Options are what a client is made of. Times that are zero have the defaults
// given with them.
type Options struct {
	// Scheduler runs everything. Required.
	Scheduler sched.Scheduler
	// Dialer opens connections. Required.
	Dialer Dialer
	// Emit hands on what was read about a track, in order. Required. It must not
	// lose facts: a turn's end that nobody waits for by id is told only once a
	// connection.
	Emit func(track string, facts []transitions.Fact)
	// RunID names this run of the bridge and no other; connections are named
	// after it. Required.
	RunID string

	// OnReady is told that a connection is up, so that calls which were sent back
	// may be tried again at once. Optional.
	OnReady func()
	// OnTrouble is told why Codex cannot be reached, once for each distinct
	// trouble, and OnRecovered once that it is over. Optional.
	OnTrouble   func(*Trouble)
	OnRecovered func()
	// Log gets what happens, without any text of a person or of Codex. Optional.
	Log *slog.Logger
	// Rand is chance, in [0, 1), which spreads waiting times. Without it they are
	// not spread.
	Rand func() float64

	// Installed, if set, asks the program that a server is started from about itself,
	// off the scheduler, and runs done once. It is asked upon each connection and every
	// UpgradeLook (1 min) after that, as long as the connection lasts.
	Installed func(done func(Installed, error))
	// Replace, if set, ends the server of a generation, off the scheduler, so that the
	// next dial starts the installed program; done runs once it is gone, or not.
	Replace     func(generation string, done func(error))
	UpgradeLook time.Duration

	// Version of the bridge, as Codex is told.
	Version string
	// Workdir, ApprovalPolicy, Sandbox and Model are given with each thread that
	// is opened or resumed (the folder: opened only); an empty one is not sent,
	// so that Codex's own setting holds.
	Workdir        string
	ApprovalPolicy string // untrusted, on-request, never
	Sandbox        string // read-only, workspace-write, danger-full-access
	Model          string
	// Roots are the folders whose threads are the desk's, beside Workdir; what lies below
	// them is too.
	Roots []string
	// Held says why the track cannot have the thread: another has it, or is not done with
	// it; empty: it can. Optional.
	Held func(track, thread string) transitions.Unavailable

	// CallTimeout is how long an answer may take (30 s), InterruptTimeout that of
	// turn/interrupt (10 s): some versions never answer a second one.
	CallTimeout, InterruptTimeout time.Duration
	// Wall is the wall clock (the scheduler's): a message says by a clock of others when
	// it was written, and ours is set right now and then, which the scheduler's, that
	// never goes back, may not follow.
	Wall func() time.Time
	// Stale is how old a message may be when it is sent, unless its sender wants it
	// sent all the same (30 min).
	Stale time.Duration
	// TurnIdle is after how long without a sign of life people are told of a turn that
	// nothing is heard of it (10 min).
	TurnIdle time.Duration
	// Transcript returns what people and Codex said in the conversation before the
	// track, oldest first, to be given to the thread that takes the place of a lost one.
	// Optional: without it there is nothing to give.
	Transcript func(track string) ([]transitions.Utterance, error)
	// Settle is how far apart two pulls must be to prove an absence (5 s).
	Settle time.Duration
	// PollMin and PollMax bound the time between two pulls of an unsettled thread
	// (1 s, 60 s), RetryMin and RetryMax that between two attempts to connect
	// (200 ms, 30 s).
	PollMin, PollMax, RetryMin, RetryMax time.Duration
}

// Client is a client of one app-server. All its methods must be called from
// functions that the scheduler runs.
type Client struct {
	Options

	phase     phase
	attempt   *attempt // nil while stopped or waiting
	serial    int      // of the last connection
	upSince   time.Time
	retries   int    // since a connection lasted
	stopRetry func() // of the timer for the next attempt
	// version is the server's, as it names itself; generation and verdict go with it.
	// It stays known when the connection is lost.
	version, generation string
	server              string // generation that the tracks were told of last
	verdict             Verdict
	lacking             map[Capability]bool // what it refused for not having it
	upgrade             upgrade

	threads  map[string]*thread // by id
	tracks   map[string]string  // track → the thread it watches
	followed []string           // threads of which nothing is waited for, last used last
	trouble  *Trouble
	counts   Counts
	deltas   deltas // of counts.Skipped, counted where they are read
	// declined and skipped remember what was reported to the log already.
	declined, skipped map[string]bool
}

// phase is how far the connection is.
type phase string

const (
	phaseStopped  phase = "stopped"
	phaseDialing  phase = "dialing"
	phaseGreeting phase = "greeting"
	phaseUp       phase = "up"
	phaseWaiting  phase = "waiting"
	// phaseReplacing: the server is being ended, so that another takes its place.
	phaseReplacing phase = "replacing"
)

// Counts are of this run.
type Counts struct {
	Connections int // that came up
	Junk        int // frames that are not of the protocol
	Strays      int // answers to no call under way
	Cut         int // messages too large to be kept
	Skipped     int // notifications that mean nothing to the bridge
	Declined    int // requests of the server, all answered with an error
}

// Status is what an operator may want to know.
type Status struct {
	Connected bool `json:"connected"`
	// Version is that of the server, as it names itself; empty before the first
	// connection. Generation is its process, and Verdict what the contract says.
	Version    string  `json:"version"`
	Generation string  `json:"generation,omitempty"`
	Verdict    Verdict `json:"verdict,omitempty"`
	// Lacking are the capabilities that the server does not have.
	Lacking []Capability `json:"lacking,omitempty"`
	// Installed is the version of the program that the next server is started from, as
	// far as it was asked.
	Installed string `json:"installed,omitempty"`
	// Trouble is why there is no connection, as far as known.
	Trouble *Trouble `json:"trouble,omitempty"`
	Counts  Counts   `json:"counts"`
}

// New returns a client that does nothing before Start. It panics if a required
// option is missing.
func New(o Options) *Client {
	if o.Scheduler == nil || o.Dialer == nil || o.Emit == nil || o.RunID == "" {
		panic("codex: a required option is missing")
	}
	defaults := []struct {
		value *time.Duration
		is    time.Duration
	}{
		{&o.CallTimeout, 30 * time.Second}, {&o.InterruptTimeout, 10 * time.Second},
		{&o.Stale, 30 * time.Minute}, {&o.TurnIdle, 10 * time.Minute}, {&o.Settle, 5 * time.Second}, {&o.PollMin, time.Second}, {&o.PollMax, time.Minute},
		{&o.UpgradeLook, time.Minute},
		{&o.RetryMin, 200 * time.Millisecond}, {&o.RetryMax, 30 * time.Second},
	}
	for _, d := range defaults {
		if *d.value == 0 {
			*d.value = d.is
		}
	}
	if o.Wall == nil {
		o.Wall = o.Scheduler.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Client{
		Options: o, phase: phaseStopped,
		threads: map[string]*thread{}, tracks: map[string]string{},
		declined: map[string]bool{}, skipped: map[string]bool{}, lacking: map[Capability]bool{},
	}
}

// Start begins to connect, and stays connected until Stop.
func (c *Client) Start() {
	if c.phase == phaseStopped {
		c.dial()
	}
}

// Stop drops the connection and all that waits. Attempts under way are not
// reported: what became of them is as little known as after a crash.
func (c *Client) Stop() {
	c.phase = phaseStopped
	if c.stopRetry != nil {
		c.stopRetry()
		c.stopRetry = nil
	}
	if a := c.attempt; a != nil {
		c.attempt = nil
		a.cancel()
		if a.session != nil {
			a.session.abandon()
		}
	}
	c.upgrade.end()
	for _, t := range c.threads {
		t.unschedule()
	}
	clear(c.threads)
	clear(c.tracks)
	c.followed = nil
}

// Status tells how things stand.
func (c *Client) Status() Status {
	s := Status{
		Connected: c.phase == phaseUp, Version: c.version, Generation: c.generation, Verdict: c.verdict,
		Installed: c.upgrade.installed.Version, Trouble: c.trouble, Counts: c.counts,
	}
	s.Counts.Skipped += c.deltas.total()
	for _, known := range Capabilities() {
		if s.Verdict != "" && !c.can(known.Capability) {
			s.Lacking = append(s.Lacking, known.Capability)
		}
	}
	return s
}

// up returns the session over which calls may go, or nil.
func (c *Client) up() *session {
	if c.phase == phaseUp && !c.upgrade.holding {
		return c.attempt.session
	}
	return nil
}

// spread shortens d by chance, by at most the share given.
func (c *Client) spread(d time.Duration, share float64) time.Duration {
	if c.Rand == nil {
		return d
	}
	return d - time.Duration(float64(d)*share*c.Rand())
}

// grown is low doubled n times, at most high.
func grown(low, high time.Duration, n int) time.Duration {
	d := low
	for ; n > 0 && d < high; n-- {
		d *= 2
	}
	return min(d, high)
}

// report tells a trouble unless it is the one that was told last.
func (c *Client) report(t *Trouble) {
	if c.trouble != nil && c.trouble.Error() == t.Error() {
		return
	}
	c.trouble = t
	if c.OnTrouble != nil {
		c.OnTrouble(t)
	}
}

// recovered tells that the last trouble is over.
func (c *Client) recovered() {
	if c.trouble == nil {
		return
	}
	c.trouble = nil
	if c.OnRecovered != nil {
		c.OnRecovered()
	}
}
