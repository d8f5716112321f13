package codex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// probeLimit is how long the program may take to say something about itself.
	probeLimit = 5 * time.Second
	// maxSaid bounds how much of that is kept, in bytes.
	maxSaid = 64 << 10
)

// Answer is what a program says to a question, if it says it.
type Answer string

// The answers.
const (
	AnswerYes     Answer = "yes"
	AnswerNo      Answer = "no"
	AnswerUnknown Answer = "unknown" // it failed, took too long, or says something else
)

// Installed is what the Codex program says about itself.
type Installed struct {
	// Program is its path.
	Program string
	// Version is what `codex --version` gives; empty where it gives none.
	Version string
	// Sockets says whether `codex app-server --listen` takes a unix socket.
	Sockets Answer
	// LoggedIn says whether `codex login status` knows of an account. It needs none
	// where config.toml names a model provider of one's own.
	LoggedIn Answer
}

// probed keeps what a program said for as long as its file stays the same.
type probed struct {
	mu    sync.Mutex
	file  os.FileInfo
	found Installed
}

// Probe asks the program about itself: its version and its transports at once, each
// for a few seconds at most. What it does not say is unknown, which is no error; the
// error is a [*Trouble] if there is no program. A program that is still the same is not
// asked again.
func (s *Server) Probe(ctx context.Context) (Installed, error) {
	program, err := s.program()
	if err != nil {
		return Installed{}, err
	}
	file, err := os.Stat(program)
	if err != nil {
		return Installed{}, s.missing(err)
	}
	s.probed.mu.Lock()
	defer s.probed.mu.Unlock()
	if last := s.probed.file; last != nil && os.SameFile(last, file) && last.ModTime().Equal(file.ModTime()) && last.Size() == file.Size() && s.probed.found.Program == program {
		return s.probed.found, nil
	}
	found := Installed{Program: program, LoggedIn: AnswerUnknown}
	var asking sync.WaitGroup
	asking.Go(func() { found.Version = versionSaid(s.ask(ctx, program, "--version")) })
	asking.Go(func() { found.Sockets = socketsSaid(s.ask(ctx, program, "app-server", "--help")) })
	asking.Wait()
	if ctx.Err() != nil {
		return Installed{}, ctx.Err()
	}
	s.probed.file, s.probed.found = file, found
	return found, nil
}

// Inquire is [Server.Probe], and whether somebody is logged in, which may change while
// the program stays the same.
func (s *Server) Inquire(ctx context.Context) (Installed, error) {
	account := make(chan Answer, 1)
	go func() {
		program, err := s.program()
		if err != nil {
			account <- AnswerUnknown
			return
		}
		account <- loginSaid(s.ask(ctx, program, "login", "status"))
	}()
	found, err := s.Probe(ctx)
	found.LoggedIn = <-account
	return found, err
}

// said is what came of asking.
type said struct {
	text string // standard output and standard error
	code int    // -1 where it did not end by itself
}

// ask runs the program with the environment that a server gets, for a while.
func (s *Server) ask(ctx context.Context, program string, args ...string) said {
	ctx, stop := context.WithTimeout(ctx, probeLimit)
	defer stop()
	var out limited
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env = s.Workdir, s.environment()
	command.Stdout, command.Stderr = &out, &out
	// A group of its own, so that what it has started ends with it, and so that what
	// has left the group is not waited for.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = time.Second
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return said{out.String(), 0}
	case errors.As(err, &exit):
		return said{out.String(), exit.ExitCode()}
	default:
		return said{out.String(), -1}
	}
}

// limited keeps the beginning of what is written.
type limited struct{ bytes.Buffer }

func (l *limited) Write(b []byte) (int, error) {
	l.Buffer.Write(b[:min(len(b), maxSaid-l.Len())]) // a buffer takes everything
	return len(b), nil
}

// versionSaid finds the version in "codex-cli 0.171.0", which warnings may come before.
func versionSaid(s said) string {
	if s.code != 0 {
		return ""
	}
	for line := range strings.Lines(s.text) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasPrefix(name, "codex") && !strings.Contains(version, " ") {
			return version
		}
	}
	return ""
}

// socketsSaid reads the help of the app-server.
func socketsSaid(s said) Answer {
	switch {
	case s.code != 0 || !strings.Contains(s.text, "--"):
		return AnswerUnknown
	case strings.Contains(s.text, "--listen") && strings.Contains(s.text, "unix://"):
		return AnswerYes
	default:
		return AnswerNo
	}
}

// loginSaid reads the login's status. The text may hold a part of a key, and is read
// for nothing else.
func loginSaid(s said) Answer {
	switch {
	case s.code == 0:
		return AnswerYes
	case s.code == 1 && strings.Contains(s.text, "Not logged in"):
		return AnswerNo
	default:
		return AnswerUnknown
	}
}

// unfit is the trouble with a program that no server is to be started from, or nil.
func (i Installed) unfit() error {
	switch {
	case VerdictOn(i.Version) == VerdictBlocked:
		return &Trouble{
			Kind:   TooOld,
			What:   fmt.Sprintf("Codex %s is installed (%s), which is too old for the bridge", i.Version, i.Program),
			Remedy: "install " + Minimum + " or newer, as `npm install -g @openai/codex` does; the bridge then starts it",
		}
	case i.Sockets == AnswerNo:
		return &Trouble{
			Kind:   TooOld,
			What:   "the Codex program " + i.Program + " has no app-server that listens on a unix socket",
			Remedy: "install " + Minimum + " or newer, as `npm install -g @openai/codex` does; the bridge then starts it",
		}
	}
	return nil
}
