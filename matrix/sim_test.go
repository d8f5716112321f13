package matrix

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/sandbox/appserver"
	platform "deskbridge/adapters/sandbox/feishu"
	"deskbridge/golden"
	"deskbridge/matrix/audit"
)

// slowly holds the first turn until it is released, and echoes after that.
func slowly(a appserver.Ask) []appserver.Step {
	if a.LastText() == "slow" {
		return []appserver.Step{appserver.Hold("slow"), appserver.Say("slow done")}
	}
	return appserver.Echo(a)
}

// start makes a world and starts the bridge in it.
func start(t *testing.T) (w *World, boot func()) {
	t.Helper()
	w = NewWorld(t.TempDir(), slowly)
	boot = func() {
		t.Helper()
		if err := w.Boot(); err != nil {
			t.Fatal(err)
		}
	}
	boot()
	return w, boot
}

func kill(t *testing.T, w *World) {
	t.Helper()
	if err := w.Kill(); err != nil {
		t.Fatal(err)
	}
}

// finish ends the scenario: the bridge dies, and the audit finds nothing. It
// returns the transcript.
func finish(t *testing.T, w *World) string {
	t.Helper()
	kill(t, w)
	transcript := w.Transcript()
	a, err := w.Account()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range audit.Check(a) {
		t.Error(problem)
	}
	return transcript
}

// texts are what stands in the chat.
func (w *World) texts() (all []string) {
	for _, m := range w.Platform.Messages(w.Chat) {
		all = append(all, m.Text())
	}
	return all
}

// replies counts the requests that carried something into the chat.
func (w *World) replies() (n int) {
	for _, c := range w.Platform.Calls() {
		if strings.HasSuffix(c.Path, "/reply") {
			n++
		}
	}
	return n
}

// path is the skeleton's path under virtual time: an answer; a follow-up steered
// into a slow turn; /stop; a bridge that dies while a turn runs.
func path(t *testing.T) string {
	t.Helper()
	w, boot := start(t)
	w.Say("hello")
	w.Rest(2 * time.Second)

	w.Say("slow")
	w.Rest(500 * time.Millisecond)
	w.Say("and this")
	w.Rest(2 * time.Second)

	w.Say("slow")
	w.Rest(500 * time.Millisecond)
	w.Say("/stop")
	w.Rest(2 * time.Second)

	w.Say("slow")
	w.Rest(500 * time.Millisecond)
	kill(t, w)
	w.Codex.Release("slow")
	w.Rest(time.Second)
	boot()
	w.Rest(5 * time.Second)
	return finish(t, w)
}

// tracks is /new under virtual time: while a turn runs, which is interrupted and
// not told of, and across a restart. Then a thread that is really lost: what
// waits moves to the next track.
func tracks(t *testing.T) string {
	t.Helper()
	w, boot := start(t)
	w.Say("slow")
	w.Rest(500 * time.Millisecond)
	w.Say("/new")
	w.Say("hello")
	w.Rest(2 * time.Second)

	kill(t, w)
	boot()
	w.Say("again")
	w.Rest(2 * time.Second)

	w.Say("/new")
	w.Rest(time.Second)
	w.Say("slow")
	w.Rest(10 * time.Millisecond)
	w.KillCodex() // before the first turn of the thread is stored
	w.Say("and this")
	w.Rest(time.Minute)
	return finish(t, w)
}

// late is a desk without Codex for the better part of an hour: that a text is kept is
// said after a minute, and whether it is still wanted is asked before it is sent. A
// text that the platform could not bring for an hour is asked about too.
func late(t *testing.T) string {
	t.Helper()
	w, boot := start(t)
	w.Say("hello")
	w.Rest(2 * time.Second)

	w.EndCodex()
	first := w.Say("one")
	w.Say("two")
	w.Rest(40 * time.Minute)
	w.BeginCodex()
	w.Rest(2 * time.Minute)
	w.Say("/run") // which?
	w.Rest(2 * time.Second)
	w.Reply(first, "/run")
	w.Rest(2 * time.Second)
	w.Say("/drop") // the other one, then
	w.Rest(2 * time.Second)
	w.Say("/drop") // there is none
	w.Rest(2 * time.Second)

	kill(t, w)
	w.Say("three")
	w.Rest(time.Hour)
	boot()
	w.Rest(6 * time.Hour)
	w.Say("/run")
	w.Rest(2 * time.Second)
	return finish(t, w)
}

// TestABurstWithTwoNewsUnderVirtualTime: the second /new went to the track that the first
// had left, and whoever wrote it was asked to send it again.
func TestABurstWithTwoNewsUnderVirtualTime(t *testing.T) {
	t.Parallel()
	w, _ := start(t)
	for _, text := range []string{"/new", "one", "/new", "two"} {
		w.Say(text)
	}
	w.Rest(10 * time.Second)
	finish(t, w)
	began := "从这里开始是一个新的对话；之前如果还有任务在进行，会让它停下来。"
	want := []string{"/new", "one", "/new", "two", began, "这条消息没有执行：在它之后收到了 /stop、/new 或 /resume。还需要的话，请再发一次。", began, "reply to: two"}
	if diff := cmp.Diff(want, w.texts()); diff != "" {
		t.Error(diff)
	}
}

// TestARefusedOutcomeReachesTheChatAfterANewUnderVirtualTime: the chat was told that the
// result is sent again when somebody writes, and with the /new its track was forgotten.
func TestARefusedOutcomeReachesTheChatAfterANewUnderVirtualTime(t *testing.T) {
	t.Parallel()
	w, _ := start(t)
	w.Platform.Inject(platform.Fault{Kind: platform.Refuse, Code: 230018, Match: platform.Match{Path: "/open-apis/im/v1/messages/*/reply"}})
	for _, text := range []string{"hello", "/new", "again"} {
		w.Say(text)
		w.Rest(time.Minute)
	}
	finish(t, w)
	want := []string{
		"hello", "这条消息有结果了，但没能发到这里。结果已经留着，这里有新消息时会再发一次。",
		"/new", "从这里开始是一个新的对话；之前如果还有任务在进行，会让它停下来。", "reply to: hello",
		"again", "reply to: again",
	}
	if diff := cmp.Diff(want, w.texts()); diff != "" {
		t.Error(diff)
	}
}

// TestPathsUnderVirtualTime runs each path in this goroutine, twice, and compares
// the bytes.
func TestPathsUnderVirtualTime(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(*testing.T) string{"path": path, "tracks": tracks, "late": late, "threads": threads} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := run(t), run(t)
			if diff := cmp.Diff(first, second); diff != "" {
				t.Fatalf("two runs differ:\n%s", diff)
			}
			golden.Check(t, "sim/"+name+".txt", first)
		})
	}
}
