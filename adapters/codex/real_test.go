package codex

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/codexbin"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/adapters/sched"
	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

// The tests in this file run a real Codex behind a scripted model, started as a
// running bridge starts it.

// repository is the folder that holds go.mod.
const repository = "../.."

// codexServer is a real app-server, not started yet, which ends with the test.
func codexServer(t *testing.T, script model.Script) *Server {
	t.Helper()
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := codexbin.Fetch(t.Context(), filepath.Join(root, ".cache", "codex"), codexbin.Default)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := model.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := provider.Close(); err != nil {
			t.Error(err)
		}
	})
	// Codex's state must not lie under the system's temporary folder; its socket
	// has to have a short path.
	tests := filepath.Join(root, ".cache", "test")
	if err := os.MkdirAll(tests, 0o755); err != nil {
		t.Fatal(err)
	}
	home, err := os.MkdirTemp(tests, "codex-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	work := filepath.Join(home, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := model.WriteHome(home, provider.BaseURL()); err != nil {
		t.Fatal(err)
	}
	s := &Server{
		Command: binary, Socket: filepath.Join(shortFolder(t), "s"),
		Home: home, Workdir: work, Log: filepath.Join(home, "codex.log"),
	}
	t.Cleanup(func() {
		if log, err := os.ReadFile(s.Log); t.Failed() && err == nil {
			t.Logf("the log of Codex:\n%s", log)
		}
		kill(t, s)
	})
	return s
}

// bridge is a client of a real server, and what it was told.
type bridge struct {
	t    *testing.T
	loop *sched.Loop
	c    *Client

	mu      sync.Mutex
	facts   []transitions.Fact
	changed chan struct{}
}

// newBridge is one run of the bridge, which ends with the test or with stop.
func newBridge(t *testing.T, s *Server, run string, more ...func(*bridge, *Server) func(*Options)) *bridge {
	t.Helper()
	var adjust []func(*bridge) func(*Options)
	for _, a := range more {
		adjust = append(adjust, func(b *bridge) func(*Options) { return a(b, s) })
	}
	return newBridgeOver(t, run, s.Workdir, func(post func(func())) Dialer {
		return &UnixDialer{Socket: s.Socket, Ensure: s.Ensure, Post: post}
	}, adjust...)
}

// newBridgeOver is newBridge over any transport.
func newBridgeOver(t *testing.T, run, workdir string, dialer func(post func(func())) Dialer, more ...func(*bridge) func(*Options)) *bridge {
	t.Helper()
	b := &bridge{t: t, loop: loop(t), changed: make(chan struct{})}
	o := Options{
		Scheduler: b.loop, RunID: run, Workdir: workdir,
		Dialer: dialer(b.loop.Post), Rand: rand.Float64, RetryMax: time.Second,
		Emit: func(_ string, facts []transitions.Fact) { b.told(facts) },
		OnTrouble: func(trouble *Trouble) {
			// A server that a test has killed is a matter of course; a start is not.
			if trouble.Kind != NotAnswering {
				t.Error(trouble)
			}
		},
		PollMin: 100 * time.Millisecond, Settle: 500 * time.Millisecond,
	}
	for _, adjust := range more {
		adjust(b)(&o)
	}
	b.c = New(o)
	b.loop.Post(b.c.Start)
	t.Cleanup(b.stop)
	return b
}

// stop ends the run.
func (b *bridge) stop() {
	if err := b.loop.Call(context.Background(), b.c.Stop); err != nil {
		b.t.Error(err)
	}
}

// status is the client's.
func (b *bridge) status() (s Status) {
	b.t.Helper()
	if err := b.loop.Call(b.t.Context(), func() { s = b.c.Status() }); err != nil {
		b.t.Fatal(err)
	}
	return s
}

// awaitStatus waits until something holds of the client's status.
func (b *bridge) awaitStatus(match func(Status) bool) (s Status) {
	b.t.Helper()
	until(b.t, func() bool {
		s = b.status()
		return match(s)
	})
	return s
}

func (b *bridge) told(facts []transitions.Fact) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.facts = append(b.facts, facts...)
	close(b.changed)
	b.changed = make(chan struct{})
}

// await waits for a fact, among those that were and will be told.
func await[F transitions.Fact](b *bridge, match func(F) bool) F {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.t.Context(), time.Minute)
	defer stop()
	for {
		b.mu.Lock()
		facts, changed := slices.Clone(b.facts), b.changed
		b.mu.Unlock()
		for _, fact := range facts {
			if f, ok := fact.(F); ok && match(f) {
				return f
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			var f F
			b.t.Fatalf("no such %s among %+v", f.FactName(), facts)
		}
	}
}

// do carries an effect out, as often as that takes, and returns its one fact.
func (b *bridge) do(e transitions.Effect) transitions.Fact {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.t.Context(), time.Minute)
	defer stop()
	settled := make(chan transitions.Fact, 1)
	var try func(number int)
	try = func(number int) {
		b.c.Execute(track, e, transitions.Attempt{Number: number}, func(r transitions.Report) {
			if r.Again != nil {
				b.loop.After(50*time.Millisecond, func() { try(number + 1) })
				return
			}
			settled <- r.Facts[0]
		})
	}
	b.loop.Post(func() { try(1) })
	select {
	case fact := <-settled:
		return fact
	case <-ctx.Done():
		b.t.Fatalf("%s was never settled", e.EffectName())
		return nil
	}
}

func (b *bridge) watch(thread string, turns ...string) {
	b.loop.Post(func() {
		b.c.Watch(track, transitions.Watch{Thread: thread, Turns: turns, Unsettled: len(turns) > 0})
	})
}

// open opens a thread.
func (b *bridge) open() string {
	b.t.Helper()
	return b.do(transitions.OpenThread{}).(transitions.ThreadOpened).Thread
}

// begin starts a turn and waits for its end from now on.
func (b *bridge) begin(thread, message, text string) string {
	b.t.Helper()
	fact := b.do(transitions.StartTurn{Thread: thread, Created: now(), Message: message, Text: text})
	accepted, ok := fact.(transitions.TurnStartAccepted)
	if !ok {
		b.t.Fatalf("%+v", fact)
	}
	b.watch(thread, accepted.Turn)
	return accepted.Turn
}

// running waits until the turn holds the message.
func (b *bridge) running(turn, message string) {
	b.t.Helper()
	await(b, func(f transitions.TurnRunning) bool { return f.Turn == turn && slices.Contains(f.Messages, message) })
}

// ended waits for the turn's end and compares it.
func (b *bridge) ended(want transitions.TurnEnded) {
	b.t.Helper()
	got := await(b, func(f transitions.TurnEnded) bool { return f.Turn == want.Turn })
	if diff := cmp.Diff(want, got); diff != "" {
		b.t.Errorf("end (-want +got):\n%s", diff)
	}
}

func (b *bridge) idle() transitions.PullAnswered {
	b.t.Helper()
	return await(b, func(f transitions.PullAnswered) bool { return f.Idle })
}

func TestATurnOutlivesTheBridgeAndTheNextRunAdoptsItsServer(t *testing.T) {
	t.Parallel()
	gate := model.NewGate()
	s := codexServer(t, func(r model.Request) model.Reply {
		if r.LastText() == "slow one" {
			return model.Echo(r).Held(gate)
		}
		return model.Echo(r)
	})
	first := newBridge(t, s, "first")
	thread := first.open()
	turn := first.begin(thread, "om_1", "hello")
	first.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndCompleted, Messages: []string{"om_1"}, Reply: "reply to: hello"})
	before := first.idle().Link

	turn = first.begin(thread, "om_2", "slow one")
	first.running(turn, "om_2")
	first.stop()
	gate.Open()

	second := newBridge(t, s, "second")
	second.watch(thread, turn)
	second.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndCompleted, Messages: []string{"om_2"}, Reply: "reply to: slow one"})
	after := second.idle().Link
	if after.Generation != before.Generation || after.Generation == "" || after.Connection == before.Connection {
		t.Errorf("link %+v before, %+v after: want another connection to the same process", before, after)
	}
	// A thread of an earlier connection is resumed before it takes a turn.
	turn = second.begin(thread, "om_3", "and now")
	second.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndCompleted, Messages: []string{"om_3"}, Reply: "reply to: and now"})
}

func TestAKilledServerIsStartedAgainAndItsTurnReadsAsInterrupted(t *testing.T) {
	t.Parallel()
	gate := model.NewGate()
	defer gate.Open()
	s := codexServer(t, func(r model.Request) model.Reply {
		if r.LastText() == "slow one" {
			return model.Echo(r).Held(gate)
		}
		return model.Echo(r)
	})
	b := newBridge(t, s, "run")
	thread := b.open()
	turn := b.begin(thread, "om_1", "slow one")
	b.running(turn, "om_1")
	before := await(b, func(f transitions.PullAnswered) bool { return !f.Idle }).Link

	kill(t, s)
	// Whether its items were on disk yet is a matter of chance.
	if got := await(b, func(f transitions.TurnEnded) bool { return f.Turn == turn }); got.Status != transitions.EndInterrupted {
		t.Errorf("end %+v, want an interrupted turn", got)
	}
	after := await(b, func(f transitions.PullAnswered) bool { return f.Idle && f.Link.Connection != before.Connection }).Link
	if after.Generation == before.Generation || after.Generation == "" {
		t.Errorf("link %+v before, %+v after: want another process", before, after)
	}
	turn = b.begin(thread, "om_2", "and now")
	b.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndCompleted, Messages: []string{"om_2"}, Reply: "reply to: and now"})
}

func TestSteeringInterruptingAndTheirRefusals(t *testing.T) {
	t.Parallel()
	gate := model.NewGate()
	defer gate.Open()
	s := codexServer(t, func(r model.Request) model.Reply { return model.Echo(r).Held(gate) })
	b := newBridge(t, s, "run")
	thread := b.open()
	turn := b.begin(thread, "om_1", "slow one")
	b.running(turn, "om_1")

	facts := func(got transitions.Fact, want transitions.Fact) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("fact (-want +got):\n%s", diff)
		}
	}
	const other = "00000000-0000-7000-8000-000000000000"
	wrong := b.do(transitions.SteerTurn{Thread: thread, Created: now(), Turn: other, Message: "om_2", Text: "no"}).(transitions.SteerRefused)
	facts(wrong, transitions.SteerRefused{Message: "om_2", Turn: other, Refusal: transitions.OtherTurn, Said: wrong.Said})
	facts(b.do(transitions.SteerTurn{Thread: thread, Created: now(), Turn: turn, Message: "om_3", Text: "also this"}),
		transitions.SteerAccepted{Message: "om_3", Turn: turn})
	b.running(turn, "om_3")
	facts(b.do(transitions.InterruptTurn{Thread: thread, Turn: turn}), transitions.InterruptAccepted{Turn: turn})
	b.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndInterrupted, Messages: []string{"om_1", "om_3"}})
	facts(b.do(transitions.InterruptTurn{Thread: thread, Turn: turn}),
		transitions.InterruptRefused{Turn: turn, Said: "no active turn to interrupt"})
	facts(b.do(transitions.SteerTurn{Thread: thread, Created: now(), Turn: turn, Message: "om_4", Text: "late"}),
		transitions.SteerRefused{Message: "om_4", Turn: turn, Refusal: transitions.NoActiveTurn, Said: "no active turn to steer"})
}

func TestAThreadWithoutAFirstTurnIsGoneWithItsServer(t *testing.T) {
	t.Parallel()
	s := codexServer(t, model.Echo)
	b := newBridge(t, s, "run")
	thread := b.open()
	// Another run of the bridge finds it all the same, as long as the server lives.
	b.stop()
	b = newBridge(t, s, "next")
	b.loop.Post(func() { b.c.Watch(track, transitions.Watch{Thread: thread, Unsettled: true}) })
	if got := b.idle(); len(got.Turns) != 0 {
		t.Errorf("turns %v of a thread that has none", got.Turns)
	}
	b.loop.Post(func() { b.c.Watch(track, transitions.Watch{Thread: thread}) })

	kill(t, s)
	fact := b.do(transitions.StartTurn{Thread: thread, Created: now(), Message: "om_1", Text: "hello"})
	for {
		// A start that the dying server was given is lost, not refused.
		if _, lost := fact.(transitions.TurnStartUnknown); !lost {
			break
		}
		fact = b.do(transitions.StartTurn{Thread: thread, Created: now(), Message: "om_1", Text: "hello"})
	}
	want := transitions.TurnStartRefused{Message: "om_1", Refusal: transitions.ThreadGone, Said: "thread not found: " + thread}
	if diff := cmp.Diff(transitions.Fact(want), fact); diff != "" {
		t.Errorf("fact (-want +got):\n%s", diff)
	}
}

// now is when a message was written that is not old.
func now() transitions.Millis { return transitions.Millis(time.Now().UnixMilli()) }
