package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// recorder is a testing.TB that notes failure instead of failing.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Logf(string, ...any)   {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }

// TestCheck goes through what is there before, what a test produced, whether it
// may rewrite, and what is there after.
func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, got string
		rewrite     bool
		after       string
		fails       bool
	}{
		"the same":                  {before: "a\n", got: "a\n", after: "a\n"},
		"another":                   {before: "a\n", got: "b\n", after: "a\n", fails: true},
		"another, to be written":    {before: "a\n", got: "b\n", rewrite: true, after: "b\n"},
		"none":                      {got: "a\n", fails: true},
		"none, to be written":       {got: "a\n", rewrite: true, after: "a\n"},
		"empty is never written":    {before: "a\n", got: " \n", rewrite: true, after: "a\n", fails: true},
		"a panic is never written":  {before: "a\n", got: "panic: x", rewrite: true, after: "a\n", fails: true},
		"a panic is never expected": {before: "panic: x", got: "panic: x", after: "panic: x", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "below", "file.txt")
			if c.before != "" {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(c.before), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r := &recorder{TB: t}
			func() {
				defer func() {
					if p := recover(); p != nil && p != any(r) {
						panic(p)
					}
				}()
				check(r, path, c.got, c.rewrite)
			}()
			if r.failed != c.fails {
				t.Errorf("failed: %v, want %v", r.failed, c.fails)
			}
			if after, err := os.ReadFile(path); c.after != "" && err != nil || string(after) != c.after {
				t.Errorf("after: %q (%v), want %q", after, err, c.after)
			}
		})
	}
}
