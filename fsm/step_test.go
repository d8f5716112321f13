package fsm_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"deskbridge/fsm"
	"github.com/google/go-cmp/cmp"
)

type result = fsm.Result[state, data, wish]

func TestAStepIsWhatTheRowSays(t *testing.T) {
	t.Parallel()
	m := fsm.MustNew(turnstile())
	for _, c := range []struct {
		name string
		from state
		data data
		fact happening
		want result
	}{
		{"a move with a change of data", locked, data{Coins: 1}, happening{"coin", "a"},
			result{State: unlocked, Data: data{Coins: 2}, Entry: "locked.coin.1", Why: "A coin buys one passage."}},
		{"a move with an effect", unlocked, data{Passed: []string{"a"}}, happening{"push", "b"},
			result{State: locked, Data: data{Passed: []string{"a", "b"}}, Effects: []wish{{"greet", "b"}}, Entry: "unlocked.push.1", Why: "The passage is used."}},
		{"a row that stays", locked, data{}, happening{"push", "b"},
			result{State: locked, Effects: []wish{{"ring_bell", "b"}}, Entry: "locked.push.1", Why: "Without a coin nobody gets through."}},
		{"the guard decides between rows", unlocked, data{}, happening{"push", "stranger"},
			result{State: unlocked, Effects: []wish{{"ring_bell", "stranger"}}, Entry: "unlocked.push.2", Why: "A stranger is kept out, and the coin stays good."}},
		{"an ignored fact", unlocked, data{Coins: 3}, happening{"coin", "a"},
			result{State: unlocked, Data: data{Coins: 3}, Entry: "unlocked.coin.1", Why: "It is open already, and gives the coin back.", Ignored: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := m.Step(c.from, c.data, c.fact)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAStepLeavesTheDataItWasGivenAlone holds it where an action writes into a
// slice that has room: a shallow copy would share it.
func TestAStepLeavesTheDataItWasGivenAlone(t *testing.T) {
	t.Parallel()
	m := fsm.MustNew(turnstile())
	passed := make([]string, 1, 4)
	passed[0] = "a"
	given := data{Passed: passed}
	for _, who := range []string{"b", "c"} {
		res, err := m.Step(unlocked, given, happening{"push", who})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"a", who}, res.Data.Passed); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]string{"a", "", "", ""}, passed[:4]); diff != "" {
		t.Errorf("the data given was written to: %s", diff)
	}
}

// TestActionsRunInOrder holds that effects come in the order of the row's actions.
func TestActionsRunInOrder(t *testing.T) {
	t.Parallel()
	d := turnstile()
	d.Rows[3].Do = []action{ring, letThrough}
	res, err := fsm.MustNew(d).Step(unlocked, data{}, happening{"push", "a"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]wish{{"ring_bell", "a"}, {"greet", "a"}}, res.Effects); diff != "" {
		t.Error(diff)
	}
}

// TestADefectThatOnlyDataRevealsIsACellError holds for each that the error says
// where and what, and that nothing comes back that could be stored.
func TestADefectThatOnlyDataRevealsIsACellError(t *testing.T) {
	t.Parallel()
	always := guard{Term: named("always", "Always."), Holds: func(*data, happening) bool { return true }}
	for _, c := range []struct {
		name   string
		change func(d *declaration)
		from   state
		fact   happening
		want   fsm.CellError
	}{
		{"guards that overlap", func(d *declaration) { d.Rows[4].If = []guard{always} }, unlocked, happening{"push", "a"},
			fsm.CellError{State: "unlocked", Fact: "push", Problem: "both unlocked.push.1 and unlocked.push.2 are enabled"}},
		{"guards that leave a gap", func(d *declaration) { d.Rows[4].If = []guard{fsm.Not(always)} }, unlocked, happening{"push", "stranger"},
			fsm.CellError{State: "unlocked", Fact: "push", Problem: "no row is enabled"}},
		{"an effect that the action does not declare", func(d *declaration) {
			d.Rows[0].Do = []action{keepCoin, {Term: named("shout", "Shouts."), Do: ring.Do}}
		}, locked, happening{"coin", "a"},
			fsm.CellError{State: "locked", Fact: "coin", Problem: "action shout emitted ring_bell without declaring it"}},
		{"a fact that is not declared", func(*declaration) {}, locked, happening{"kick", "a"},
			fsm.CellError{State: "locked", Fact: "kick", Problem: "no such cell"}},
		{"a state that is not declared", func(*declaration) {}, "ajar", happening{"coin", "a"},
			fsm.CellError{State: "ajar", Fact: "coin", Problem: "no such cell"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := turnstile()
			c.change(&d)
			given := data{Coins: 1, Passed: []string{"a"}}
			res, err := fsm.MustNew(d).Step(c.from, given, c.fact)
			c.want.Machine = "turnstile"
			var got *fsm.CellError
			if !errors.As(err, &got) {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(c.want, *got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(result{}, res); diff != "" {
				t.Errorf("something came back: %s", diff)
			}
			if diff := cmp.Diff(data{Coins: 1, Passed: []string{"a"}}, given); diff != "" {
				t.Errorf("the data given was changed: %s", diff)
			}
			text := fmt.Sprintf("fsm: machine turnstile in state %s on fact %s: %s", got.State, got.Fact, got.Problem)
			if err.Error() != text {
				t.Errorf("got %q, want %q", err, text)
			}
		})
	}
}

func TestNotIsNamedAfterWhatItDenies(t *testing.T) {
	t.Parallel()
	not := fsm.Not(welcome)
	if not.Name != "not_welcome" || not.Doc != "Not: The person is no stranger." {
		t.Errorf("%+v", not.Term)
	}
	for _, who := range []string{"a", "stranger"} {
		fact := happening{"push", who}
		if not.Holds(nil, fact) == welcome.Holds(nil, fact) {
			t.Errorf("%s: both say the same", who)
		}
	}
}

// TestOneMachineServesManyInstances steps one machine from many goroutines, each
// with an instance in another state; every step must come from its own.
func TestOneMachineServesManyInstances(t *testing.T) {
	t.Parallel()
	const instances, rounds = 16, 200
	m := fsm.MustNew(turnstile())
	finals := make([]data, instances)
	var group sync.WaitGroup
	for i := range instances {
		group.Go(func() {
			who := fmt.Sprintf("person_%d", i)
			s, d := locked, data{}
			for range rounds {
				for _, kind := range []string{"coin", "push"} {
					res, err := m.Step(s, d, happening{kind, who})
					if err != nil {
						t.Error(err)
						return
					}
					s, d = res.State, res.Data
				}
			}
			finals[i] = d
		})
	}
	group.Wait()
	for i, d := range finals {
		if d.Coins != rounds || len(d.Passed) != rounds || d.Passed[rounds-1] != fmt.Sprintf("person_%d", i) {
			t.Errorf("instance %d: %d coins, %d passages", i, d.Coins, len(d.Passed))
		}
	}
}
