package appserver

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const nobody = "00000000-0000-7000-8000-000000000000"

func TestRefusalsReadAsTheRealServersDo(t *testing.T) {
	t.Parallel()
	s := newSim(t, held)
	c := s.hello()
	idle, busy := c.thread(), c.thread()
	turn := c.start(busy, "one")
	s.clock.Advance(time.Second)
	text := `[{"type":"text","text":"x"}]`

	tests := []struct{ method, params, want string }{
		{"initialize", `{}`, "-32600 Invalid request: missing field `clientInfo`"},
		{"initialize", `{"clientInfo":{"name":"x","version":"1"}}`, "-32600 Already initialized"},
		{"thread/read", `{}`, "-32600 Invalid request: missing field `threadId`"},
		{"thread/read", `{"threadId":"nouuid"}`, "-32600 invalid thread id: invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], found `n` at 1"},
		{"thread/read", `{"threadId":"01"}`, "-32600 invalid thread id: invalid length: expected length 32 for simple format, found 2"},
		{"thread/read", `{"threadId":"` + nobody + `"}`, "-32600 thread not loaded: " + nobody},
		{"thread/turns/list", `{"threadId":"` + nobody + `"}`, "-32600 thread not loaded: " + nobody},
		{"thread/resume", `{"threadId":"` + nobody + `"}`, "-32600 no rollout found for thread id " + nobody},
		{"thread/resume", `{"threadId":"x"}`, "-32600 invalid thread id: invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], found `x` at 1"},
		{"turn/start", `{"threadId":"` + nobody + `","input":` + text + `}`, "-32600 thread not found: " + nobody},
		{"turn/start", `{"threadId":"` + idle + `"}`, "-32600 Invalid request: missing field `input`"},
		{"turn/start", `{"input":` + text + `}`, "-32600 Invalid request: missing field `threadId`"},
		{"turn/start", `{"threadId":"` + idle + `","input":[{"type":"nosuch"}]}`, "-32600 Invalid request: unknown variant `nosuch`, expected one of `text`, `image`, `localImage`, `audio`, `localAudio`, `skill`, `mention`"},
		{"turn/start", `{"threadId":"` + idle + `","input":[{"type":"text"}]}`, "-32600 Invalid request: missing field `text`"},
		{"turn/start", `{"threadId":"` + idle + `","input":[{}]}`, "-32600 Invalid request: missing field `type`"},
		{"turn/start", `{"threadId":"` + busy + `","input":[]}`, "-32603 failed to submit turn input: EmptyInput"},
		{"turn/steer", `{"threadId":"` + busy + `","input":[]}`, "-32600 Invalid request: missing field `expectedTurnId`"},
		{"turn/steer", `{"threadId":"` + nobody + `","expectedTurnId":"x","input":` + text + `}`, "-32600 thread not found: " + nobody},
		{"turn/steer", `{"threadId":"` + idle + `","expectedTurnId":"x","input":[]}`, "-32600 no active turn to steer"},
		{"turn/steer", `{"threadId":"` + busy + `","expectedTurnId":"x","input":[]}`, "-32600 expected active turn id `x` but found `" + turn + "`"},
		{"turn/steer", `{"threadId":"` + busy + `","expectedTurnId":"` + turn + `","input":[]}`, "-32600 input must not be empty"},
		{"turn/interrupt", `{"threadId":"` + busy + `"}`, "-32600 Invalid request: missing field `turnId`"},
		{"turn/interrupt", `{"threadId":"` + nobody + `","turnId":"x"}`, "-32600 thread not found: " + nobody},
		{"turn/interrupt", `{"threadId":"` + idle + `","turnId":"x"}`, "-32600 no active turn to interrupt"},
		{"turn/interrupt", `{"threadId":"` + busy + `","turnId":"x"}`, "-32600 expected active turn id x but found " + turn},
		{"thread/fork", `{}`, "-32603 the scripted app-server does not model thread/fork"},
	}
	for _, test := range tests {
		expect(t, test.method+" "+test.params, test.want, c.refused(test.method, test.params))
	}
	// The order of checks and the shape hold; which type was wrong is worded otherwise.
	for _, params := range []string{`[]`, `{"threadId":5,"input":[]}`, `{"threadId":"` + idle + `","input":"x"}`} {
		for _, method := range []string{"turn/start", "thread/read", "thread/loaded/list"} {
			got := c.refused(method, params)
			if got != "not refused" && !strings.HasPrefix(got, "-32600 Invalid request: ") {
				t.Errorf("%s %s: %s", method, params, got)
			}
		}
	}
	got := c.refused("nosuch/method", `{}`)
	if !strings.HasPrefix(got, "-32600 Invalid request: unknown variant `nosuch/method`, expected one of `initialize`, `server/diagnostics`, ") ||
		!strings.HasSuffix(got, "`fuzzyFileSearch/sessionStop`") {
		t.Errorf("unknown method: %s", got)
	}
	expect(t, "nothing was stored by refusals", []string{"inProgress", "om_one: one"}, c.history(busy))
}

func TestNothingButInitializeIsAnsweredBeforeIt(t *testing.T) {
	t.Parallel()
	c := newSim(t, Echo).dial()
	expect(t, "before", "-32600 Not initialized", c.refused("thread/loaded/list", `{}`))
	result := c.must("initialize", `{"clientInfo":{"name":"desk","version":"7"}}`)
	expect(t, "user agent", "desk/0.171.0 (scripted) (desk; 7)", field[string](c, result, "userAgent"))
	c.must("thread/loaded/list", `{}`)
}

func TestWhatIsNoCallIsIgnored(t *testing.T) {
	t.Parallel()
	s := newSim(t, Echo)
	c := s.hello()
	before := len(c.got)
	for _, frame := range []string{
		"", "no JSON", "[1]", `"x"`, "null", `{"id":1}`, `{"method":"initialized"}`, `{"method":"nosuch"}`,
		`{"id":1,"method":5}`, `{"id":0,"result":{"decision":"accept"}}`, `{"id":0,"error":{"code":1,"message":"x"}}`,
	} {
		c.conn.Receive([]byte(frame))
	}
	s.clock.Settle()
	if got := c.got[before:]; len(got) > 0 {
		t.Errorf("answered %s", got)
	}
	c.conn.Receive([]byte(`{"id":"a string","method":"thread/loaded/list"}`))
	s.clock.Settle()
	want := `{"error":{"code":-32600,"message":"Invalid request: missing field ` + "`params`" + `"},"id":"a string"}`
	expect(t, "a call without parameters", want, string(c.got[before]))
}

func FuzzReceiveSurvivesAnything(f *testing.F) {
	for _, method := range []string{"thread/start", "thread/resume", "thread/read", "thread/turns/list", "turn/start", "turn/steer", "turn/interrupt"} {
		f.Add(fmt.Sprintf(`{"id":9,"method":%q,"params":{"threadId":"01a00000-0000-7000-8000-000000000001","input":[{"type":"text","text":"x"}],"expectedTurnId":"x","turnId":"x","cursor":"{}","limit":-1}}`, method))
	}
	f.Fuzz(func(t *testing.T, frame string) {
		s := newSim(t, Echo)
		c := s.hello()
		thread := c.thread()
		c.conn.Receive([]byte(frame))
		s.clock.Advance(time.Second)
		c.start(thread, "after")
		c.ended(1)
	})
}
