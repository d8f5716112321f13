package codex

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// killedBridge is the environment variable that makes the test binary a bridge which is
// killed after it has started a server and before it has written down which.
const killedBridge = "DESK_TEST_KILLED_BRIDGE"

// startAndDie is that bridge. Its value has the command, the socket, the home and the
// log of the server.
func startAndDie(value string) {
	parts := strings.Split(value, "\n")
	s := &Server{Command: parts[0], Socket: parts[1], Home: parts[2], Log: parts[3]}
	s.started = func() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // it does not fail, and nothing comes after it
	}
	_ = s.Ensure(context.Background())
	os.Exit(1)
}

// unwritten starts a server that nobody wrote down and returns its identity.
func unwritten(t *testing.T, s *Server) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bridge := exec.Command(binary)
	bridge.Env = append(os.Environ(), killedBridge+"="+strings.Join([]string{s.Command, s.Socket, s.Home, s.Log}, "\n"))
	out, err := bridge.CombinedOutput()
	if status, ok := bridge.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the bridge was not killed where it should: %v\n%s", err, out)
	}
	if noted, err := os.ReadFile(s.Socket + ".lock"); err != nil || len(noted) != 0 {
		t.Fatalf("%q is written down, %v", noted, err)
	}
	// Until it is the test binary itself it is a script, with the same arguments.
	id, err := s.unnoted()
	if err != nil || id == "" {
		t.Fatalf("not found: %q, %v", id, err)
	}
	pid, _ := pidOf(id)
	t.Cleanup(func() {
		if alive(id) {
			if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		}
		until(t, func() bool { return !alive(id) })
	})
	return id
}

// TestAServerThatAKilledBridgeDidNotWriteDownIsAdopted: a second one was started beside
// it while it did not listen yet, and ending the server missed it.
func TestAServerThatAKilledBridgeDidNotWriteDownIsAdopted(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens")
	id := unwritten(t, s)
	if err := s.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lines := starts(t, s); len(lines) != 1 {
		t.Errorf("started %d times: %q", len(lines), lines)
	}
	pid, err := Listener(t.Context(), s.Socket)
	if err != nil || identity(pid) != id {
		t.Errorf("process %d listens (%v), want %s", pid, err, id)
	}
	if err := s.End(t.Context()); err != nil || alive(id) {
		t.Errorf("error %v, alive %v", err, alive(id))
	}
}

// TestAServerThatDoesNotListenYetIsAdopted: it is waited for, and written down.
func TestAServerThatDoesNotListenYetIsAdopted(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens-later")
	id := unwritten(t, s)
	if s.listens(t.Context()) {
		t.Fatal("it listens already")
	}
	ensured := make(chan error, 1)
	go func() { ensured <- another(s).Ensure(t.Context()) }()
	until(t, func() bool {
		noted, err := os.ReadFile(s.Socket + ".lock")
		return err == nil && string(noted) == id
	})
	if err := os.WriteFile(s.Socket+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-ensured; err != nil {
		t.Fatal(err)
	}
	if lines := starts(t, s); len(lines) != 1 {
		t.Errorf("started %d times: %q", len(lines), lines)
	}
}

// TestAServerThatWasKilledWithItsBridgeIsNotWaitedFor: the next bridge waited for half a
// minute for a server that was not there.
func TestAServerThatWasKilledWithItsBridgeIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens")
	id := unwritten(t, s)
	pid, _ := pidOf(id)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return !alive(id) })
	if found, err := s.unnoted(); found != "" || err != nil {
		t.Errorf("found %q, %v", found, err)
	}
	if err := os.RemoveAll(s.Socket); err != nil { // Codex itself replaces one that is left behind
		t.Fatal(err)
	}
	if err := s.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAnotherServersOrNobodysProcessIsNotAdopted(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens")
	unwritten(t, s)
	other := another(s)
	other.Socket += "2"
	if id, err := other.unnoted(); id != "" || err != nil {
		t.Errorf("found %q, %v", id, err)
	}
	// What an agent runs inherits the marker, and leads a session too.
	command := exec.Command("sleep", "600")
	command.Env = append(os.Environ(), marker+"="+other.Socket)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if id, err := other.unnoted(); id != "" || err != nil {
		t.Errorf("found %q, %v", id, err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = command.Wait() // it was killed
}

// TestAServerThatEndsWhileItIsWaitedForIsFollowedByAnother: its end was told as a trouble.
func TestAServerThatEndsWhileItIsWaitedForIsFollowedByAnother(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens-later")
	id := unwritten(t, s)
	ensured := make(chan error, 1)
	go func() { ensured <- another(s).Ensure(t.Context()) }()
	until(t, func() bool {
		noted, err := os.ReadFile(s.Socket + ".lock")
		return err == nil && string(noted) == id
	})
	if err := os.WriteFile(s.Socket+".go", nil, 0o600); err != nil { // the next one listens at once
		t.Fatal(err)
	}
	pid, _ := pidOf(id)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-ensured; err != nil {
		t.Error(err)
	}
}

// TestTwoDesksDoNotShareAStateFolder: both servers ran, and a turn of one read as
// interrupted in the other.
func TestTwoDesksDoNotShareAStateFolder(t *testing.T) {
	t.Parallel()
	first, second := supervised(t, "listens"), supervised(t, "listens")
	second.Home = filepath.Join(shortFolder(t), "link")
	if err := os.Symlink(first.Home, second.Home); err != nil {
		t.Fatal(err)
	}
	if err := first.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := trouble(t, second.Ensure(t.Context()), HomeTaken)
	pid, err := Listener(t.Context(), first.Socket)
	if err != nil {
		t.Fatal(err)
	}
	process := strconv.Itoa(pid)
	want := "another Codex (process " + process + ", of the desk with " + first.Socket + ") has the state folder " + second.Home +
		"; name another folder in [codex] home, or stop that desk and end its Codex with `kill " + process + "`"
	if diff := cmp.Diff(want, got.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A child would be a second server as well, even of the same desk.
	for _, s := range []*Server{first, second} {
		d := NewStdioDialer(s, func(f func()) { f() })
		_, err := d.open(t.Context())
		trouble(t, err, HomeTaken)
	}
	if err := first.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := second.Ensure(t.Context()); err != nil {
		t.Errorf("the folder is free: %v", err)
	}
}

// TestAChildKeepsOtherServersOffItsStateFolder has the child be there first.
func TestAChildKeepsOtherServersOffItsStateFolder(t *testing.T) {
	t.Parallel()
	child, other := supervised(t, "stays"), supervised(t, "listens")
	other.Home = child.Home
	d := NewStdioDialer(child, func(f func()) { f() })
	c, err := d.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	trouble(t, other.Ensure(t.Context()), HomeTaken)
	c.hangUp()
	c.release()
	if err := other.Ensure(t.Context()); err != nil {
		t.Errorf("the folder is free: %v", err)
	}
}

func TestOfTwoDesksThatStartAtOnceOneGetsTheStateFolder(t *testing.T) {
	t.Parallel()
	desks := []*Server{supervised(t, "listens"), supervised(t, "listens")}
	desks[1].Home = desks[0].Home
	errs := make([]error, len(desks))
	var all sync.WaitGroup
	for i := range desks {
		all.Go(func() { errs[i] = desks[i].Ensure(t.Context()) })
	}
	all.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("errors %v", errs)
	}
	for _, err := range errs {
		if err != nil {
			trouble(t, err, HomeTaken)
		}
	}
}

func TestAStateFolderThatCannotBeClaimedIsATrouble(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens")
	s.Home = filepath.Join(s.Home, "file")
	if err := os.WriteFile(s.Home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	trouble(t, s.Ensure(t.Context()), CannotStart)
}

func TestTheStateFolderIsWhatCodexTakes(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"/a":        {"HOME=/h", "CODEX_HOME=/b", "CODEX_HOME=/a"}, // as a program sees it
		"/h/.codex": {"HOME=/h", "CODEX_HOME="},
		".codex":    nil,
	}
	for want, env := range tests {
		if got := homeIn(env); got != want {
			t.Errorf("%q: %s, want %s", env, got, want)
		}
	}
}

// TestOnlyAServerThatABridgeStartedIsReplaced: somebody else's is theirs to end.
func TestOnlyAServerThatABridgeStartedIsReplaced(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens")
	if err := s.Replace(t.Context(), identity(os.Getpid())); err == nil {
		t.Error("there is nothing to replace")
	}
	if err := s.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid, err := Listener(t.Context(), s.Socket)
	if err != nil {
		t.Fatal(err)
	}
	id := identity(pid)
	for _, other := range []string{identity(os.Getpid()), id + "x", ""} {
		if err := s.Replace(t.Context(), other); err == nil || !alive(id) {
			t.Errorf("%q: error %v, alive %v", other, err, alive(id))
		}
	}
	if err := s.Replace(t.Context(), id); err != nil || alive(id) {
		t.Errorf("error %v, alive %v", err, alive(id))
	}
}
