package codex

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

// recordings are the versions of which there are any. Those of 0.136.0 and
// 0.155.0 are made by `go test ./matrix/certify -run Recordings -record`.
var recordings = []string{"0.136.0", "0.155.0", "0.171.0"}

// TestRecordedFramesGiveTheirFacts feeds the client what a real Codex said, and
// makes the calls that were made then. Turns are named in the order in which they
// appear; a fact that is told again is left out. What a version says otherwise
// than the newest stands under its name as well.
func TestRecordedFramesGiveTheirFacts(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"start": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			`turn_ended turn-a completed [om_1] reply="reply to: hello" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		"steer": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			"steer_accepted om_2 turn-a",
			"turn_running turn-a [om_2]",
			`turn_ended turn-a completed [om_1 om_2] reply="reply to: also this" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		"start-while-active": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			"turn_start_accepted om_2 turn-a",
			"turn_running turn-a [om_2]",
			`turn_ended turn-a completed [om_1 om_2] reply="reply to: second" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		"steer-after-end": {
			// The recording does not list the turn.
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			`steer_refused om_2 turn-a no_active_turn "no active turn to steer"`,
		},
		"two-replies": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			`turn_ended turn-a completed [om_1] reply="reply to: commentary then answer" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		"model-failure": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			`turn_ended turn-a failed [om_1] reply="" said="stream disconnected before completion: boom"`,
			"pull_answered idle=true [turn-a]",
			"turn_start_accepted om_2 turn-b",
			"turn_running turn-b [om_2]",
			// The recording does not list the second turn, which may still be to come.
			"pull_answered idle=false [turn-a]",
		},
		"interrupt": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			"interrupt_accepted turn-a",
			`turn_ended turn-a interrupted [om_1] reply="" said=""`,
			"pull_answered idle=true [turn-a]",
			`interrupt_refused turn-a "no active turn to interrupt"`,
		},
		"approval-cancel": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			`turn_ended turn-a interrupted [om_1] reply="" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		"reconnect-mid-turn": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"thread_resumed",
			"turn_running turn-a [om_1]",
			"pull_answered idle=false [turn-a]",
			`turn_ended turn-a completed [om_1] reply="reply to: slow one" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		"completes-while-disconnected": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"thread_resumed",
			`turn_ended turn-a completed [om_1] reply="reply to: slow one" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		"server-killed-mid-turn": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			"thread_resumed",
			"pull_answered idle=false [turn-a]",
			// Read so again, the settle time later.
			`turn_ended turn-a interrupted [om_1] reply="" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		"server-killed-during-start": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			`turn_ended turn-a completed [om_1] reply="reply to: hello" said=""`,
			"pull_answered idle=true [turn-a]",
			// It left no trace; what the new server tells was told before.
			"turn_start_unknown om_2",
			"thread_resumed",
		},
		"thread-lost-before-first-turn": {
			"thread_opened",
			"pull_answered idle=true []",
		},

		// Until 0.160 a steered turn finishes the answer that is under way.
		"0.136.0/steer": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			"steer_accepted om_2 turn-a",
			"turn_running turn-a [om_2]",
			`turn_ended turn-a completed [om_1 om_2] reply="reply to: slow one\n\nreply to: also this" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		"0.155.0/steer": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			"steer_accepted om_2 turn-a",
			"turn_running turn-a [om_2]",
			`turn_ended turn-a completed [om_1 om_2] reply="reply to: slow one\n\nreply to: also this" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		"0.136.0/start-while-active": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			// A turn that never begins: the text is in the one that was active.
			"turn_start_accepted om_2 turn-b",
			"turn_running turn-a [om_2]",
			`turn_ended turn-a completed [om_1 om_2] reply="reply to: slow one\n\nreply to: second" said=""`,
			// It may still be to come, until the settle time is over.
			"pull_answered idle=false [turn-a]",
		},
		"0.155.0/start-while-active": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			"turn_start_accepted om_2 turn-a",
			"turn_running turn-a [om_2]",
			`turn_ended turn-a completed [om_1 om_2] reply="reply to: slow one\n\nreply to: second" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		// The second interrupt has no answer.
		"0.136.0/interrupt": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			"interrupt_accepted turn-a",
			`turn_ended turn-a interrupted [om_1] reply="" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		"0.155.0/interrupt": {
			"thread_opened",
			"turn_start_accepted om_1 turn-a",
			"turn_running turn-a [om_1]",
			"interrupt_accepted turn-a",
			`turn_ended turn-a interrupted [om_1] reply="" said=""`,
			"pull_answered idle=true [turn-a]",
		},
		// What is stored does not tell that the turn failed; its notification did.
	}
	for _, version := range recordings {
		for name, want := range tests {
			if strings.Contains(name, "/") {
				continue
			}
			name = version + "/" + name
			if own, ok := tests[name]; ok {
				want = own
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := &replay{desk: newDesk(t), names: map[string]string{}}
				p.c.Emit = func(_ string, facts []transitions.Fact) { p.tell(facts) }
				p.play(readTrace(t, filepath.Join("testdata", filepath.FromSlash(name)+".jsonl")))
				p.v.Advance(5 * time.Second)
				if diff := cmp.Diff(want, p.lines); diff != "" {
					t.Errorf("facts (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// record is one line of a recording.
type record struct {
	Conn, Dir string
	Msg       json.RawMessage
}

func readTrace(t testing.TB, file string) []record {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var records []record
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// replay plays the server's side of a recording. The client makes more reads than
// were recorded, and others; each is given the next recorded answer to its kind.
type replay struct {
	*desk
	records []record
	at      int
	thread  string
	turns   []string
	names   map[string]string // of turns
	lines   []string
}

func (p *replay) play(records []record) {
	p.t.Helper()
	p.records = records
	for _, method := range []string{methodList, methodResume, methodRead} {
		p.d.auto[method] = func(json.RawMessage) (any, *refuse) { return p.next(method) }
	}
	for i, r := range records {
		p.at = i
		var note string
		if r.Dir == "note" {
			if err := json.Unmarshal(r.Msg, &note); err != nil {
				p.t.Fatal(err)
			}
		}
		switch {
		case note == "connect A":
			p.start()
		case note == "connect B":
			p.v.Advance(time.Second)
		case strings.HasSuffix(note, "ended"):
			p.conn().drop()
		case r.Dir == "out":
			p.out(r)
		case r.Dir == "in":
			p.in(r)
		}
	}
}

// out makes the call that was made, where the bridge makes it for an effect.
func (p *replay) out(r record) {
	p.t.Helper()
	var call struct {
		Method string
		Params struct {
			ExpectedTurnID, TurnID, ClientUserMessageID string
			Input                                       []struct{ Text string }
		}
	}
	if err := json.Unmarshal(r.Msg, &call); err != nil {
		p.t.Fatal(err)
	}
	text := func() string { return call.Params.Input[0].Text }
	effects := map[string]func() transitions.Effect{
		methodOpen: func() transitions.Effect { return transitions.OpenThread{} },
		methodStart: func() transitions.Effect {
			return transitions.StartTurn{Thread: p.thread, Message: call.Params.ClientUserMessageID, Text: text()}
		},
		methodSteer: func() transitions.Effect {
			return transitions.SteerTurn{Thread: p.thread, Turn: call.Params.ExpectedTurnID,
				Message: call.Params.ClientUserMessageID, Text: text()}
		},
		methodInterrupt: func() transitions.Effect {
			return transitions.InterruptTurn{Thread: p.thread, Turn: call.Params.TurnID}
		},
	}
	effect := effects[call.Method]
	if effect == nil {
		return
	}
	p.v.Post(func() {
		p.c.Execute(track, effect(), transitions.Attempt{Number: 1}, func(r transitions.Report) { p.tell(r.Facts) })
	})
	p.v.Settle()
}

// in says what the server said, unless it answers a read: those have answers of
// their own.
func (p *replay) in(r record) {
	p.t.Helper()
	f := decodeFrame(r.Msg)
	if f.Kind != frameAnswer {
		p.v.Post(func() { p.conn().h.Frame(r.Msg) })
		p.v.Settle()
		return
	}
	method := p.answered(p.at)
	switch method {
	case methodOpen, methodStart, methodSteer, methodInterrupt:
		if f.Refuse != nil {
			p.conn().refuse(method, f.Refuse.Code, f.Refuse.Message)
		} else {
			p.conn().answer(method, f.Result)
		}
	}
}

// answered is the method of the call that the record at i answers.
func (p *replay) answered(i int) string {
	r, f := p.records[i], decodeFrame(p.records[i].Msg)
	for j := i - 1; j >= 0; j-- {
		var call struct {
			ID     int64
			Method string
		}
		decode(p.records[j].Msg, &call)
		if o := p.records[j]; o.Dir == "out" && o.Conn == r.Conn && call.ID == f.Number {
			return call.Method
		}
	}
	return ""
}

// next is the next recorded answer to a method, or the last one there was. A
// status that was not read is the one that the next list shows; a list that was
// never read is not there.
func (p *replay) next(method string) (any, *refuse) {
	var found *frame
	for i := range p.records {
		f := decodeFrame(p.records[i].Msg)
		if p.records[i].Dir != "in" || f.Kind != frameAnswer || p.answered(i) != method {
			continue
		}
		if f.Refuse != nil || method != methodRead {
			found = &f
		}
		if i >= p.at && found != nil {
			break
		}
	}
	switch {
	case found != nil:
		return found.Result, found.Refuse
	case method == methodList:
		return nil, &refuse{codeOverloaded, "not recorded"}
	case method == methodRead:
		list, _ := p.next(methodList)
		if raw, ok := list.(json.RawMessage); ok && bytes.Contains(raw, []byte(`"inProgress"`)) {
			return threadIs("active"), nil
		}
		return threadIs("idle"), nil
	default:
		return map[string]any{}, nil
	}
}

// tell writes facts down, and watches what they give to wait for.
func (p *replay) tell(facts []transitions.Fact) {
	for _, fact := range facts {
		if line := p.line(fact); !slices.Contains(p.lines, line) {
			p.lines = append(p.lines, line)
		}
		switch f := fact.(type) {
		case transitions.ThreadOpened:
			p.thread = f.Thread
		case transitions.TurnStartAccepted:
			p.turns = append(p.turns, f.Turn)
		}
		p.c.Watch(track, transitions.Watch{Thread: p.thread, Turns: p.turns, Unsettled: true})
	}
}

func (p *replay) name(turn string) string {
	if p.names[turn] == "" {
		p.names[turn] = "turn-" + string(rune('a'+len(p.names)))
	}
	return p.names[turn]
}

// line is a fact in words.
func (p *replay) line(fact transitions.Fact) string {
	switch f := fact.(type) {
	case transitions.TurnStartAccepted:
		return fmt.Sprintf("turn_start_accepted %s %s", f.Message, p.name(f.Turn))
	case transitions.TurnStartUnknown:
		return fmt.Sprintf("turn_start_unknown %s", f.Message)
	case transitions.SteerAccepted:
		return fmt.Sprintf("steer_accepted %s %s", f.Message, p.name(f.Turn))
	case transitions.SteerRefused:
		return fmt.Sprintf("steer_refused %s %s %s %q", f.Message, p.name(f.Turn), f.Refusal, f.Said)
	case transitions.InterruptAccepted:
		return fmt.Sprintf("interrupt_accepted %s", p.name(f.Turn))
	case transitions.InterruptRefused:
		return fmt.Sprintf("interrupt_refused %s %q", p.name(f.Turn), f.Said)
	case transitions.TurnRunning:
		return fmt.Sprintf("turn_running %s %v", p.name(f.Turn), f.Messages)
	case transitions.TurnEnded:
		return fmt.Sprintf("turn_ended %s %s %v reply=%q said=%q", p.name(f.Turn), f.Status, f.Messages, f.Reply, f.Said)
	case transitions.PullAnswered:
		names := []string{}
		for _, id := range f.Turns {
			names = append(names, p.name(id))
		}
		return fmt.Sprintf("pull_answered idle=%v %v", f.Idle, names)
	default:
		return f.FactName()
	}
}
