package certify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/model"
	"deskbridge/adapters/sandbox/model/modeltest"
	"deskbridge/matrix"
)

var record = flag.Bool("record", false, "write what the scenarios' frames are into adapters/codex/testdata")

// scenario is what a recording is of. Every one begins with a new server and the
// connection A, on which a thread is opened.
type scenario struct {
	name string
	play func(*recorder)
	// chance says that frames may be there or not, by how quick the machine is.
	chance bool
}

var scenarios = []scenario{
	{name: "start", play: func(r *recorder) {
		turn := r.start("A", "om_1", "hello")
		r.ended("A", turn)
		r.list("A")
		r.call("A", "thread/read", map[string]any{"threadId": r.thread, "includeTurns": true})
	}},
	{name: "steer", play: func(r *recorder) {
		turn := r.running("A", "om_1", "slow one")
		r.steer("A", turn, "om_2", "also this")
		r.gate.Open()
		r.ended("A", turn)
		r.list("A")
	}},
	{name: "steer-after-end", play: func(r *recorder) {
		turn := r.start("A", "om_1", "hello")
		r.ended("A", turn)
		r.steer("A", turn, "om_2", "late")
	}},
	{name: "start-while-active", play: func(r *recorder) {
		turn := r.running("A", "om_1", "slow one")
		r.start("A", "om_2", "second")
		r.gate.Open()
		r.ended("A", turn)
		r.list("A")
	}},
	{name: "two-replies", play: func(r *recorder) {
		turn := r.start("A", "om_1", "commentary then answer")
		r.ended("A", turn)
		r.list("A")
	}},
	{name: "model-failure", play: func(r *recorder) {
		turn := r.start("A", "om_1", "fail now")
		r.ended("A", turn)
		r.list("A")
		turn = r.start("A", "om_2", "hello again")
		r.ended("A", turn)
	}},
	{name: "interrupt", play: func(r *recorder) {
		turn := r.running("A", "om_1", "slow one")
		interrupt := map[string]any{"threadId": r.thread, "turnId": turn}
		r.call("A", "turn/interrupt", interrupt)
		r.ended("A", turn)
		r.list("A")
		r.perhaps("A", r.send("A", "turn/interrupt", interrupt)) // which some versions never answer
	}},
	{name: "approval-cancel", play: func(r *recorder) {
		turn := r.start("A", "om_1", "run touch made-here")
		request := r.lanes["A"].client.Await("the request", func(f modeltest.Frame) bool { return f.ID != nil && f.Method != "" })
		r.out("A", map[string]any{"id": request.ID, "result": map[string]any{"decision": "cancel"}})
		r.ended("A", turn)
		r.list("A")
	}},
	{name: "reconnect-mid-turn", chance: true, play: func(r *recorder) {
		turn := r.start("A", "om_1", "slow one")
		r.close("A")
		r.connect("B")
		r.list("B")
		r.resume("B")
		r.gate.Open()
		r.ended("B", turn)
		r.list("B")
	}},
	{name: "completes-while-disconnected", chance: true, play: func(r *recorder) {
		r.start("A", "om_1", "slow one")
		r.close("A")
		r.gate.Open()
		r.idle()
		r.connect("B")
		r.read("B")
		r.list("B")
	}},
	{name: "server-killed-mid-turn", chance: true, play: func(r *recorder) {
		r.running("A", "om_1", "slow one")
		r.restart("A")
		r.connect("B")
		r.read("B")
		r.list("B")
		r.resume("B")
		r.list("B")
	}},
	{name: "server-killed-during-start", chance: true, play: func(r *recorder) {
		turn := r.start("A", "om_1", "hello")
		r.ended("A", turn)
		r.send("A", "turn/start", r.startParams("om_2", "slow lost"))
		r.restart("A")
		r.connect("B")
		r.list("B")
		r.resume("B")
	}},
	{name: "thread-lost-before-first-turn", play: func(r *recorder) {
		r.restart("A")
		r.connect("B")
		r.read("B")
		r.resume("B")
		r.list("B")
	}},
}

// TestRecordings plays the scenarios on the chosen versions and holds them to the
// recordings that adapters/codex replays: the same frames of the same kinds, in any
// order. Under -record it writes these.
func TestRecordings(t *testing.T) {
	root, err := matrix.Root()
	must(t, err)
	for _, version := range chosen() {
		dir := filepath.Join(root, "adapters", "codex", "testdata", version)
		if _, err := os.Stat(dir); err != nil && !*record {
			t.Logf("there are no recordings of %s", version)
			continue
		}
		for _, s := range scenarios {
			t.Run(version+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				got := play(t, version, s)
				path := filepath.Join(dir, s.name+".jsonl")
				if *record {
					must(t, os.MkdirAll(dir, 0o755))
					must(t, os.WriteFile(path, got, 0o644))
					return
				}
				want, err := os.ReadFile(path)
				must(t, err)
				if !s.chance {
					same(t, kinds(t, want), kinds(t, got))
				}
			})
		}
	}
}

// line is one line of a recording.
type line struct {
	At   int64           `json:"ms"`
	Lane string          `json:"conn"`
	Dir  string          `json:"dir"` // "out": to the server, "in": from it, "note"
	Msg  json.RawMessage `json:"msg"`
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// kinds are the lines without what differs from run to run, sorted.
func kinds(t *testing.T, recording []byte) []string {
	t.Helper()
	var all []string
	for raw := range bytes.Lines(recording) {
		var l line
		must(t, json.Unmarshal(raw, &l))
		var note string
		if json.Unmarshal(l.Msg, &note) == nil {
			all = append(all, "note: "+note)
			continue
		}
		var frame struct {
			ID     int
			Method string
			Error  *modeltest.FrameError
		}
		must(t, json.Unmarshal(l.Msg, &frame))
		if strings.HasSuffix(frame.Method, "/outputDelta") {
			continue // how a command's output is cut is chance
		}
		text := fmt.Sprintf("%s %s: %s", l.Lane, l.Dir, cmp.Or(frame.Method, "answer "+strconv.Itoa(frame.ID)))
		if frame.Error != nil {
			text += fmt.Sprintf(" refused (%d): %s", frame.Error.Code, uuid.ReplaceAllString(frame.Error.Message, "ID"))
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// recorder writes down what goes between a client and a real Codex.
type recorder struct {
	t      *testing.T
	codex  *modeltest.Codex
	gate   *model.Gate // of slow texts
	thread string
	lanes  map[string]*recordedLane
	began  time.Time
	lines  []timed
}

type recordedLane struct {
	client *modeltest.Client
	nextID int
}

type timed struct {
	at time.Time
	line
}

// play is a scenario's recording.
func play(t *testing.T, version string, s scenario) []byte {
	t.Helper()
	r := &recorder{t: t, gate: model.NewGate(), lanes: map[string]*recordedLane{}}
	t.Cleanup(r.gate.Open)
	r.began = time.Now()
	r.codex = modeltest.Run(t, program(t, version), func(q model.Request) model.Reply {
		switch text := q.LastText(); {
		case strings.HasPrefix(text, "slow"):
			return model.Echo(q).Held(r.gate)
		case strings.HasPrefix(text, "fail"):
			return model.Fail("boom")
		case strings.HasPrefix(text, "run ") && len(q.Outputs) == 0:
			return model.Do(model.ExecAsking(strings.TrimPrefix(text, "run "), "to leave a trace"))
		case text == "commentary then answer" && len(q.Outputs) == 0:
			return model.Do(model.Message(model.Commentary, "looking first"), model.Exec("true"))
		default:
			return model.Echo(q)
		}
	})
	r.note("server up")
	r.connect("A")
	var opened struct{ Thread struct{ ID string } }
	r.call("A", "thread/start", map[string]any{"cwd": r.codex.Work}).Decode(t, &opened)
	r.thread = opened.Thread.ID
	r.lanes["A"].client.Await("word of the thread", func(f modeltest.Frame) bool { return f.Method == "thread/started" })
	s.play(r)
	return r.text()
}

func (r *recorder) note(text string) {
	raw, err := json.Marshal(text)
	must(r.t, err)
	r.lines = append(r.lines, timed{time.Now(), line{Lane: "-", Dir: "note", Msg: raw}})
}

func (r *recorder) connect(name string) {
	r.note("connect " + name)
	r.lanes[name] = &recordedLane{client: modeltest.Dial(r.t, r.codex.Socket)}
	r.call(name, "initialize", map[string]any{
		"capabilities": map[string]any{"experimentalApi": true},
		"clientInfo":   map[string]any{"name": "desk", "title": "desk", "version": "0"},
	})
	r.out(name, map[string]any{"method": "initialized"})
}

func (r *recorder) close(name string) {
	r.note("connection " + name + " ended")
	r.lanes[name].client.Close()
	r.lanes[name].client.AwaitEnd()
}

// restart kills the server and starts it again.
func (r *recorder) restart(lane string) {
	r.close(lane)
	r.note("server killed")
	r.codex.Kill()
	r.note("server up")
	r.codex.Launch()
}

func (r *recorder) out(lane string, frame map[string]any) {
	r.t.Helper()
	raw, err := json.Marshal(frame)
	must(r.t, err)
	r.lines = append(r.lines, timed{time.Now(), line{Lane: lane, Dir: "out", Msg: raw}})
	r.lanes[lane].client.SendRaw(raw)
}

func (r *recorder) send(lane, method string, params map[string]any) (id int) {
	r.t.Helper()
	r.lanes[lane].nextID++
	id = r.lanes[lane].nextID
	r.out(lane, map[string]any{"id": id, "method": method, "params": params})
	return id
}

func (r *recorder) call(lane, method string, params map[string]any) modeltest.Frame {
	r.t.Helper()
	id := r.send(lane, method, params)
	return r.lanes[lane].client.Await(method+"'s answer", func(f modeltest.Frame) bool {
		return f.Method == "" && string(f.ID) == strconv.Itoa(id)
	})
}

func (r *recorder) startParams(message, text string) map[string]any {
	return map[string]any{"threadId": r.thread, "clientUserMessageId": message, "input": textInput(text)}
}

func (r *recorder) start(lane, message, text string) (turn string) {
	r.t.Helper()
	var started struct{ Turn struct{ ID string } }
	r.call(lane, "turn/start", r.startParams(message, text)).Decode(r.t, &started)
	return started.Turn.ID
}

// perhaps waits for an answer that may be missing.
func (r *recorder) perhaps(lane string, id int) {
	ctx, stop := context.WithTimeout(r.t.Context(), silence)
	defer stop()
	client := r.lanes[lane].client
	for {
		changed := client.Changed()
		if slices.ContainsFunc(client.Frames(), func(f modeltest.Frame) bool {
			return f.Method == "" && string(f.ID) == strconv.Itoa(id)
		}) {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// running starts a turn and waits until its text is an item and the model is asked.
func (r *recorder) running(lane, message, text string) (turn string) {
	r.t.Helper()
	turn = r.start(lane, message, text)
	r.lanes[lane].client.Await("the item of "+message, func(f modeltest.Frame) bool {
		return f.Method == "item/completed" && strings.Contains(string(f.Params), message)
	})
	_, err := r.codex.Model.Await(r.t.Context(), func(all []model.Record) bool { return len(all) > 0 })
	must(r.t, err)
	return turn
}

func (r *recorder) steer(lane, turn, message, text string) {
	r.t.Helper()
	params := r.startParams(message, text)
	params["expectedTurnId"] = turn
	r.call(lane, "turn/steer", params)
}

func (r *recorder) ended(lane, turn string) {
	r.t.Helper()
	r.lanes[lane].client.Await("the turn's end", func(f modeltest.Frame) bool {
		return f.Method == "turn/completed" && strings.Contains(string(f.Params), turn)
	})
}

func (r *recorder) list(lane string) {
	r.t.Helper()
	r.call(lane, "thread/turns/list", map[string]any{"threadId": r.thread, "limit": 2, "itemsView": "full"})
}

func (r *recorder) read(lane string) {
	r.t.Helper()
	r.call(lane, "thread/read", map[string]any{"threadId": r.thread, "includeTurns": false})
}

func (r *recorder) resume(lane string) {
	r.t.Helper()
	r.call(lane, "thread/resume", map[string]any{"threadId": r.thread, "excludeTurns": true})
}

// idle waits until the thread's turn is over, over a connection that is not recorded.
func (r *recorder) idle() {
	r.t.Helper()
	client := modeltest.Hello(r.t, r.codex.Socket)
	defer client.Close()
	for {
		page := client.Call("thread/turns/list", map[string]any{"threadId": r.thread, "limit": 2, "itemsView": "full"})
		if strings.Contains(string(page.Result), `"status":"completed"`) {
			return
		}
		if r.t.Context().Err() != nil {
			r.t.Fatal("the turn did not end")
		}
	}
}

// unrecorded are notifications that say nothing about the scenario.
var unrecorded = []string{
	"deprecationNotice", "account/rateLimits/updated", "configWarning", "mcpServer/startupStatus/updated",
	"remoteControl/status/changed", "thread/goal/cleared", "thread/readState/changed",
	"thread/settings/updated", "thread/tokenUsage/updated", "warning",
}

// text is the recording: all frames in the order of their times, with folders of
// no machine.
func (r *recorder) text() []byte {
	home, err := filepath.EvalSymlinks(r.codex.Home)
	must(r.t, err)
	for name, lane := range r.lanes {
		for _, f := range lane.client.Frames() {
			if !slices.Contains(unrecorded, f.Method) {
				r.lines = append(r.lines, timed{f.At, line{Lane: name, Dir: "in", Msg: f.Raw}})
			}
		}
	}
	slices.SortStableFunc(r.lines, func(a, b timed) int { return a.at.Compare(b.at) })
	var text bytes.Buffer
	for _, l := range r.lines {
		l.At = l.at.Sub(r.began).Milliseconds()
		raw, err := json.Marshal(l.line)
		must(r.t, err)
		raw = bytes.ReplaceAll(raw, []byte(r.codex.Work), []byte("/desk/work"))
		for _, folder := range []string{r.codex.Home, home} {
			raw = bytes.ReplaceAll(raw, []byte(folder), []byte("/desk/codex-home"))
		}
		text.Write(append(raw, '\n'))
	}
	return text.Bytes()
}
