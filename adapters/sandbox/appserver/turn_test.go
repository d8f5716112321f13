package appserver

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// held is a model that waits for a release of "go", then echoes.
func held(a Ask) []Step { return []Step{Hold("go"), Say("reply to: " + a.LastText())} }

func expect[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestBeforeATurnBeginsItCanBeSteeredButNotInterrupted(t *testing.T) {
	t.Parallel()
	s := newSim(t, held)
	c := s.hello()
	thread := c.thread()
	turn := c.start(thread, "one")
	stop := fmt.Sprintf(`{"threadId":%q,"turnId":%q}`, thread, turn)

	expect(t, "interrupt at once", "-32600 no active turn to interrupt", c.refused("turn/interrupt", stop))
	c.steer(thread, turn, "two")
	if folded := c.start(thread, "three"); folded != turn {
		t.Errorf("a start meanwhile is turn %s, want %s", folded, turn)
	}
	s.clock.Advance(time.Second)
	want := []string{"inProgress", "om_one: one", "om_two: two", "om_three: three"}
	expect(t, "history", want, c.history(thread))

	c.must("turn/interrupt", stop)
	expect(t, "after the interrupt", "interrupted", c.history(thread)[0])
	expect(t, "a second interrupt", "-32600 no active turn to interrupt", c.refused("turn/interrupt", stop))
}

func TestAnAcceptedTextIsGoneIfItsTurnIsInterruptedFirst(t *testing.T) {
	t.Parallel()
	s := newSim(t, held)
	c := s.hello()
	thread := c.thread()
	turn := c.start(thread, "one")
	s.clock.Advance(time.Second)
	c.steer(thread, turn, "two")
	c.start(thread, "three")
	c.must("turn/interrupt", fmt.Sprintf(`{"threadId":%q,"turnId":%q}`, thread, turn))
	s.clock.Advance(time.Second)
	expect(t, "history", []string{"interrupted", "om_one: one"}, c.history(thread))
	expect(t, "held steps", 0, s.server.Release("go"))
}

func TestASteerWaitsForARunningCommand(t *testing.T) {
	t.Parallel()
	s := newSim(t, func(a Ask) []Step {
		if len(a.Texts) > 1 {
			return []Step{Say("reply to: " + a.LastText())}
		}
		return []Step{Command("make", "ok\n", time.Minute), Say("never said")}
	})
	c := s.hello()
	thread := c.thread()
	turn := c.start(thread, "one")
	s.clock.Advance(time.Second)
	c.steer(thread, turn, "two")
	s.clock.Advance(30 * time.Second)
	expect(t, "while it runs", []string{"inProgress", "om_one: one"}, c.history(thread))
	c.ended(1)
	want := []string{"completed", "om_one: one", "commandExecution: /bin/bash -lc make", "om_two: two", "final_answer: reply to: two"}
	expect(t, "history", want, c.history(thread))
}

func TestStepsAreHeldUntilTheirRelease(t *testing.T) {
	t.Parallel()
	s := newSim(t, held)
	c := s.hello()
	thread := c.thread()
	c.start(thread, "one")
	s.clock.Advance(time.Hour)
	expect(t, "released under another name", 0, s.server.Release("other"))
	expect(t, "ended turns", 0, c.count("turn/completed"))
	expect(t, "released", 1, s.server.Release("go"))
	c.ended(1)
	expect(t, "history", []string{"completed", "om_one: one", "final_answer: reply to: one"}, c.history(thread))
}

func TestATurnWithoutStepsEndsWithoutAReply(t *testing.T) {
	t.Parallel()
	s := newSim(t, func(Ask) []Step { return nil })
	c := s.hello()
	thread := c.thread()
	c.start(thread, "one")
	c.ended(1)
	expect(t, "history", []string{"completed", "om_one: one"}, c.history(thread))
}

func TestAFailedTurnLeavesTheThreadInErrorUntilTheNextBegins(t *testing.T) {
	t.Parallel()
	s := newSim(t, func(a Ask) []Step {
		if a.LastText() == "bad" {
			return []Step{Say("partly"), Fail("boom")}
		}
		return Echo(a)
	})
	c := s.hello()
	thread := c.thread()
	status := func() string {
		return field[string](c, c.must("thread/read", fmt.Sprintf(`{"threadId":%q}`, thread)), "thread", "status", "type")
	}
	c.start(thread, "bad")
	c.ended(1)
	expect(t, "status", "systemError", status())
	c.start(thread, "good")
	c.ended(2)
	expect(t, "status", "idle", status())
	want := []string{"completed", "om_good: good", "final_answer: reply to: good", "failed", "om_bad: bad", "final_answer: partly"}
	expect(t, "history", want, c.history(thread))
}

func TestKillingTheServerLosesWhatAProcessLoses(t *testing.T) {
	t.Parallel()
	s := newSim(t, held)
	c := s.hello()
	stored, begun, fresh := c.thread(), c.thread(), c.thread()
	turn := c.start(stored, "one")
	s.clock.Advance(time.Second)
	c.steer(stored, turn, "two")
	c.start(begun, "three")
	s.server.Kill()
	s.clock.Settle()
	if !c.closed {
		t.Error("the client was not told")
	}
	if s.server.Running() || s.server.Connect(nil, nil) != nil {
		t.Error("a killed server takes connections")
	}
	s.server.Restart()
	s.clock.Advance(time.Hour)

	c = s.hello()
	expect(t, "history", []string{"interrupted", "om_one: one"}, c.history(stored))
	for _, lost := range []string{begun, fresh} {
		expect(t, "a lost thread", "-32600 no rollout found for thread id "+lost,
			c.refused("thread/resume", fmt.Sprintf(`{"threadId":%q,"excludeTurns":true}`, lost)))
	}
	start := fmt.Sprintf(`{"threadId":%q,"input":[]}`, stored)
	expect(t, "a start without resume", "-32600 thread not found: "+stored, c.refused("turn/start", start))
	c.must("thread/resume", fmt.Sprintf(`{"threadId":%q,"excludeTurns":true}`, stored))
	expect(t, "told of the loading", 1, c.count("thread/status/changed"))
	c.must("turn/start", start)
	s.server.Restart()
	s.clock.Settle()
	if !c.closed || !s.server.Running() {
		t.Error("restarting a running server did not kill it first")
	}
}

func TestTheSameCallsGiveTheSameFrames(t *testing.T) {
	t.Parallel()
	run := func() []string {
		s := newSim(t, Echo)
		a, b := s.hello(), s.hello()
		for _, c := range []*client{a, b} {
			thread := c.thread()
			c.start(thread, "one")
			a.ended(a.count("turn/completed"))
			s.clock.Advance(time.Second)
		}
		var all []string
		for _, frame := range append(a.got, b.got...) {
			all = append(all, string(frame))
		}
		return all
	}
	expect(t, "second run", run(), run())
}
