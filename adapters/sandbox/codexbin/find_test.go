package codexbin

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFindPrefersTheExplicitPathThenPATHThenTheCache(t *testing.T) {
	root := t.TempDir()
	place := func(elements ...string) string {
		path := filepath.Join(append([]string{root}, elements...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	explicit := place("explicit", "my-codex")
	onPath := place("bin", "codex")
	cache := filepath.Join(root, "cache")
	cached := place("cache", folder("1.2.3"), "bin", "codex")
	nowhere := filepath.Join(root, "nowhere")

	tests := []struct {
		name, explicit, path, cache string
		want, problem               string
	}{
		{"explicit first", explicit, filepath.Dir(onPath), cache, explicit, ""},
		{"explicit and missing", nowhere, filepath.Dir(onPath), cache, "", "is not an executable file"},
		{"PATH before the cache", "", filepath.Dir(onPath), cache, onPath, ""},
		{"the cache last", "", nowhere, cache, cached, ""},
		{"nowhere", "", nowhere, nowhere, "", "neither on PATH nor in"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("PATH", test.path)
			got, err := Find(test.explicit, test.cache, "1.2.3")
			if test.problem != "" {
				requireError(t, got, err, test.problem)
				return
			}
			if err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}
