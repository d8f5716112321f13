package codex

import (
	"path/filepath"
	"testing"

	"deskbridge/adapters/sandbox/model"
	"deskbridge/adapters/sandbox/model/modeltest"
	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// atTheDesk begins a thread as another client does, with one finished turn.
func atTheDesk(t *testing.T, c *modeltest.Client, folder, text string) string {
	t.Helper()
	var started struct{ Thread struct{ ID string } }
	c.Call("thread/start", map[string]any{"cwd": folder}).Decode(t, &started)
	var turn struct{ Turn struct{ ID string } }
	c.Call("turn/start", map[string]any{"threadId": started.Thread.ID, "input": []map[string]any{{"type": "text", "text": text}}}).Decode(t, &turn)
	c.Await("the turn's end", func(f modeltest.Frame) bool {
		var ended struct{ Turn struct{ ID string } }
		if f.Method == "turn/completed" {
			f.Decode(t, &ended)
		}
		return ended.Turn.ID == turn.Turn.ID
	})
	return started.Thread.ID
}

// TestTheDesksThreadsAreListedAndCanBeHad holds against a real Codex which threads are
// listed, by what titles, and which can be had.
func TestTheDesksThreadsAreListedAndCanBeHad(t *testing.T) {
	t.Parallel()
	s := codexServer(t, model.Echo)
	b := newBridge(t, s, "first")
	b.open() // without a turn: it is in memory only, and not listed
	desktop := modeltest.Hello(t, s.Socket)
	work := atTheDesk(t, desktop, s.Workdir, "Repair the login page,\n please")
	below := atTheDesk(t, desktop, filepath.Join(s.Workdir, "shop"), "second")
	atTheDesk(t, desktop, s.Home, "outside of the desk")
	archived := atTheDesk(t, desktop, s.Workdir, "put away")
	desktop.Call("thread/name/set", map[string]any{"threadId": below, "name": "The shop"})
	desktop.Call("thread/archive", map[string]any{"threadId": archived})

	got := b.do(transitions.ListThreads{Message: "om_1"})
	want := transitions.ThreadsListed{Message: "om_1", Threads: []transitions.DeskThread{
		{Thread: below, Title: "The shop"}, {Thread: work, Title: "Repair the login page, please"},
	}}
	// Two that were used in the same second are in any order.
	byID := cmpopts.SortSlices(func(a, b transitions.DeskThread) bool { return a.Thread < b.Thread })
	if diff := cmp.Diff(want, got, byID, cmpopts.IgnoreFields(transitions.ThreadsListed{}, "At"), cmpopts.IgnoreFields(transitions.DeskThread{}, "Used")); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	listed := got.(transitions.ThreadsListed)
	for _, th := range listed.Threads {
		if used := listed.At - th.Used; used < 0 || used > 120_000 {
			t.Errorf("%s was used %d ms ago", th.Title, used)
		}
	}

	for thread, want := range map[string]transitions.Fact{
		work:                                   transitions.ThreadFound{Message: "om_2", Thread: work},
		"01900000-0000-7000-8000-000000000000": transitions.ThreadUnavailable{Message: "om_2", Why: transitions.NotStored},
		archived:                               transitions.ThreadUnavailable{Message: "om_2", Why: transitions.NotStored},
	} {
		if diff := cmp.Diff(want, b.do(transitions.BindThread{Message: "om_2", Thread: thread})); diff != "" {
			t.Error(diff)
		}
	}

	turn := b.begin(work, "om_3", "go on")
	b.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndCompleted, Messages: []string{"om_3"}, Reply: "reply to: go on"})
}
