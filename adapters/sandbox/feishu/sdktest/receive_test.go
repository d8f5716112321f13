package sdktest

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"

	"github.com/google/go-cmp/cmp"
	larkws "github.com/larksuite/oapi-sdk-go/v3/ws"
)

// soon is a redelivery clock that a test can wait for, and that outlasts a slow
// reconnect.
var soon = []time.Duration{100 * time.Millisecond, time.Second, time.Second, 5 * time.Second, 5 * time.Second}

func acknowledged(n int) func(*feishu.Platform) bool {
	return func(p *feishu.Platform) bool {
		count := 0
		for _, ev := range p.Events() {
			if ev.Acknowledged {
				count++
			}
		}
		return count == n
	}
}

func (d *desk) events() (all []feishu.EventStatus) {
	d.t.Helper()
	d.do(func(p *feishu.Platform) { all = p.Events() })
	return all
}

func TestReceivedEventIsUnderstoodAndAcknowledged(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	var r received
	d.connected(&r)
	id := d.say("你好\nhello")
	d.wait(acknowledged(1))
	ev := r.first()
	m, sender := ev.Event.Message, ev.Event.Sender
	got := []string{
		*m.MessageId, *m.ChatId, *m.ChatType, *m.MessageType, *m.Content, *sender.SenderId.OpenId, *sender.SenderType,
		ev.EventV2Base.Header.EventType, ev.EventV2Base.Header.AppID,
	}
	want := []string{id, d.chat, "p2p", "text", `{"text":"你好\nhello"}`, d.user, "user", "im.message.receive_v1", d.app}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if m.RootId != nil || m.ParentId != nil || m.ThreadId != nil || sender.SenderId.UserId != nil || m.Mentions != nil {
		t.Errorf("what a plain message has not is there: %+v", m)
	}
	if got := d.events()[0].Deliveries; got != 1 {
		t.Errorf("%d deliveries", got)
	}
}

func TestMentionInAGroupIsUnderstood(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	var r received
	d.connected(&r)
	d.do(func(p *feishu.Platform) {
		p.Say(p.AddGroup(feishu.TopicGroup, []string{d.app}, d.user), d.user, "hi")
	})
	d.wait(acknowledged(1))
	m := r.first().Event.Message
	if *m.ChatType != "topic_group" || *m.ThreadId != "omt_1" || *m.Content != `{"text":"@_user_1 hi"}` {
		t.Errorf("message %+v", m)
	}
	if len(m.Mentions) != 1 || *m.Mentions[0].Key != "@_user_1" || *m.Mentions[0].Id.OpenId != "ou_bot_1" ||
		*m.Mentions[0].MentionedType != "bot" || *m.Mentions[0].Name != "Desk" {
		t.Errorf("mentions %+v", m.Mentions)
	}
}

func TestHandlerErrorBringsTheEventAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{Redelivery: soon})
	r := received{fail: 2}
	d.connected(&r)
	id := d.say("hi")
	d.wait(acknowledged(1))
	if diff := cmp.Diff([]string{id, id, id}, r.ids()); diff != "" {
		t.Error(diff)
	}
}

func TestEventIsReceivedAgainOnRequest(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	r := received{arrived: make(chan struct{}, 3)}
	d.connected(&r)
	id := d.say("hi")
	d.wait(acknowledged(1))
	d.do(func(p *feishu.Platform) {
		p.Redeliver(p.EventsOf(id)[0])
		p.Redeliver(p.EventsOf(id)[0])
	})
	for len(r.ids()) < 3 {
		select {
		case <-r.arrived:
		case <-d.ctx.Done():
			t.Fatalf("received %v", r.ids())
		}
	}
	if diff := cmp.Diff([]string{id, id, id}, r.ids()); diff != "" {
		t.Error(diff)
	}
}

func TestClientReconnectsAfterItsConnectionIsDropped(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{Redelivery: soon})
	var r received
	d.connected(&r)
	d.do(func(p *feishu.Platform) {
		p.Inject(feishu.Fault{Kind: feishu.LostAfter, Match: feishu.Match{Method: feishu.EventMethod}})
	})
	id := d.say("hi")
	d.wait(acknowledged(1))
	if ids := r.ids(); ids[len(ids)-1] != id {
		t.Errorf("received %v", ids)
	}
	if n := d.calls("/callback/ws/endpoint"); n != 2 {
		t.Errorf("%d endpoint calls, want 2", n)
	}
}

// The SDK gives up a connection that has been silent for two pings and 5 s.
func TestClientLeavesASilentConnection(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{Redelivery: []time.Duration{
		8 * time.Second, time.Second, time.Second, time.Second, time.Second}})
	var r received
	d.connected(&r)
	d.do(func(p *feishu.Platform) {
		p.Inject(feishu.Fault{Kind: feishu.Silence, Match: feishu.Match{Method: feishu.EventMethod}})
	})
	d.say("hi")
	d.wait(acknowledged(1))
	if n := d.calls("/ws"); n != 2 {
		t.Errorf("%d connections were opened, want 2", n)
	}
}

func TestEventFaultsReachTheClient(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault feishu.Fault
		want  int // deliveries of two events, without redelivery
	}{
		"Duplicate": {feishu.Fault{Kind: feishu.Duplicate}, 3},
		"Overtaken": {feishu.Fault{Kind: feishu.Overtaken}, 2},
		"Slow":      {feishu.Fault{Kind: feishu.Slow, Delay: 10 * time.Millisecond}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{Redelivery: []time.Duration{}})
			var r received
			d.connected(&r)
			test.fault.Match = feishu.Match{Method: feishu.EventMethod}
			d.do(func(p *feishu.Platform) { p.Inject(test.fault) })
			d.say("a")
			d.say("b")
			d.wait(acknowledged(2))
			total := 0
			for _, ev := range d.events() {
				total += ev.Deliveries
			}
			if total != test.want {
				t.Errorf("%d deliveries, want %d", total, test.want)
			}
		})
	}
}

func TestRefusedEndpointEndsTheClient(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault feishu.Fault
		code  int
	}{
		"TooManyConnections": {feishu.Fault{Kind: feishu.Refuse, Code: 1000040350, Status: 200}, 1000040350},
		"HandshakeForbidden": {feishu.Fault{
			Kind: feishu.Gateway, Status: 403, Match: feishu.Match{Path: "/ws"},
			Header: http.Header{"Handshake-Status": {"403"}, "Handshake-Msg": {"no"}}}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{})
			d.do(func(p *feishu.Platform) { p.Inject(test.fault) })
			var refused *larkws.ClientError
			if err := <-d.bridge(&received{}); !errors.As(err, &refused) || refused.Code != test.code {
				t.Errorf("Start returned %v", err)
			}
		})
	}
}

func TestPassingFaultsOfAReconnectAreRetried(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]feishu.Fault{
		"Gateway":   {Kind: feishu.Gateway},
		"Busy":      {Kind: feishu.Refuse, Code: 1, Status: 200},
		"Lost":      {Kind: feishu.LostBefore},
		"LostAfter": {Kind: feishu.LostAfter},
		"Slow":      {Kind: feishu.Slow, Delay: 10 * time.Millisecond},
		"Handshake": {Kind: feishu.Gateway, Status: 500, Match: feishu.Match{Path: "/ws"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{})
			var r received
			// The SDK knows how soon to try again only after its first connection.
			d.connected(&r)
			d.do(func(p *feishu.Platform) {
				p.Inject(fault)
				p.DropConnections()
			})
			d.wait(func(p *feishu.Platform) bool { return p.Connections() == 1 })
			d.do(func(p *feishu.Platform) {
				if !slices.ContainsFunc(p.Calls(), func(c feishu.Call) bool { return c.Fault == fault.Kind }) {
					t.Error("the fault hit nothing")
				}
			})
			d.say("hi")
			d.wait(acknowledged(1))
		})
	}
}
