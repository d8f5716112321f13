package audit

import (
	"slices"
	"strings"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/store/audit"
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// view is what the invariants see of a scenario that is over: the ledger's rows,
// and the world outside.
func (a *Account) view(h *audit.History) invariant.View {
	v := h.View(h.Rows(&a.Books), a.Books.Tracks)
	v.AtRest, v.Outside = true, true
	v.Waits = len(a.Books.Outbox)
	v.CodexTurns = a.codexTurns(h)
	v.Chat = a.shown(h)
	for i := range v.Requests {
		a.call(&v.Requests[i])
	}
	return v
}

// codexTurns are Codex's turns, and those that it has lost.
func (a *Account) codexTurns(h *audit.History) (all []invariant.CodexTurn) {
	for _, t := range a.Turns {
		all = append(all, invariant.CodexTurn{ID: t.ID, Status: t.Status, Messages: t.Messages, Reply: t.Reply, Said: t.Said})
	}
	for _, t := range a.Books.Turns {
		if t.State == transitions.TurnAbsent && a.turn(t.ID) == nil {
			all = append(all, invariant.CodexTurn{ID: t.ID, Messages: h.Items(t.ID), Gone: true})
		}
	}
	return all
}

// turn is a turn of Codex; nil if it has none of that id.
func (a *Account) turn(id string) *Turn {
	if i := slices.IndexFunc(a.Turns, func(t Turn) bool { return t.ID == id }); i >= 0 {
		return &a.Turns[i]
	}
	return nil
}

// shown are the app's messages, but for the cards of requests. The uuid that a
// message was sent with says which delivery it is.
func (a *Account) shown(h *audit.History) (all []invariant.Shown) {
	for _, m := range a.appMessages() {
		card := slices.ContainsFunc(a.Books.Requests, func(r transitions.Request) bool { return r.Shown == m.ID })
		if !card && !a.goesOn(h, m.ID) {
			all = append(all, invariant.Shown{ID: m.ID, Delivery: h.Delivery(m.UUID)})
		}
	}
	return all
}

// goesOn says that the message is a part of a delivery, and not its first.
func (a *Account) goesOn(h *audit.History, message string) bool {
	return slices.ContainsFunc(a.Books.Deliveries, func(d transitions.Delivery) bool {
		return slices.Index(h.Parts(d.ID), message) > 0
	})
}

// text is what stands in the chat of a delivery of which that is the first message.
func (a *Account) text(h *audit.History, delivery string, first *feishu.Message) string {
	parts := h.Parts(delivery)
	if len(parts) == 0 {
		return first.Text()
	}
	var text strings.Builder
	for _, id := range parts {
		for i := range a.Chat {
			if a.Chat[i].ID == id {
				text.WriteString(a.Chat[i].Text())
			}
		}
	}
	return text.String()
}

func (a *Account) appMessages() []feishu.Message {
	return slices.DeleteFunc(slices.Clone(a.Chat), func(m feishu.Message) bool { return m.Sender.ID != a.App })
}

// call tells what is still on its way to the chat about a request.
func (a *Account) call(r *invariant.Request) {
	for i := range a.Books.Outbox {
		switch e := a.Books.Outbox[i].Effect.(type) {
		case transitions.ShowRequest:
			r.Showing = r.Showing || e.Request == r.ID
		case transitions.CloseRequest:
			r.Closed = r.Closed && e.Request != r.ID
		}
	}
}
