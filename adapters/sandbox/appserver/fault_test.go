package appserver

import (
	"fmt"
	"testing"
	"time"
)

// outcome is what a client saw of one turn/start, and what became of it.
type outcome struct {
	Answered, Closed bool
	Completed        int    // turn/completed notifications
	Stored           string // status of the thread's last turn
}

func TestAFaultStrikesOnceWhereItIsInjected(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault Fault
		want  outcome
	}{
		{"call lost", Fault{At: Calls, Method: "turn/start", Do: Lose}, outcome{Stored: "none"}},
		{"call late", Fault{At: Calls, Method: "turn/start", Do: Delay, By: time.Second}, outcome{Answered: true, Completed: 1, Stored: "completed"}},
		{"closed before the call", Fault{At: Calls, Method: "turn/start", Do: CloseBefore}, outcome{Closed: true, Stored: "none"}},
		{"closed after the call", Fault{At: Calls, Method: "turn/start", Do: CloseAfter}, outcome{Closed: true, Stored: "completed"}},
		{"answer lost", Fault{At: Answers, Method: "turn/start", Do: Lose}, outcome{Completed: 1, Stored: "completed"}},
		{"answer late", Fault{At: Answers, Method: "turn/start", Do: Delay, By: time.Second}, outcome{Answered: true, Completed: 1, Stored: "completed"}},
		{"closed before the answer", Fault{At: Answers, Method: "turn/start", Do: CloseBefore}, outcome{Closed: true, Stored: "completed"}},
		{"closed after the answer", Fault{At: Answers, Method: "turn/start", Do: CloseAfter}, outcome{Answered: true, Closed: true, Stored: "completed"}},
		{"notification lost", Fault{At: Notifications, Method: "turn/completed", Do: Lose}, outcome{Answered: true, Stored: "completed"}},
		{"notification twice", Fault{At: Notifications, Method: "turn/completed", Do: Duplicate}, outcome{Answered: true, Completed: 2, Stored: "completed"}},
		{"closed after the notification", Fault{At: Notifications, Method: "turn/completed", Do: CloseAfter}, outcome{Answered: true, Closed: true, Completed: 1, Stored: "completed"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSim(t, Echo)
			c := s.hello()
			thread := c.thread()
			s.server.Inject(test.fault)
			expect(t, "pending", 1, s.server.PendingFaults())
			id := c.send("turn/start", fmt.Sprintf(`{"threadId":%q,"input":[{"type":"text","text":"x"}]}`, thread))
			s.clock.Advance(time.Minute)

			got := outcome{
				Answered: c.reply(id) != nil, Closed: c.closed,
				Completed: c.count("turn/completed"), Stored: "none",
			}
			other := s.hello()
			if r := other.reply(other.send("thread/turns/list", fmt.Sprintf(`{"threadId":%q}`, thread))); r.Error == nil {
				got.Stored = field[[]struct{ Status string }](other, r.Result, "data")[0].Status
			}
			expect(t, "outcome", test.want, got)
			expect(t, "pending", 0, s.server.PendingFaults())
		})
	}
}

func TestADelayedAnswerIsOvertaken(t *testing.T) {
	t.Parallel()
	s := newSim(t, Echo)
	c := s.hello()
	s.server.Inject(Fault{At: Answers, Method: "thread/loaded/list", Do: Delay, By: time.Second})
	slow, quick := c.send("thread/loaded/list", `{}`), c.send("thread/loaded/list", `{}`)
	if c.reply(slow) != nil || c.reply(quick) == nil {
		t.Error("the delayed answer did not wait, or the other one did")
	}
	s.clock.Advance(time.Second)
	if c.reply(slow) == nil {
		t.Error("the delayed answer never came")
	}
}

func TestFaultsForTheSameFramesStrikeInOrder(t *testing.T) {
	t.Parallel()
	s := newSim(t, Echo)
	c := s.hello()
	s.server.Inject(Fault{At: Calls, Method: "thread/loaded/list", Do: Lose})
	s.server.Inject(Fault{At: Calls, Method: "thread/loaded/list", Do: CloseBefore})
	if id := c.send("thread/loaded/list", `{}`); c.reply(id) != nil || c.closed {
		t.Error("the first fault was not the first injected")
	}
	if c.send("thread/loaded/list", `{}`); !c.closed {
		t.Error("the second fault did not strike")
	}
}

func TestACallCannotBeDuplicated(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	newSim(t, Echo).server.Inject(Fault{At: Calls, Method: "turn/start", Do: Duplicate})
}

func TestAClosedConnectionGetsNothing(t *testing.T) {
	t.Parallel()
	s := newSim(t, Echo)
	c := s.hello()
	thread := c.thread()
	c.start(thread, "one")
	before := len(c.got)
	c.conn.Close()
	c.conn.Close()
	c.conn.Receive([]byte(`{"id":1,"method":"thread/loaded/list","params":{}}`))
	s.clock.Advance(time.Minute)
	if len(c.got) > before || c.closed {
		t.Errorf("got %s, told of its own closing: %t", c.got[before:], c.closed)
	}
	expect(t, "the turn went on", "completed", s.hello().history(thread)[0])
}
