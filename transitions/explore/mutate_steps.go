package explore

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"deskbridge/fsm"
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// occasion is what a step is made of.
type occasion struct {
	state transitions.State
	data  transitions.Data
	fact  transitions.Fact
	// imagined says that nobody in a world told the fact, and untrue that it cannot be
	// so: then only such laws are asked as hold whatever is told.
	imagined, untrue bool
	// entry and small are what the sound tables take.
	entry string
	small []Taken
}

// result is what a step of a conversation yields.
type result = fsm.Result[transitions.State, transitions.Data, transitions.Effect]

// step makes the step on some tables, and says what does not hold of it: not one row
// is enabled, the state is not the one that the data says, or a law is broken.
func (o *occasion) step(t *transitions.Tables) (res result, anyhow, ifTrue []string) {
	defer func() {
		if r := recover(); r != nil {
			anyhow = append(anyhow, fmt.Sprintf("a row ran on data that it is not made for: %v", r))
		}
	}()
	res, _, err := t.Step(o.state, o.data, o.fact)
	if err != nil {
		return res, []string{err.Error()}, nil
	}
	if want := transitions.Derive(&res.Data); res.State != want {
		anyhow = append(anyhow, fmt.Sprintf("%s leads to %s, but messages, turns, requests and deliveries say %s", res.Entry, res.State, want))
	}
	anyhow = append(anyhow, Agrees(o.fact, &o.data, &res.Data, res.Effects)...)
	if !o.untrue {
		ifTrue = invariant.Proven(invariant.Step{Fact: o.fact, Before: &o.data, After: &res.Data, Effects: res.Effects})
	}
	return res, anyhow, ifTrue
}

// cell is a cell of one of the five tables.
type cell struct{ machine, name string }

// cellOf is the cell that an entry stands in: its ID without the number.
func cellOf(t Taken) cell {
	return cell{t.Machine, t.Entry[:strings.LastIndexByte(t.Entry, '.')]}
}

// steps are occasions by the cells that they fall into. Of those that no row could
// tell apart only some are kept: which guards of the cell hold on them, what the
// actions find, and which entries of the small machines are taken is the same.
type steps struct {
	tables *transitions.Tables
	in     map[cell][]*occasion
	// kept counts them by the entries that they take.
	kept map[Taken]int
	// guards are those of all entries of a cell.
	guards map[cell][]fsm.Guard[transitions.Data, transitions.Fact]
	// met counts steps by what they take, and alike by what can tell them apart.
	met, alike map[string]int
}

func newSteps(tables *transitions.Tables) *steps {
	s := &steps{
		tables: tables,
		in:     map[cell][]*occasion{},
		kept:   map[Taken]int{},
		guards: map[cell][]fsm.Guard[transitions.Data, transitions.Fact]{},
		met:    map[string]int{},
		alike:  map[string]int{},
	}
	for _, e := range tables.Conversation.Entries() {
		in := cellOf(Taken{Machine: conversation, Entry: e.ID})
		s.guards[in] = append(s.guards[in], e.If...)
	}
	return s
}

// wants says whether one more step that takes these entries is worth a look.
func (s *steps) wants(entry string, small []Taken) bool {
	name := takes(entry, small)
	s.met[name]++
	n := s.met[name]
	return n <= 200 || n%16 == 0
}

// plenty is how many imagined steps that take an entry are kept at most.
const plenty = 200

// spare says that there are plenty of steps that take what the imagined one takes.
func (s *steps) spare(o *occasion) bool {
	return s.kept[Taken{Machine: conversation, Entry: o.entry}] >= plenty &&
		!slices.ContainsFunc(o.small, func(t Taken) bool { return s.kept[t] < plenty })
}

// keeps says whether the n-th of those that are alike is kept: the first ones, and
// ever fewer of the others.
func keeps(n int) bool { return n <= 3 || n&(n-1) == 0 }

// deposit keeps the step unless enough of its kind are there, and says what does not
// hold of it on the sound tables. What is imagined may be a lie, on which those laws
// say nothing that need a true word.
func (s *steps) deposit(o occasion) (problems []string) {
	if o.entry != "" { // else no row is enabled, or more than one
		if o.imagined && s.spare(&o) {
			return nil
		}
		name := takes(o.entry, o.small) + s.found(&o)
		if s.alike[name]++; !keeps(s.alike[name]) {
			return nil
		}
	}
	before := o.data.Clone()
	_, problems, ifTrue := o.step(s.tables)
	if !reflect.DeepEqual(before, o.data) {
		problems = append(problems, o.entry+" changed the data that it was given")
	}
	if o.imagined {
		o.untrue = len(ifTrue) > 0
	} else {
		problems = append(problems, ifTrue...)
	}
	if len(problems) > 0 {
		return problems
	}
	taken := append([]Taken{{Machine: conversation, Entry: o.entry}}, o.small...)
	var cells []cell
	for _, t := range taken {
		s.kept[t]++
		if c := cellOf(t); !slices.Contains(cells, c) {
			cells = append(cells, c)
			s.in[c] = append(s.in[c], &o)
		}
	}
	return nil
}

// takes names the entries that a step takes.
func takes(entry string, small []Taken) string {
	var name strings.Builder
	name.WriteString(entry)
	for _, t := range small {
		name.WriteByte(' ')
		name.WriteString(t.Entry)
	}
	return name.String()
}

// found is what the guards of the cell find, and what actions do.
func (s *steps) found(o *occasion) string {
	in := cellOf(Taken{Machine: conversation, Entry: o.entry})
	var found []byte
	mark := func(c byte, is bool) {
		if is {
			found = append(found, c)
		}
	}
	for _, g := range s.guards[in] {
		holds := g.Holds(&o.data, o.fact)
		mark('+', holds)
		mark('-', !holds)
	}
	mark('w', o.data.Waiting)
	for i := range o.data.Turns {
		t := &o.data.Turns[i]
		mark('|', true)
		mark('l', t.Lost)
		mark('m', t.Missing != 0)
		mark('s', t.StopBy != "")
		mark('i', t.Interrupting)
	}
	for i := range o.data.Messages {
		m := &o.data.Messages[i]
		mark('q', waiting(m) && len(m.Told) == 0)
		mark('t', waiting(m) && len(m.Told) > 0)
		mark('c', !waiting(m) && m.State != transitions.MessageProven && m.Barred == "")
	}
	for i := range o.data.Requests {
		mark('r', true)
		mark('v', o.data.Requests[i].State == transitions.RequestShown)
		mark('d', o.data.Requests[i].State == transitions.RequestDecided)
	}
	return string(found)
}

// waiting says that the message is in no call.
func waiting(m *transitions.Message) bool {
	return m.State == transitions.MessageKept || m.State == transitions.MessageHeld
}
