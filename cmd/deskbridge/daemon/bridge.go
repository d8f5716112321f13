// Package daemon puts the bridge together: ledger, engine, the Codex client and
// the Feishu side, on one scheduler.
//
//	Receive ─► Receiver ─► Engine ─► outbox ─┬─► codex.Client ─► app-server
//	                         ▲               └─► feishu.Sender ─► platform
//	                         └── facts: Report, Emit
//
// [Bridge] is the whole daemon above its transports, and takes these as values:
// with real ones it is `deskbridge run`; under virtual time it runs in one
// goroutine. [Serve] adds the real ones.
//
// What belongs here: wiring. What does not: any decision about a conversation,
// any knowledge of a protocol, and any knowledge of what is at the other end.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/feishu"
	"deskbridge/adapters/sched"
	"deskbridge/fsm/durable"
	"deskbridge/store"
	t "deskbridge/transitions"
)

// Parts are what a bridge is made of.
type Parts struct {
	Scheduler sched.Scheduler
	Ledger    *store.Ledger
	// Codex are the client's settings and its dialer; what the bridge itself
	// provides (Scheduler, Emit, OnReady, Log, Rand, RunID) is filled in.
	Codex  codex.Options
	API    feishu.API
	Access feishu.Access
	// Language of the bridge's own sentences.
	Language t.Language
	// Unreachable is how long a message may be unsent before its sender is told.
	Unreachable time.Duration
	// RunID names this life of the bridge and no other.
	RunID string
	// Rand is chance, in [0, 1).
	Rand func() float64
	// Log is for the operator.
	Log *slog.Logger
	// Accepted, if set, is told that the platform takes the app's credentials
	// again.
	Accepted func()
	// Journalled, if set, sees every step after its commit.
	Journalled func(store.Entry)
	// Reach, if set, is called at each of the [Points] that are not the ledger's.
	Reach func(durable.Point)
}

// Bridge is the daemon above its transports. Its methods must be called from
// functions that the scheduler runs.
type Bridge struct {
	parts    Parts
	engine   *durable.Engine[t.State, t.Data, t.Fact, t.Effect]
	codex    *codex.Client
	sender   *feishu.Sender
	identity *feishu.Identity
	receiver feishu.Receiver
	arrivals arrivals
	overdue  overdue
	newest   map[string]string    // conversation → its newest track
	behind   map[string][]arrival // conversation → what came behind a /new that is not committed
	// asking are the tracks on which somebody is asked about a stale message, and
	// refused those of which the chat has refused something.
	asking  map[string]*t.Data
	refused map[string]bool
	found   map[string]t.Policy // track → the looser policy for which it is closed
	held    held
	failing map[string]string // effect and track → why it was not carried out, last
	trouble string            // the engine's last trouble, told once
}

// New puts a bridge together; nothing happens before [Bridge.Start].
func New(parts Parts) *Bridge {
	if parts.Reach == nil {
		parts.Reach = func(durable.Point) {}
	}
	b := &Bridge{
		parts: parts, receiver: feishu.Receiver{Access: parts.Access}, newest: map[string]string{}, behind: map[string][]arrival{},
		asking: map[string]*t.Data{}, refused: map[string]bool{}, found: map[string]t.Policy{}, held: newHeld(), failing: map[string]string{},
	}
	b.arrivals = arrivals{sched: parts.Scheduler, submit: b.journal}
	b.overdue = newOverdue(parts.Scheduler, parts.Unreachable, func(track, message string) {
		b.engine.Submit(track, t.SendOverdue{Message: message}, nil)
	})
	api := feishu.NewWatched(reachingAPI{parts.API, parts.Reach}, b.feishuTrouble)
	b.sender = feishu.NewSender(parts.Scheduler, api, feishu.SenderOptions{
		Language: parts.Language,
		Undecided: func(delivery string, why error) {
			parts.Log.Warn("whether a message stands in the chat cannot be told", "delivery", delivery, "err", why)
		},
	})
	b.identity = feishu.NewIdentity(parts.Scheduler, api, feishu.IdentityOptions{
		Known: func(bot feishu.Bot) { parts.Log.Info("the bot is known", "name", bot.Name) },
		Unknown: func(err error) {
			parts.Log.Warn("the bot's identity is not known yet; messages in groups are ignored until it is", "err", err)
		},
	})
	b.codex = codex.New(b.codexOptions())
	b.engine = durable.New(durable.Options[t.State, t.Data, t.Fact, t.Effect]{
		Scheduler: parts.Scheduler,
		Store:     parts.Ledger,
		Machine:   t.Conversation(),
		Handle:    t.Handle,
		Executor:  durable.ExecutorFunc[t.Fact, t.Effect](b.execute),
		Hint:      b.hint,
		Stepped:   b.stepped,
		Backoff:   feishu.Backoff(parts.Rand),
		Trouble:   b.engineTrouble,
		Reach:     parts.Reach,
	})
	return b
}

func (b *Bridge) codexOptions() codex.Options {
	o := b.parts.Codex
	o.Scheduler, o.RunID, o.Rand, o.Log = b.parts.Scheduler, b.parts.RunID, b.parts.Rand, b.parts.Log
	o.Dialer = reachingDialer{o.Dialer, b.parts.Reach}
	o.Emit = func(track string, facts []t.Fact) {
		for _, f := range facts {
			b.engine.Submit(track, f, nil)
		}
	}
	o.Transcript = func(track string) ([]t.Utterance, error) {
		return b.parts.Ledger.Transcript(context.Background(), track, b.parts.Language)
	}
	o.Held = func(track, thread string) t.Unavailable { return b.held.why(track, thread, b.trackOf) }
	o.OnReady = func() { b.engine.Kick(func(_ string, e t.Effect) bool { return !b.sender.Executes(e) }) }
	o.OnTrouble = func(trouble *codex.Trouble) {
		b.parts.Log.Error("Codex cannot be reached; messages are kept", "problem", trouble.Error())
	}
	o.OnRecovered = func() { b.parts.Log.Info("Codex can be reached") }
	return o
}

// Start takes up what the ledger holds and connects.
func (b *Bridge) Start(ctx context.Context) error {
	tracks, err := b.parts.Ledger.Tracks(ctx)
	if err != nil {
		return err
	}
	for _, tr := range tracks {
		b.noteTrack(tr.ID)
		b.watch(tr.ID, &tr.Data)
	}
	if err := b.engine.Start(); err != nil {
		return err
	}
	b.codex.Start()
	b.identity.Start()
	return nil
}

// Stop takes no more receipts and begins no more calls; done is called once
// those under way are over. What is left in the outbox waits for the next start.
func (b *Bridge) Stop(done func()) {
	b.identity.Stop()
	b.engine.Stop(func() {
		b.codex.Stop()
		done()
	})
}

// Receive journals an event of the long connection. Done is called with nil
// once it is durable, or once it is known to mean nothing; otherwise the
// platform is to bring it again.
func (b *Bridge) Receive(e feishu.Event, done func(error)) {
	d := b.receiver.Receive(e.Body, b.identity.Bot().OpenID)
	if d.Fact != nil {
		b.parts.Reach(PointReceived)
		b.arrivals.add(arrival{decision: d, done: done})
		return
	}
	b.parts.Log.Info("message ignored", "reason", d.Ignored, "detail", d.Detail, "sender", d.Incoming.SenderOpenID, "chat", d.Incoming.ChatID)
	if d.Again() {
		done(fmt.Errorf("daemon: not understood yet: %s", d.Ignored))
		return
	}
	done(nil)
}

// journal gives a receipt to the conversation's newest track. Behind a /new that is
// the one which it makes.
func (b *Bridge) journal(a arrival) {
	conversation := a.decision.Conversation
	if waiting, held := b.behind[conversation]; held {
		b.behind[conversation] = append(waiting, a)
		return
	}
	track, done := b.trackOf(conversation), a.done
	switch fact := a.decision.Fact.(type) {
	case t.StaleAnswered:
		track = b.askingTrack(track, fact)
	case t.NewRequested:
		b.behind[conversation] = nil
		done = func(err error) {
			a.done(err)
			b.parts.Scheduler.Post(func() { b.release(conversation) }) // once the track is noted
		}
	}
	b.engine.Submit(track, a.decision.Fact, done)
}

// release journals what came behind a /new.
func (b *Bridge) release(conversation string) {
	waiting := b.behind[conversation]
	delete(b.behind, conversation)
	for _, a := range waiting {
		b.journal(a)
	}
}

// askingTrack is the newest track up to this one on which there is a question that the
// answer may mean; this one, if there is none. A question stays with its track when the
// thread is lost.
func (b *Bridge) askingTrack(newest string, answer t.StaleAnswered) string {
	conversation, number := t.SplitTrack(newest)
	for ; number > 0; number-- {
		track := t.TrackOf(conversation, number)
		if d := b.asking[track]; d != nil && d.Asks(answer) {
			return track
		}
	}
	return newest
}

// watch has what a track waits for looked after.
func (b *Bridge) watch(track string, d *t.Data) {
	b.codex.Watch(track, d.Watch())
	b.held.watch(track, d)
	b.overdue.watch(track, d.Unsent())
	if delete(b.asking, track); d.Asking() {
		b.asking[track] = d
	}
	if delete(b.refused, track); d.Refused() {
		b.refused[track] = true
	}
	if delete(b.found, track); slices.Contains(d.Shut, t.ClosedByPolicy) && !d.Superseded {
		b.found[track] = d.Found
	}
}

// trackOf is the newest track of a conversation.
func (b *Bridge) trackOf(conversation string) string {
	if track, ok := b.newest[conversation]; ok {
		return track
	}
	return t.FirstTrack(conversation)
}

// noteTrack remembers a track if it is the newest of its conversation.
func (b *Bridge) noteTrack(track string) {
	conversation, number := t.SplitTrack(track)
	if _, known := t.SplitTrack(b.newest[conversation]); number > known {
		b.newest[conversation] = track
	}
}

func (b *Bridge) execute(track string, e t.Effect, a t.Attempt, done func(t.Report)) {
	report := func(r t.Report) {
		b.tell(track, e, r)
		done(r)
	}
	switch e := e.(type) {
	case t.HandOver:
		b.handOver(track, e, report)
		return
	case t.BindThread:
		b.held.claim(track, e.Thread)
	}
	if b.sender.Executes(e) {
		b.sender.Execute(e, a, report)
		return
	}
	b.codex.Execute(track, e, a, report)
}

// handOver gives a message to the conversation's next track.
func (b *Bridge) handOver(track string, e t.HandOver, done func(t.Report)) {
	message := e.Received(track)
	b.engine.Submit(t.NextTrack(track), message, func(err error) {
		if err != nil {
			done(t.Report{Again: &t.Again{Err: err}})
			return
		}
		done(t.Settled(t.HandedOver{Message: e.Message}))
	})
}

// tell says in the log what went wrong with an attempt: why it is to be repeated,
// once until the reason changes, and what will not be seen in the chat.
func (b *Bridge) tell(track string, e t.Effect, r t.Report) {
	key := track + " " + e.EffectName()
	if r.Again == nil {
		delete(b.failing, key)
	} else if why := r.Again.Err; why != nil && !errors.Is(why, codex.ErrNotConnected) && b.failing[key] != why.Error() {
		b.failing[key] = why.Error()
		b.parts.Log.Warn("to be tried again", "effect", e.EffectName(), "track", track, "err", why)
	}
	for _, f := range r.Facts {
		switch f := f.(type) {
		case t.DeliveryRefused:
			b.parts.Log.Error("Feishu refused a message for good; it stays in the ledger", "delivery", f.Delivery, "code", f.Code, "msg", f.Said)
		case t.DeliveryUnknown:
			b.parts.Log.Error("whether a message reached the chat is not known; it is not sent again", "delivery", f.Delivery)
		case t.ThreadRefused:
			b.parts.Log.Error("Codex opens no thread; check [codex] in the configuration, and Codex's own", "err", f.Said)
		}
	}
}

func (b *Bridge) hint(track string, e t.Effect) {
	b.codex.Execute(track, e, t.Attempt{Number: 1}, func(t.Report) {})
}

func (b *Bridge) stepped(e store.Entry) {
	b.watch(e.Instance, &e.Result.Data)
	b.parts.Log.Debug("step", "track", e.Instance, "fact", e.Fact.FactName(), "from", e.From, "to", e.Result.State, "why", e.Result.Why)
	for _, effect := range e.Result.Effects {
		if next, ok := effect.(t.OpenTrack); ok {
			b.noteTrack(next.Track)
			b.begin(next)
		}
	}
	switch e.Fact.(type) {
	case t.ThreadFound, t.ThreadUnavailable:
		b.held.release(e.Instance)
	}
	if conversation, _ := t.SplitTrack(e.Instance); t.Written(e.Fact) {
		b.retry(conversation)
	}
	if b.parts.Journalled != nil {
		b.parts.Journalled(e)
	}
}

// begin looks after a track that begins with a thread: others may be at work on it.
func (b *Bridge) begin(next t.OpenTrack) {
	if next.Thread == "" {
		return
	}
	data := next.Data()
	b.watch(next.Track, &data)
	b.hint(next.Track, t.Pull{Thread: next.Thread})
}

// retry tries again at once what the chat has not taken so far: somebody writes there,
// so that the platform can be reached, and the chat is open. The newest track sees that
// for itself.
func (b *Bridge) retry(conversation string) {
	b.engine.Kick(func(of string, e t.Effect) bool {
		in, _ := t.SplitTrack(of)
		return in == conversation && b.sender.Executes(e)
	})
	_, number := t.SplitTrack(b.trackOf(conversation))
	for number--; number > 0; number-- {
		if former := t.TrackOf(conversation, number); b.refused[former] {
			b.engine.Submit(former, t.ChatReopened{}, nil)
		}
	}
}

func (b *Bridge) engineTrouble(err error) {
	switch {
	case err == nil:
		b.trouble = ""
		b.parts.Log.Info("the ledger can be written again")
	case err.Error() != b.trouble:
		b.trouble = err.Error()
		b.parts.Log.Error("the ledger cannot take this; nothing is acknowledged that is not in it", "err", err)
	}
}

func (b *Bridge) feishuTrouble(tr feishu.Trouble) {
	if tr.Code == 0 {
		b.parts.Log.Info(tr.Sentence)
		if b.parts.Accepted != nil {
			b.parts.Accepted()
		}
		return
	}
	b.parts.Log.Error(tr.Sentence, "code", tr.Code)
}
