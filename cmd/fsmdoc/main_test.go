package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheMarkedBlockIsReplacedAndNothingElse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "README.md")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("before\n" + begin + "old\n" + end + "after\n")
	if err := run(path, true); err == nil {
		t.Error("a stale block passed the check")
	}
	if err := run(path, false); err != nil {
		t.Fatal(err)
	}
	if err := run(path, true); err != nil {
		t.Errorf("a fresh block failed the check: %v", err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	if !strings.HasPrefix(text, "before\n"+begin+"```mermaid\nstateDiagram-v2\n") || !strings.HasSuffix(text, "```\n"+end+"after\n") {
		t.Errorf("got %s", text)
	}
	write("no marks")
	if err := run(path, false); err == nil {
		t.Error("a file without marks was accepted")
	}
}
