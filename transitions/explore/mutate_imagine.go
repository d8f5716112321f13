package explore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"deskbridge/transitions"
)

// place is a track that an imagined walk has come to, and what its journal holds:
// a happening that is told again is not stepped on.
type place struct {
	track
	journal []string
}

// imagine walks on by any facts in any order, true or not, from tracks that were met
// in worlds and from those that it comes to itself. The tables have to have an answer
// to each; and rows are taken that no world within bounds takes.
func (b *Bank) imagine(walks, workers int) {
	im := &imagined{bank: b, known: map[string]bool{}, places: map[transitions.State][]place{}}
	im.add(place{track: newTrack(transitions.FirstTrack("oc"))})
	for _, tr := range slices.Concat(b.situations(), b.askedTwice()) {
		im.add(place{track: tr})
	}
	const block = 256 // walks at a time; the bank does not depend on the workers
	for from := 0; from < walks; from += block {
		im.aim([]int{1, 4, enough}[from/block%3])
		ways := make([][]place, min(block, walks-from))
		said := make([][]occasion, len(ways))
		var all sync.WaitGroup
		for n := range workers {
			all.Go(func() {
				for i := n; i < len(ways); i += workers {
					below := draw(rand.New(rand.NewPCG(b.seed, 1<<32+uint64(from+i))).IntN)
					ways[i], said[i] = im.walk(below)
				}
			})
		}
		all.Wait()
		for i := range ways {
			for k := range said[i] {
				b.deposit(said[i][k])
				im.add(ways[i][k])
			}
		}
	}
}

// imagined is how far imagined walks have come.
type imagined struct {
	bank *Bank
	// known are the kinds of places that were come to, and places one of each kind, by
	// state, for some are rare.
	known  map[string]bool
	places map[transitions.State][]place
	states []transitions.State
	// rare are the makers of facts that may take rows of which few steps are kept, by
	// state, and lacking the states in which there are any.
	rare    map[transitions.State][]maker
	lacking []transitions.State
}

// add keeps a place of a kind that is new.
func (im *imagined) add(p place) {
	kind := kindOf(&p.track)
	if im.known[kind] {
		return
	}
	im.known[kind] = true
	if im.places[p.State] == nil {
		im.states = append(im.states, p.State)
	}
	im.places[p.State] = append(im.places[p.State], p)
}

// enough is how many steps on which a row is taken are enough.
const enough = 24

// aim finds out for which rows there are fewer steps than that.
func (im *imagined) aim(least int) {
	few := map[string]bool{} // by cell
	for _, e := range im.bank.tables.Conversation.Entries() {
		of := Taken{Machine: conversation, Entry: e.ID}
		if im.bank.steps.kept[of] < least {
			few[cellOf(of).name] = true
		}
	}
	im.rare, im.lacking = map[transitions.State][]maker{}, nil
	for _, s := range im.states {
		for _, m := range makers {
			if few[string(s)+"."+m.fact] {
				im.rare[s] = append(im.rare[s], m)
			}
		}
		if len(im.rare[s]) > 0 {
			im.lacking = append(im.lacking, s)
		}
	}
}

// walk goes on a few steps from a place by facts that are drawn: half of them where
// rows are taken rarely.
func (im *imagined) walk(below draw) (way []place, said []occasion) {
	const length = 6
	from := slices.Concat(im.lacking, im.lacking, im.states)
	places := im.places[oneOf(below, from...)]
	at := oneOf(below, places...)
	for range length {
		some := makers
		if rare := im.rare[at.State]; len(rare) > 0 && below.flag() {
			some = rare
		}
		f := some[below(len(some))].make(below.figures(&at.Data))
		key := happeningOf(f)
		if slices.Contains(at.journal, key) {
			continue
		}
		o := occasion{state: at.State, data: at.Data, fact: f}
		res, small, err := im.bank.tables.Step(o.state, o.data, o.fact)
		if o.imagined = true; err != nil {
			return append(way, at), append(said, o) // whoever takes it in says so
		}
		o.entry, o.small = res.Entry, small
		at = place{track{res.State, res.Data}, at.journal}
		if key != "" {
			at.journal = with(at.journal, key)
		}
		way, said = append(way, at), append(said, o)
	}
	return way, said
}

// happeningOf is what the journal knows a fact by, so that it is stepped on once;
// empty: each time counts. From the chat or from another track, a message is received
// once.
func happeningOf(f transitions.Fact) string {
	if r, ok := f.(transitions.MessageReceived); ok {
		return "message:" + r.Message
	}
	return f.FactKey()
}

// kindOf tells tracks apart by what there is in them, not by names or how much.
func kindOf(tr *track) string {
	d := &tr.Data
	var parts []string
	add := func(name string, is ...bool) {
		for _, so := range is {
			name += map[bool]string{true: "+", false: "-"}[so]
		}
		parts = append(parts, name)
	}
	for i := range d.Messages {
		m := &d.Messages[i]
		_, open := one(d.Turns, func(t transitions.Turn) bool { return t.ID == m.Turn })
		add(string(m.State)+string(m.Barred), m.Turn != "" && open, waiting(m) && len(m.Told) > 0)
	}
	for i := range d.Turns {
		t := &d.Turns[i]
		add(string(t.State), t.ID != "", t.Lost, t.Missing != 0, t.StopBy != "", t.Interrupting)
	}
	for i := range d.Requests {
		add(string(d.Requests[i].State), d.Requests[i].Unreplayed != "")
	}
	for i := range d.Deliveries {
		add(string(d.Deliveries[i].Kind) + string(d.Deliveries[i].State))
	}
	for _, c := range d.Shut {
		add(string(c))
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	add("asked about several", questions(d) > 1)
	add(string(tr.State), d.Thread != "", d.Opening, d.Answered, d.Waiting, d.FencedAt != 0)
	return strings.Join(parts, " ")
}

// askedTwice are tracks to which worlds within bounds lead too rarely: somebody is being
// asked about two messages, and the last of the tracks is left.
func (b *Bank) askedTwice() (all []track) {
	at := newTrack(transitions.FirstTrack("oc"))
	for _, f := range []transitions.Fact{
		transitions.MessageReceived{Message: "m1", Sender: writer, Text: "text", Created: 1}, transitions.ThreadOpened{Thread: "th"},
		transitions.MessageStale{Message: "m1"},
		transitions.MessageReceived{Message: "m2", Sender: writer, Text: "text", Created: 2}, transitions.MessageStale{Message: "m2"},
		transitions.MessageReceived{Message: "m3", Sender: writer, Text: "text", Created: 3}, transitions.TurnStartAccepted{Message: "m3", Turn: "t1"},
		transitions.RequestOpened{Request: "r1", Turn: "t1"}, transitions.RequestVisible{Request: "r1", Shown: "shown:r1"},
		transitions.RequestResolved{Request: "r1"}, transitions.TurnEnded{Turn: "t1", Status: transitions.EndCompleted, Reply: "reply"},
		transitions.DeliveryConfirmed{Delivery: "outcome:t1", Shown: "shown:outcome:t1"},
		transitions.MessageReceived{Message: "m4", Sender: writer, Text: "text", Created: 4}, transitions.TurnStartAccepted{Message: "m4", Turn: "t2"},
		transitions.ThreadLost{},
	} {
		res, _, err := b.tables.Step(at.State, at.Data, f)
		if err != nil {
			b.Broken = append(b.Broken, err.Error())
			return nil
		}
		at = track{res.State, res.Data}
		if questions(&at.Data) > 1 {
			all = append(all, at)
		}
	}
	return all
}

// situations are the tracks of some worlds that take each of the entries, each
// track once.
func (b *Bank) situations() (all []track) {
	for _, e := range b.tables.Conversation.Entries() {
		s := b.worlds[Taken{Machine: conversation, Entry: e.ID}]
		if s == nil {
			continue
		}
		for i, w := range s.worlds {
			if 2 < i && i < len(s.worlds)-3 {
				continue // early worlds, and others, are enough
			}
			all = append(all, w.Tracks...)
		}
	}
	return all
}
