package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/codex"
)

// TestWhatIsSaidOfCodexStandsInTheDocument holds the examples of docs/operating.md.
func TestWhatIsSaidOfCodexStandsInTheDocument(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		status codex.Status
		want   string
	}{
		{codex.Status{
			Connected: true, Version: "0.155.0", Generation: "4711-1314428-ecf43da5", Verdict: codex.VerdictVerified, Installed: "0.171.0",
			Counts: codex.Counts{Connections: 1, Skipped: 12},
		}, `connected: yes
version: 0.155.0
contract: verified: the bridge is tested with Codex 0.155.0
app-server: 4711-1314428-ecf43da5
installed: 0.171.0
this run: connections 1, requests declined 0, notifications passed over 12, answers to nothing 0, junk 0
`},
		{codex.Status{Trouble: &codex.Trouble{
			Kind: codex.BinaryMissing, What: `the Codex program "codex" cannot be found`, Remedy: "install it with `npm install -g @openai/codex`, or set the path of the program",
		}}, `connected: no
trouble: the Codex program "codex" cannot be found; install it with ` + "`npm install -g @openai/codex`" + `, or set the path of the program
this run: connections 0, requests declined 0, notifications passed over 0, answers to nothing 0, junk 0
`},
		{codex.Status{
			Connected: true, Version: "next", Verdict: codex.VerdictUnknown, Lacking: []codex.Capability{codex.CanSteer}, Counts: codex.Counts{Connections: 2},
		}, `connected: yes
version: next
contract: unknown: Codex calls its version "next", which says nothing about what it can do; it is used all the same
lacks: steer, for text into a turn that runs: the text waits for the turn's end, and is sent then
this run: connections 2, requests declined 0, notifications passed over 0, answers to nothing 0, junk 0
`},
	} {
		var said strings.Builder
		if err := printStatus(&said, test.status); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, said.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		shown := "    " + strings.ReplaceAll(strings.TrimSpace(test.want), "\n", "\n    ") + "\n"
		if !strings.Contains(string(document), shown) {
			t.Errorf("docs/operating.md does not show\n%s", shown)
		}
	}
}

func TestWithoutABridgeNothingIsKnownOfCodex(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	code, out := d.operate("codex")
	if want := "deskbridge: no bridge runs on " + d.Dir + "; start it with `deskbridge run`\n"; code != exitFailure || out != want {
		t.Errorf("exit code %d, %q; want %q", code, out, want)
	}
	if err := os.WriteFile(d.config, []byte("[desk]\ndata = '"+filepath.Join(d.Dir, "gone")+"'\n[codex]\nworkdir = '.'\n[feishu]\napp_id = 'cli_a'\napp_secret = 'x'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := d.operate("codex"); code != exitFailure || !strings.Contains(out, "no bridge runs on") {
		t.Errorf("exit code %d, %q", code, out)
	}
	if _, err := os.Stat(filepath.Join(d.Dir, "gone")); err == nil {
		t.Error("asking has made a data folder")
	}
}
