package codex

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheContractStandsInTheDocument holds docs/codex.md to the declared versions and
// capabilities.
func TestTheContractStandsInTheDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(repository, "docs", "codex.md"))
	if err != nil {
		t.Fatal(err)
	}
	table := []string{
		"| capability | call | since | without `experimentalApi` | what needs it | where it is missing |",
		"|---|---|---|---|---|---|",
	}
	for _, s := range Capabilities() {
		call := "–"
		if s.Call != "" {
			call = "`" + s.Call + "`"
		}
		table = append(table, "| `"+strings.Join([]string{
			string(s.Capability) + "`", call, s.Since, cmp.Or(s.Plain, "–"), s.Entrance, s.Instead,
		}, " | ")+" |")
	}
	for _, want := range []string{
		strings.Join(table, "\n") + "\n",
		"Tested with: " + strings.Join(Verified(), ", ") + ". Recorded: " + Baseline + ". Oldest that is used: " + Minimum + ".",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("docs/codex.md does not have\n%s", want)
		}
	}
	for _, v := range Verdicts() {
		if !strings.Contains(string(text), "| `"+string(v)+"` |") {
			t.Errorf("docs/codex.md does not say what %s means", v)
		}
	}
}

// TestWhatAnOperatorIsToldStandsInTheDocument holds docs/operating.md.
func TestWhatAnOperatorIsToldStandsInTheDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(repository, "docs", "operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		Installed{Program: "PROGRAM", Version: "0.130.0"}.unfit().Error(),
		Installed{Program: "PROGRAM", Sockets: AnswerNo}.unfit().(*Trouble).What,
		"a newer version of Codex is installed than the one that runs",
		"nobody is logged in to Codex, and its model provider asks for an account; turns will fail until `codex login` is run for its CODEX_HOME",
		"another app-server with the same CODEX_HOME has a thread of this desk; nothing is sent to it until that one is ended",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("docs/operating.md does not have %q", want)
		}
	}
}
