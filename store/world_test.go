package store

import (
	"fmt"
	"slices"

	t "deskbridge/transitions"
)

// world is what a crash of the bridge leaves as it is: Codex and its threads,
// the chat, and what Feishu has to deliver again.
type world struct {
	threads  int
	turns    []*farTurn
	chat     map[string]string // uuid → id of the message in the chat
	posts    []t.Deliver       // in the order in which they appeared
	receipts map[string]int    // message → times that the reaction was put
	inbox    []*receipt
}

// farTurn is a turn as Codex has it.
type farTurn struct {
	id, thread string
	messages   []string
	reads      int
	over       bool
}

// receipt is a message that Feishu delivers until it is acknowledged.
type receipt struct {
	fact t.Fact
	// when says that the person writes it now; once written it stays written.
	when    func(state t.State) bool
	written bool
	acked   bool
}

const track = "oc_1/1"

func newWorld(inbox []*receipt) *world {
	return &world{chat: map[string]string{}, receipts: map[string]int{}, inbox: inbox}
}

// perform lets a call take effect, and returns its answer.
func (w *world) perform(e t.Effect) t.Fact {
	switch e := e.(type) {
	case t.OpenThread:
		w.threads++
		return t.ThreadOpened{Thread: fmt.Sprint("thread_", w.threads)}
	case t.StartTurn:
		id := fmt.Sprint("turn_", len(w.turns)+1)
		w.turns = append(w.turns, &farTurn{id: id, thread: e.Thread, messages: []string{e.Message}})
		return t.TurnStartAccepted{Message: e.Message, Turn: id}
	case t.SteerTurn:
		i := slices.IndexFunc(w.turns, func(f *farTurn) bool { return f.id == e.Turn })
		if w.turns[i].over {
			return t.SteerRefused{Message: e.Message, Turn: e.Turn, Refusal: t.NoActiveTurn, Said: "no active turn to steer"}
		}
		w.turns[i].messages = append(w.turns[i].messages, e.Message)
		return t.SteerAccepted{Message: e.Message, Turn: e.Turn}
	case t.Deliver:
		if _, known := w.chat[e.UUID]; !known { // Feishu recognises a uuid
			w.chat[e.UUID] = "om_shown_" + e.Delivery
			w.posts = append(w.posts, e)
		}
		return t.DeliveryConfirmed{Delivery: e.Delivery, Shown: w.chat[e.UUID]}
	case t.ShowReceipt:
		w.receipts[e.Message]++
		return t.ReceiptShown{Message: e.Message, Reaction: "r"}
	}
	panic("no such call: " + e.EffectName())
}

// read is a pull of a thread: the facts that prove what became of its turns. A
// turn runs through two reads and is over at the third.
func (w *world) read(thread string, link t.Link, now t.Millis) []t.Fact {
	var facts []t.Fact
	pull := t.PullAnswered{Idle: true, Link: link, At: now, Settle: 1000}
	for _, f := range w.turns {
		if f.thread != thread {
			continue
		}
		pull.Turns = append(pull.Turns, f.id)
		f.reads++
		f.over = f.reads > 2
		if f.over {
			facts = append(facts, t.TurnEnded{Turn: f.id, Status: t.EndCompleted, Messages: slices.Clone(f.messages), Reply: "reply of " + f.id})
		} else {
			pull.Idle = false
			facts = append(facts, t.TurnRunning{Turn: f.id, Messages: slices.Clone(f.messages)})
		}
	}
	return append(facts, pull)
}
