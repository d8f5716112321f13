package fsm_test

import (
	"fmt"
	"testing"

	"deskbridge/fsm"
	"deskbridge/fsm/floor"
)

// BenchmarkStep measures a step, its effects included, of a small table and of
// one as large as the largest that the bridge declares: its cost must not grow
// with the table. The floor is the event of looplab that carries a step out.
func BenchmarkStep(b *testing.B) {
	b.Run("small", func(b *testing.B) {
		m := fsm.MustNew(turnstile())
		steps(b, m, []happening{{"coin", "a"}, {"push", "a"}})
	})
	b.Run("full", func(b *testing.B) {
		facts, m := grid(8, 40)
		steps(b, m, facts)
	})
}

// steps goes round the facts, from wherever the machine is.
func steps(b *testing.B, m *machine, facts []happening) {
	s, i := m.Declaration().Initial, 0
	floor.Steps(b, func() {
		res, err := m.Step(s, data{}, facts[i%len(facts)])
		if err != nil {
			b.Fatal(err)
		}
		s = res.State
		i++
	})
}

// grid is a machine with that many states and facts and two rows in each cell;
// every fact leads on to the next state.
func grid(states, facts int) ([]happening, *machine) {
	d := declaration{Term: named("grid", "A large table."), Initial: "s0", Clone: data.clone}
	for i := range states {
		d.States = append(d.States, fsm.State[state]{Name: state(fmt.Sprintf("s%d", i)), Doc: "A state.", Settled: true})
	}
	var all []happening
	for i := range facts {
		name := fmt.Sprintf("f%d", i)
		d.Facts = append(d.Facts, named(name, "A fact."))
		all = append(all, happening{name, "a"})
		for j := range states {
			from, to := d.States[j].Name, d.States[(j+1)%states].Name
			d.Rows = append(d.Rows,
				row{In: []state{from}, On: name, If: []guard{welcome}, To: to, Do: []action{keepCoin}, Why: "On to the next."},
				row{In: []state{from}, On: name, If: []guard{fsm.Not(welcome)}, Why: "A stranger stays."})
		}
	}
	return all, fsm.MustNew(d)
}
