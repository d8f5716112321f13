package matrix

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/sandbox/appserver"
	"deskbridge/golden"
)

// slowly holds the first turn until it is released, and echoes after that.
func slowly(a appserver.Ask) []appserver.Step {
	if a.LastText() == "slow" {
		return []appserver.Step{appserver.Hold("slow"), appserver.Say("slow done")}
	}
	return appserver.Echo(a)
}

// path is the skeleton's path under virtual time: an answer; a follow-up steered
// into a slow turn; /stop; a bridge that dies while a turn runs.
func path(t *testing.T) string {
	t.Helper()
	w := NewWorld(t.TempDir(), slowly)
	boot := func() {
		t.Helper()
		if err := w.Boot(); err != nil {
			t.Fatal(err)
		}
	}
	boot()
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
	if err := w.Kill(); err != nil {
		t.Fatal(err)
	}
	w.Codex.Release("slow")
	w.Rest(time.Second)
	boot()
	w.Rest(5 * time.Second)
	if err := w.Kill(); err != nil {
		t.Fatal(err)
	}
	return w.Transcript()
}

// TestPathUnderVirtualTime runs the whole path in this goroutine, twice, and
// compares the bytes.
func TestPathUnderVirtualTime(t *testing.T) {
	t.Parallel()
	first, second := path(t), path(t)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Fatalf("two runs differ:\n%s", diff)
	}
	golden.Check(t, "sim/path.txt", first)
}
