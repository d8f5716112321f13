package matrix_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"deskbridge/matrix"
)

// demoLimit bounds what a test waits for of the demo.
const demoLimit = time.Minute

// demo is a running `deskbridge demo`.
type demo struct {
	t       *testing.T
	process *matrix.Process
	url     string
	temp    string // its temporary folder
}

// startDemo starts the demo with a cache folder and a PATH, and waits for its
// address.
func startDemo(t *testing.T, cache, path string, env ...string) *demo {
	t.Helper()
	temp, err := os.MkdirTemp("", "demo-") // short, for the socket in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(temp); err != nil {
			t.Error(err)
		}
	})
	cmd := exec.Command(program(t), "demo", "--cache", cache)
	cmd.Dir = temp
	cmd.Env = append([]string{"PATH=" + path, "HOME=" + temp, "TMPDIR=" + temp}, env...)
	process, err := matrix.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	d := &demo{t: t, process: process, temp: temp}
	t.Cleanup(d.end)
	line, err := process.AwaitLine(d.deadline(), process.Stdout, "    http://")
	if err != nil {
		t.Fatalf("%v\n%s", err, process.Stderr)
	}
	d.url = strings.TrimSpace(line)
	return d
}

func (d *demo) deadline() context.Context {
	ctx, cancel := context.WithTimeout(d.t.Context(), demoLimit)
	d.t.Cleanup(cancel)
	return ctx
}

// stop ends the demo as Ctrl-C does, and checks that nothing of it is left.
func (d *demo) stop() {
	d.t.Helper()
	if err := d.process.Signal(syscall.SIGINT); err != nil {
		d.t.Fatal(err)
	}
	code, err := d.process.Wait(d.deadline())
	if err != nil {
		d.t.Fatal(err)
	}
	same(d.t, "exit code", 0, code)
	same(d.t, "stderr", "", d.process.Stderr.String())
	left, err := filepath.Glob(filepath.Join(d.temp, "desk-demo-*"))
	if err != nil {
		d.t.Fatal(err)
	}
	same(d.t, "folders left", 0, len(left))
}

// end ends a demo that a failed test has left. It ends its app-server itself.
func (d *demo) end() {
	ctx, cancel := context.WithTimeout(context.Background(), demoLimit) // the test's is over
	defer cancel()
	if err := d.process.Signal(syscall.SIGTERM); err != nil {
		d.t.Error(err)
	}
	if _, err := d.process.Wait(ctx); err != nil {
		d.t.Error(err)
	}
	if d.t.Failed() {
		d.t.Logf("the demo said:\n%s%s", d.process.Stdout, d.process.Stderr)
	}
}

// say writes to the chat as the page does.
func (d *demo) say(text string) {
	d.t.Helper()
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		d.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(d.deadline(), http.MethodPost, d.url+"/page/say", strings.NewReader(string(body)))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Origin", d.url)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		d.t.Fatal(err)
	}
	same(d.t, "status of /page/say", http.StatusOK, resp.StatusCode)
}

// pageState is what the page is told.
type pageState struct {
	Connected int
	Messages  []pageLine
}

type pageLine struct{ From, Text string }

// awaitPage reads the page's events until the daemon is connected and the chat is
// like this.
func (d *demo) awaitPage(want ...pageLine) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.deadline(), http.MethodGet, d.url+"/page/events", nil)
	if err != nil {
		d.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // given up in the middle
	var got pageState
	for events := bufio.NewScanner(resp.Body); events.Scan(); {
		data, ok := strings.CutPrefix(events.Text(), "data: ")
		if !ok {
			continue
		}
		if err := json.Unmarshal([]byte(data), &got); err != nil {
			d.t.Fatal(err)
		}
		if got.Connected == 1 && slices.Equal(got.Messages, want) {
			return
		}
	}
	d.t.Fatalf("the page does not come to show %+v, but %+v", want, got)
}

func TestDemoWithoutCodexSaysSoAndAnswersAllTheSame(t *testing.T) {
	d := startDemo(t, t.TempDir(), t.TempDir(), "npm_config_registry=http://127.0.0.1:1")
	const line = "拿不到 Codex，改用脚本替身演示 / No Codex to be had, a scripted one stands in: "
	if said := d.process.Stdout.String(); strings.Count(said, "\n"+line) != 1 {
		t.Errorf("it does not say once that a scripted Codex stands in:\n%s", said)
	}
	d.awaitPage()
	d.say("hello")
	d.awaitPage(pageLine{"user", "hello"}, pageLine{"bot", "reply to: hello"})
	d.stop()
}
