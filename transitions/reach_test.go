package transitions

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"deskbridge/fsm"
)

// place is a track that a walk has come to, and what its journal holds.
type place struct {
	state State
	data  Data
	seen  map[string]bool
}

// kind tells places apart by what there is in them, not by names.
func (p *place) kind() string {
	d := &p.data
	var parts []string
	for i := range d.Messages {
		m := &d.Messages[i]
		parts = append(parts, string(m.State)+string(m.Barred)+yes(m.Turn != "" && d.turn(m.Turn) != nil))
	}
	for i := range d.Turns {
		parts = append(parts, string(d.Turns[i].State)+yes(d.Turns[i].Missing != 0))
	}
	for i := range d.Requests {
		parts = append(parts, string(d.Requests[i].State))
	}
	for _, c := range d.Shut {
		parts = append(parts, string(c))
	}
	slices.Sort(parts)
	several := max(len(d.asked(StaleAnswered{By: "ou_a"})), len(d.asked(StaleAnswered{By: "ou_b"}))) > 1
	parts = append(slices.Compact(parts), yes(several), string(p.state), yes(d.Thread != "")+yes(d.Opening)+yes(d.owes()))
	return strings.Join(parts, " ")
}

func yes(so bool) string {
	if so {
		return "+"
	}
	return "-"
}

// rows are those that are still to be taken, and in which cells they are.
type rows struct {
	missing map[Taken]bool
	cells   map[string]int // how many, by state and fact
}

func (r *rows) add(machine, entry string) {
	r.missing[Taken{machine, entry}] = true
	r.cells[cellOf(entry)]++
}

func (r *rows) take(row Taken) {
	if r.missing[row] {
		delete(r.missing, row)
		r.cells[cellOf(row.Entry)]--
	}
}

// draw makes a fact, half the time one of a cell in which a row is still to be taken.
func (r *rows) draw(at *place, below chance) Fact {
	makers := factMakers
	if below.flag() {
		makers = slices.DeleteFunc(slices.Clone(makers), func(m factMaker) bool { return r.cells[string(at.state)+"."+m.name] == 0 })
	}
	if len(makers) == 0 {
		makers = factMakers
	}
	return makers[below(len(makers))].make(below.figures(&at.data))
}

// states are those of which a row is still to be taken.
func (r *rows) states(of []State) []State {
	return slices.DeleteFunc(slices.Clone(of), func(s State) bool {
		for row := range r.missing {
			if strings.HasPrefix(row.Entry, string(s)+".") {
				return false
			}
		}
		return true
	})
}

// cellOf is an entry's id without its number.
func cellOf(entry string) string { return entry[:strings.LastIndexByte(entry, '.')] }

// askedTwice are places to which chance leads too rarely: somebody is being asked
// about two messages, whatever else goes on.
func askedTwice(t *testing.T, at place) (all []place) {
	t.Helper()
	at.seen = maps.Clone(at.seen)
	for _, fact := range []Fact{
		MessageReceived{Message: "om_1", Sender: "ou_a", Text: "one"}, ThreadOpened{Thread: "thr"}, MessageStale{Message: "om_1"},
		MessageReceived{Message: "om_2", Sender: "ou_a", Text: "two"}, MessageStale{Message: "om_2"},
		MessageReceived{Message: "om_3", Sender: "ou_b", Text: "three"}, TurnStartAccepted{Message: "om_3", Turn: "turn_1"},
		RequestOpened{Request: "req_1", Turn: "turn_1"}, RequestVisible{Request: "req_1", Shown: "om_card"}, RequestResolved{Request: "req_1"},
		TurnEnded{Turn: "turn_1", Status: EndCompleted, Reply: "reply"}, DeliveryConfirmed{Delivery: "outcome:turn_1", Shown: "om_shown"},
		MessageReceived{Message: "om_4", Sender: "ou_b", Text: "four"}, TurnStartAccepted{Message: "om_4", Turn: "turn_2"}, ThreadLost{},
	} {
		res, _, err := Standard().Step(at.state, at.data, fact)
		if err != nil {
			t.Fatal(err)
		}
		at.state, at.data, at.seen = res.State, res.Data, maps.Clone(at.seen)
		at.seen[happeningOf(fact)] = true
		if len(at.data.asked(StaleAnswered{By: "ou_a"})) == 2 {
			all = append(all, at)
		}
	}
	return all
}

// resumedEarly are places to which chance leads too rarely: somebody wants to go on
// elsewhere before there is a thread, or while it is on its way.
func resumedEarly(t *testing.T, first place) (all []place) {
	t.Helper()
	for _, facts := range [][]Fact{
		nil,
		{MessageReceived{Message: "om_1", Sender: "ou_a", Text: "one"}},
	} {
		at := place{first.state, first.data, maps.Clone(first.seen)}
		for _, fact := range append(facts, ThreadsListed{Message: "om_threads_om_1", Threads: []DeskThread{{Thread: "x1"}}}, ResumeRequested{Message: "om_resume_om_1", Number: 1}) {
			res, _, err := Standard().Step(at.state, at.data, fact)
			if err != nil {
				t.Fatal(err)
			}
			at.state, at.data = res.State, res.Data
			if key := happeningOf(fact); key != "" {
				at.seen[key] = true
			}
		}
		all = append(all, at)
	}
	return all
}

// TestEveryRowIsTaken walks on, by any facts in any order, from places of every kind
// that it has come to, until every row of the conversation has been taken, and every
// acting one of the small machines. A row that is not says something that is never so.
func TestEveryRowIsTaken(t *testing.T) {
	t.Parallel()
	const walks, length = 1_000_000, 5
	below := chance(rand.New(rand.NewPCG(3, 4)).IntN)
	left := &rows{map[Taken]bool{}, map[string]int{}}
	for _, e := range Conversation().Entries() {
		left.add("conversation", e.ID)
	}
	acting(left, Messages())
	acting(left, Turns())
	acting(left, Requests())
	acting(left, Deliveries())
	tables := Standard()
	first := place{Idle, Data{Track: "oc_1/1"}, map[string]bool{}}
	places := map[State][]place{} // by state, for some are rare
	var states []State
	visit := func(at place) {
		if places[at.state] == nil {
			states = append(states, at.state)
		}
		places[at.state] = append(places[at.state], at)
	}
	for _, at := range slices.Concat(askedTwice(t, first), resumedEarly(t, first), []place{first}) {
		visit(at)
	}
	known := map[string]bool{}
	n := 0
	for ; n < walks && len(left.missing) > 0; n++ {
		from := append(left.states(states), states...) // more often where there is something to do
		at := oneOf(below, places[oneOf(below, from...)]...)
		at.seen = maps.Clone(at.seen)
		for range length {
			fact := left.draw(&at, below)
			key := happeningOf(fact)
			if at.seen[key] {
				continue // the journal takes a happening once
			}
			if key != "" {
				at.seen[key] = true
			}
			res, small, err := tables.Step(at.state, at.data, fact)
			if err != nil {
				t.Fatalf("%s in %s: %v", fact.FactName(), at.state, err)
			}
			at.state, at.data = res.State, res.Data
			for _, taken := range append(small, Taken{"conversation", res.Entry}) {
				left.take(taken)
			}
			if kind := at.kind(); !known[kind] {
				known[kind] = true
				visit(place{at.state, at.data, maps.Clone(at.seen)})
			}
		}
	}
	var never []string
	for row := range left.missing {
		never = append(never, row.Machine+" "+row.Entry)
	}
	slices.Sort(never)
	for _, row := range never {
		t.Errorf("nothing leads to %s", row)
	}
	t.Logf("%d walks, %d kinds of places", n, len(known))
}

// acting adds the rows of a small machine that do something. Those that do not are
// there so that it is total by itself; the conversation need not come to them.
func acting[S ~string, D any](left *rows, machine *fsm.Machine[S, D, Move, Effect]) {
	for _, e := range machine.Entries() {
		if !e.Ignore {
			left.add(machine.Declaration().Name, e.ID)
		}
	}
}
