package transitions

import "deskbridge/fsm"

// Small are the machines that the conversation's rows move.
type Small struct {
	Messages   *fsm.Machine[MessageState, Message, Move, Effect]
	Turns      *fsm.Machine[TurnState, Turn, Move, Effect]
	Deliveries *fsm.Machine[DeliveryState, Delivery, Move, Effect]
	Requests   *fsm.Machine[RequestState, Request, Move, Effect]
}

// Tables are machines that step together. Those of the program are behind
// [Conversation] and its like; others are made to be held against them.
type Tables struct {
	Conversation *fsm.Machine[State, Data, Fact, Effect]
	Small
}

// Standard are the tables of the program.
func Standard() *Tables { return &Tables{Conversation: conversation, Small: small} }

// Taken is an entry of one of the small machines that a step took.
type Taken struct{ Machine, Entry string }

// Run is a step under way on given tables. It is part of the data only within
// [Tables.Step]; anywhere else it is nil, and the program's own tables count.
type Run struct {
	tables *Tables
	taken  []Taken
}

// Step steps a conversation on these tables. Beside the result it returns which
// entries of the small machines it took, in order.
func (t *Tables) Step(state State, data Data, fact Fact) (fsm.Result[State, Data, Effect], []Taken, error) {
	r := &Run{tables: t}
	data.Run = r
	res, err := t.Conversation.Step(state, data, fact)
	res.Data.Run = nil
	return res, r.taken, err
}

func (d *Data) small() *Small {
	if d.Run != nil {
		return &d.Run.tables.Small
	}
	return &small
}

// step moves one small machine. Its table is total and checked, so an error is
// a defect of the table.
func step[S ~string, D any](d *Data, m *fsm.Machine[S, D, Move, Effect], state S, data D, move Move) fsm.Result[S, D, Effect] {
	res, err := m.Step(state, data, move)
	if err != nil {
		panic(err)
	}
	if d.Run != nil {
		d.Run.taken = append(d.Run.taken, Taken{Machine: m.Declaration().Name, Entry: res.Entry})
	}
	return res
}
