package explore

import (
	"errors"
	"reflect"
	"slices"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

// Layer is who noticed a mutant.
type Layer string

// The layers, in the order in which they are asked.
const (
	// ByDeclaration: the check of declarations refused the table.
	ByDeclaration Layer = "declaration"
	// BySteps: a law did not hold of a step.
	BySteps Layer = "steps"
	// ByExploration: an invariant did not hold in a world.
	ByExploration Layer = "exploration"
	// ByNobody: nobody noticed it.
	ByNobody Layer = ""
)

// Verdict is what came of a mutant's trial.
type Verdict struct {
	By Layer
	// Problem is what was noticed first.
	Problem string
}

// Try holds a mutant against the check of declarations, the laws of the small
// machines and of steps, and the invariants in worlds, in that order, up to the
// first who notices it. Nobody notices anything by what the sound tables would have
// done; a mutant that makes no difference to any step is spared the worlds.
func (b *Bank) Try(m Mutant) Verdict {
	tables, err := m.Make()
	if err != nil {
		return Verdict{ByDeclaration, err.Error()}
	}
	if m.Of.Machine != conversation {
		if broken := Laws(tables); len(broken) > 0 {
			return Verdict{BySteps, broken[0]}
		}
	}
	for _, o := range b.steps.in[cellOf(m.Of)] {
		if _, anyhow, ifTrue := o.step(tables); len(anyhow)+len(ifTrue) > 0 {
			return Verdict{BySteps, slices.Concat(anyhow, ifTrue)[0]}
		}
	}
	if !b.differs(m.Of, tables) {
		return Verdict{}
	}
	return b.explore(m.Of, tables)
}

// farStates is how many states are explored from the worlds in which an entry is
// taken, after one move from each of them.
const farStates = 600

// explore lets the worlds in which the entry is taken live on under other tables.
func (b *Bank) explore(of Taken, tables *transitions.Tables) Verdict {
	s := b.worlds[of]
	if s == nil {
		return Verdict{}
	}
	for _, opt := range []explore.Options{{MaxDepth: 1}, {MaxStates: farStates}} {
		opt.MaxFair = maxFair
		var roots []explore.World
		for _, w := range s.worlds {
			under := w.clone()
			under.step = watched(tables)
			roots = append(roots, under)
		}
		if v := explore.Run(roots, opt).Violation; v != nil {
			return Verdict{ByExploration, v.Problems[0]}
		}
	}
	return Verdict{}
}

// watched is the stepper of some tables that are held against the laws of a step.
func watched(t *transitions.Tables) Stepper {
	return func(state transitions.State, data transitions.Data, f transitions.Fact) (result, []Taken, error) {
		res, small, err := t.Step(state, data, f)
		if err == nil {
			if problems := Agrees(f, &data, &res.Data, res.Effects); len(problems) > 0 {
				err = errors.New(problems[0])
			}
		}
		return res, small, err
	}
}

// Differs says whether anybody could see, in any step that is kept, that not the
// sound tables made it. It takes no part in noticing a mutant: it tells those
// survivors apart that make no difference.
func (b *Bank) Differs(m Mutant) bool {
	tables, err := m.Make()
	if err != nil {
		return true
	}
	return b.differs(m.Of, tables)
}

func (b *Bank) differs(of Taken, tables *transitions.Tables) bool {
	return slices.ContainsFunc(b.steps.in[cellOf(of)], func(o *occasion) bool {
		sound, _, soundErr := b.tables.Step(o.state, o.data, o.fact)
		broken, _, err := tables.Step(o.state, o.data, o.fact)
		return soundErr != nil || err != nil || sound.State != broken.State || !reflect.DeepEqual(sound.Data, broken.Data) ||
			!reflect.DeepEqual(visible(&o.data, &sound.Data, sound.Effects), visible(&o.data, &broken.Data, broken.Effects))
	})
}

// visible are the effects of a step without those that nobody can see: a row that a
// later row of the same message or request replaces in the same transaction, one that
// says what the row says already, and taking back where nothing is on its way
// that may not be sent.
func visible(before, after *transitions.Data, effects []transitions.Effect) (seen []transitions.Effect) {
	for i, e := range effects {
		hidden := false
		switch e := e.(type) {
		case transitions.RecordMessage:
			was, known := one(before.Messages, func(m transitions.Message) bool { return m.ID == e.Message.ID })
			hidden = known && onRecord(was) == onRecord(e.Message) ||
				slices.ContainsFunc(effects[i+1:], func(o transitions.Effect) bool {
					r, ok := o.(transitions.RecordMessage)
					return ok && r.Message.ID == e.Message.ID
				})
		case transitions.RecordRequest:
			was, _ := one(before.Requests, func(r transitions.Request) bool { return r.ID == e.Request.ID })
			hidden = was == e.Request
		case transitions.Withdraw:
			c := &change{before: before, after: after}
			c.withdrawn() // without it
			hidden = len(c.problems) == 0
		}
		if !hidden {
			seen = append(seen, e)
		}
	}
	return seen
}
