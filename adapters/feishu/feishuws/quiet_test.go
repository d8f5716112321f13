package feishuws

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/feishu"
	sandbox "deskbridge/adapters/sandbox/feishu"
)

// journal is a log that can be read while it is written.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func TestSecretsAndTextsAreNotLogged(t *testing.T) {
	d := newDesk(t, once)
	var log journal
	handled := make(chan struct{}, 1)
	o := d.options(func(context.Context, feishu.Event) error {
		handled <- struct{}{}
		return errors.New("the disk is full")
	})
	o.Log = log.logger()
	d.do(func(p *sandbox.Platform) {
		p.Inject(sandbox.Fault{Match: sandbox.Match{Path: "/callback/ws/endpoint"}, Kind: sandbox.Refuse, Code: 10014, Status: 200, Msg: "wrong secret " + secret})
	})
	stop := d.run(New(o))
	refused := d.status()
	d.connected()
	d.say("a confidential text")
	receive(d, handled, "the event")
	d.do((*sandbox.Platform).DropConnections)
	d.status()
	d.status()
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	all := log.String() + refused.Err.Error()
	for _, word := range []string{secret, "ticket_", "access_key=cli", "confidential"} {
		if strings.Contains(all, word) {
			t.Errorf("%q was logged:\n%s", word, all)
		}
	}
	for _, word := range []string{"the disk is full", "connected to ws://", "10014"} {
		if !strings.Contains(all, word) {
			t.Errorf("%q was not logged:\n%s", word, all)
		}
	}
}

// The SDK quotes an address that it cannot parse, ticket and all.
func TestMalformedAddressIsToldWithoutItsTicket(t *testing.T) {
	d := newDesk(t, once)
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"code":0,"data":{"URL":"ws://%zz/?access_key=planted-key&ticket=planted-ticket"}}`)
	}))
	defer platform.Close()
	o := d.options(ignore)
	o.BaseURL = platform.URL
	var log journal
	o.Log = log.logger()
	s := New(o)
	ctx, cancel := context.WithCancel(context.Background())
	s.wait = func(context.Context, time.Duration) { cancel() }
	if err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	got := d.status()
	if all := got.Err.Error() + log.String(); strings.Contains(all, "planted") || !strings.Contains(all, "%zz") {
		t.Errorf("told:\n%s", all)
	}
}

func TestRedactTakesOutWhatOpensAConnection(t *testing.T) {
	r := redactor{secret: "s3cret"}
	for in, want := range map[string]string{
		"connected to wss://msg.example/ws":                       "connected to wss://msg.example/ws",
		`dial "wss://m.example/ws?device_id=1&ticket=abc": no`:    `dial "wss://m.example/ws?[redacted]": no`,
		"see https://a.example/x?y=1 and http://b.example/?z=2 .": "see https://a.example/x?[redacted] and http://b.example/?[redacted] .",
		`parse "/ws?access_key=k1&ticket=t1": invalid`:            `parse "/ws?access_key=[redacted]&ticket=[redacted]": invalid`,
		`{"AppSecret":"other"}`:                                   `{"AppSecret":"[redacted]"}`,
		"the secret is s3cret.":                                   "the secret is [redacted].",
		"an unknown ticket":                                       "an unknown ticket",
	} {
		if got := r.redact(in); got != want {
			t.Errorf("redact(%q)\n got %q\nwant %q", in, got, want)
		}
	}
	if got := (redactor{}).redact("plain"); got != "plain" {
		t.Errorf("without a secret: %q", got)
	}
}

func TestNewPrintsNothing(t *testing.T) {
	before := os.Stdout
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = write
	New(Options{Handler: ignore, Observe: func(Status) {}})
	after := os.Stdout
	os.Stdout = before
	if after != write {
		t.Error("standard output was not put back")
	}
	write.Close()
	if got, err := io.ReadAll(read); err != nil || len(got) > 0 {
		t.Errorf("printed %q (%v)", got, err)
	}
	read.Close()
}

func TestEndpointAnswerIsMadeSane(t *testing.T) {
	config := func(c string) string {
		return `{"code":0,"msg":"ok","data":{"URL":"ws://x/","ClientConfig":` + c + `}}`
	}
	tests := map[string]struct {
		in   string
		want map[string]int
	}{
		"usual":         {config(`{"ReconnectCount":-1,"ReconnectInterval":20,"ReconnectNonce":0,"PingInterval":90}`), map[string]int{"ReconnectCount": -1, "ReconnectInterval": 20, "ReconnectNonce": 0, "PingInterval": 90}},
		"a count":       {config(`{"ReconnectCount":3,"ReconnectInterval":1,"ReconnectNonce":1,"PingInterval":1}`), map[string]int{"ReconnectCount": 3, "ReconnectInterval": 1, "ReconnectNonce": 1, "PingInterval": 1}},
		"empty":         {config(`{}`), map[string]int{"ReconnectCount": -1, "ReconnectInterval": 30, "ReconnectNonce": 5, "PingInterval": 120}},
		"absent":        {`{"code":0,"data":{"URL":"ws://x/"}}`, map[string]int{"ReconnectCount": -1, "ReconnectInterval": 30, "ReconnectNonce": 5, "PingInterval": 120}},
		"zeros":         {config(`{"ReconnectCount":0,"ReconnectInterval":0,"ReconnectNonce":-4,"PingInterval":0}`), map[string]int{"ReconnectCount": 0, "ReconnectInterval": 30, "ReconnectNonce": 5, "PingInterval": 120}},
		"far too large": {config(`{"ReconnectCount":-1,"ReconnectInterval":120,"ReconnectNonce":3600,"PingInterval":99999}`), map[string]int{"ReconnectCount": -1, "ReconnectInterval": 30, "ReconnectNonce": 30, "PingInterval": 120}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got struct {
				Data struct {
					URL          string
					ClientConfig map[string]int
				}
			}
			if err := json.Unmarshal(correct([]byte(test.in)), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Data.ClientConfig); diff != "" || got.Data.URL != "ws://x/" {
				t.Errorf("%q %s", got.Data.URL, diff)
			}
		})
	}
	for _, same := range []string{`{"code":10003,"msg":"invalid param"}`, `{"code":0,"data":null}`, `<html>`, ``} {
		if got := string(correct([]byte(same))); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
}
