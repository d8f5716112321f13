package durable_test

import (
	"errors"
	"testing"
	"time"

	"deskbridge/fsm/durable"
)

func TestARestartTurnsWhatMayBeLostIntoItsFact(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a",
		errand{Name: "fragile", Lane: "road", Fragile: true},
		errand{Name: "behind", Lane: "road", Fragile: true},
		errand{Name: "robust"})
	r.lines = nil
	r.start()
	want(t, "transcript", r.lines, []string{
		"commit: settle fragile; journal p.2 lost fragile; lease behind; lease robust",
		"stepped p.2",
		"execute p behind #1",
		"execute p robust #2",
	})
	want(t, "first attempt", r.take("robust").First, r.clock.Now())
}

func TestARestartCarriesOutWhatIsReadyInOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	stopping := durable.New(r.options())
	stopping.Submit("p", asked{"a", []effect{errand{Name: "1", Lane: "road"}, errand{Name: "2"}, errand{Name: "3", Lane: "road"}, errand{Name: "4"}}}, nil)
	stopping.Stop(func() {}) // journals what it was given, and begins nothing
	r.clock.Settle()
	want(t, "executed", r.executed, []string(nil))
	r.start()
	want(t, "executed", r.executed, []string{"1", "2", "4"})
	r.done("1")
	r.clock.Settle()
	want(t, "executed", r.executed, []string{"1", "2", "4", "3"})
}

func TestALossIsToldBeforeWhatWasSubmittedSince(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	next := durable.New(r.options())
	next.Submit("p", asked{Key: "b"}, nil)
	r.clock.Settle()
	want(t, "story before Start", r.story("p"), []string{"asked a"})
	if err := next.Start(); err != nil {
		t.Fatal(err)
	}
	r.clock.Settle()
	want(t, "story", r.story("p"), []string{"asked a", "lost carry", "asked b"})
}

func TestALossIsToldUntilTheStoreTakesIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ask("p", "a", errand{Name: "carry", Fragile: true})
	r.refuseNext("commit", 2)
	r.start()
	want(t, "outbox while the store refuses", r.inStore(), []string{"carry leased=true attempts=1"})
	r.clock.Advance(2 * time.Second)
	want(t, "story", r.story("p"), []string{"asked a", "lost carry"})
	want(t, "outbox", r.inStore(), []string{})
}

func TestStartTellsOfAnOutboxThatCannotBeRead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.refuseNext("outbox", 1)
	e := durable.New(r.options())
	if err := e.Start(); !errors.Is(err, errRefused) {
		t.Errorf("Start says %v, want the refusal", err)
	}
}
