package matrix_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model/modeltest"
	"deskbridge/fsm/floor"
	"deskbridge/matrix"
	"deskbridge/matrix/audit"
	"deskbridge/transitions"
)

// BenchmarkEndToEnd is a message's way from the chat into a turn of the real Codex
// and its answer's way back, both commits to the disk included. In turns with it
// the same text goes to the same app-server directly, in a thread of its own. What
// the bridge adds is the difference; what the model takes is next to nothing, so
// that with a real one the ratio comes near to 1.
//
//	bridged-p50-ms    message in → answer in the chat
//	direct-p50-ms     turn/start → turn/completed
//	bridged/direct    the ratio of the two
//	sync-p50-ms       the disk's own floor of one commit, of which two are on the way
//
// Where a bridged message spends its time, by what is written in the ledger and
// the chat (medians, to the millisecond):
//
//	received-ms       message in the chat → its fact is stepped on
//	started-ms        … → Codex's answer to turn/start is
//	ended-ms          … → the read that shows the turn's end is
//	answered-ms       … → the answer stands in the chat
//	direct-started-ms, direct-ended-ms: the same of the direct turns
func BenchmarkEndToEnd(b *testing.B) {
	d := startDesk(b, matrix.Options{})
	say := func(n int) string {
		id := d.Say(fmt.Sprint("hello ", n))
		awaitReplies(d, n)
		return id
	}
	say(1) // opens the thread
	direct := newDirect(b, d, d.Client())
	direct.await(direct.start("hello 1"))
	sync := floor.Sync(b)
	var bridged, started, ended, syncs floor.Times
	var ids []string
	for n := 2; b.Loop(); n++ {
		bridged = append(bridged, floor.Took(func() { ids = append(ids, say(n)) }))
		var turn string
		started = append(started, floor.Took(func() { turn = direct.start(fmt.Sprint("hello ", n)) }))
		ended = append(ended, floor.Took(func() { direct.await(turn) }))
		syncs = append(syncs, floor.Took(sync))
	}
	report := func(name string, t floor.Times) { b.ReportMetric(millis(t.Median()), name) }
	report("bridged-p50-ms", bridged)
	var whole floor.Times
	for i := range started {
		whole = append(whole, started[i]+ended[i])
	}
	report("direct-p50-ms", whole)
	b.ReportMetric(float64(bridged.Median())/float64(whole.Median()), "bridged/direct")
	report("sync-p50-ms", syncs)
	report("direct-started-ms", started)
	report("direct-ended-ms", ended)
	d.Terminate()
	for name, times := range stages(b, d, ids) {
		report(name, times)
	}
}

// BenchmarkSideBySide has 20 people write three messages each, all at a time: the
// next one once everybody has an answer. After that, as many threads of the same
// app-server have as many turns directly.
//
//	messages/s          through the bridge
//	direct-messages/s   turns of Codex alone
//	bridged/direct      the ratio of the two
//	daemon-MB, codex-MB resident memory, as the system counts it, after the last
//	                    bridged answer
func BenchmarkSideBySide(b *testing.B) {
	const chats, messages = 20, 3
	d := startDesk(b, matrix.Options{Chats: chats})
	said := 0
	var bridged, direct time.Duration
	for b.Loop() {
		bridged += floor.Took(func() {
			for range messages {
				said++
				d.OnPlatform(func(p *feishu.Platform) {
					for _, chat := range d.Chats {
						d.SayIn(p, chat, fmt.Sprint("hello ", said))
					}
				})
				awaitReplies(d, said)
			}
		})
		if runtime.GOOS == "linux" {
			b.ReportMetric(resident(b, d.PID()), "daemon-MB")
			b.ReportMetric(resident(b, d.CodexPID()), "codex-MB")
		} else {
			b.Log("memory is read from /proc, which only Linux has")
		}
		direct += floor.Took(func() { sideBySide(b, d, chats, messages) })
	}
	b.ReportMetric(float64(said*chats)/bridged.Seconds(), "messages/s")
	b.ReportMetric(float64(said*chats)/direct.Seconds(), "direct-messages/s")
	b.ReportMetric(direct.Seconds()/bridged.Seconds(), "bridged/direct")
}

// sideBySide has threads opened, and turns in all of them at a time.
func sideBySide(b *testing.B, d *matrix.Desk, threads, messages int) {
	client := d.Client()
	defer client.Close()
	var all []*direct
	for range threads {
		all = append(all, newDirect(b, d, client))
	}
	for n := range messages {
		var turns []string
		for _, thread := range all {
			turns = append(turns, thread.start(fmt.Sprint("hello ", n)))
		}
		for i, thread := range all {
			thread.await(turns[i])
		}
	}
}

// awaitReplies waits until the app has written so many messages in each chat.
func awaitReplies(d *matrix.Desk, want int) {
	d.AwaitPlatform("the answer is in the chat", func(p *feishu.Platform) bool {
		return !slices.ContainsFunc(d.Chats, func(chat matrix.Chat) bool {
			replies := 0
			for _, m := range p.Messages(chat.ID) {
				if m.Sender.ID == d.App.ID {
					replies++
				}
			}
			return replies != want
		})
	})
}

// direct is a thread of somebody who talks to Codex without a bridge.
type direct struct {
	b      *testing.B
	client *modeltest.Client
	thread string
}

func newDirect(b *testing.B, d *matrix.Desk, client *modeltest.Client) *direct {
	var opened struct{ Thread struct{ ID string } }
	client.Call("thread/start", map[string]any{"cwd": d.Work}).Decode(b, &opened)
	return &direct{b, client, opened.Thread.ID}
}

// start begins a turn about a text and returns once that is answered.
func (d *direct) start(text string) (turn string) {
	var started struct{ Turn struct{ ID string } }
	d.client.Call("turn/start", map[string]any{
		"threadId": d.thread, "input": []any{map[string]any{"type": "text", "text": text}},
	}).Decode(d.b, &started)
	return started.Turn.ID
}

// await waits until the turn's end is told.
func (d *direct) await(turn string) {
	d.client.Await("the turn's end", func(f modeltest.Frame) bool {
		return f.Method == "turn/completed" && bytes.Contains(f.Raw, []byte(turn))
	})
}

// stages reads from ledger and chat where these messages were when.
func stages(b *testing.B, d *matrix.Desk, messages []string) map[string]floor.Times {
	books, err := audit.Read(b.Context(), d.Data)
	if err != nil {
		b.Fatal(err)
	}
	steps := map[string][4]time.Time{} // message → received, started, ended, answered
	note := func(message string, stage int, at time.Time) {
		s := steps[message]
		s[stage] = at
		steps[message] = s
	}
	for _, e := range books.Journal {
		switch f := e.Fact.(type) {
		case transitions.MessageReceived:
			note(f.Message, 0, e.At)
		case transitions.TurnStartAccepted:
			note(f.Message, 1, e.At)
		case transitions.TurnEnded:
			for _, id := range f.Messages {
				note(id, 2, e.At)
			}
		}
	}
	created := map[string]time.Time{}
	d.OnPlatform(func(p *feishu.Platform) {
		for _, m := range p.Messages(d.Chat) {
			created[m.ID] = m.Created
			if m.ParentID != "" {
				note(m.ParentID, 3, m.Created)
			}
		}
	})
	all := map[string]floor.Times{}
	for _, id := range messages {
		before := created[id]
		for i, name := range []string{"received-ms", "started-ms", "ended-ms", "answered-ms"} {
			all[name] = append(all[name], steps[id][i].Sub(before))
			before = steps[id][i]
		}
	}
	return all
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// resident is the memory of a process in megabytes, as Linux tells it.
func resident(b *testing.B, pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(status))
	for lines.Scan() {
		if size, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			var kilobytes float64
			if _, err := fmt.Sscan(size, &kilobytes); err != nil {
				b.Fatal(err)
			}
			return kilobytes / 1024
		}
	}
	b.Fatalf("no VmRSS of process %d", pid)
	return 0
}
