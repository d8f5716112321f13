package explore

import (
	"deskbridge/fsm"
	"deskbridge/fsm/mutate"
	"deskbridge/transitions"
)

// Mutant is one of the five tables, broken in one place.
type Mutant struct {
	// Of is the entry that is broken.
	Of Taken
	// Name is the mutant's own: the machine, the entry, and what was done to it.
	Name string
	// Make makes the tables with the broken one among them, or returns what the
	// check of declarations has against it.
	Make func() (*transitions.Tables, error)
}

// Mutants lists every single mutation of some tables, machine by machine, in
// declared order.
func Mutants(of *transitions.Tables) (all []Mutant) {
	// Each machine is put back into a copy of the tables that it was taken from.
	all = append(all, mutantsOf(of, of.Conversation, func(t *transitions.Tables, m *machine[transitions.State, transitions.Data, transitions.Fact]) {
		t.Conversation = m
	})...)
	all = append(all, mutantsOf(of, of.Messages, func(t *transitions.Tables, m *machine[transitions.MessageState, transitions.Message, transitions.Move]) {
		t.Messages = m
	})...)
	all = append(all, mutantsOf(of, of.Turns, func(t *transitions.Tables, m *machine[transitions.TurnState, transitions.Turn, transitions.Move]) {
		t.Turns = m
	})...)
	all = append(all, mutantsOf(of, of.Requests, func(t *transitions.Tables, m *machine[transitions.RequestState, transitions.Request, transitions.Move]) {
		t.Requests = m
	})...)
	all = append(all, mutantsOf(of, of.Deliveries, func(t *transitions.Tables, m *machine[transitions.DeliveryState, transitions.Delivery, transitions.Move]) {
		t.Deliveries = m
	})...)
	return all
}

type machine[S ~string, D any, F fsm.Fact] = fsm.Machine[S, D, F, transitions.Effect]

func mutantsOf[S ~string, D any, F fsm.Fact](of *transitions.Tables, m *machine[S, D, F], put func(*transitions.Tables, *machine[S, D, F])) (all []Mutant) {
	name := m.Declaration().Name
	for mutation := range mutate.All(m) {
		all = append(all, Mutant{
			Of:   Taken{Machine: name, Entry: mutation.Entry},
			Name: name + " " + mutation.String(),
			Make: func() (*transitions.Tables, error) {
				broken, err := fsm.New(mutation.Apply())
				if err != nil {
					return nil, err
				}
				tables := *of
				put(&tables, broken)
				return &tables, nil
			},
		})
	}
	return all
}
