package trace

import (
	"fmt"
	"slices"
	"strings"

	"deskbridge/store/audit"
	t "deskbridge/transitions"
)

// kind is what an id is of.
type kind string

const (
	message  kind = "message"
	turn     kind = "turn"
	delivery kind = "delivery"
	request  kind = "request"
)

// thing is one thing that the ledger knows.
type thing struct {
	kind kind
	id   string
}

func (x thing) String() string { return fmt.Sprintf("%s %s", x.kind, x.id) }

// UnknownError says that the ledger knows nothing of an id.
type UnknownError struct{ ID string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("the ledger knows no %q: it was looked for among the ids of messages (a person's, and the bridge's own in the chat), turns, requests and deliveries; what was pruned is not found any more", e.ID)
}

// find is the thing of an id, and its conversation; nil: there is none.
func find(all []audit.Conversation, id string) (*audit.Conversation, thing) {
	for i := range all {
		if x, ok := within(&all[i].Books, id); ok && id != "" {
			return &all[i], x
		}
	}
	return nil, thing{}
}

func within(b *audit.Books, id string) (thing, bool) {
	for _, m := range b.Messages {
		if m.ID == id {
			return thing{message, id}, true
		}
	}
	for _, o := range b.Turns {
		if o.ID == id {
			return thing{turn, id}, true
		}
	}
	for _, q := range b.Requests {
		if q.ID == id || q.Shown == id {
			return thing{request, q.ID}, true
		}
	}
	for _, d := range b.Deliveries {
		if d.ID == id || d.Shown == id {
			return thing{delivery, d.ID}, true
		}
	}
	// A command has no row.
	for i := range b.Journal {
		if slices.Contains(about(b.Journal[i].Fact), thing{message, id}) {
			return thing{message, id}, true
		}
	}
	return thing{}, false
}

// related are the thing itself and what belongs to it: to a message the turn that it
// is in, or stopped, and what was said about it; to a turn its messages, requests and
// outcome; to a request its turn; to a delivery its turn and the message it answers.
func related(b *audit.Books, x thing) map[thing]bool {
	all := map[thing]bool{x: true}
	add := func(k kind, id string) {
		if id != "" {
			all[thing{k, id}] = true
		}
	}
	for _, m := range b.Messages {
		switch {
		case x == thing{message, m.ID}:
			add(turn, m.Turn)
		case x == thing{turn, m.Turn}:
			add(message, m.ID)
		}
	}
	for _, q := range b.Requests {
		switch {
		case x == thing{request, q.ID}:
			add(turn, q.Turn)
		case x == thing{turn, q.Turn}:
			add(request, q.ID)
		}
	}
	for _, o := range b.Turns {
		switch {
		case x == thing{message, o.Start}, x == thing{message, o.StopBy}:
			add(turn, o.ID)
		case x == thing{turn, o.ID}:
			add(message, o.Start)
			add(message, o.StopBy)
		}
	}
	for _, d := range b.Deliveries {
		switch {
		case x == thing{delivery, d.ID}:
			add(turn, d.Turn)
			add(message, d.ReplyTo)
		case x == thing{message, d.ReplyTo},
			x.kind == message && d.Kind == t.Outcome && all[thing{turn, d.Turn}],
			x == thing{turn, d.Turn},
			x.kind == request && strings.HasPrefix(d.ID, "notice:"+x.id+":"):
			add(delivery, d.ID)
		}
	}
	return all
}
