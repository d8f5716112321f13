package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// place makes targets in a folder of their own, with a file to write into.
func place(t *testing.T) targets {
	t.Helper()
	dir := t.TempDir()
	to := targets{out: filepath.Join(dir, "golden"), doc: filepath.Join(dir, "docs", "machine.md"), into: filepath.Join(dir, "README.md")}
	put(t, to.into, "before\n"+begin+"old\n"+end+"after\n")
	return to
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheMarkedBlockIsReplacedAndNothingElse(t *testing.T) {
	t.Parallel()
	to := targets{into: place(t).into}
	if err := toy().check(to); err == nil || !strings.Contains(err.Error(), "  - old\n  + ```mermaid\n") {
		t.Errorf("a stale block: %v", err)
	}
	if err := toy().write(to); err != nil {
		t.Fatal(err)
	}
	if err := toy().check(to); err != nil {
		t.Errorf("a fresh block failed the check: %v", err)
	}
	want := "before\n" + begin + "```mermaid\nstateDiagram-v2\n    [*] --> off\n    off --> on : switch_pressed\n```\n" + end + "after\n"
	if got := get(t, to.into); got != want {
		t.Errorf("got %s", got)
	}
}

func TestTheGoldenSetIsWrittenAndFoundStale(t *testing.T) {
	t.Parallel()
	to, b := place(t), toy()
	if err := b.check(to); err == nil || !strings.Contains(err.Error(), "lamp.svg is missing") {
		t.Errorf("nothing is there: %v", err)
	}
	if err := b.write(to); err != nil {
		t.Fatal(err)
	}
	if err := b.check(to); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lamp.mmd", "lamp.dot", "lamp.svg", "machine.md", "machine.html", "machine.json"} {
		path := filepath.Join(to.out, name)
		fresh := get(t, path)
		put(t, path, strings.Replace(fresh, "switch_pressed", "switch_touched", 1))
		err := b.check(to)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "switch_touched") || strings.Count(err.Error(), "\n  - ") != 1 {
			t.Errorf("%s is stale: %v", name, err)
		}
		put(t, path, fresh)
	}
	put(t, to.doc, "old")
	if err := b.check(to); err == nil || !strings.Contains(err.Error(), to.doc) {
		t.Errorf("the document is stale: %v", err)
	}
	if err := b.write(to); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(to.out, "gone.mmd"), "x")
	if err := b.check(to); err == nil || !strings.Contains(err.Error(), "gone.mmd is generated no more") {
		t.Errorf("a file that nothing generates: %v", err)
	}
}

func TestWhatIsFreshIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	to, b := place(t), toy()
	if err := b.write(to); err != nil {
		t.Fatal(err)
	}
	long := time.UnixMilli(1000)
	path := filepath.Join(to.out, "machine.json")
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	if err := b.write(to); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("%v %v", info.ModTime(), err)
	}
}

func TestADiffShowsWhatChangedAndWhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, new, want string }{
		{"a line in the middle", "a\nb\nc\nd\ne\nf\ng", "a\nb\nc\nD\ne\nf\ng", "  …\n    b\n    c\n  - d\n  + D\n    e\n    f\n"},
		{"two places", "a\n1\n2\n3\n4\n5\nb", "A\n1\n2\n3\n4\n5\nB", "  - a\n  + A\n    1\n    2\n  …\n    4\n    5\n  - b\n  + B\n"},
		{"lines that are new", "a\nb", "a\nx\ny\nb", "    a\n  + x\n  + y\n    b\n"},
		{"lines that are gone", "a\nx\nb", "a\nb", "    a\n  - x\n    b\n"},
		{"too long to compare", strings.Repeat("o\n", 3000), strings.Repeat("n\n", 3000), strings.Repeat("  - o\n", 60) + "  … and 5941 lines more\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := diff(c.old, c.new); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
