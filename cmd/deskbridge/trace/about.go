package trace

import (
	"encoding/json"

	"deskbridge/fsm"
	t "deskbridge/transitions"
)

// about are the things that a fact is about itself: a request with the click on it, a
// delivery, a message, or else a turn with the messages seen in it.
func about(f t.Fact) (all []thing) {
	body, err := t.EncodeFact(f)
	var ids struct {
		Message, About, Turn, Request, Delivery string
		Messages                                []string
	}
	if err == nil {
		err = json.Unmarshal(body, &ids)
	}
	if err != nil {
		panic(err) // a fact is plain data
	}
	add := func(k kind, id string) {
		if id != "" {
			all = append(all, thing{k, id})
		}
	}
	add(request, ids.Request)
	add(delivery, ids.Delivery)
	add(message, ids.Message)
	add(message, ids.About)
	if all != nil {
		return all
	}
	add(turn, ids.Turn)
	for _, id := range ids.Messages {
		add(message, id)
	}
	if lost, ok := f.(t.EffectDropped); ok && lost.Effect == (t.ShowProgress{}).EffectName() {
		add(turn, lost.Subject)
	} else if ok {
		add(message, lost.Subject)
	}
	return all
}

// move is what a record says of the state of one thing.
type move struct {
	thing
	state, why string
}

// moved is what an effect records; false: it is no record of a thing.
func moved(e t.Effect) (m move, ok bool) {
	switch e := e.(type) {
	case t.RecordMessage:
		return move{thing{message, e.Message.ID}, string(e.Message.State), why(t.Messages(), e.Entry)}, true
	case t.RecordTurn:
		return move{thing{turn, e.Turn.ID}, string(e.Turn.State), why(t.Turns(), e.Entry)}, true
	case t.RecordDelivery:
		return move{thing{delivery, e.Delivery.ID}, string(e.Delivery.State), why(t.Deliveries(), e.Entry)}, true
	case t.RecordRequest:
		return move{thing{request, e.Request.ID}, string(e.Request.State), why(t.Requests(), e.Entry)}, true
	}
	return move{}, false
}

// why is the reason of an entry of one of the small machines.
func why[S ~string, D any, F fsm.Fact, E fsm.Effect](m *fsm.Machine[S, D, F, E], entry string) string {
	if e, ok := m.Entry(entry); ok {
		return e.Why
	}
	return ""
}

// call is a call in plain words, and what it is about; false: the effect is no call.
func call(e t.Effect) (x thing, words string, ok bool) {
	switch e := e.(type) {
	case t.StartTurn:
		return thing{message, e.Message}, "hand " + e.Message + " to Codex in a new turn", true
	case t.SteerTurn:
		return thing{message, e.Message}, "hand " + e.Message + " to Codex in turn " + e.Turn, true
	case t.InterruptTurn:
		return thing{turn, e.Turn}, "interrupt turn " + e.Turn, true
	case t.Deliver:
		return thing{delivery, e.Delivery}, "send " + e.Delivery + " to the chat", true
	case t.HandOver:
		return thing{message, e.Message}, "give " + e.Message + " to the conversation's next track", true
	case t.ListThreads:
		return thing{message, e.Message}, "ask Codex for the conversations, for " + e.Message, true
	case t.BindThread:
		return thing{message, e.Message}, "ask Codex for thread " + e.Thread + ", for " + e.Message, true
	case t.FetchFiles:
		return thing{message, e.Message}, "fetch the files of " + e.Message, true
	case t.ShowReceipt:
		return thing{message, e.Message}, "put the reaction on " + e.Message, true
	case t.ShowRequest:
		return thing{request, e.Request}, "show request " + e.Request + " in the chat", true
	case t.AnswerRequest:
		return thing{request, e.Request}, "tell Codex the decision on " + e.Request, true
	case t.CloseRequest:
		return thing{request, e.Request}, "say on the card of " + e.Request + " what became of it", true
	}
	return thing{}, "", false
}
