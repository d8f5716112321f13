package fsm_test

import "deskbridge/fsm"

// The machine of these tests is a turnstile: a coin unlocks it, a push lets one
// person through and locks it again. It counts both.

type state string

const (
	locked   state = "locked"
	unlocked state = "unlocked"
)

// data has a slice, so that a shallow copy would show.
type data struct {
	Coins  int
	Passed []string
}

func (d data) clone() data {
	d.Passed = append([]string(nil), d.Passed...)
	return d
}

// happening is a fact: what happened, and by whom.
type happening struct{ Kind, Who string }

func (h happening) FactName() string { return h.Kind }

// wish is an effect: what is to be done, and for whom.
type wish struct{ Kind, Who string }

func (w wish) EffectName() string { return w.Kind }

type (
	declaration = fsm.Declaration[state, data, happening, wish]
	row         = fsm.Row[state, data, happening, wish]
	guard       = fsm.Guard[data, happening]
	action      = fsm.Action[data, happening, wish]
	machine     = fsm.Machine[state, data, happening, wish]
)

func named(name, doc string) fsm.Term { return fsm.Term{Name: name, Doc: doc} }

var (
	welcome = guard{
		Term:  named("welcome", "The person is no stranger."),
		Holds: func(_ *data, h happening) bool { return h.Who != "stranger" },
	}
	keepCoin = action{
		Term: named("keep_coin", "The coin is kept."),
		Do:   func(d *data, _ happening, _ func(wish)) { d.Coins++ },
	}
	letThrough = action{
		Term:  named("let_through", "The person goes through and is greeted."),
		Emits: []string{"greet"},
		Do: func(d *data, h happening, emit func(wish)) {
			d.Passed = append(d.Passed, h.Who)
			emit(wish{"greet", h.Who})
		},
	}
	ring = action{
		Term:  named("ring", "The bell rings."),
		Emits: []string{"ring_bell"},
		Do:    func(_ *data, h happening, emit func(wish)) { emit(wish{"ring_bell", h.Who}) },
	}
)

// turnstile is a declaration without a fault.
func turnstile() declaration {
	return declaration{
		Term:    named("turnstile", "Lets one person through for each coin."),
		Initial: locked,
		States: []fsm.State[state]{
			{Name: locked, Doc: "Nobody gets through.", Settled: true},
			{Name: unlocked, Doc: "One person gets through."},
		},
		Facts: []fsm.Term{
			named("coin", "A coin was put in."),
			named("push", "Somebody pushed."),
		},
		Effects: []fsm.Term{
			named("greet", "Greets a person."),
			named("ring_bell", "Calls the guard."),
		},
		Rows: []row{
			{In: []state{locked}, On: "coin", To: unlocked, Do: []action{keepCoin}, Why: "A coin buys one passage."},
			{In: []state{unlocked}, On: "coin", Ignore: true, Why: "It is open already, and gives the coin back."},
			{In: []state{locked}, On: "push", Do: []action{ring}, Why: "Without a coin nobody gets through."},
			{In: []state{unlocked}, On: "push", If: []guard{welcome}, To: locked, Do: []action{letThrough}, Why: "The passage is used."},
			{In: []state{unlocked}, On: "push", If: []guard{fsm.Not(welcome)}, Do: []action{ring}, Why: "A stranger is kept out, and the coin stays good."},
		},
		Clone: data.clone,
	}
}
