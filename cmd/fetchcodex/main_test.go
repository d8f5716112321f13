package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/codexbin"
)

func TestRunPrintsThePathOfACachedBinary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "codex-"+codexbin.Default+"-linux-x64", "bin", "codex")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-dir", dir}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	if got := stdout.String(); got != path+"\n" {
		t.Errorf("stdout %q, want %q", got, path)
	}
}

func TestRunFailsWithOneSentence(t *testing.T) {
	registry := httptest.NewServer(http.NotFoundHandler())
	defer registry.Close()
	t.Setenv("npm_config_registry", registry.URL)
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"unknown version", []string{"-version", "0.0.1"}, 1, "codex 0.0.1: not a pinned version"},
		{"registry without it", nil, 1, "answered 404 Not Found"},
		{"unknown flag", []string{"-nosuch"}, 2, "flag provided but not defined"},
		{"help", []string{"-h"}, 0, "Usage of fetchcodex"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := append(test.args, "-dir", t.TempDir())
			if code := run(t.Context(), args, &stdout, &stderr); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if stdout.Len() > 0 || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("stdout %q, stderr %q, want %q", &stdout, &stderr, test.want)
			}
			if test.code == 1 && strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("stderr is not one line: %q", &stderr)
			}
		})
	}
}
