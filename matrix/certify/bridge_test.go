package certify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/adapters/sched"
	"deskbridge/matrix"
	"deskbridge/transitions"
)

const (
	// patience bounds a wait for what has to come.
	patience = time.Minute
	// silence is how long a wait is for what a version is known never to do.
	silence = 2 * time.Second
)

// newServer is a version's app-server behind a scripted model, not started yet: a
// bridge starts it. It ends with the test.
func newServer(t testing.TB, version string, script model.Script) *codex.Server {
	t.Helper()
	provider, err := model.Start(script)
	must(t, err)
	t.Cleanup(func() { check(t, provider.Close()) })
	home, err := matrix.StateFolder()
	must(t, err)
	t.Cleanup(func() { check(t, os.RemoveAll(home)) })
	must(t, model.WriteHome(home, provider.BaseURL()))
	short, err := os.MkdirTemp("", "desk-") // the path of a socket may be 107 bytes long only
	must(t, err)
	t.Cleanup(func() { check(t, os.RemoveAll(short)) })
	work := filepath.Join(short, "work")
	must(t, os.Mkdir(work, 0o755))
	s := &codex.Server{
		Command: program(t, version), Socket: filepath.Join(short, "s"),
		Home: home, Workdir: work, Log: filepath.Join(home, "codex.log"),
	}
	t.Cleanup(func() {
		if log, err := os.ReadFile(s.Log); t.Failed() && err == nil {
			t.Logf("the log of Codex %s:\n%s", version, log)
		}
		kill(t, s)
	})
	return s
}

// kill ends the server and its helpers as a crash would, if one was started.
func kill(t testing.TB, s *codex.Server) {
	t.Helper()
	id, err := os.ReadFile(s.Socket + ".lock")
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	must(t, err)
	digits, _, _ := strings.Cut(string(id), "-")
	pid, err := strconv.Atoi(digits)
	must(t, err)
	if err := syscall.Kill(-pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		check(t, err)
	}
	ctx, stop := context.WithTimeout(context.Background(), patience) // the test's may be over
	defer stop()
	check(t, s.End(ctx)) // returns once it is gone
}

// bridge is one run of the bridge's client, for one track, and what it was told.
type bridge struct {
	t    testing.TB
	loop *sched.Loop
	c    *codex.Client
	tap  *tap

	mu      sync.Mutex
	facts   []transitions.Fact
	changed chan struct{}
}

const track = "track"

// newBridge is a run, which ends with the test or with stop.
func newBridge(t testing.TB, s *codex.Server, run string, adjust ...func(*codex.Options)) *bridge {
	t.Helper()
	b := &bridge{t: t, loop: sched.NewLoop(), changed: make(chan struct{})}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.loop.Run(ctx)
	}()
	t.Cleanup(func() {
		end()
		<-ended
	})
	b.tap = &tap{came: func() { b.tell(nil) }, dialer: &codex.UnixDialer{Socket: s.Socket, Ensure: s.Ensure, Post: b.loop.Post}}
	o := codex.Options{
		Scheduler: b.loop, RunID: run, Workdir: s.Workdir, Dialer: b.tap,
		Emit: func(_ string, facts []transitions.Fact) { b.tell(facts) },
		OnTrouble: func(trouble *codex.Trouble) {
			// A server that a test has killed is a matter of course; a start is not.
			if trouble.Kind != codex.NotAnswering {
				t.Error(trouble)
			}
		},
		PollMin: 100 * time.Millisecond, InterruptTimeout: patience / 2,
	}
	for _, f := range adjust {
		f(&o)
	}
	b.c = codex.New(o)
	b.loop.Post(b.c.Start)
	t.Cleanup(b.stop)
	return b
}

// stop ends the run.
func (b *bridge) stop() { check(b.t, b.loop.Call(context.Background(), b.c.Stop)) }

// drop loses the connection, as a network would.
func (b *bridge) drop() { b.loop.Post(func() { b.tap.conn.Close() }) }

// told are the facts so far.
func (b *bridge) told() []transitions.Fact {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.facts)
}

func (b *bridge) tell(facts []transitions.Fact) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.facts = append(b.facts, facts...)
	close(b.changed)
	b.changed = make(chan struct{})
}

// within waits for a fact, among those that were and will be told, but not longer.
func within[F transitions.Fact](b *bridge, limit time.Duration, match func(F) bool) (F, bool) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.t.Context(), limit)
	defer stop()
	for {
		b.mu.Lock()
		facts, changed := slices.Clone(b.facts), b.changed
		b.mu.Unlock()
		for _, fact := range facts {
			if f, ok := fact.(F); ok && match(f) {
				return f, true
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			var none F
			return none, false
		}
	}
}

// await waits for a fact that has to come.
func await[F transitions.Fact](b *bridge, match func(F) bool) F {
	b.t.Helper()
	f, ok := within(b, patience, match)
	if !ok {
		b.t.Fatalf("no such %s among %+v", f.FactName(), b.told())
	}
	return f
}

// do carries an effect out, as often as that takes, and returns its one fact.
func (b *bridge) do(e transitions.Effect) transitions.Fact {
	b.t.Helper()
	fact, _ := b.try(e)
	return fact
}

// try is do, and tells why it took more than one attempt.
func (b *bridge) try(e transitions.Effect) (transitions.Fact, []error) {
	b.t.Helper()
	type settled struct {
		fact  transitions.Fact
		again []error
	}
	done := make(chan settled, 1)
	var again []error
	var try func(number int)
	try = func(number int) {
		b.c.Execute(track, e, transitions.Attempt{Number: number}, func(r transitions.Report) {
			if r.Again != nil {
				again = append(again, r.Again.Err)
				b.loop.After(50*time.Millisecond, func() { try(number + 1) })
				return
			}
			done <- settled{r.Facts[0], again}
		})
	}
	b.loop.Post(func() { try(1) })
	select {
	case s := <-done:
		return s.fact, s.again
	case <-time.After(patience):
		b.t.Fatalf("%s was never settled", e.EffectName())
		return nil, nil
	}
}

// watch waits for the turns' ends from now on; without turns, for the thread to be read.
func (b *bridge) watch(thread string, turns ...string) {
	b.loop.Post(func() {
		b.c.Watch(track, transitions.Watch{Thread: thread, Turns: turns, Unsettled: true})
	})
}

// open opens a thread.
func (b *bridge) open() string {
	b.t.Helper()
	fact := b.do(transitions.OpenThread{})
	opened, ok := fact.(transitions.ThreadOpened)
	if !ok {
		b.t.Fatalf("%+v", fact)
	}
	return opened.Thread
}

// start starts a turn that the server has to accept.
func (b *bridge) start(thread, message, text string) (turn string) {
	b.t.Helper()
	fact := b.do(startTurn(thread, message, text))
	accepted, ok := fact.(transitions.TurnStartAccepted)
	if !ok {
		b.t.Fatalf("%+v", fact)
	}
	return accepted.Turn
}

// begin starts a turn and waits for its end from now on.
func (b *bridge) begin(thread, message, text string) (turn string) {
	b.t.Helper()
	turn = b.start(thread, message, text)
	b.watch(thread, turn)
	return turn
}

// running waits until the turn holds the message.
func (b *bridge) running(turn, message string) {
	b.t.Helper()
	await(b, func(f transitions.TurnRunning) bool { return f.Turn == turn && slices.Contains(f.Messages, message) })
}

// ended waits for the turn's end and compares it.
func (b *bridge) ended(want transitions.TurnEnded) {
	b.t.Helper()
	same(b.t, want, b.end(want.Turn))
}

// end waits for the turn's end.
func (b *bridge) end(turn string) transitions.TurnEnded {
	b.t.Helper()
	return await(b, func(f transitions.TurnEnded) bool { return f.Turn == turn })
}

// whole is a turn from its start to its end, which has to be an answer.
func (b *bridge) whole(thread, message, text string) (turn string) {
	b.t.Helper()
	turn = b.begin(thread, message, text)
	b.ended(transitions.TurnEnded{
		Turn: turn, Status: transitions.EndCompleted, Messages: []string{message}, Reply: "reply to: " + text,
	})
	return turn
}

// idle waits until a read has shown the thread idle, and the turn if one is named.
func (b *bridge) idle(turn string) transitions.PullAnswered {
	b.t.Helper()
	return await(b, func(f transitions.PullAnswered) bool {
		return f.Idle && (turn == "" || slices.Contains(f.Turns, turn))
	})
}

// busy waits until a read has shown that the thread is not.
func (b *bridge) busy() transitions.PullAnswered {
	b.t.Helper()
	return await(b, func(f transitions.PullAnswered) bool { return !f.Idle })
}

func startTurn(thread, message, text string) transitions.StartTurn {
	return transitions.StartTurn{Thread: thread, Created: now(), Message: message, Text: text}
}

func steerTurn(thread, turn, message, text string) transitions.SteerTurn {
	return transitions.SteerTurn{Thread: thread, Turn: turn, Created: now(), Message: message, Text: text}
}

// now is when a message was written that is not old.
func now() transitions.Millis { return transitions.Millis(time.Now().UnixMilli()) }

// tap is a dialer whose connection can be cut and whose frames can be read. Only
// functions of the loop use it.
type tap struct {
	dialer codex.Dialer
	conn   codex.Conn
	frames [][]byte
	came   func() // is told of a frame
}

func (t *tap) Dial(h codex.Handler) (cancel func()) {
	opened, frame := h.Opened, h.Frame
	h.Opened = func(c codex.Conn) {
		t.conn = c
		opened(c)
	}
	h.Frame = func(raw []byte) {
		t.frames = append(t.frames, raw)
		t.came()
		frame(raw)
	}
	return t.dialer.Dial(h)
}

// heard waits for a frame that contains all texts.
func (b *bridge) heard(texts ...string) {
	b.t.Helper()
	contains := func(frame []byte) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(string(frame), text) })
	}
	ctx, stop := context.WithTimeout(b.t.Context(), patience)
	defer stop()
	for {
		b.mu.Lock()
		changed := b.changed // taken before the look
		b.mu.Unlock()
		var found bool
		must(b.t, b.loop.Call(ctx, func() { found = slices.ContainsFunc(b.tap.frames, contains) }))
		if found {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			b.t.Fatalf("no frame with %q", texts)
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Error(err)
	}
}
