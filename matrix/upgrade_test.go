package matrix_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/codexbin"
	"deskbridge/matrix"
)

// TestAnUpgradedCodexTakesThePlaceOfTheServerThatRuns: the conversation goes on in its
// thread, and an operator sees each version.
func TestAnUpgradedCodexTakesThePlaceOfTheServerThatRuns(t *testing.T) {
	root, err := matrix.Root()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "codex")
	install := func(version string) {
		t.Helper()
		binary, err := codexbin.Fetch(t.Context(), filepath.Join(root, ".cache", "codex"), version)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Symlink(binary, program+".next"), os.Rename(program+".next", program)); err != nil {
			t.Fatal(err)
		}
	}
	status := func(d *matrix.Desk, want ...string) {
		t.Helper()
		said := works(t, operator(d, "codex"))
		for _, line := range want {
			if !strings.Contains(said, line+"\n") {
				t.Errorf("said %s, want %q in it", said, line)
			}
		}
	}
	install("0.155.0")
	d := startDesk(t, matrix.Options{Codex: program})
	d.Say("hello")
	d.AwaitChat(`A: hello [OnIt]`, `Desk re "hello": reply to: hello`)
	status(d, "connected: yes", "version: 0.155.0", "contract: verified: the bridge is tested with Codex 0.155.0")

	d.Kill()
	install("0.171.0")
	d.Start()
	d.AwaitLog("a newer version of Codex is installed than the one that runs", "running=0.155.0", "installed=0.171.0")
	d.AwaitLog("connected to Codex", "version=0.171.0")
	status(d, "connected: yes", "version: 0.171.0", "installed: 0.171.0")
	d.Say("and now")
	a := d.Finish(
		`A: hello [OnIt]`,
		`Desk re "hello": reply to: hello`,
		`A: and now [OnIt]`,
		`Desk re "and now": reply to: and now`,
	)
	same(t, "the turns' ends", []string{"completed", "completed"}, statuses(a))
}
