package appserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// TestTheNetworkListenerLetsInWhoHasTheToken holds what the real server answers, as
// measured on 0.171.0.
func TestTheNetworkListenerLetsInWhoHasTheToken(t *testing.T) {
	t.Parallel()
	l, err := ListenWS("127.0.0.1:0", "hush", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, c := range []struct {
		name, header, value string
		status              int
		body                string
	}{
		{"no token", "X-Other", "x", 401, "missing websocket bearer token\n"},
		{"another token", "Authorization", "Bearer hash", 401, "invalid websocket bearer token\n"},
		{"the token", "Authorization", "Bearer hush", 101, ""},
		{"a page in a browser", "Origin", "http://example.com", 403, ""},
	} {
		ws, response, err := websocket.DefaultDialer.DialContext(t.Context(), l.URL(), http.Header{c.header: {c.value}})
		if response == nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		expect(t, c.name+": status", c.status, response.StatusCode)
		if err == nil {
			_ = ws.Close()
			continue
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, c.name+": body", c.body, string(body))
	}
	for path, status := range map[string]int{"/readyz": 200, "/healthz": 200, "/": 401} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http"+strings.TrimPrefix(l.URL(), "ws")+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "status of "+path, status, response.StatusCode)
		_ = response.Body.Close()
	}
}

func TestMainListensOnTheNetworkWithATokenFromAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	args := []string{"app-server", "--listen", "ws://127.0.0.1:0", "--ws-auth", "capability-token", "--ws-token-file", file}
	var stdout, stderr bytes.Buffer
	expect(t, "no file", 1, Main(t.Context(), args, strings.NewReader(""), &stdout, &stderr, Options{}))
	if err := os.WriteFile(file, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, "no token in it", 1, Main(t.Context(), args, strings.NewReader(""), &stdout, &stderr, Options{}))
	if err := os.WriteFile(file, []byte("hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told, tell := io.Pipe()
	code := make(chan int)
	go func() { code <- Main(ctx, args, strings.NewReader(""), &stdout, tell, Options{}) }()
	said, err := bufio.NewReader(told).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url, ok := strings.CutPrefix(strings.TrimSpace(said), "listening on: ")
	if !ok {
		t.Fatalf("said %q", said)
	}
	ws, _, err := websocket.DefaultDialer.DialContext(t.Context(), url, http.Header{"Authorization": {"Bearer hush"}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	cancel()
	expect(t, "exit code", 0, <-code)
}

// TestMainSpeaksOverItsOwnStreams holds that a line is a frame, that what is none is
// ignored, and that the server ends with its input.
func TestMainSpeaksOverItsOwnStreams(t *testing.T) {
	t.Parallel()
	in, say := io.Pipe()
	hear, out := io.Pipe()
	code := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		code <- Main(context.Background(), []string{"app-server"}, in, out, &stderr, Options{})
		_ = out.Close()
	}()
	lines := bufio.NewReader(hear)
	call := func(text string) (answer struct{ Result struct{ UserAgent string } }) {
		if _, err := io.WriteString(say, text); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &answer)
		}
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	got := call("no JSON\n\n[1]\n" + `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"desk","version":"1"}}}` + "\n")
	expect(t, "user agent", "desk/0.171.0 (scripted) (desk; 1)", got.Result.UserAgent)
	if _, err := io.WriteString(say, `{"id":2,"method":"thread/loaded/list","params":{}}`); err != nil {
		t.Fatal(err)
	}
	_ = say.Close() // in the middle of a frame
	if rest, err := io.ReadAll(lines); err != nil || len(rest) != 0 {
		t.Errorf("more was said: %q, %v", rest, err)
	}
	expect(t, "exit code", 0, <-code)
}
