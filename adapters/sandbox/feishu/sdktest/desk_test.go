package sdktest

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"

	"github.com/gorilla/websocket"
	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"
	"github.com/larksuite/oapi-sdk-go/v3/event/dispatcher"
	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"
	larkws "github.com/larksuite/oapi-sdk-go/v3/ws"
)

const secret = "secret"

// desk is a server with one app, named after the test, one person and their chat.
type desk struct {
	*feishu.Server
	t          *testing.T
	ctx        context.Context
	app        string
	user, chat string
	http       *http.Client
	im         *larkim.V1
}

func newDesk(t *testing.T, o feishu.Options) *desk {
	t.Helper()
	d := &desk{t: t, app: "cli_" + t.Name()}
	if o.ClientConfig == (feishu.ClientConfig{}) {
		o.ClientConfig = feishu.ClientConfig{ReconnectCount: -1, ReconnectInterval: 1, PingInterval: 1}
	}
	var err error
	d.Server, err = feishu.Start(feishu.ServerOptions{Options: o, Setup: func(p *feishu.Platform) feishu.Page {
		p.AddApp(feishu.App{ID: d.app, Secret: secret, Name: "Desk"})
		d.user = p.AddUser("A")
		d.chat = p.AddP2P(d.app, d.user)
		return feishu.Page{}
	}})
	if err != nil {
		t.Fatal(err)
	}
	var cancel context.CancelFunc
	d.ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
	transport := &http.Transport{}
	d.http = &http.Client{Transport: transport, Timeout: 10 * time.Second}
	t.Cleanup(func() {
		cancel()
		transport.CloseIdleConnections()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	d.do(func(*feishu.Platform) {}) // Setup has run
	d.im = larkim.New(d.config())
	return d
}

func (d *desk) config() *larkcore.Config {
	c := &larkcore.Config{
		BaseUrl: d.URL(), AppId: d.app, AppSecret: secret, AppType: larkcore.AppTypeSelfBuilt,
		EnableTokenCache: true, HttpClient: d.http, Logger: quiet{},
	}
	larkcore.NewLogger(c)
	larkcore.NewCache(c)
	larkcore.NewSerialization(c)
	return c
}

func (d *desk) do(f func(*feishu.Platform)) {
	d.t.Helper()
	if err := d.Do(f); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) wait(cond func(*feishu.Platform) bool) {
	d.t.Helper()
	if err := d.Wait(d.ctx, cond); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) say(text string) (id string) {
	d.t.Helper()
	d.do(func(p *feishu.Platform) { id = p.Say(d.chat, d.user, text) })
	return id
}

// calls counts the journal's entries of a path.
func (d *desk) calls(path string) (n int) {
	d.t.Helper()
	d.do(func(p *feishu.Platform) {
		for _, c := range p.Calls() {
			if c.Path == path {
				n++
			}
		}
	})
	return n
}

// received is what the handler of a bridge has seen.
type received struct {
	mu     sync.Mutex
	events []*larkim.P2MessageReceiveV1
	fail   int // how many events are still to be answered with an error
	// arrived, if there is one, gets a signal for each event.
	arrived chan struct{}
}

func (r *received) handle(_ context.Context, ev *larkim.P2MessageReceiveV1) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, ev)
	if r.arrived != nil {
		r.arrived <- struct{}{}
	}
	if r.fail > 0 {
		r.fail--
		return errors.New("not this time")
	}
	return nil
}

// ids are the message ids of what was received, in order.
func (r *received) ids() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := []string{}
	for _, ev := range r.events {
		ids = append(ids, *ev.Event.Message.MessageId)
	}
	return ids
}

// first is the first event that was received.
func (r *received) first() *larkim.P2MessageReceiveV1 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[0]
}

// bridge runs the SDK's client of the long connection until the test ends; ended
// gets what Start returned.
func (d *desk) bridge(r *received) (ended <-chan error) {
	d.t.Helper()
	ctx, cancel := context.WithCancel(d.ctx)
	client := larkws.NewClient(d.app, secret,
		larkws.WithDomain(d.URL()),
		larkws.WithEventHandler(dispatcher.NewEventDispatcher("", "").OnP2MessageReceiveV1(r.handle)),
		larkws.WithHttpClient(d.http),
		larkws.WithWebSocketDialer(&websocket.Dialer{HandshakeTimeout: 10 * time.Second}),
		larkws.WithLogger(quiet{}))
	results := make(chan error, 1)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		results <- client.Start(ctx)
	}()
	d.t.Cleanup(func() {
		cancel()
		<-stopped
	})
	return results
}

// connected starts a bridge and waits until it is connected.
func (d *desk) connected(r *received) {
	d.t.Helper()
	d.bridge(r)
	d.wait(func(p *feishu.Platform) bool { return p.Connections() == 1 })
}

// quiet is a logger of the SDK that drops everything.
type quiet struct{}

func (quiet) Debug(context.Context, ...any) {}
func (quiet) Info(context.Context, ...any)  {}
func (quiet) Warn(context.Context, ...any)  {}
func (quiet) Error(context.Context, ...any) {}
