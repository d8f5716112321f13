package fsm_test

import (
	"fmt"

	"deskbridge/fsm"
)

// Passage is the state of a turnstile.
type Passage string

// Counter is what the turnstile remembers.
type Counter struct{ Through int }

// Event is what can happen to a turnstile.
type Event string

func (e Event) FactName() string { return string(e) }

// Sound is what a turnstile can do.
type Sound string

func (s Sound) EffectName() string { return string(s) }

// A turnstile: a coin unlocks it, a push goes through and locks it again.
func Example() {
	count := fsm.Action[Counter, Event, Sound]{
		Term: fsm.Term{Name: "count", Doc: "One more person went through."},
		Do:   func(c *Counter, _ Event, _ func(Sound)) { c.Through++ },
	}
	beep := fsm.Action[Counter, Event, Sound]{
		Term:  fsm.Term{Name: "beep", Doc: "It says that it is locked."},
		Emits: []string{"beep"},
		Do:    func(_ *Counter, _ Event, emit func(Sound)) { emit("beep") },
	}
	turnstile := fsm.MustNew(fsm.Declaration[Passage, Counter, Event, Sound]{
		Term:    fsm.Term{Name: "turnstile", Doc: "Lets one person through for each coin."},
		Initial: "locked",
		States: []fsm.State[Passage]{
			{Name: "locked", Doc: "Nobody gets through.", Settled: true},
			{Name: "unlocked", Doc: "One person gets through."},
		},
		Facts: []fsm.Term{
			{Name: "coin", Doc: "A coin was put in."},
			{Name: "push", Doc: "Somebody pushed."},
		},
		Effects: []fsm.Term{{Name: "beep", Doc: "Makes a sound."}},
		Rows: []fsm.Row[Passage, Counter, Event, Sound]{
			{In: []Passage{"locked"}, On: "coin", To: "unlocked", Why: "A coin buys one passage."},
			{In: []Passage{"locked"}, On: "push", Do: []fsm.Action[Counter, Event, Sound]{beep}, Why: "Without a coin nobody gets through."},
			{In: []Passage{"unlocked"}, On: "coin", Ignore: true, Why: "It is open already."},
			{In: []Passage{"unlocked"}, On: "push", To: "locked", Do: []fsm.Action[Counter, Event, Sound]{count}, Why: "The passage is used."},
		},
		Clone: func(c Counter) Counter { return c },
	})

	state, counter := Passage("locked"), Counter{}
	for _, event := range []Event{"push", "coin", "coin", "push"} {
		res, err := turnstile.Step(state, counter, event)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s → %s %v %v: %s\n", event, res.State, res.Data, res.Effects, res.Why)
		state, counter = res.State, res.Data
	}
	fmt.Print(turnstile.Mermaid())
	// Output:
	// push → locked {0} [beep]: Without a coin nobody gets through.
	// coin → unlocked {0} []: A coin buys one passage.
	// coin → unlocked {0} []: It is open already.
	// push → locked {1} []: The passage is used.
	// stateDiagram-v2
	//     [*] --> locked
	//     locked --> unlocked : coin
	//     unlocked --> locked : push
}
