package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"deskbridge/adapters/sandbox/codexbin"
)

// Root is the folder that holds go.mod, at or above the working directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("matrix: no go.mod at or above the working directory")
		}
		dir = parent
	}
}

// Build builds the daemon into a folder and returns the program's path.
func Build(ctx context.Context, dir string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "deskbridge")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/deskbridge")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("matrix: building the daemon: %w\n%s", err, out)
	}
	return program, nil
}

// Codex returns the path of the real Codex, which is downloaded on first use.
func Codex(ctx context.Context) (string, error) { return CodexOf(ctx, codexbin.Default) }

// CodexOf returns the binary of a pinned version, which is fetched if need be.
func CodexOf(ctx context.Context, version string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	return codexbin.Fetch(ctx, filepath.Join(root, ".cache", "codex"), version)
}

// StateFolder makes a folder of its own for Codex's state, which must not lie
// under the system's temporary folder. Whoever asked for it removes it.
func StateFolder() (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	parent := filepath.Join(root, ".cache", "test")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, "matrix-*")
}
