package appserver

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/model"
	"deskbridge/adapters/sandbox/model/modeltest"
)

// onTheRealServer are the recordings that can be replayed on the real server
// without waiting for the moments of the recording: none in which something
// happens only because time passes.
var onTheRealServer = []string{
	"start",
	"steer",
	"steer-after-end",
	"start-while-active",
	"start-duplicate-client-id",
	"interrupt",
	"two-replies",
	"model-failure",
	"model-unreachable",
	"protocol-errors",
	"server-killed-mid-turn",
	"start-without-resume-after-restart",
	"thread-lost-before-first-turn",
}

// TestTheRealServerStillDoesWhatWasRecorded holds the recordings, and with them
// the scripted server, to the real binary.
func TestTheRealServerStillDoesWhatWasRecorded(t *testing.T) {
	t.Parallel()
	for _, name := range onTheRealServer {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, got := replay(t, readTrace(t, name), newReal(t))
			compare(t, want, got)
		})
	}
}

// realModel is recordedModel as a provider of the real server; what is slow
// there never ends here.
func realModel(r model.Request) model.Reply {
	switch text := r.LastText(); {
	case strings.HasPrefix(text, "slow"):
		return model.Echo(r).Held(model.NewGate())
	case strings.HasPrefix(text, "fail"):
		return model.Fail("boom")
	case text == "hangup":
		return model.HangUp()
	case text == "commentary then answer" && len(r.Outputs) == 0:
		return model.Do(model.Message(model.Commentary, "looking first"), model.Exec("true"))
	default:
		return model.Echo(r)
	}
}

// real is the real server as a world. It runs on its own clock.
type real struct {
	t     *testing.T
	codex *modeltest.Codex
	up    bool
	lanes map[string]*modeltest.Client
}

var _ world = (*real)(nil)

func newReal(t *testing.T) *real {
	t.Helper()
	return &real{t: t, codex: modeltest.Start(t, realModel), up: true, lanes: map[string]*modeltest.Client{}}
}

func (w *real) connect(name string) { w.lanes[name] = modeltest.Dial(w.t, w.codex.Socket) }
func (w *real) close(name string)   { w.lanes[name].Close() }

func (w *real) send(name string, frame []byte) {
	w.lanes[name].SendRaw(bytes.ReplaceAll(frame, []byte("/desk/work"), []byte(w.codex.Work)))
}

// frames are the frames of a lane with the recording's folders.
func (w *real) frames(name string) [][]byte {
	var frames [][]byte
	for _, frame := range w.lanes[name].Frames() {
		raw := bytes.ReplaceAll(frame.Raw, []byte(w.codex.Work), []byte("/desk/work"))
		frames = append(frames, bytes.ReplaceAll(raw, []byte(w.codex.Home), []byte("/desk/codex-home")))
	}
	return frames
}

func (w *real) kill() {
	w.codex.Kill()
	w.up = false
}

func (w *real) launch() {
	if !w.up {
		w.codex.Launch()
		w.up = true
	}
}

// until waits for the condition only.
func (w *real) until(_ time.Duration, done func() bool) {
	ctx, stop := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer stop()
	for {
		// Taken before the condition is looked at, so that no frame is missed.
		changes := []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ctx.Done())}}
		for _, client := range w.lanes {
			changes = append(changes, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(client.Changed())})
		}
		if done() {
			return
		}
		if first, _, _ := reflect.Select(changes); first == 0 {
			return // The comparison shows what is missing.
		}
	}
}
