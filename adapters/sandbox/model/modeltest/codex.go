// Package modeltest runs a real Codex app-server behind the scripted model, for
// tests: the pinned binary from the repository's cache, a state folder of its
// own, a unix socket, and a small client.
//
// What belongs here: starting, killing and calling that process on behalf of a
// test. What does not: anything a running daemon needs; the client trusts its
// peer, keeps every frame and fails the test where a real one would recover.
//
// The first test that runs downloads the binary (172 MB) into .cache/codex.
package modeltest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/codexbin"
	"deskbridge/adapters/sandbox/model"
)

const (
	// startLimit bounds how long the process may take until it listens.
	startLimit = 30 * time.Second
	// dialRetry is the time between two attempts to reach it. Codex says nowhere
	// that it listens, so that the attempt is the only way to find out.
	dialRetry = 20 * time.Millisecond
)

// Codex is a real app-server of one test.
type Codex struct {
	// Model is the model behind it.
	Model *model.Server
	// Home is its state folder, Work the folder to work in, Socket the path of
	// its unix socket. They stay the same when it is started again.
	Home, Work, Socket string

	tb     testing.TB
	binary string
	cmd    *exec.Cmd
	stderr *os.File
}

// Start starts the default version of Codex behind a model that follows the
// script, with the extra texts appended to its configuration. All of it ends
// with the test.
func Start(tb testing.TB, script model.Script, extra ...string) *Codex {
	tb.Helper()
	binary, err := codexbin.Fetch(tb.Context(), filepath.Join(repository(tb), ".cache", "codex"), codexbin.Default)
	if err != nil {
		tb.Fatal(err)
	}
	return Run(tb, binary, script, extra...)
}

// Run is Start with another program in place of the default version.
func Run(tb testing.TB, binary string, script model.Script, extra ...string) *Codex {
	tb.Helper()
	root := repository(tb)
	provider, err := model.Start(script)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := provider.Close(); err != nil {
			tb.Errorf("closing the model: %v", err)
		}
	})
	// The state folder must not lie under the system's temporary folder; the
	// socket should, since its path may be 107 bytes long only. The folder to work
	// in lies outside of the repository, which would leak into what Codex says.
	home := folder(tb, filepath.Join(root, ".cache", "test"))
	c := &Codex{
		Model: provider, Home: home, Work: folder(tb, ""),
		Socket: filepath.Join(folder(tb, ""), "codex.sock"),
		tb:     tb, binary: binary,
	}
	if err := model.WriteHome(home, provider.BaseURL(), extra...); err != nil {
		tb.Fatal(err)
	}
	if c.stderr, err = os.Create(filepath.Join(home, "stderr.log")); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.end)
	c.Launch()
	return c
}

// Launch starts the process again after Kill and waits until it listens.
func (c *Codex) Launch() {
	c.tb.Helper()
	c.cmd = exec.Command(c.binary, "app-server", "--listen", "unix://"+c.Socket)
	// Commands run in login shells; a HOME of their own keeps the start-up files of
	// whoever runs the test out of them.
	c.cmd.Env = append(os.Environ(), "CODEX_HOME="+c.Home, "HOME="+c.Home, "TMPDIR="+filepath.Dir(c.Socket))
	c.cmd.Dir = c.Work
	c.cmd.Stderr = c.stderr
	// A group of its own, so that its children end with it.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		c.cmd = nil
		c.tb.Fatal(err)
	}
	ctx, stop := context.WithTimeout(c.tb.Context(), startLimit)
	defer stop()
	conn := dialUntil(c.tb, ctx, c.Socket)
	if err := conn.Close(); err != nil {
		c.tb.Error(err)
	}
}

// Kill ends the process and its children at once, as a crash would.
func (c *Codex) Kill() {
	c.tb.Helper()
	if c.cmd == nil {
		return
	}
	if err := syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		c.tb.Errorf("killing codex: %v", err)
	}
	// A killed process always ends with an error; which one says nothing.
	_ = c.cmd.Wait()
	c.cmd = nil
}

// end is Kill, and shows what the process complained about if the test failed.
func (c *Codex) end() {
	c.Kill()
	if err := c.stderr.Close(); err != nil {
		c.tb.Error(err)
	}
	if !c.tb.Failed() {
		return
	}
	if log, err := os.ReadFile(c.stderr.Name()); err == nil {
		c.tb.Logf("codex's stderr:\n%s", log)
	}
}

// folder makes a folder of this test's own under parent, or under the system's
// temporary folder, and removes it with the test.
func folder(tb testing.TB, parent string) string {
	tb.Helper()
	if parent != "" {
		if err := os.MkdirAll(parent, 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp(parent, "codex-*")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return dir
}

// repository is the folder that holds go.mod, at or above the test's.
func repository(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			tb.Fatal("no go.mod above the test's folder")
		}
		dir = parent
	}
}
