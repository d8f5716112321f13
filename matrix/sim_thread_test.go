package matrix

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/appserver"
	"deskbridge/golden"
	"deskbridge/store"
	"deskbridge/transitions"
)

// thread is the Codex thread of the chat's newest track.
func (w *World) thread(t *testing.T) (track, thread string) {
	t.Helper()
	tracks, err := w.ledger.Tracks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	newest := slices.MaxFunc(tracks, func(a, b store.Track) int { return strings.Compare(a.ID, b.ID) })
	return newest.ID, newest.Data.Thread
}

// TestALostThreadIsRebuiltUnderVirtualTime takes the stored thread away while no server
// runs: the next text opens a new one, which is given what was said before, and the
// person is told what Codex may not know.
func TestALostThreadIsRebuiltUnderVirtualTime(t *testing.T) {
	t.Parallel()
	w, _ := start(t)
	w.Say("我们的项目叫“海燕”，请记住")
	w.Rest(time.Second)
	_, lost := w.thread(t)
	if err := w.LoseThread(lost); err != nil {
		t.Fatal(err)
	}
	w.Rest(10 * time.Second)
	w.Say("项目叫什么？")
	w.Rest(10 * time.Second)
	track, rebuilt := w.thread(t)
	if _, number := transitions.SplitTrack(track); number != 2 || rebuilt == lost {
		t.Errorf("it goes on in %s, %s", track, rebuilt)
	}
	var said []string
	for _, raw := range w.Codex.Injected(rebuilt) {
		var item struct {
			Role    string
			Content []struct{ Text string }
		}
		if err := json.Unmarshal(raw, &item); err != nil {
			t.Fatal(err)
		}
		said = append(said, item.Role+": "+item.Content[0].Text)
	}
	if want := []string{"user: 我们的项目叫“海燕”，请记住", "assistant: reply to: 我们的项目叫“海燕”，请记住"}; len(said) != 3 || !slices.Equal(said[1:], want) {
		t.Errorf("the new thread was given %q", said)
	}
	golden.Check(t, "sim/lost.txt", finish(t, w))
}

// TestNothingRunsUnderALooserPolicyUnderVirtualTime loosens Codex's sandbox while the
// server is down: nothing is sent until an operator allows it.
func TestNothingRunsUnderALooserPolicyUnderVirtualTime(t *testing.T) {
	t.Parallel()
	w, _ := start(t)
	w.Say("hello")
	w.Rest(time.Second)
	w.Codex.SetSandbox("dangerFullAccess")
	w.KillCodex()
	w.Rest(10 * time.Second)
	w.Say("rm -rf build")
	w.Rest(time.Minute)
	if last := w.texts()[len(w.texts())-1]; last != (transitions.Body{Sentence: transitions.SaidLooser}).Say(transitions.Chinese) {
		t.Errorf("the person is told %q", last)
	}
	w.Say("/new")
	w.Say("then here")
	w.Rest(time.Minute)
	track, _ := w.thread(t)
	other := transitions.Policy{Approval: "on-request", Reviewer: "user", Sandbox: "workspaceWrite"}
	seen := transitions.Policy{Approval: "on-request", Reviewer: "user", Sandbox: "dangerFullAccess"}
	for _, c := range []struct {
		track   string
		policy  transitions.Policy
		allowed bool
	}{{track, other, false}, {"nobody/1", seen, false}, {track, seen, true}, {track, seen, false}} {
		var answer error
		w.note("operator", "allows "+c.policy.Sandbox+" for "+c.track)
		w.bridge.AllowPolicy(c.track, c.policy, func(err error) { answer = err })
		w.Rest(time.Second)
		if (answer == nil) != c.allowed {
			t.Errorf("%s, %s: %v", c.track, c.policy.Sandbox, answer)
		}
	}
	w.Rest(time.Minute)
	if last := w.texts()[len(w.texts())-1]; last != "reply to: then here" {
		t.Errorf("after that the chat says %q", last)
	}
	golden.Check(t, "sim/policy.txt", finish(t, w))
}

// TestAPolicyThatIsAsBeforeOpensTheTrackUnderVirtualTime sets Codex back instead.
func TestAPolicyThatIsAsBeforeOpensTheTrackUnderVirtualTime(t *testing.T) {
	t.Parallel()
	w, boot := start(t)
	w.Say("hello")
	w.Rest(time.Second)
	w.Codex.SetSandbox("workspaceWrite")
	w.KillCodex()
	w.Say("on")
	w.Rest(time.Minute)
	kill(t, w) // the closing outlives the bridge
	boot()
	w.Rest(time.Minute)
	if got := w.texts(); got[len(got)-1] == "reply to: on" {
		t.Fatalf("the chat says %q", got)
	}
	w.Codex.SetSandbox("readOnly")
	w.KillCodex()
	w.Rest(time.Minute)
	if got := w.texts(); got[len(got)-1] != "reply to: on" {
		t.Errorf("the chat says %q", got)
	}
	finish(t, w)
}

// TestTextGoesIntoAnotherClientsTurnUnderVirtualTime has the desktop begin a turn in the
// chat's thread, before the bridge sees it and while it is away.
func TestTextGoesIntoAnotherClientsTurnUnderVirtualTime(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]bool{"while the bridge looks on": false, "while the bridge is away": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, boot := start(t)
			w.Say("hello")
			w.Rest(time.Second)
			_, thread := w.thread(t)
			if away {
				kill(t, w)
			}
			desktop := newDesktop(t, w)
			desktop.say(thread, "slow")
			w.Rest(time.Second)
			if away {
				boot()
			}
			w.Say("from the chat")
			w.Rest(time.Second)
			w.Codex.Release("slow")
			w.Rest(time.Minute)
			transcript := finish(t, w)
			if !strings.Contains(transcript, "turn/steer om_3") || strings.Contains(transcript, "turn/start om_3") {
				t.Errorf("the text is not steered into the turn:\n%s", transcript)
			}
			if got := w.texts(); got[len(got)-1] != "reply to: from the chat" {
				t.Errorf("the chat says %q", got)
			}
		})
	}
}

// TestASilentTurnIsToldOfOnceUnderVirtualTime leaves a turn without a sign of life.
func TestASilentTurnIsToldOfOnceUnderVirtualTime(t *testing.T) {
	t.Parallel()
	w, _ := start(t)
	w.Say("slow")
	w.Rest(9 * time.Minute)
	silent := transitions.Body{Sentence: transitions.SaidSilent}.Say(transitions.Chinese)
	if slices.Contains(w.texts(), silent) {
		t.Error("it is called silent too soon")
	}
	w.Rest(25 * time.Minute)
	if got := w.texts(); len(got) != 2 || got[1] != silent {
		t.Errorf("the chat says %q", got)
	}
	w.Codex.Release("slow")
	w.Rest(time.Minute)
	if got := w.texts(); got[len(got)-1] != "slow done" {
		t.Errorf("the chat says %q", got)
	}
	finish(t, w)
}

// TestATurnThatWorksIsNotSilentUnderVirtualTime has a turn work on for longer than that.
func TestATurnThatWorksIsNotSilentUnderVirtualTime(t *testing.T) {
	t.Parallel()
	w := NewWorld(t.TempDir(), func(appserver.Ask) []appserver.Step {
		var steps []appserver.Step
		for range 6 {
			steps = append(steps, appserver.Command("make", "ok", 8*time.Minute))
		}
		return append(steps, appserver.Say("built"))
	})
	if err := w.Boot(); err != nil {
		t.Fatal(err)
	}
	w.Say("build")
	w.Rest(time.Hour)
	if got := w.texts(); len(got) != 2 || got[1] != "built" {
		t.Errorf("the chat says %q", got)
	}
	finish(t, w)
}

// TestAfterADropNothingIsSentBeforeTheThreadsAreReadUnderVirtualTime writes while no
// server answers: what is unsettled is resumed and read on the new connection, and only
// then the text goes.
func TestAfterADropNothingIsSentBeforeTheThreadsAreReadUnderVirtualTime(t *testing.T) {
	t.Parallel()
	w, _ := start(t)
	w.Say("slow")
	w.Rest(time.Second)
	w.DropCodex()
	w.Say("and this")
	w.Rest(10 * time.Second)
	transcript := w.Transcript()
	after := transcript[strings.LastIndex(transcript, "initialized"):]
	last := -1
	for _, call := range []string{"thread/resume", "thread/turns/list", "thread/read", "turn/steer om_2"} {
		at := strings.Index(after, call)
		if at < last || at < 0 {
			t.Errorf("%s comes too soon, or never:\n%s", call, after)
		}
		last = at
	}
	w.Codex.Release("slow")
	w.Rest(time.Minute)
	finish(t, w)
}
