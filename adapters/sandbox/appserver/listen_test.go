package appserver

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/model/modeltest"
)

// socket is a path short enough for a unix socket.
func socket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "appserver-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "s.sock")
}

// listen serves a scripted server until the test ends.
func listen(t *testing.T, path string, script Script) *Listener {
	t.Helper()
	l, err := Listen(path, Options{Script: script, Begin: time.Millisecond, Take: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func (l *Listener) must(t *testing.T, f func(*Server)) {
	t.Helper()
	if err := l.Do(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// converse runs one turn and returns what the agent said.
func converse(t *testing.T, c *modeltest.Client, text string) string {
	t.Helper()
	var started struct{ Thread struct{ ID string } }
	c.Call("thread/start", map[string]any{"cwd": "/w"}).Decode(t, &started)
	c.Call("turn/start", map[string]any{
		"threadId": started.Thread.ID, "input": []any{map[string]any{"type": "text", "text": text}},
	})
	var ended struct {
		ThreadID string
		Turn     struct{ Items []struct{ Text string } }
	}
	c.Await("turn/completed", func(f modeltest.Frame) bool {
		if f.Method != "turn/completed" {
			return false
		}
		f.Decode(t, &ended)
		return ended.ThreadID == started.Thread.ID
	})
	if len(ended.Turn.Items) == 0 {
		return ""
	}
	return ended.Turn.Items[0].Text
}

func TestSeveralClientsTalkOverTheSocket(t *testing.T) {
	t.Parallel()
	path := socket(t)
	listen(t, path, Echo)
	for _, text := range []string{"one", "two", "three"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			expect(t, "reply", "reply to: "+text, converse(t, modeltest.Hello(t, path), text))
		})
	}
}

func TestAKilledServerDropsItsClientsAndRefusesOthers(t *testing.T) {
	t.Parallel()
	path := socket(t)
	l := listen(t, path, Echo)
	c := modeltest.Hello(t, path)
	l.must(t, (*Server).Kill)
	c.AwaitEnd()
	refused, err := get(t, path)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "status while it is down", http.StatusServiceUnavailable, refused)
	l.must(t, (*Server).Restart)
	expect(t, "reply", "reply to: again", converse(t, modeltest.Hello(t, path), "again"))
}

func TestTheLastFrameBeforeAClosingArrives(t *testing.T) {
	t.Parallel()
	path := socket(t)
	l := listen(t, path, Echo)
	c := modeltest.Hello(t, path)
	l.must(t, func(s *Server) { s.Inject(Fault{At: Answers, Method: "thread/loaded/list", Do: CloseAfter}) })
	var loaded struct{ Data []string }
	c.Call("thread/loaded/list", map[string]any{}).Decode(t, &loaded)
	c.AwaitEnd()
}

func TestAStaleSocketIsReplacedAndALiveOneIsNot(t *testing.T) {
	t.Parallel()
	path := socket(t)
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	listen(t, path, Echo)
	if _, err := Listen(path, Options{}); err == nil || !strings.Contains(err.Error(), "somebody listens") {
		t.Errorf("a second listener: %v", err)
	}
	file := path + ".txt"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(file, Options{}); err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Errorf("a file: %v", err)
	}
	if _, err := Listen(filepath.Join(path, "nowhere"), Options{}); err == nil {
		t.Error("no error where no socket can be")
	}
}

func TestAClosedListenerEndsEverything(t *testing.T) {
	t.Parallel()
	path := socket(t)
	l, err := Listen(path, Options{Script: held})
	if err != nil {
		t.Fatal(err)
	}
	c := modeltest.Hello(t, path)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c.AwaitEnd()
	if err := l.Do(t.Context(), func(*Server) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("Do after Close: %v", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestWhatIsNoWebsocketIsRefused(t *testing.T) {
	t.Parallel()
	path := socket(t)
	listen(t, path, Echo)
	status, err := get(t, path)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "status", http.StatusBadRequest, status)
}

// get does a plain HTTP request over the socket and returns the status.
func get(t *testing.T, path string) (int, error) {
	t.Helper()
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", path)
		},
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://codex/", nil)
	if err != nil {
		return 0, err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

func TestMainStandsInForCodex(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	for _, flag := range []string{"--version", "-V"} {
		stdout.Reset()
		expect(t, "exit code", 0, Main(t.Context(), []string{flag}, strings.NewReader(""), &stdout, &stderr, Options{}))
		expect(t, "version", "codex-cli 0.171.0\n", stdout.String())
	}
	for _, args := range [][]string{
		nil, {"exec"}, {"app-server", "--listen", "unix://"}, {"app-server", "--listen", "ws://"}, {"app-server", "--listen", "tcp://127.0.0.1:0"},
		{"app-server", "--listen", "ws://127.0.0.1:0", "--ws-auth", "none", "--ws-token-file", "f"},
		{"app-server", "--listen", "ws://127.0.0.1:0", "--ws-auth", "capability-token"}, {"app-server", "--nosuch"},
	} {
		stderr.Reset()
		expect(t, strings.Join(args, " "), 2, Main(t.Context(), args, strings.NewReader(""), &stdout, &stderr, Options{}))
		if stderr.Len() == 0 {
			t.Errorf("%q: nothing on stderr", args)
		}
	}
	expect(t, "no such folder", 1, Main(t.Context(), []string{"app-server", "--listen", "unix:///nowhere/at/all"}, strings.NewReader(""), &stdout, &stderr, Options{}))
}

func TestMainServesUntilItsContextEnds(t *testing.T) {
	t.Parallel()
	path := socket(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr bytes.Buffer
	code := make(chan int)
	go func() {
		code <- Main(ctx, []string{"app-server", "-c", "model=\"x\"", "--listen", "unix://" + path}, strings.NewReader(""), &stdout, &stderr, Options{})
	}()
	c := modeltest.Reach(t, path)
	expect(t, "reply", "reply to: hello", converse(t, c, "hello"))
	cancel()
	expect(t, "exit code", 0, <-code)
	c.AwaitEnd()
	expect(t, "output", "", stdout.String()+stderr.String())
}
