package appserver

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sched"

	"github.com/google/go-cmp/cmp"
)

// recordings are the traces in testdata. They were taken once each; where a
// detail of one depends on how quick the recording machine was, this list says
// so.
var recordings = []string{
	"start",
	"steer",
	"steer-after-end",
	"steer-wrong-turn",
	"start-while-active",
	"start-duplicate-client-id",
	"interrupt",
	"two-replies",
	"model-failure",
	"model-unreachable",
	"completes-while-disconnected",
	"reconnect-mid-turn",
	"protocol-errors",
	// The last turn of this server was killed 44 ms after its start was sent and
	// left no trace; some milliseconds later it would have been stored.
	"server-killed-during-start",
	"server-killed-mid-turn",
	"start-without-resume-after-restart",
	"thread-lost-before-first-turn",
}

// recordedModel is the model of the recordings, as their texts show it.
func recordedModel(a Ask) []Step {
	quick := Wait(30 * time.Millisecond)
	switch text := a.LastText(); {
	case strings.HasPrefix(text, "slow"):
		return []Step{Wait(3 * time.Second), Say("reply to: " + text)}
	case strings.HasPrefix(text, "fail"):
		return []Step{quick, Fail("stream disconnected before completion: boom")}
	case text == "hangup":
		return []Step{quick, Fail("stream disconnected before completion: " +
			"Transport error: network error: error decoding response body")}
	case text == "commentary then answer":
		return []Step{quick, Message(Commentary, "looking first"),
			Command("true", "", 200*time.Millisecond), quick, Say("reply to: " + text)}
	default:
		return []Step{quick, Say("reply to: " + text)}
	}
}

func TestTheScriptedServerDoesWhatTheRecordedOneDid(t *testing.T) {
	t.Parallel()
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, got := replay(t, readTrace(t, name), newScripted(recordedModel))
			compare(t, want, got)
		})
	}
}

func TestEveryRecordingIsReplayed(t *testing.T) {
	t.Parallel()
	files := recordingFiles(t)
	sorted := slices.Sorted(slices.Values(recordings))
	if diff := cmp.Diff(files, sorted); diff != "" {
		t.Errorf("files of testdata (-) and recordings (+):\n%s", diff)
	}
}

func TestAReplayThatGoesOtherwiseIsNoticed(t *testing.T) {
	t.Parallel()
	recorded := readTrace(t, "steer")
	for name, model := range map[string]Script{
		"another text":     func(Ask) []Step { return []Step{Wait(time.Second), Say("something else")} },
		"another phase":    func(a Ask) []Step { return []Step{Wait(time.Second), Message(NoPhase, "reply to: "+a.LastText())} },
		"a message more":   func(a Ask) []Step { return append([]Step{Wait(time.Second), Message(Commentary, "hm")}, Echo(a)...) },
		"too quick a turn": Echo,
	} {
		want, got := replay(t, recorded, newScripted(model))
		if cmp.Equal(want, got) {
			t.Errorf("%s: no difference found", name)
		}
	}
}

// compare holds a replay to its recording, lane by lane.
func compare(t *testing.T, want, got map[string][]any) {
	t.Helper()
	for _, lane := range slices.Sorted(maps.Keys(want)) {
		if diff := cmp.Diff(summaries(want[lane]), summaries(got[lane])); diff != "" {
			t.Errorf("lane %s, order of frames (-recorded +replayed):\n%s", lane, diff)
			continue
		}
		for i := range want[lane] {
			if diff := cmp.Diff(want[lane][i], got[lane][i]); diff != "" {
				t.Errorf("lane %s, frame %d, %s (-recorded +replayed):\n%s", lane, i, summary(want[lane][i]), diff)
			}
		}
	}
}

func summaries(frames []any) []string {
	names := make([]string, len(frames))
	for i, frame := range frames {
		names[i] = summary(frame)
	}
	return names
}

// scripted is a scripted server under virtual time.
type scripted struct {
	clock  *sched.Virtual
	begin  time.Time
	server *Server
	lanes  map[string]*lane
}

type lane struct {
	conn   *Conn
	frames [][]byte
}

var _ world = (*scripted)(nil)

func newScripted(model Script) *scripted {
	begin := time.Date(2026, 11, 30, 22, 24, 0, 0, time.UTC)
	clock := sched.NewVirtual(begin)
	return &scripted{
		clock: clock, begin: begin, lanes: map[string]*lane{},
		server: New(clock, Options{Script: model, Home: "/desk/codex-home"}),
	}
}

func (w *scripted) connect(name string) {
	l := &lane{}
	l.conn = w.server.Connect(func(frame []byte) { l.frames = append(l.frames, frame) }, func() {})
	w.lanes[name] = l
}

func (w *scripted) close(name string)              { w.lanes[name].conn.Close() }
func (w *scripted) send(name string, frame []byte) { w.lanes[name].conn.Receive(frame) }
func (w *scripted) kill()                          { w.server.Kill() }
func (w *scripted) launch()                        { w.server.Restart() }
func (w *scripted) frames(name string) [][]byte    { return w.lanes[name].frames }
func (w *scripted) until(at time.Duration, done func() bool) {
	if at == 0 && done() {
		return
	}
	w.clock.Advance(max(0, w.begin.Add(at).Sub(w.clock.Now())))
	w.clock.AdvanceUntil(time.Minute, done)
}
