package durable_test

import (
	"slices"

	"deskbridge/fsm"
	"deskbridge/fsm/durable"
)

// The parcel machine: a sender asks for things to be done with a parcel, and
// hears what became of each. The facts say which effects are wanted, so that a
// test can bring about any constellation of the outbox.
type (
	place  string
	fact   interface{ durable.Fact }
	effect interface{ fsm.Effect }
)

const (
	atHome  place = "at_home"
	onTrack place = "on_the_way"
)

// parcel remembers what happened to it, in order.
type parcel struct{ Story []string }

// asked wants effects; its key makes it one happening.
type asked struct {
	Key string
	For []effect
}

// ended is what became of an errand.
type ended struct{ Errand, How string }

// crushed is a fact for which the table has a hole.
type crushed struct{ Key string }

func (asked) FactName() string   { return "asked" }
func (ended) FactName() string   { return "ended" }
func (crushed) FactName() string { return "crushed" }

func (f asked) FactKey() string   { return f.Key }
func (ended) FactKey() string     { return "" }
func (f crushed) FactKey() string { return f.Key }

// errand is an effect of the outbox, with its handling written on it.
type errand struct {
	Name, Lane string
	// Fragile errands are not repeated after a loss; Recallable ones can be
	// withdrawn.
	Fragile, Recallable bool
	// Parts is how many parts it has; 0 is one.
	Parts int
}

type (
	note    struct{ Text string } // a record
	whisper struct{ Text string } // a hint
	recall  struct{}              // withdraws
)

func (errand) EffectName() string  { return "errand" }
func (note) EffectName() string    { return "note" }
func (whisper) EffectName() string { return "whisper" }
func (recall) EffectName() string  { return "recall" }

func handle(e effect) durable.Handling[fact] {
	switch e := e.(type) {
	case note:
		return durable.Handling[fact]{Record: true}
	case whisper:
		return durable.Handling[fact]{Volatile: true}
	case recall:
		return durable.Handling[fact]{Withdraws: true}
	case errand:
		h := durable.Handling[fact]{Lane: e.Lane}
		if e.Fragile {
			h.IfLost = ended{e.Name, "lost"}
		}
		if e.Recallable {
			h.IfWithdrawn = ended{e.Name, "withdrawn"}
		}
		return h
	}
	return durable.Handling[fact]{}
}

var parcels = fsm.MustNew(parcelMachine())

func parcelMachine() fsm.Declaration[place, parcel, fact, effect] {
	type (
		action = fsm.Action[parcel, fact, effect]
		guard  = fsm.Guard[parcel, fact]
		row    = fsm.Row[place, parcel, fact, effect]
	)
	term := func(name, doc string) fsm.Term { return fsm.Term{Name: name, Doc: doc} }
	every := []place{atHome, onTrack}
	ask := action{
		Term:  term("ask", "What is asked for is told, and done."),
		Emits: []string{"errand", "note", "whisper", "recall"},
		Do: func(p *parcel, f fact, emit func(effect)) {
			if key := f.(asked).Key; key != "" {
				p.Story = append(p.Story, "asked "+key)
			}
			for _, e := range f.(asked).For {
				emit(e)
			}
		},
	}
	tell := action{
		Term: term("tell", "What became of it is told."),
		Do: func(p *parcel, f fact, _ func(effect)) {
			p.Story = append(p.Story, f.(ended).How+" "+f.(ended).Errand)
		},
	}
	never := guard{Term: term("never", "Holds never."), Holds: func(*parcel, fact) bool { return false }}
	return fsm.Declaration[place, parcel, fact, effect]{
		Term:    term("parcel", "A parcel and its errands."),
		Initial: atHome,
		States: []fsm.State[place]{
			{Name: atHome, Doc: "Nothing was asked yet.", Settled: true},
			{Name: onTrack, Doc: "Something was asked.", Settled: true},
		},
		Facts:   []fsm.Term{term("asked", "Something is wanted."), term("ended", "An errand is over."), term("crushed", "Not foreseen.")},
		Effects: []fsm.Term{term("errand", "A call."), term("note", "A record."), term("whisper", "A hint."), term("recall", "Withdraws.")},
		Rows: []row{
			{In: every, On: "asked", To: onTrack, Do: []action{ask}, Why: "It is on its way."},
			{In: every, On: "ended", Do: []action{tell}, Why: "The errand alone moves."},
			{In: every, On: "crushed", If: []guard{never}, Do: []action{ask}, Why: "A hole in the table."},
		},
		Clone: func(p parcel) parcel { return parcel{Story: slices.Clone(p.Story)} },
	}
}
