package certify

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/adapters/sandbox/model/modeltest"
	"deskbridge/fsm/floor"
	"deskbridge/transitions"
)

// longThread and shortThread are how many turns the two threads have.
const longThread, shortThread = 5000, 5

// BenchmarkPollOfALongThread has the bridge's client poll (thread/turns/list, then
// thread/read) a thread of 5,000 turns and one of 5, in turns. The long one is made
// of copies of its last turn in Codex's own file.
//
//	long-p50-ms, short-p50-ms   a poll, from the asking to the snapshot
//	long/short                  the ratio of the two
//	first-long-ms               the first one after Codex was started: the thread is
//	                            resumed before
func BenchmarkPollOfALongThread(b *testing.B) {
	for _, version := range chosen() {
		b.Run(version, func(b *testing.B) {
			server := newServer(b, version, model.Echo)
			maker := newBridge(b, server, "maker")
			var threads [2]string
			for i := range threads {
				threads[i] = maker.open()
				for n := range shortThread {
					maker.whole(threads[i], fmt.Sprintf("om_%d_%d", i, n), fmt.Sprint("hello ", n))
				}
			}
			maker.stop()
			kill(b, server)
			lengthen(b, server.Home, threads[1], longThread-shortThread)
			// Codex takes in what was put into its file once, which is none of a poll.
			taker := newPoller(b, server, threads[1])
			taker.poll()
			taker.stop()
			kill(b, server)
			short, long := newPoller(b, server, threads[0]), newPoller(b, server, threads[1])
			short.poll()
			first := floor.Took(long.poll)
			var shorts, longs floor.Times
			for b.Loop() {
				shorts = append(shorts, floor.Took(short.poll))
				longs = append(longs, floor.Took(long.poll))
			}
			if n := listed(b, server.Socket, long.thread); n != longThread {
				b.Errorf("the long thread has %d turns, want %d", n, longThread)
			}
			b.ReportMetric(millis(first), "first-long-ms")
			b.ReportMetric(millis(shorts.Median()), "short-p50-ms")
			b.ReportMetric(millis(longs.Median()), "long-p50-ms")
			b.ReportMetric(float64(longs.Median())/float64(shorts.Median()), "long/short")
		})
	}
}

// poller is a run of the bridge that reads a thread when it is asked to.
type poller struct {
	*bridge
	thread string
}

func newPoller(b *testing.B, server *codex.Server, thread string) poller {
	b.Helper()
	return poller{newBridge(b, server, "poller-of-"+thread), thread}
}

// poll reads the thread once.
func (p poller) poll() {
	p.t.Helper()
	before := p.polls()
	p.loop.Post(func() {
		p.c.Execute(track, transitions.Pull{Thread: p.thread}, transitions.Attempt{Number: 1}, func(transitions.Report) {})
	})
	await(p.bridge, func(transitions.PullAnswered) bool { return p.polls() > before })
}

// polls counts the snapshots so far.
func (p poller) polls() (n int) {
	for _, f := range p.told() {
		if _, ok := f.(transitions.PullAnswered); ok {
			n++
		}
	}
	return n
}

var (
	anyID   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	ordinal = regexp.MustCompile(`"ordinal":[0-9]+`)
)

// lengthen appends copies of a stored thread's last turn to Codex's file of it: with
// ids of their own, and counted on where lines are counted.
func lengthen(b *testing.B, home, thread string, copies int) {
	b.Helper()
	paths, err := filepath.Glob(filepath.Join(home, "sessions", "*", "*", "*", "rollout-*"+thread+".jsonl"))
	must(b, err)
	if len(paths) != 1 {
		b.Fatalf("the thread's files are %v, want one", paths)
	}
	text, err := os.ReadFile(paths[0])
	must(b, err)
	last := text[bytes.LastIndexByte(text[:bytes.LastIndex(text, []byte(`"task_started"`))], '\n')+1:]
	next := bytes.Count(text, []byte("\n"))
	var all bytes.Buffer
	for n := range copies {
		one := anyID.ReplaceAllFunc(last, func(id []byte) []byte {
			if string(id) == thread {
				return id
			}
			return fmt.Appendf(nil, "%s%08x", id[:len(id)-8], n)
		})
		one = bytes.ReplaceAll(one, []byte(`"msg_`), fmt.Appendf(nil, `"msg_%d_`, n))
		all.Write(ordinal.ReplaceAllFunc(one, func([]byte) []byte {
			next++
			return fmt.Appendf(nil, `"ordinal":%d`, next-1)
		}))
	}
	file, err := os.OpenFile(paths[0], os.O_WRONLY|os.O_APPEND, 0)
	must(b, err)
	_, err = file.Write(all.Bytes())
	must(b, err)
	must(b, file.Close())
}

// listed counts the turns that Codex lists of the thread.
func listed(b *testing.B, socket, thread string) (n int) {
	b.Helper()
	client := modeltest.Hello(b, socket)
	defer client.Close()
	params := map[string]any{"threadId": thread, "limit": 100, "itemsView": "summary"}
	for {
		var page struct {
			Data       []struct{}
			NextCursor string
		}
		client.Call("thread/turns/list", params).Decode(b, &page)
		n += len(page.Data)
		if page.NextCursor == "" {
			return n
		}
		params["cursor"] = page.NextCursor
	}
}
