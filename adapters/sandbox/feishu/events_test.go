package feishu_test

import (
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"

	"github.com/google/go-cmp/cmp"
)

// waits are the platform's waits between the tries of an event.
var waits = []time.Duration{15 * time.Second, 5 * time.Minute, time.Hour, 6 * time.Hour}

func TestAcknowledgedEventIsNotRedelivered(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	c := d.connect("cli_a")
	d.Say("oc_1", "ou_1", "hi")
	c.ack(0, 200)
	d.time.Advance(24 * time.Hour)
	want := []feishu.EventStatus{{
		ID: "ev_1", AppID: "cli_a", Type: "im.message.receive_v1", MessageID: "om_1",
		Deliveries: 1, Acknowledged: true,
	}}
	if diff := cmp.Diff(want, d.Events()); diff != "" {
		t.Error(diff)
	}
}

func TestUnacknowledgedEventIsRedeliveredOnTheClock(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]int{"no answer": 0, "error": 500} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{})
			c := d.connect("cli_a")
			d.Say("oc_1", "ou_1", "hi")
			for i, wait := range waits {
				if code != 0 {
					c.ack(i, code)
				}
				d.time.Advance(wait - time.Millisecond)
				if len(c.got) != i+1 {
					t.Fatalf("%d deliveries before the wait of %v was over", len(c.got), wait)
				}
				d.time.Advance(time.Millisecond)
				if len(c.got) != i+2 {
					t.Fatalf("%d deliveries after the wait of %v", len(c.got), wait)
				}
			}
			d.time.Advance(100 * time.Hour)
			if len(c.got) != 5 {
				t.Errorf("%d deliveries, want 5", len(c.got))
			}
			if ev := d.Events()[0]; !ev.Exhausted || ev.Acknowledged {
				t.Errorf("status %+v", ev)
			}
			for i := 1; i < len(c.got); i++ {
				if string(c.got[i].Body) != string(c.got[0].Body) || c.got[i].Seq == c.got[i-1].Seq {
					t.Errorf("delivery %d is not the same event in a new delivery", i)
				}
			}
			c.ack(4, 200)
			if ev := d.Events()[0]; ev.Exhausted || !ev.Acknowledged {
				t.Errorf("status after the last try was acknowledged: %+v", ev)
			}
		})
	}
}

func TestRedeliveryClockCanBeScaled(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		waits []time.Duration
		want  int
	}{
		"two short waits": {[]time.Duration{time.Second, 2 * time.Second}, 3},
		"no second try":   {[]time.Duration{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{Redelivery: test.waits})
			c := d.connect("cli_a")
			d.Say("oc_1", "ou_1", "hi")
			d.time.Advance(3 * time.Second)
			if len(c.got) != test.want {
				t.Errorf("%d deliveries, want %d", len(c.got), test.want)
			}
		})
	}
}

func TestEventsGoToTheClientsInTurn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	a, b, c := d.connect("cli_a"), d.connect("cli_a"), d.connect("cli_a")
	for range 4 {
		d.Say("oc_1", "ou_1", "hi")
	}
	b.conn.Closed()
	b.conn.Closed()
	for range 2 {
		d.Say("oc_1", "ou_1", "hi")
	}
	got := [][]string{a.events(), b.events(), c.events()}
	want := [][]string{{"ev_1", "ev_4", "ev_5"}, {"ev_2"}, {"ev_3", "ev_6"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d.Connections() != 2 {
		t.Errorf("%d connections, want 2", d.Connections())
	}
}

func TestEventArrivesOnTheClockWhenNobodyWasConnected(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.Say("oc_1", "ou_1", "hi")
	c := d.connect("cli_a")
	d.time.Advance(15*time.Second - 1)
	if len(c.got) != 0 {
		t.Error("it arrived before the clock's next try")
	}
	d.time.Advance(1)
	if diff := cmp.Diff([]string{"ev_1"}, c.events()); diff != "" {
		t.Error(diff)
	}
}

func TestDroppedConnectionTakesItsAcknowledgementsAlong(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	c := d.connect("cli_a")
	d.Say("oc_1", "ou_1", "hi")
	d.DropConnections()
	if !c.closed || d.Connections() != 0 {
		t.Fatalf("closed %v, connections %d", c.closed, d.Connections())
	}
	c.ack(0, 200)
	again := d.connect("cli_a")
	again.conn.Ack(feishu.Ack{Seq: c.got[0].Seq, Code: 200}) // late, on another connection
	d.time.Advance(15 * time.Second)
	if diff := cmp.Diff([]string{"ev_1"}, again.events()); diff != "" {
		t.Error(diff)
	}
}

func TestSilentConnectionStaysOpenAndHearsNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	c := d.connect("cli_a")
	d.Say("oc_1", "ou_1", "hi")
	if !c.conn.Ping() {
		t.Error("no pong before")
	}
	d.SilenceConnections()
	c.ack(0, 200)
	d.time.Advance(15 * time.Second)
	d.Say("oc_1", "ou_1", "hi")
	if c.conn.Ping() || c.closed || d.Connections() != 1 {
		t.Errorf("pong %v, closed %v, connections %d", c.conn.Ping(), c.closed, d.Connections())
	}
	if diff := cmp.Diff([]string{"ev_1"}, c.events()); diff != "" {
		t.Error(diff)
	}
	if d.Events()[0].Acknowledged {
		t.Error("an acknowledgement was heard on a silent connection")
	}
}

func TestEventIsDeliveredAgainOnRequest(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	c := d.connect("cli_a")
	id := d.Say("oc_1", "ou_1", "hi")
	c.ack(0, 200)
	events := d.EventsOf(id)
	d.Redeliver(events[0])
	d.Redeliver(events[0])
	d.time.Advance(24 * time.Hour)
	if diff := cmp.Diff([]string{"ev_1", "ev_1", "ev_1"}, c.events()); diff != "" {
		t.Error(diff)
	}
}

func TestOtherEventsAreEmittedAsTheyAre(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{TenantKey: "t1"})
	c := d.connect("cli_a")
	d.Emit("cli_a", "im.message.recalled_v1", map[string]string{"message_id": "om_1"})
	want := `{"schema":"2.0","header":{"event_id":"ev_1","event_type":"im.message.recalled_v1","create_time":"1700000000000",` +
		`"token":"","app_id":"cli_a","tenant_key":"t1"},"event":{"message_id":"om_1"}}`
	if diff := cmp.Diff(want, string(c.got[0].Body)); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsOfEvents(t *testing.T) {
	t.Parallel()
	on := feishu.Match{Method: feishu.EventMethod, Path: "im.message.*"}
	tests := map[string]struct {
		fault     feishu.Fault
		at0, at15 []string // delivered at once, and after the clock's first wait
		closed    bool
	}{
		"lost before it was written": {
			feishu.Fault{Match: on, Kind: feishu.LostBefore}, []string{"ev_2"}, []string{"ev_2", "ev_1", "ev_2"}, false},
		"connection dropped after it was written": {
			feishu.Fault{Match: on, Kind: feishu.LostAfter}, []string{"ev_1"}, []string{"ev_1"}, true},
		"connection goes silent": {
			feishu.Fault{Match: on, Kind: feishu.Silence}, []string{}, []string{}, false},
		"duplicated": {
			feishu.Fault{Match: on, Kind: feishu.Duplicate}, []string{"ev_1", "ev_1", "ev_2"}, []string{"ev_1", "ev_1", "ev_2", "ev_1", "ev_2"}, false},
		"overtaken by the next": {
			feishu.Fault{Match: on, Kind: feishu.Overtaken}, []string{"ev_2", "ev_1"}, []string{"ev_2", "ev_1", "ev_1", "ev_2"}, false},
		"late": {
			feishu.Fault{Match: on, Kind: feishu.Slow, Delay: time.Second}, []string{"ev_2"}, []string{"ev_2", "ev_1", "ev_1", "ev_2"}, false},
		"the second one": {
			feishu.Fault{Match: feishu.Match{Method: feishu.EventMethod, Nth: 2}, Kind: feishu.LostBefore}, []string{"ev_1"}, []string{"ev_1", "ev_1", "ev_2"}, false},
		"not for other types": {
			feishu.Fault{Match: feishu.Match{Method: feishu.EventMethod, Path: "card.*"}, Kind: feishu.LostBefore}, []string{"ev_1", "ev_2"}, []string{"ev_1", "ev_2", "ev_1", "ev_2"}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{})
			c := d.connect("cli_a")
			d.Inject(test.fault)
			d.Say("oc_1", "ou_1", "first")
			d.Say("oc_1", "ou_1", "second")
			if diff := cmp.Diff(test.at0, c.events()); diff != "" {
				t.Errorf("at once: %s", diff)
			}
			d.time.Advance(15 * time.Second)
			if diff := cmp.Diff(test.at15, c.events()); diff != "" {
				t.Errorf("after the first wait: %s", diff)
			}
			if c.closed != test.closed {
				t.Errorf("closed %v", c.closed)
			}
		})
	}
}
