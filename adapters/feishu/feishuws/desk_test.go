package feishuws

import (
	"context"
	"testing"
	"time"

	"deskbridge/adapters/feishu"
	sandbox "deskbridge/adapters/sandbox/feishu"
)

const secret = "planted-app-secret"

// desk is a platform with one app, one person and their direct chat, and what a
// source of that app told and received.
type desk struct {
	t      *testing.T
	server *sandbox.Server
	ctx    context.Context // ends a test that waits for what does not come

	app, user, chat string
	statuses        chan Status
	waits           chan time.Duration
}

// newDesk starts a platform. The app's id is the test's own, as the SDK keeps
// some things for the whole process by app.
func newDesk(t *testing.T, o sandbox.Options) *desk {
	t.Helper()
	d := &desk{t: t, app: "cli_" + t.Name(), statuses: make(chan Status, 100), waits: make(chan time.Duration, 100)}
	server, err := sandbox.Start(sandbox.ServerOptions{Options: o, Setup: func(p *sandbox.Platform) sandbox.Page {
		p.AddApp(sandbox.App{ID: d.app, Secret: secret, Name: "Desk"})
		d.user = p.AddUser("A")
		d.chat = p.AddP2P(d.app, d.user)
		return sandbox.Page{}
	}})
	if err != nil {
		t.Fatal(err)
	}
	d.server = server
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	d.ctx = ctx
	t.Cleanup(func() {
		cancel()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d *desk) options(h Handler) Options {
	return Options{
		AppID: d.app, AppSecret: secret, BaseURL: d.server.URL(), Handler: h,
		Observe: func(s Status) { d.statuses <- s },
		Random:  func() float64 { return 0.5 },
	}
}

// run starts a source that does not wait between its tries; stop ends it and
// returns what Run did.
func (d *desk) run(s *Source) (stop func() error) {
	d.t.Helper()
	s.wait = func(ctx context.Context, w time.Duration) {
		if ctx.Err() == nil {
			d.waits <- w
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	stopped := false
	stop = func() error {
		stopped = true
		cancel()
		select {
		case err := <-ended:
			return err
		case <-d.ctx.Done():
			d.t.Fatal("Run does not return")
			return nil
		}
	}
	d.t.Cleanup(func() {
		if !stopped {
			if err := stop(); err != nil {
				d.t.Error(err)
			}
		}
	})
	return stop
}

func (d *desk) do(f func(*sandbox.Platform)) {
	d.t.Helper()
	if err := d.server.Do(f); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) await(what string, cond func(*sandbox.Platform) bool) {
	d.t.Helper()
	if err := d.server.Wait(d.ctx, cond); err != nil {
		d.t.Fatalf("waiting for %s: %v", what, err)
	}
}

// status waits for the next change that the source tells.
func (d *desk) status() Status {
	d.t.Helper()
	return receive(d, d.statuses, "a status")
}

// connected waits for a connection: the source takes an upgrade for one a moment
// before the platform does.
func (d *desk) connected() Status {
	d.t.Helper()
	s := d.status()
	d.await("a connection", func(p *sandbox.Platform) bool { return p.Connections() == 1 })
	return s
}

func receive[T any](d *desk, c <-chan T, what string) T {
	d.t.Helper()
	select {
	case v := <-c:
		return v
	case <-d.ctx.Done():
		d.t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

func (d *desk) say(text string) (message string) {
	d.t.Helper()
	d.do(func(p *sandbox.Platform) { message = p.Say(d.chat, d.user, text) })
	return message
}

// event is the state of the first event.
func (d *desk) event() (e sandbox.EventStatus) {
	d.t.Helper()
	d.do(func(p *sandbox.Platform) { e = p.Events()[0] })
	return e
}

func acknowledgedAll(p *sandbox.Platform) bool {
	for _, e := range p.Events() {
		if !e.Acknowledged {
			return false
		}
	}
	return true
}

func ignore(context.Context, feishu.Event) error { return nil }
