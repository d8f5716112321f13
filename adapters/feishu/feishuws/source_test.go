package feishuws

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/feishu"
	sandbox "deskbridge/adapters/sandbox/feishu"
)

// soon makes the platform bring an unacknowledged event again at once.
var soon = sandbox.Options{Redelivery: []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}}

// once makes it bring an event once.
var once = sandbox.Options{Redelivery: []time.Duration{}}

func TestEventIsAcknowledgedOnlyAfterTheHandlerReturns(t *testing.T) {
	d := newDesk(t, once)
	entered, release := make(chan feishu.Event), make(chan struct{})
	d.run(New(d.options(func(_ context.Context, e feishu.Event) error {
		entered <- e
		<-release
		return nil
	})))
	d.connected()
	message := d.say("hello")

	e := receive(d, entered, "the event")
	in, err := feishu.Decode(e.Body, "")
	if err != nil || in.MessageID != message || in.Text != "hello" || e.Type != feishu.MessageReceivedType {
		t.Errorf("got %+v (%v) of %s", in, err, e.Type)
	}
	// An event that came later is acknowledged, so that one's answer had its time.
	var later string
	d.do(func(p *sandbox.Platform) { later = p.Emit(d.app, acknowledged[0], map[string]string{}) })
	d.await("the later event", func(p *sandbox.Platform) bool {
		events := p.Events()
		return events[len(events)-1].ID == later && events[len(events)-1].Acknowledged
	})
	if d.event().Acknowledged {
		t.Error("acknowledged before the handler returned")
	}
	close(release)
	d.await("the acknowledgement", acknowledgedAll)
}

func TestEventComesAgainUntilTheHandlerSucceeds(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("the disk is full") },
		"panic": func() error { panic("a bug") },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, soon)
			var calls atomic.Int32 // an event may come again while it is handled
			d.run(New(d.options(func(context.Context, feishu.Event) error {
				if calls.Add(1) < 3 {
					return fail()
				}
				return nil
			})))
			d.connected()
			d.say("hello")
			d.await("the acknowledgement", func(p *sandbox.Platform) bool { return len(p.Events()) == 1 && acknowledgedAll(p) })
			if got := d.event().Deliveries; got < 3 {
				t.Errorf("acknowledged at delivery %d", got)
			}
		})
	}
}

func TestHandlersContextIsBoundedAndOutlivesTheStop(t *testing.T) {
	d := newDesk(t, once)
	entered, release := make(chan context.Context), make(chan struct{})
	errs := make(chan error, 1)
	stop := d.run(New(d.options(func(ctx context.Context, _ feishu.Event) error {
		entered <- ctx
		<-release
		errs <- ctx.Err()
		return nil
	})))
	d.connected()
	d.say("hello")
	ctx := receive(d, entered, "the event")
	if _, bounded := ctx.Deadline(); !bounded {
		t.Error("the handler's context has no end")
	}
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	d.await("the end of the connection", func(p *sandbox.Platform) bool { return p.Connections() == 0 })
	close(release)
	if err := receive(d, errs, "the handler"); err != nil {
		t.Errorf("the stop ended the handler's context: %v", err)
	}
	if err := receive(d, stopped, "the stop"); err != nil {
		t.Error(err)
	}
}

func TestEventsThatMeanNothingAreAcknowledgedWithoutTheHandler(t *testing.T) {
	d := newDesk(t, once)
	d.run(New(d.options(func(_ context.Context, e feishu.Event) error {
		t.Errorf("the handler was given %s", e.Type)
		return nil
	})))
	d.connected()
	d.do(func(p *sandbox.Platform) {
		for _, kind := range acknowledged {
			p.Emit(d.app, kind, map[string]string{})
		}
	})
	d.await("the acknowledgements", acknowledgedAll)
}

func TestDroppedConnectionIsOpenedAgainAndToldOnce(t *testing.T) {
	d := newDesk(t, once)
	got := make(chan struct{}, 1)
	d.run(New(d.options(func(context.Context, feishu.Event) error {
		got <- struct{}{}
		return nil
	})))
	states := []State{d.connected().State}
	d.do((*sandbox.Platform).DropConnections)
	states = append(states, d.status().State, d.connected().State)
	if diff := cmp.Diff([]State{Connected, Disconnected, Connected}, states); diff != "" {
		t.Error(diff)
	}
	d.say("still there?")
	receive(d, got, "the event")
}

func TestSourceNeverGivesUp(t *testing.T) {
	const endpoint = "/callback/ws/endpoint"
	tests := map[string]struct {
		fault sandbox.Fault
		want  State
		waits []time.Duration // with a random number of 0.5, three quarters of the whole
	}{
		"refused": {
			// Credentials are refused with HTTP 200.
			fault: sandbox.Fault{Match: sandbox.Match{Path: endpoint, Times: 3}, Kind: sandbox.Refuse, Code: 10014, Status: 200},
			want:  Refused,
			waits: []time.Duration{90 * time.Second, 90 * time.Second, 90 * time.Second},
		},
		"broken gateway": {
			fault: sandbox.Fault{Match: sandbox.Match{Path: endpoint, Times: 3}, Kind: sandbox.Gateway},
			want:  Failing,
			waits: []time.Duration{750 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second},
		},
		"closed": {
			fault: sandbox.Fault{Match: sandbox.Match{Path: endpoint, Times: 1}, Kind: sandbox.LostBefore},
			want:  Failing,
			waits: []time.Duration{750 * time.Millisecond},
		},
		"handshake refused": {
			fault: sandbox.Fault{Match: sandbox.Match{Path: "/ws", Times: 2}, Kind: sandbox.Gateway, Status: 403},
			want:  Refused,
			waits: []time.Duration{90 * time.Second, 90 * time.Second},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, once)
			d.do(func(p *sandbox.Platform) { p.Inject(test.fault) })
			d.run(New(d.options(ignore)))
			// Each change is told once, however often the same was met.
			got := []State{d.status().State, d.status().State}
			if diff := cmp.Diff([]State{test.want, Connected}, got); diff != "" {
				t.Error(diff)
			}
			var waits []time.Duration
			for range test.waits {
				waits = append(waits, receive(d, d.waits, "a wait"))
			}
			if diff := cmp.Diff(test.waits, waits); diff != "" || len(d.waits) > 0 {
				t.Errorf("waits (-want +got), and %d more:\n%s", len(d.waits), diff)
			}
		})
	}
}

func TestConnectionRefusedLaterIsTriedOnWithANewClient(t *testing.T) {
	d := newDesk(t, once)
	d.run(New(d.options(ignore)))
	states := []State{d.connected().State}
	d.do(func(p *sandbox.Platform) {
		p.Inject(sandbox.Fault{Match: sandbox.Match{Path: "/callback/ws/endpoint"}, Kind: sandbox.Refuse, Code: 1000040350, Status: 200})
		p.DropConnections()
	})
	states = append(states, d.status().State, d.status().State, d.status().State)
	if diff := cmp.Diff([]State{Connected, Disconnected, Refused, Connected}, states); diff != "" {
		t.Error(diff)
	}
}

func TestStopIsBounded(t *testing.T) {
	t.Run("while the endpoint hangs", func(t *testing.T) {
		d := newDesk(t, once)
		d.do(func(p *sandbox.Platform) {
			p.Inject(sandbox.Fault{Match: sandbox.Match{Path: "/callback/ws/endpoint"}, Kind: sandbox.Hang})
		})
		stop := d.run(New(d.options(ignore)))
		d.await("the endpoint call", func(p *sandbox.Platform) bool { return len(p.Calls()) == 1 })
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("while a handler hangs", func(t *testing.T) {
		d := newDesk(t, once)
		entered, release := make(chan struct{}), make(chan struct{})
		s := New(d.options(func(context.Context, feishu.Event) error {
			close(entered)
			<-release
			return nil
		}))
		s.stopBound = time.Millisecond
		stop := d.run(s)
		d.connected()
		d.say("hello")
		receive(d, entered, "the event")
		if err := stop(); !errors.Is(err, ErrStillRunning) {
			t.Errorf("stopped with %v", err)
		}
		close(release)
	})
}

func TestTheWaitEndsWithItsContextOrWhenToldToHurry(t *testing.T) {
	s := New(Options{Handler: func(context.Context, feishu.Event) error { return nil }, Observe: func(Status) {}})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.pause(ctx, time.Hour)
	s.pause(context.Background(), 0)
	s.Retry()
	s.Retry()
	s.pause(context.Background(), time.Hour)
}
