package codex

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// helpersOf are the processes of a child's session that run, as ps lists them.
func helpersOf(t *testing.T, id string) (running []string) {
	t.Helper()
	pid, ok := pidOf(id)
	if !ok {
		t.Fatalf("%q names no process", id)
	}
	out, err := exec.Command("ps", "-o", "stat=,args=", "--sid", strconv.Itoa(pid)).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) { // it has found none
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "Z") { // ended, and its new parent has not noticed
			running = append(running, line)
		}
	}
	return running
}

func TestAChildEndsWithItsConnection(t *testing.T) {
	t.Parallel()
	d := childDialer(t, childServer(t, "scripted"), loop(t).Post)
	l := dial(t, d)
	conn := <-l.opened
	id := conn.Generation()
	if !alive(id) {
		t.Fatalf("%q does not run", id)
	}
	conn.Close()
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if pid, _ := pidOf(id); alive(id) || syscall.Kill(pid, 0) == nil {
		t.Error("it still runs, or nobody has noticed its end")
	}
}

// TestAChildThatDoesNotEndIsKilledWithItsHelpers holds that the end is bounded, and
// that the next child waits for it.
func TestAChildThatDoesNotEndIsKilledWithItsHelpers(t *testing.T) {
	t.Parallel()
	d := childDialer(t, childServer(t, "stays"), loop(t).Post)
	d.patience = 50 * time.Millisecond
	first := dial(t, d)
	id := (<-first.opened).Generation()
	<-first.frames // it has begun to ignore signals
	until(t, func() bool { return len(helpersOf(t, id)) > 0 })
	first.cancel()
	second := dial(t, d)
	other := (<-second.opened).Generation()
	if got := helpersOf(t, id); len(got) > 0 || other == id || other == "" {
		t.Errorf("the next one, %q, was started beside %q", other, got)
	}
	second.cancel()
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := helpersOf(t, other); len(got) > 0 {
		t.Errorf("still there: %q", got)
	}
}

func TestCancellingEndsADialThatWaitsForTheLastChild(t *testing.T) {
	t.Parallel()
	d := childDialer(t, childServer(t, "scripted"), loop(t).Post)
	first := dial(t, d)
	<-first.opened
	second := dial(t, d)
	second.cancel()
	if err := <-second.closed; !errors.Is(err, context.Canceled) || len(second.opened) != 0 {
		t.Errorf("closed by %v", err)
	}
	first.cancel()
}

// TestClosingEndsTheChildWhoeverUsesIt: the bridge's end waited in vain for a child that
// nobody had let go of.
func TestClosingEndsTheChildWhoeverUsesIt(t *testing.T) {
	t.Parallel()
	d := childDialer(t, childServer(t, "stays"), loop(t).Post)
	d.patience = 50 * time.Millisecond
	l := dial(t, d)
	<-l.frames
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := d.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("closed beside a child that does not end: %v", err)
	}
	if err := d.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-l.closed; err == nil {
		t.Error("closed without a reason")
	}
	if err := <-dial(t, d).closed; !errors.Is(err, errClosed) {
		t.Errorf("another one: %v", err)
	}
}

func TestWhyAChildEndedIsSaid(t *testing.T) {
	t.Parallel()
	post := loop(t).Post
	ends := func(s *Server, kind TroubleKind) *Trouble {
		t.Helper()
		return trouble(t, <-dial(t, childDialer(t, s, post)).closed, kind)
	}
	exits := childServer(t, "exits-at-once")
	got := ends(exits, ExitedAtOnce)
	if got.What != "Codex ended as soon as it was started: config.toml cannot be parsed" || !strings.Contains(got.Remedy, exits.Log) {
		t.Errorf("%v", got)
	}
	ends(childServer(t, "no-such-program"), BinaryMissing)
	nowhere := childServer(t, "relay")
	nowhere.Workdir = filepath.Join(nowhere.Workdir, "not", "there")
	ends(nowhere, CannotStart)
	unlogged := childServer(t, "relay")
	if err := os.WriteFile(filepath.Join(unlogged.Workdir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	unlogged.Log = filepath.Join(unlogged.Workdir, "file", "log")
	ends(unlogged, CannotStart)

	// One that was killed later is no trouble of an operator.
	d := childDialer(t, childServer(t, "stays"), post)
	l := dial(t, d)
	pid, _ := pidOf((<-l.opened).Generation())
	<-l.frames
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	err := <-l.closed
	var trouble *Trouble
	if errors.As(err, &trouble) || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("closed by %v", err)
	}
}
