// Package golden compares what a test produced with the file that says what is
// expected, in this folder, and rewrites that file under -update.
//
// What belongs here: golden files and the one helper that reads and writes them.
// What does not: any knowledge of what is in them.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Check compares got with the golden file of that name, a path below this
// folder. Text that is empty, or speaks of a panic, is never accepted as golden.
func Check(t testing.TB, name, got string) {
	t.Helper()
	check(t, filepath.Join(folder(), filepath.FromSlash(name)), got, *update)
}

func check(t testing.TB, path, got string, rewrite bool) {
	t.Helper()
	if strings.TrimSpace(got) == "" || strings.Contains(got, "panic") {
		t.Fatalf("golden: this cannot be what is expected of %s:\n%s", path, got)
	}
	want, err := os.ReadFile(path)
	if err == nil && string(want) == got {
		return
	}
	if rewrite {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("golden: wrote %s; read it before you commit it", path)
		return
	}
	if err != nil {
		t.Fatalf("golden: %v; run the test with -update to write it, then read it", err)
	}
	t.Errorf("golden: %s is not what the test produced (-want +got); if the new text is right, run with -update:\n%s", path, cmp.Diff(string(want), got))
}

// folder is where this file is.
func folder() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}
