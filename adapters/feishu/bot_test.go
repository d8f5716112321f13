package feishu_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/feishu"
)

// asking is an identity, and what it told.
type asking struct {
	*feishu.Identity
	known   []feishu.Bot
	unknown []string
}

func newAsking(s *script) *asking {
	a := &asking{}
	a.Identity = feishu.NewIdentity(s.time, s, feishu.IdentityOptions{
		Known:   func(b feishu.Bot) { a.known = append(a.known, b) },
		Unknown: func(err error) { a.unknown = append(a.unknown, err.Error()) },
	})
	return a
}

func TestIdentityIsAskedForUntilItIsKnown(t *testing.T) {
	bot := feishu.Bot{OpenID: "ou_bot", Name: "Desk"}
	s := newScript(t, unsent, unsent, limited, withdrawn, lost, feishu.Response{HTTPStatus: 200}, feishu.Response{HTTPStatus: 200, Bot: bot})
	a := newAsking(s)
	a.Start()
	if a.Bot() != (feishu.Bot{}) {
		t.Error("known before it answered")
	}
	if !s.time.AdvanceUntil(10*time.Minute, func() bool { return a.Bot() == bot }) {
		t.Fatal("never known")
	}
	s.time.Advance(time.Hour) // and not asked for again
	if diff := cmp.Diff([]feishu.Bot{bot}, a.known); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"feishu bot info: connection reset",
		"feishu bot info: 99991400 frequency limit (HTTP 429)",
		"feishu bot info: 230011 The message was withdrawn. (HTTP 400)",
		"feishu bot info: connection reset",
		"feishu bot info: (HTTP 200) the answer lacks what was asked for",
	}
	if diff := cmp.Diff(want, a.unknown); diff != "" {
		t.Error(diff)
	}
}

func TestIdentityWaitsLongerAndLonger(t *testing.T) {
	s := newScript(t, unsent, unsent, limited, unsent, unsent, unsent, unsent, unsent, unsent, unsent)
	a := newAsking(s)
	a.Start()
	var at []time.Duration
	for len(s.answers) > 0 {
		n := len(s.got)
		s.time.AdvanceUntil(time.Hour, func() bool { return len(s.got) > n })
		at = append(at, s.time.Now().Sub(start))
	}
	var waits []float64 // without the second that an answer takes
	for i, t := range at {
		previous := time.Duration(0)
		if i > 0 {
			previous = at[i-1]
		}
		waits = append(waits, (t - previous - time.Second).Seconds())
	}
	if diff := cmp.Diff([]float64{1, 2, 7, 8, 16, 32, 64, 120, 120}, waits); diff != "" {
		t.Error(diff)
	}
	a.Stop()
}

func TestStoppedIdentityAsksNoMore(t *testing.T) {
	s := newScript(t, unsent, unsent)
	a := newAsking(s)
	a.Start()
	s.time.Advance(time.Second) // answered, waits
	a.Stop()
	s.time.Advance(time.Hour)
	a.Start()
	s.time.Advance(time.Hour)
	if len(s.got) != 1 {
		t.Errorf("asked %d times", len(s.got))
	}

	s = newScript(t, shown)
	a = newAsking(s)
	a.Start()
	a.Stop()
	s.time.Advance(time.Hour) // answered after the stop
	if len(a.known)+len(a.unknown) > 0 {
		t.Errorf("told %v %v", a.known, a.unknown)
	}
}
