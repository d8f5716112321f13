package codex

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/model"
	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

// installing is a server whose program can be exchanged, as an upgrade does.
func installing(t *testing.T, script model.Script, version string) (s *Server, install func(version string)) {
	t.Helper()
	s = codexServer(t, script)
	dir := shortFolder(t)
	s.Command = filepath.Join(dir, "codex")
	install = func(version string) {
		t.Helper()
		next := filepath.Join(dir, "next")
		if err := errors.Join(os.Symlink(realBinary(t, version), next), os.Rename(next, s.Command)); err != nil {
			t.Fatal(err)
		}
	}
	install(version)
	return s, install
}

// supervise makes a bridge's client look at the installed program, as the daemon does.
func supervise(b *bridge, s *Server) func(*Options) {
	return func(o *Options) {
		o.UpgradeLook = 200 * time.Millisecond
		o.Installed = func(done func(Installed, error)) {
			go func() {
				found, err := s.Inquire(context.Background())
				b.loop.Post(func() { done(found, err) })
			}()
		}
		o.Replace = func(generation string, done func(error)) {
			go func() {
				err := s.Replace(context.Background(), generation)
				b.loop.Post(func() { done(err) })
			}()
		}
	}
}

// lines is a log that can be read while it is written.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) count(of string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), of)
}

// TestAnUpgradedCodexIsPutInPlaceOnceTheTurnHasEnded: the server of the old version goes
// on until its turn has ended, and the thread goes on in the new one.
func TestAnUpgradedCodexIsPutInPlaceOnceTheTurnHasEnded(t *testing.T) {
	t.Parallel()
	gate := model.NewGate()
	defer gate.Open()
	s, install := installing(t, func(r model.Request) model.Reply {
		if r.LastText() == "slow one" {
			return model.Echo(r).Held(gate)
		}
		return model.Echo(r)
	}, "0.155.0")
	b := newBridge(t, s, "run", supervise)
	thread := b.open()
	turn := b.begin(thread, "om_1", "slow one")
	b.running(turn, "om_1")
	before := await(b, func(f transitions.PullAnswered) bool { return !f.Idle }).Link
	install("0.171.0")
	b.awaitStatus(func(s Status) bool { return s.Installed == "0.171.0" })
	// Another run adopts the server. It waits for nothing itself, as if the turn were
	// another client's, and goes by what the server says.
	b.stop()
	var said lines
	b = newBridge(t, s, "next", supervise, func(*bridge, *Server) func(*Options) {
		return func(o *Options) {
			o.Log = slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelDebug}))
		}
	})
	until(t, func() bool { return said.count(`reason="a thread is not idle"`) >= 2 })
	b.watch(thread, turn)
	if got := b.status(); got.Version != "0.155.0" || got.Generation != before.Generation {
		t.Errorf("%+v while the turn runs, want the server as it was, %s", got, before.Generation)
	}

	gate.Open()
	b.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndCompleted, Messages: []string{"om_1"}, Reply: "reply to: slow one"})
	b.watch(thread)
	after := b.awaitStatus(func(s Status) bool { return s.Connected && s.Version == "0.171.0" })
	if alive(before.Generation) || after.Generation == before.Generation {
		t.Errorf("%+v after %+v", after, before)
	}
	second := b.begin(thread, "om_2", "and now")
	b.ended(transitions.TurnEnded{Turn: second, Status: transitions.EndCompleted, Messages: []string{"om_2"}, Reply: "reply to: and now"})
	last := await(b, func(f transitions.PullAnswered) bool { return len(f.Turns) == 2 })
	if diff := cmp.Diff([]string{second, turn}, last.Turns); diff != "" {
		t.Errorf("the thread's turns (-want +got):\n%s", diff)
	}
}

// TestEveryVersionTellsItsTurnsWithoutTheList: thread/read gives the same turns, and a
// resume that takes the turns does as well.
func TestEveryVersionTellsItsTurnsWithoutTheList(t *testing.T) {
	t.Parallel()
	for _, version := range Verified() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s, _ := installing(t, model.Echo, version)
			b := newBridge(t, s, "run")
			b.awaitStatus(func(s Status) bool { return s.Connected && s.Version == version })
			b.loop.Post(func() { b.c.lacking[CanListTurns], b.c.lacking[CanResumeWithoutTurns] = true, true })
			thread := b.open()
			first := b.begin(thread, "om_1", "one")
			b.ended(transitions.TurnEnded{Turn: first, Status: transitions.EndCompleted, Messages: []string{"om_1"}, Reply: "reply to: one"})
			b.loop.Post(func() { b.c.threads[thread].resumed = false })
			second := b.begin(thread, "om_2", "two")
			b.ended(transitions.TurnEnded{Turn: second, Status: transitions.EndCompleted, Messages: []string{"om_2"}, Reply: "reply to: two"})
			last := await(b, func(f transitions.PullAnswered) bool { return f.Idle && len(f.Turns) == 2 })
			if diff := cmp.Diff([]string{second, first}, last.Turns); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
			if lacking := b.status().Lacking; len(lacking) < 2 {
				t.Errorf("lacking %v", lacking)
			}
		})
	}
}
