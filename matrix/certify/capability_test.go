package certify

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/transitions"
)

// capability is one thing that the bridge needs of Codex.
type capability struct {
	// name is that of the subtest and of the column.
	name string
	// means is what holds where it works, for the document.
	means string
	// own says that the server is not shared: it is killed, or kept busy.
	own bool
	// try finds out. It fails the test, or says that the version deviates.
	try func(*trial)
}

// trial is one capability being tried on one version.
type trial struct {
	*testing.T
	server *codex.Server
	// limit bounds the wait for what a gap is about: short where one is declared.
	limit time.Duration
	// deviates is the version's own way, where it has one that is known.
	deviates deviation
}

func (t *trial) bridge() *bridge {
	t.Helper()
	return newBridge(t.T, t.server, strings.ReplaceAll(t.Name(), "/", "-"))
}

// deviation is a way in which versions differ from what the bridge would like.
type deviation string

const (
	phantomID   deviation = "phantom id"
	unanswered  deviation = "unanswered"
	afterAnswer deviation = "after the answer"
	noDeviation deviation = ""
)

// slow is how a text begins that the model answers once the text's gate is open.
const slow = "slow "

// slowText is what is known of a slow text. Each names its test, and so is used once.
type slowText struct {
	gate  *model.Gate
	asked chan struct{} // closed once the model is asked about it
	once  sync.Once
}

var slowTexts sync.Map

func slowly(text string) *slowText {
	s, _ := slowTexts.LoadOrStore(text, &slowText{gate: model.NewGate(), asked: make(chan struct{})})
	return s.(*slowText)
}

func openGate(text string) { slowly(text).gate.Open() }

// asked waits until the model is asked about a slow text.
func (t *trial) asked(text string) {
	t.Helper()
	select {
	case <-slowly(text).asked:
	case <-time.After(patience):
		t.Fatalf("the model was never asked about %q", text)
	}
}

// script is the model of all servers. It sends a text "escape PATH" as a command
// that would make the file outside of the sandbox.
func script(r model.Request) model.Reply {
	last := r.LastText()
	switch path, escapes := strings.CutPrefix(last, "escape "); {
	case last == "fail":
		return model.Fail("boom")
	case strings.HasPrefix(last, slow):
		text := slowly(last)
		text.once.Do(func() { close(text.asked) })
		return model.Echo(r).Held(text.gate)
	case escapes && len(r.Outputs) == 0:
		return model.Do(model.ExecAsking("touch "+path, "to leave a trace"))
	case last == recall:
		return model.Say(strings.Join(r.Texts, " | "))
	default:
		return model.Echo(r)
	}
}

// recall is a text to which the model answers with all texts that it knows.
const recall = "recall"

var capabilities = []capability{
	{
		name: "start", means: "a turn is started, its text becomes an item, and its end and answer can be read",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			turn := b.whole(thread, "om_1", "hello")
			b.idle(turn)
		},
	},
	{
		name: "client ids", means: "the message's id comes back as the item's, at once while the turn runs and in the stored turn",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			text := slow + t.Name()
			turn := b.begin(thread, "om_live", text)
			b.running(turn, "om_live")
			b.heard(`"method":"item/started"`, `"clientId":"om_live"`, turn)
			openGate(text)
			b.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndCompleted, Messages: []string{"om_live"}, Reply: "reply to: " + text})
		},
	},
	{
		name: "start while active", means: "a `turn/start` during a turn is folded into that turn and answers with its id",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			text := slow + t.Name()
			turn := b.begin(thread, "om_1", text)
			b.running(turn, "om_1")
			// The client takes a start back once where it knows of a turn that its track does not.
			fact := b.do(startTurn(thread, "om_2", "second"))
			if _, back := fact.(transitions.TurnStartWithdrawn); back {
				fact = b.do(startTurn(thread, "om_2", "second"))
			}
			accepted, ok := fact.(transitions.TurnStartAccepted)
			if !ok {
				t.Fatalf("%+v", fact)
			}
			if other := accepted.Turn; other != turn {
				t.deviates = phantomID
				defer func() {
					if got := b.idle(turn); slices.Contains(got.Turns, other) {
						t.Errorf("turn %s began after all: %v", other, got.Turns)
					}
				}()
			}
			openGate(text)
			if got := b.end(turn); !slices.Equal(got.Messages, []string{"om_1", "om_2"}) || !strings.HasSuffix(got.Reply, "reply to: second") {
				t.Errorf("end %+v: want both messages in the turn that was active, and an answer to the second", got)
			}
		},
	},
	{
		name: "steer", means: "a text goes into the running turn, which answers it",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			text := slow + t.Name()
			turn := b.begin(thread, "om_1", text)
			b.running(turn, "om_1")
			same(t.T, transitions.Fact(transitions.SteerAccepted{Message: "om_2", Turn: turn}),
				b.do(steerTurn(thread, turn, "om_2", "also this")))
			openGate(text)
			if got := b.end(turn); got.Status != transitions.EndCompleted || !slices.Equal(got.Messages, []string{"om_1", "om_2"}) ||
				!strings.HasSuffix(got.Reply, "reply to: also this") {
				t.Errorf("end %+v: want both messages, and an answer to the second", got)
			}
		},
	},
	{
		name: "steer at once", means: "a steer reaches the model at once: its item does not wait for the answer that is under way",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			text := slow + t.Name()
			turn := b.begin(thread, "om_1", text)
			b.running(turn, "om_1")
			b.do(steerTurn(thread, turn, "om_2", "also this"))
			want := "reply to: also this"
			if _, ok := within(b, t.limit, func(f transitions.TurnRunning) bool { return slices.Contains(f.Messages, "om_2") }); !ok {
				t.deviates = afterAnswer
				want = "reply to: " + text + "\n\n" + want
			}
			openGate(text)
			b.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndCompleted, Messages: []string{"om_1", "om_2"}, Reply: want})
		},
	},
	{
		name: "refused steers", means: "a steer of another turn, or of none, is refused in words that are known",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			text := slow + t.Name()
			turn := b.begin(thread, "om_1", text)
			b.running(turn, "om_1")
			const other = "00000000-0000-7000-8000-000000000000"
			refused := func(got transitions.Fact, turn, message string, why transitions.Refusal) {
				t.Helper()
				if f, ok := got.(transitions.SteerRefused); !ok || f.Turn != turn || f.Message != message || f.Refusal != why {
					t.Errorf("%+v, want a refusal of %s: %s", got, message, why)
				}
			}
			refused(b.do(steerTurn(thread, other, "om_2", "no")), other, "om_2", transitions.OtherTurn)
			openGate(text)
			b.end(turn)
			b.idle(turn)
			refused(b.do(steerTurn(thread, turn, "om_3", "late")), turn, "om_3", transitions.NoActiveTurn)
		},
	},
	{
		name: "interrupt", means: "a running turn is ended and reads `interrupted`, with the messages that went into it",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			turn := b.begin(thread, "om_1", slow+t.Name())
			b.running(turn, "om_1")
			t.asked(slow + t.Name()) // before that, old versions store the turn without its text now and then
			stopTurn(t, b, thread, turn)
			b.whole(thread, "om_2", "and now")
		},
	},
	{
		name: "second interrupt", means: "interrupting a turn that was interrupted is refused at once",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			turn := b.begin(thread, "om_1", slow+t.Name())
			b.running(turn, "om_1")
			t.asked(slow + t.Name()) // before that, old versions store the turn without its text now and then
			stopTurn(t, b, thread, turn)
			b.idle(turn)
			b.stop()
			b = newBridge(t.T, t.server, "second", func(o *codex.Options) { o.InterruptTimeout = t.limit })
			switch got := b.do(transitions.InterruptTurn{Thread: thread, Turn: turn}).(type) {
			case transitions.InterruptUnknown:
				t.deviates = unanswered
			default:
				same(t.T, transitions.Fact(transitions.InterruptRefused{Turn: turn, Said: "no active turn to interrupt"}), got)
			}
			b.whole(thread, "om_2", "and now") // which the second one does not hit
		},
	},
	{
		name: "late interrupt", means: "interrupting a turn that has ended by itself is refused at once",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			turn := b.whole(thread, "om_1", "hello")
			b.idle(turn)
			same(t.T, transitions.Fact(transitions.InterruptRefused{Turn: turn, Said: "no active turn to interrupt"}),
				b.do(transitions.InterruptTurn{Thread: thread, Turn: turn}))
		},
	},
	{
		name: "failed turn", means: "a turn whose model failed reads `failed`, with the reason, and the thread goes on",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			turn := b.begin(thread, "om_1", "fail")
			want := transitions.TurnEnded{
				Turn: turn, Status: transitions.EndFailed, Messages: []string{"om_1"}, Said: "stream disconnected before completion: boom",
			}
			b.ended(want)
			b.heard(`"method":"turn/completed"`, turn, `"status":"failed"`, "boom")
			b.whole(thread, "om_2", "and now")
		},
	},
	{
		name: "resume", means: "the next run of the bridge finds the server and the thread, and goes on in it",
		try: func(t *trial) {
			first := t.bridge()
			thread := first.open()
			before := first.idle(first.whole(thread, "om_1", "hello")).Link
			first.stop()
			second := newBridge(t.T, t.server, "second")
			turn := second.whole(thread, "om_2", "and now")
			after := second.idle(turn)
			if after.Link.Generation != before.Generation || after.Link.Generation == "" {
				t.Errorf("server %q before and %q after, want the same", before.Generation, after.Link.Generation)
			}
			if len(after.Turns) != 2 {
				t.Errorf("turns %v, want both", after.Turns)
			}
		},
	},
	{
		name: "drop and resume", means: "a turn runs on while the connection is lost, and is read and steered over the next one",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			text := slow + t.Name()
			turn := b.begin(thread, "om_1", text)
			b.running(turn, "om_1")
			before := b.busy().Link
			b.drop()
			after := await(b, func(f transitions.PullAnswered) bool { return f.Link != before }).Link
			if after.Generation != before.Generation || after.Connection == before.Connection {
				t.Errorf("link %+v before, %+v after: want another connection to the same server", before, after)
			}
			same(t.T, transitions.Fact(transitions.SteerAccepted{Message: "om_2", Turn: turn}),
				b.do(steerTurn(thread, turn, "om_2", "also this")))
			openGate(text)
			if got := b.end(turn); got.Status != transitions.EndCompleted || !slices.Equal(got.Messages, []string{"om_1", "om_2"}) {
				t.Errorf("end %+v: want both messages in a completed turn", got)
			}
		},
	},
	{
		name: "late end", means: "a turn that ends while nobody is connected is read later, in full",
		try: func(t *trial) {
			first := t.bridge()
			thread := first.open()
			text := slow + t.Name()
			turn := first.begin(thread, "om_1", text)
			first.running(turn, "om_1")
			first.stop()
			openGate(text)
			second := newBridge(t.T, t.server, "second")
			second.watch(thread, turn)
			second.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndCompleted, Messages: []string{"om_1"}, Reply: "reply to: " + text})
		},
	},
	{
		name: "declined request", means: "a request that the bridge declines approves nothing, and the turn goes on",
		try: func(t *trial) {
			b := t.bridge()
			trace := filepath.Join(t.server.Home, "trace")
			b.whole(b.open(), "om_1", "escape "+trace)
			b.heard(`"method":"item/commandExecution/requestApproval"`)
			if _, err := os.Stat(trace); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the command was carried out (%v)", err)
			}
		},
	},
	{
		name: "overload", own: true, means: "a call that an overloaded server answers with -32001 was not carried out, and its repetition runs once",
		try: overload,
	},
	{
		name: "kill and restart", own: true, means: "a killed server is started again; its stored threads are read and go on",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			before := b.idle(b.whole(thread, "om_1", "hello")).Link
			kill(t.T, t.server)
			other := await(b, func(f transitions.PullAnswered) bool { return f.Link.Generation != before.Generation })
			if len(other.Turns) != 1 || !other.Idle {
				t.Errorf("snapshot %+v of the new process, want the stored turn of an idle thread", other)
			}
			turn := b.whole(thread, "om_2", "and now")
			if got := b.idle(turn).Turns; len(got) != 2 {
				t.Errorf("turns %v, want both", got)
			}
		},
	},
	{
		name: "killed turn", own: true, means: "a turn whose server was killed reads `interrupted`, and is told so",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			b.whole(thread, "om_0", "hello")
			turn := b.begin(thread, "om_1", slow+t.Name())
			b.running(turn, "om_1")
			b.busy()
			kill(t.T, t.server)
			// Whether its items were on disk yet is a matter of chance.
			if got := b.end(turn); got.Status != transitions.EndInterrupted {
				t.Errorf("end %+v, want an interrupted turn", got)
			}
			b.whole(thread, "om_2", "and now")
		},
	},
	{
		name: "lost thread", own: true, means: "a thread that is gone is said to be, and the next text opens a new one",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			kill(t.T, t.server)
			gone(t, b, thread)
			b.whole(b.open(), "om_1", "hello")
		},
	},
	{
		name: "lost files", own: true, means: "a stored thread whose files are gone is said to be gone, and the next text opens a new one",
		try: func(t *trial) {
			b := t.bridge()
			thread := b.open()
			b.whole(thread, "om_0", "hello")
			b.stop()
			kill(t.T, t.server)
			check(t, os.RemoveAll(filepath.Join(t.server.Home, "sessions")))
			b = newBridge(t.T, t.server, "second")
			gone(t, b, thread)
			b.whole(b.open(), "om_1", "hello")
		},
	},
	{
		name: "rebuild", means: "a thread that takes the place of a lost one is given what was said in that, and the model has it",
		try: func(t *trial) {
			b := newBridge(t.T, t.server, "rebuild", func(o *codex.Options) {
				o.Transcript = func(string) ([]transitions.Utterance, error) {
					return []transitions.Utterance{{Text: "call me Ishmael"}, {Codex: true, Text: "reply to: call me Ishmael"}}, nil
				}
			})
			opened, ok := b.do(transitions.OpenThread{Rebuild: true}).(transitions.ThreadOpened)
			if !ok || opened.Transcript != transitions.TranscriptGiven {
				t.Fatalf("%+v", opened)
			}
			turn := b.begin(opened.Thread, "om_1", recall)
			b.ended(transitions.TurnEnded{
				Turn: turn, Status: transitions.EndCompleted, Messages: []string{"om_1"}, Reply: "call me Ishmael | " + recall,
			})
		},
	},
}

// stopTurn interrupts a running turn that holds the message om_1, and wants it ended.
func stopTurn(t *trial, b *bridge, thread, turn string) {
	t.Helper()
	same(t.T, transitions.Fact(transitions.InterruptAccepted{Turn: turn}), b.do(transitions.InterruptTurn{Thread: thread, Turn: turn}))
	b.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndInterrupted, Messages: []string{"om_1"}})
}

// gone wants a start in the thread to be refused since there is no such thread.
func gone(t *trial, b *bridge, thread string) {
	t.Helper()
	fact := b.do(startTurn(thread, "om_1", "hello"))
	for {
		// A start that a dying server was given is lost, not refused.
		if _, lost := fact.(transitions.TurnStartUnknown); !lost {
			break
		}
		fact = b.do(startTurn(thread, "om_1", "hello"))
	}
	want := transitions.TurnStartRefused{Message: "om_1", Refusal: transitions.ThreadGone, Said: "thread not found: " + thread}
	same(t.T, transitions.Fact(want), fact)
}

// overload asks more of the server at once than it takes in: 128 calls wait, and
// the others are refused.
func overload(t *trial) {
	const burst, rounds, overloaded = 1000, 20, -32001
	b := t.bridge()
	thread := b.open()
	ended := b.whole(thread, "om_0", "hello")
	for n := range rounds {
		b.loop.Post(func() {
			for range burst {
				b.c.Execute(track, transitions.InterruptTurn{Thread: thread, Turn: ended}, transitions.Attempt{Number: 1}, func(transitions.Report) {})
			}
		})
		message := fmt.Sprint("om_", n+1)
		fact, again := b.try(startTurn(thread, message, "under load"))
		accepted, ok := fact.(transitions.TurnStartAccepted)
		if !ok {
			t.Fatalf("%+v", fact)
		}
		b.watch(thread, accepted.Turn)
		b.ended(transitions.TurnEnded{Turn: accepted.Turn, Status: transitions.EndCompleted, Messages: []string{message}, Reply: "reply to: under load"})
		if got := b.idle(accepted.Turn).Turns; len(got) < 2 || got[0] != accepted.Turn {
			t.Errorf("turns %v, want none after %s", got, accepted.Turn)
		}
		var refusal *codex.CallError
		if len(again) > 0 && errors.As(again[0], &refusal) && refusal.Code == overloaded {
			return
		}
	}
	t.Errorf("a turn/start behind %d calls was never refused for overload, in %d attempts", burst, rounds)
}

func same[T any](t testing.TB, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
