package codex

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// supervised is a server of a test's own, which ends with the test.
func supervised(t *testing.T, program string) *Server {
	t.Helper()
	command, err := filepath.Abs(filepath.Join("testdata", "bin", program))
	if err != nil {
		t.Fatal(err)
	}
	dir := shortFolder(t)
	s := &Server{Command: command, Socket: filepath.Join(dir, "s"), Home: dir, Log: filepath.Join(dir, "log", "codex.log")}
	t.Cleanup(func() { kill(t, s) })
	return s
}

// another is the same server as another process has it: nothing shared but the files.
func another(s *Server) *Server {
	return &Server{
		Command: s.Command, Socket: s.Socket, Home: s.Home, Without: s.Without, Workdir: s.Workdir, Log: s.Log, StartLimit: s.StartLimit,
	}
}

// shortFolder is a folder whose path leaves room for a socket's name.
func shortFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "desk-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// kill ends the process that the server started last, if it runs, and waits
// until it is gone.
func kill(t *testing.T, s *Server) {
	t.Helper()
	id, err := os.ReadFile(s.Socket + ".lock")
	if err != nil || !alive(string(id)) {
		return
	}
	pid, _ := pidOf(string(id))
	// It leads a group of its own, so that its helpers end with it.
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil {
		t.Errorf("killing %s: %v", id, err)
	}
	until(t, func() bool { return !alive(string(id)) })
}

// until waits for something that only shows by looking.
func until(t *testing.T, done func() bool) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for !done() {
		select {
		case <-look.C:
		case <-ctx.Done():
			t.Fatal("waited in vain")
		}
	}
}

// trouble is the trouble in err.
func trouble(t *testing.T, err error, kind TroubleKind) *Trouble {
	t.Helper()
	var trouble *Trouble
	if !errors.As(err, &trouble) || trouble.Kind != kind {
		t.Fatalf("error %v, want a trouble of kind %s", err, kind)
	}
	return trouble
}

// starts are the lines with which the program says that it was started.
func starts(t *testing.T, s *Server) []string {
	t.Helper()
	log, err := os.ReadFile(s.Log)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(log)) {
		if strings.HasPrefix(line, "started as") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func TestAServerIsStartedOnceHoweverManyWantIt(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens")
	s.Home, s.Workdir = "/a/home", shortFolder(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := another(s).Ensure(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	lines := starts(t, s)
	if len(lines) != 1 {
		t.Fatalf("started %d times: %q", len(lines), lines)
	}
	want := "app-server --listen unix://" + s.Socket + " in " + s.Workdir + " with /a/home"
	if _, got, _ := strings.Cut(lines[0], ": "); got != want {
		t.Errorf("started as %q, want %q", got, want)
	}
}

func TestAServerThatWasKilledIsStartedAgain(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens")
	for range 2 {
		if err := s.Ensure(t.Context()); err != nil {
			t.Fatal(err)
		}
		kill(t, s)
		if err := os.Remove(s.Socket); err != nil { // Codex itself replaces one that is left behind
			t.Fatal(err)
		}
	}
	if lines := starts(t, s); len(lines) != 2 {
		t.Errorf("started %d times: %q", len(lines), lines)
	}
}

func TestEndingAServerEndsTheOneThatWasStarted(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens")
	if err := s.End(t.Context()); err != nil {
		t.Errorf("ending what was never started: %v", err)
	}
	if err := s.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	id, err := os.ReadFile(s.Socket + ".lock")
	if err != nil || !alive(string(id)) {
		t.Fatalf("no process %q: %v", id, err)
	}
	for range 2 {
		if err := s.End(t.Context()); err != nil || alive(string(id)) {
			t.Errorf("error %v, alive %v", err, alive(string(id)))
		}
	}
}

func TestAServerHasASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens")
	if err := s.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	id, err := os.ReadFile(s.Socket + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := pidOf(string(id))
	if group, err := syscall.Getpgid(pid); err != nil || group != pid {
		t.Errorf("group %d (%v), want its own, %d", group, err, pid)
	}
}

func TestAServerThatExistsAndDoesNotListenIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := supervised(t, "never-listens")
	s.StartLimit = 200 * time.Millisecond
	first := trouble(t, s.Ensure(t.Context()), NotAnswering)
	second := trouble(t, s.Ensure(t.Context()), NotAnswering)
	if lines := starts(t, s); len(lines) != 1 {
		t.Fatalf("started %d times: %q", len(lines), lines)
	}
	if !strings.Contains(first.Error(), s.Log) || !strings.Contains(second.Error(), "kill ") {
		t.Errorf("no remedy in %q or %q", first, second)
	}
}

func TestAServerThatEndsAtOnceSaysWhy(t *testing.T) {
	t.Parallel()
	s := supervised(t, "exits-at-once")
	got := trouble(t, s.Ensure(t.Context()), ExitedAtOnce)
	const want = "Codex ended as soon as it was started: config.toml cannot be parsed"
	if got.What != want {
		t.Errorf("%q, want %q", got.What, want)
	}
	// And is started anew each time.
	trouble(t, s.Ensure(t.Context()), ExitedAtOnce)
}

func TestWhatCannotBeStartedIsATroubleOfItsOwn(t *testing.T) {
	t.Parallel()
	missing := supervised(t, "no-such-program")
	if got := trouble(t, missing.Ensure(t.Context()), BinaryMissing); !errors.Is(got, fs.ErrNotExist) {
		t.Errorf("%v does not tell its cause", got)
	}
	missing.Command = "no-such-program-on-path"
	trouble(t, missing.Ensure(t.Context()), BinaryMissing)

	nowhere := supervised(t, "listens")
	nowhere.Workdir = filepath.Join(shortFolder(t), "not", "there")
	trouble(t, nowhere.Ensure(t.Context()), CannotStart)

	long := supervised(t, "listens")
	long.Socket = filepath.Join(filepath.Dir(long.Socket), strings.Repeat("x", maxSocketPath))
	trouble(t, long.Ensure(t.Context()), SocketUnusable)

	blocked := supervised(t, "listens")
	if err := os.WriteFile(filepath.Join(filepath.Dir(blocked.Socket), "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	unlogged := another(blocked)
	unlogged.Log = filepath.Join(filepath.Dir(blocked.Socket), "file", "log")
	trouble(t, unlogged.Ensure(t.Context()), CannotStart)
	blocked.Socket = filepath.Join(filepath.Dir(blocked.Socket), "file", "s")
	trouble(t, blocked.Ensure(t.Context()), SocketUnusable)
}

func TestWaitingForAServerEndsWithTheContext(t *testing.T) {
	t.Parallel()
	s := supervised(t, "never-listens")
	ctx, stop := context.WithCancel(t.Context())
	waiting := make(chan error, 2)
	for range 2 { // one waits for the server, the other for the lock
		go func() { waiting <- s.Ensure(ctx) }()
	}
	until(t, func() bool {
		id, err := os.ReadFile(s.Socket + ".lock")
		return err == nil && len(id) > 0
	})
	stop()
	for range 2 {
		if err := <-waiting; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the context's", err)
		}
	}
}

func TestALogThatHasGrownLargeIsPutAside(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens")
	if err := os.MkdirAll(filepath.Dir(s.Log), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Log, make([]byte, maxLog+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	old, err := os.Stat(s.Log + ".old")
	if err != nil || old.Size() != maxLog+1 {
		t.Errorf("the old log: %v, %v", old, err)
	}
	if lines := starts(t, s); len(lines) != 1 {
		t.Errorf("the new log holds %q", lines)
	}
}

func TestTheReasonOfAnExitIsItsErrorOrItsLastLine(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                                 "nothing",
		"\n\n":                             "nothing",
		"one\ntwo\n\n":                     "two",
		"one\nError: boom\n":               "boom",
		"one\nError: boom\ndetails\n":      "boom",
		"one\nthree\nStack backtrace:\n x": "three",
	}
	for text, want := range tests {
		if diff := cmp.Diff(want, reasonIn(text, "nothing")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestAnIdentityNamesOneProcess(t *testing.T) {
	t.Parallel()
	self, parent := identity(os.Getpid()), identity(os.Getppid())
	if !alive(self) || self != identity(os.Getpid()) || self == parent {
		t.Errorf("self %q, parent %q", self, parent)
	}
	if pid, ok := pidOf(self); !ok || pid != os.Getpid() {
		t.Errorf("the identity %q names process %d", self, pid)
	}
	ended := exec.Command("true")
	if err := ended.Start(); err != nil {
		t.Fatal(err)
	}
	id := identity(ended.Process.Pid)
	// Not waited for: it stays as a zombie, which is not alive.
	until(t, func() bool { return identity(ended.Process.Pid) == "" })
	if err := ended.Wait(); err != nil {
		t.Error(err)
	}
	for _, other := range []string{id, "", "x", "0-1-2", "-1-2-3", self + "x"} {
		if alive(other) {
			t.Errorf("%q is alive", other)
		}
	}
	if identity(0) != "" || identity(-1) != "" {
		t.Error("there is a process without an id")
	}
}
