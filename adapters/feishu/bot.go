package feishu

import (
	"time"

	"deskbridge/adapters/sched"
)

// The waits between two tries at the bot's identity.
const (
	identityFirstWait = time.Second
	identityLastWait  = 2 * time.Minute
)

// IdentityOptions say whom to tell. Both are called from functions that the
// scheduler runs.
type IdentityOptions struct {
	// Known is told the identity, once.
	Known func(Bot)
	// Unknown is told why it is not known; once, until the reason changes.
	Unknown func(error)
}

// Identity finds out who the app's bot is: whether a message of a group is meant
// for it cannot be told without. It asks until it knows. Its methods must be
// called from functions that the scheduler runs.
type Identity struct {
	sched sched.Scheduler
	api   API
	opts  IdentityOptions

	bot  Bot
	wait time.Duration
	said string
	stop func()
	done bool // stopped
}

// NewIdentity returns an identity that has not asked yet.
func NewIdentity(s sched.Scheduler, api API, o IdentityOptions) *Identity {
	return &Identity{sched: s, api: api, opts: o, wait: identityFirstWait, stop: func() {}}
}

// Start asks for the first time.
func (i *Identity) Start() {
	if !i.done {
		i.api.Do(BotInfo{}, i.answered)
	}
}

// Stop ends the asking.
func (i *Identity) Stop() {
	i.done = true
	i.stop()
}

// Bot is the identity; its open_id is empty while it is not known.
func (i *Identity) Bot() Bot { return i.bot }

func (i *Identity) answered(r Response) {
	if i.done {
		return
	}
	if Classify(BotInfo{}, r) == Done {
		i.bot = r.Bot
		i.opts.Known(r.Bot)
		return
	}
	err := r.Error(BotInfo{})
	if err.Error() != i.said {
		i.said = err.Error()
		i.opts.Unknown(err)
	}
	i.stop = i.sched.After(max(i.wait, r.RetryAfter), i.Start)
	i.wait = min(2*i.wait, identityLastWait)
}
