package explore

import (
	"fmt"
	"math/rand/v2"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

// Bank is what sound tables met in many worlds: for each entry some of the worlds
// in which it is about to be taken, and for each cell steps that fall into it.
// There, broken tables are held against the laws.
type Bank struct {
	// Broken is what did not hold of the sound tables themselves.
	Broken []string

	tables *transitions.Tables
	seed   uint64
	chance *rand.Rand
	worlds map[Taken]*sample
	steps  *steps
}

// BankOptions say where a bank looks.
type BankOptions struct {
	// Seed decides what is met by chance. The same seed gives the same bank.
	Seed uint64
	// Worlds are explored state by state, each up to MaxStates.
	Worlds    []Bounds
	MaxStates int
	// Walks is how often a large world is walked through by chance.
	Walks int
	// Imagined is how often a track is walked on by any facts, true or not.
	Imagined int
	// Workers is how many goroutines explore; 0 means one.
	Workers int
}

// NewBank fills a bank with what the tables meet.
func NewBank(tables *transitions.Tables, opt BankOptions) *Bank {
	b := &Bank{
		tables: tables,
		seed:   opt.Seed,
		chance: rand.New(rand.NewPCG(opt.Seed, 0)),
		worlds: map[Taken]*sample{},
		steps:  newSteps(tables),
	}
	for _, within := range opt.Worlds {
		report := explore.Run([]explore.World{newWorld(watched(tables), within)}, explore.Options{
			Workers: opt.Workers, MaxStates: opt.MaxStates, MaxFair: maxFair,
			Edge: func(from, to explore.World) { b.meet(from.(*world), to.(*world)) },
		})
		if v := report.Violation; v != nil {
			b.Broken = append(b.Broken, v.Problems...)
		}
	}
	b.wander(opt.Walks, max(1, opt.Workers))
	b.imagine(opt.Imagined, max(1, opt.Workers))
	return b
}

// Takes says whether the entry is taken, in a world or in a step that is imagined.
func (b *Bank) Takes(t Taken) bool { return b.steps.kept[t] > 0 }

// meet keeps what is new about a move.
func (b *Bank) meet(from, to *world) {
	if len(to.broken) > 0 {
		return
	}
	fresh := false
	for i := range to.last {
		h := &to.last[i]
		b.shown(Taken{Machine: conversation, Entry: h.entry}, from)
		for _, t := range h.small {
			b.shown(t, from)
		}
		fresh = b.steps.wants(h.entry, h.small) || fresh
	}
	if fresh {
		b.retrace(from, to)
	}
}

func (b *Bank) shown(t Taken, w *world) {
	s := b.worlds[t]
	if s == nil {
		s = &sample{}
		b.worlds[t] = s
	}
	s.offer(w, b.chance)
}

// retrace makes the steps of a move once more, for the data before each.
func (b *Bank) retrace(from, to *world) {
	tracks := map[string]track{}
	for _, tr := range from.Tracks {
		tracks[tr.Data.Track] = tr
	}
	for i := range to.last {
		h := &to.last[i]
		before, ok := tracks[h.track]
		if !ok {
			before = newTrack(h.track)
		}
		res, small, err := b.tables.Step(before.State, before.Data, h.fact)
		if err != nil {
			return // the exploration says so
		}
		b.deposit(occasion{state: before.State, data: before.Data, fact: h.fact, entry: res.Entry, small: small})
		tracks[h.track] = track{res.State, res.Data}
	}
}

// deposit takes a step in, and what did not hold of it.
func (b *Bank) deposit(o occasion) {
	for _, problem := range b.steps.deposit(o) {
		b.Broken = append(b.Broken, fmt.Sprintf("%s in %s: %s", o.fact.FactName(), o.state, problem))
	}
}

// sample keeps some of the worlds that it is shown: the first ones, and others by
// chance.
type sample struct {
	shown  int
	worlds []*world
}

const firstKept, othersKept = 8, 16

func (s *sample) offer(w *world, chance *rand.Rand) {
	s.shown++
	if len(s.worlds) < firstKept+othersKept {
		s.worlds = append(s.worlds, w)
		return
	}
	if at := firstKept + chance.IntN(s.shown-firstKept); at < len(s.worlds) {
		s.worlds[at] = w
	}
}
