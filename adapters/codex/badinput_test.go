package codex

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

// met is a client over a transport, and what it told.
type met struct {
	c        *Client
	post     func(func())
	mu       sync.Mutex
	facts    []transitions.Fact
	troubles chan string
}

// meet starts a client that waits for something of a thread, and ends with the test.
func meet(t *testing.T, dialer func(func(func())) Dialer, adjust func(*Options)) *met {
	t.Helper()
	l := loop(t)
	m := &met{post: l.Post, troubles: make(chan string, 100)}
	o := Options{
		Scheduler: l, Dialer: dialer(l.Post), RunID: "run", PollMin: 10 * time.Millisecond, RetryMax: 200 * time.Millisecond,
		Emit: func(_ string, facts []transitions.Fact) {
			m.mu.Lock()
			m.facts = append(m.facts, facts...)
			m.mu.Unlock()
		},
		OnTrouble: func(trouble *Trouble) { m.troubles <- trouble.Error() },
	}
	adjust(&o)
	m.c = New(o)
	l.Post(func() {
		m.c.Start()
		m.c.Watch(track, transitions.Watch{Thread: thread1, Turns: []string{"turn-1"}, Unsettled: true})
	})
	t.Cleanup(func() {
		if err := l.Call(context.Background(), m.c.Stop); err != nil {
			t.Error(err)
		}
	})
	return m
}

// status is the client's.
func (m *met) status() Status {
	got := make(chan Status, 1)
	m.post(func() { got <- m.c.Status() })
	return <-got
}

// hears reads until a call of the method comes, which it returns; of no method: until
// a refusal does.
func hears(p peer, method string) (call sent, err error) {
	for call.Method != method || method == "" && call.Error == nil {
		text, err := p.hear()
		if err != nil {
			return call, err
		}
		call = sent{}
		if err := json.Unmarshal([]byte(text), &call); err != nil {
			return call, err
		}
	}
	return call, nil
}

// says answers a call with a result.
func says(p peer, call sent, result string) error {
	return p.say(fmt.Sprintf(`{"id":%s,"result":%s}`, call.ID, result))
}

// TestWhatAServerSaysWrongMakesNoFact plays a server that greets and then says all kinds
// of things that are not of the protocol, or not true.
func TestWhatAServerSaysWrongMakesNoFact(t *testing.T) {
	t.Parallel()
	wrong := []string{
		``, `{`, `[]`, `5`, `"x"`, `null`, "\xff\xfe", `{}`, `{"id":null}`, `{"id":{},"result":{}}`,
		`{"method":5}`, `{"method":"","params":{}}`,
		`{"id":12345,"result":{"data":[]}}`, `{"id":12345,"error":{"code":-32600,"message":"thread not loaded: thread-1"}}`,
		`{"method":"turn/completed","params":"x"}`, `{"method":"turn/completed","params":{"threadId":5}}`,
		`{"method":"turn/completed","params":{"threadId":"thread-1","turn":{"id":{}}}}`,
		`{"method":"item/completed","params":{"threadId":"thread-1","turnId":"turn-1","item":{"type":"userMessage","clientId":7}}}`,
		`{"method":"no/such/notification","params":{"threadId":"thread-1"}}`, `{"method":"codex/event/x"}`,
	}
	onEach(t, func(t *testing.T, c carrier) {
		asked := make(chan error, 1)
		m := meet(t, c.serve(t, func(p peer) {
			asked <- func() error {
				greeting, err := hears(p, "initialize")
				if err != nil {
					return err
				}
				// Twice: the second answers nothing.
				for range 2 {
					if err := says(p, greeting, `{"userAgent":"deskbridge/0.171.0"}`); err != nil {
						return err
					}
				}
				for _, text := range wrong {
					if err := p.say(text); err != nil {
						return err
					}
				}
				// The pull's calls, with answers of other shapes.
				for _, answer := range []struct{ method, result string }{
					{methodResume, `5`},
					{methodList, `{"data":[{"id":"turn-1","status":"completed"}]}`},
					{methodList, `{"data":[{"id":"turn-1","status":"completed","items":[{"type":"userMessage","clientId":5}]}]}`},
					{methodList, `{"data":{}}`},
					{methodList, `[]`},
					{methodList, `{"data":[]}`},
					{methodRead, `{"thread":{"status":{"type":"idle"}}}`},
					{methodList, `{"data":[]}`},
					{methodRead, `"idle"`},
				} {
					call, err := hears(p, answer.method)
					if err != nil {
						return err
					}
					if err := says(p, call, answer.result); err != nil {
						return err
					}
				}
				// A request of no known kind is answered, so that whoever asks goes on.
				if err := p.say(`{"id":"r","method":"no/such/request","params":{}}`); err != nil {
					return err
				}
				answer, err := hears(p, "")
				if err == nil && (string(answer.ID) != `"r"` || answer.Error == nil || answer.Error.Code != -32601) {
					err = fmt.Errorf("answered %+v", answer)
				}
				return err
			}()
			_, _ = hears(p, "until the test ends")
		}), func(*Options) {})
		if err := <-asked; err != nil {
			t.Fatal(err)
		}
		got := m.status()
		want := Counts{Connections: 1, Junk: 12, Strays: 3, Skipped: 4, Declined: 1}
		if diff := cmp.Diff(want, got.Counts); diff != "" || !got.Connected {
			t.Errorf("connected %v, counts (-want +got):\n%s", got.Connected, diff)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		// That the thread was resumed is the one thing that was said in a way to be understood.
		resumed := transitions.ThreadResumed{Thread: thread1, Connection: "run-1", Version: "0.171.0"}
		if diff := cmp.Diff([]transitions.Fact{resumed}, m.facts); diff != "" {
			t.Errorf("facts (-want +got):\n%s", diff)
		}
	})
}

// TestAServerThatNeverAnswersIsGivenUpAndTriedAgain holds it for one that says nothing
// and for one that breaks off, again and again.
func TestAServerThatNeverAnswersIsGivenUpAndTriedAgain(t *testing.T) {
	t.Parallel()
	for name, behaves := range map[string]func(p peer){
		"silent":     func(p peer) { _, _ = hears(p, "never") },
		"breaks off": func(p peer) { _, _ = hears(p, "initialize"); _ = p.tear(`{"id":1,"res`) },
	} {
		onEach(t, func(t *testing.T, c carrier) {
			came := make(chan struct{}, 100)
			m := meet(t, c.serve(t, func(p peer) {
				came <- struct{}{}
				behaves(p)
			}), func(o *Options) { o.CallTimeout = 50 * time.Millisecond })
			for range 3 {
				<-came
			}
			if name == "silent" {
				if got := <-m.troubles; !strings.HasPrefix(got, "Codex did not answer (initialize): ") {
					t.Errorf("trouble %q", got)
				}
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			if len(m.facts) > 0 {
				t.Errorf("facts: %+v", m.facts)
			}
		})
	}
}
