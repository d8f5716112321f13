package invariant

import (
	"deskbridge/transitions"
	"fmt"
)

// entitled says for each sentence what must be so for it to be said, given the
// view and the delivery that says it. It returns what is not so, empty if all is.
type entitled func(*View, *transitions.Delivery) string

// entitlements are the rules of the sentences that claim something. A sentence
// that claims nothing is not listed.
var entitlements = map[transitions.SentenceID]entitled{
	transitions.SaidStopped: func(v *View, d *transitions.Delivery) string {
		if t := v.turn(d.Turn); t == nil || t.StopBy == "" {
			return "no /stop is recorded for that turn"
		}
		return v.ended(d.Turn, transitions.TurnInterrupted)
	},
	transitions.SaidInterrupted: func(v *View, d *transitions.Delivery) string {
		if t := v.turn(d.Turn); t != nil && t.StopBy != "" {
			return "a /stop is recorded for that turn"
		}
		return v.ended(d.Turn, transitions.TurnInterrupted)
	},
	transitions.SaidFailed: func(v *View, d *transitions.Delivery) string {
		return v.ended(d.Turn, transitions.TurnFailed)
	},
	transitions.SaidFailedMute: func(v *View, d *transitions.Delivery) string {
		return v.ended(d.Turn, transitions.TurnFailed)
	},
	transitions.SaidNoReply: func(v *View, d *transitions.Delivery) string {
		if t := v.codexTurn(d.Turn); v.Outside && t != nil && t.Reply != "" {
			return "the turn has a reply"
		}
		return v.ended(d.Turn, transitions.TurnCompleted)
	},
	transitions.SaidVanished: func(v *View, d *transitions.Delivery) string {
		if t := v.codexTurn(d.Turn); d.Kind == transitions.Outcome && v.Outside && t != nil && !t.Gone {
			return "Codex has that turn"
		}
		return v.notProven(d)
	},
	transitions.SaidNotSent:    func(v *View, d *transitions.Delivery) string { return v.notProven(d) },
	transitions.SaidRefused:    func(v *View, d *transitions.Delivery) string { return v.notProven(d) },
	transitions.SaidUnresolved: func(v *View, d *transitions.Delivery) string { return v.notProven(d) },
	transitions.SaidDismissed:  func(v *View, d *transitions.Delivery) string { return v.notProven(d) },
}

// momentary are the rules of those sentences that claim what is so as they are said,
// and not for good.
var momentary = map[transitions.SentenceID]entitled{
	transitions.SaidHeld: func(v *View, _ *transitions.Delivery) string {
		if v.visible() == nil {
			return "no open request is visible"
		}
		return ""
	},
	transitions.SaidClosed:      heldBy(HeldByClosing),
	transitions.SaidLooser:      heldBy(HeldByPolicy),
	transitions.SaidDeaf:        heldBy(HeldByDeafTurn),
	transitions.SaidUnknown:     heldBy(HeldByLostStart),
	transitions.SaidStale:       heldBy(HeldByQuestion),
	transitions.SaidUnreachable: func(v *View, d *transitions.Delivery) string { return v.notProven(d) },
	transitions.SaidSilent:      turnOpen,
	transitions.SaidWaiting:     turnOpen,
	transitions.SaidWhich: func(v *View, _ *transitions.Delivery) string {
		asked := 0
		for i := range v.Messages {
			if v.Messages[i].Hold == HeldByQuestion {
				asked++
			}
		}
		if asked < 2 {
			return fmt.Sprintf("%d messages wait for that decision", asked)
		}
		return ""
	},
	transitions.SaidNotPosted: func(v *View, d *transitions.Delivery) string {
		if find(v.Deliveries, func(o transitions.Delivery) bool {
			return o.Kind == transitions.Outcome && o.ReplyTo == d.ReplyTo && o.State == transitions.DeliveryFailed
		}) == nil {
			return "no outcome for it was refused"
		}
		return ""
	},
	transitions.SaidUnshowable: func(v *View, _ *transitions.Delivery) string {
		if find(v.Requests, func(r Request) bool { return r.State == transitions.RequestUnshown }) == nil {
			return "every request can be shown"
		}
		return ""
	},
	transitions.SaidNothingToStop: func(v *View, _ *transitions.Delivery) string {
		if t := find(v.Turns, func(t transitions.Turn) bool { return !over(t.State) && t.StopBy == "" }); t != nil {
			return "turn " + t.ID + " is not over, and is not being stopped"
		}
		return ""
	},
	transitions.SaidStopping: func(v *View, _ *transitions.Delivery) string {
		if find(v.Turns, func(t transitions.Turn) bool { return !over(t.State) && t.StopBy != "" }) == nil {
			return "no turn is being stopped"
		}
		return ""
	},
}

// heldBy is the rule that the message which is answered is held for that.
func heldBy(hold Hold) entitled {
	return func(v *View, d *transitions.Delivery) string {
		if m := v.message(d.ReplyTo); m == nil || m.Hold != hold {
			return "the message is not held by " + string(hold)
		}
		return ""
	}
}

// turnOpen is the rule that a turn is not known to be over.
func turnOpen(v *View, _ *transitions.Delivery) string {
	if find(v.Turns, func(t transitions.Turn) bool { return !over(t.State) }) == nil {
		return "every turn is known to be over"
	}
	return ""
}

// SaidNow is the other half of invariant 5, for the moment in which something is
// said: the view is that after the step that says it.
func SaidNow(v *View, e transitions.Deliver) []string {
	var p problems
	if rule := momentary[e.Body.Sentence]; rule != nil {
		if not := rule(v, &transitions.Delivery{ID: e.Delivery, Kind: e.Kind, ReplyTo: e.ReplyTo, Body: e.Body}); not != "" {
			p.add("%s says %s to %s, but %s", e.Delivery, e.Body.Sentence, e.ReplyTo, not)
		}
	}
	return p
}

// NothingInvented is invariant 5: what the bridge says is so.
func NothingInvented(v *View) []string {
	var p problems
	for i := range v.Deliveries {
		d := &v.Deliveries[i]
		if rule := entitlements[d.Body.Sentence]; rule != nil {
			if not := rule(v, d); not != "" {
				p.add("%s says %s to %s, but %s", d.ID, d.Body.Sentence, d.ReplyTo, not)
			}
		}
		if d.Kind == transitions.Outcome && d.Body.Sentence == "" {
			v.ownWords(d, &p)
		}
	}
	if v.newest().State == transitions.WaitingVisible && v.visible() == nil {
		p.add("the track waits for a person, and no open request is visible")
	}
	for i := range v.Messages {
		m := &v.Messages[i]
		if m.State == transitions.MessageProven && v.Outside && len(v.items(m.ID)) == 0 {
			p.add("%s counts as with Codex, without proof", m.ID)
		}
	}
	return p
}

// ownWords holds that Codex's words are Codex's.
func (v *View) ownWords(d *transitions.Delivery, p *problems) {
	if d.Body.Text == "" {
		p.add("%s says nothing", d.ID)
	}
	if t := v.codexTurn(d.Turn); v.Outside && (t == nil || !t.Gone && t.Reply != d.Body.Text) {
		p.add("%s says %q, which is not the reply of %s", d.ID, d.Body.Text, d.Turn)
	}
}

// ended says what does not fit if the turn ended so, for the ledger and for Codex.
func (v *View) ended(turn string, as transitions.TurnState) string {
	t := v.turn(turn)
	if t == nil || t.State != as {
		return "the ledger does not know that turn as " + string(as)
	}
	if c := v.codexTurn(turn); v.Outside && c != nil && !c.Gone && c.Status != string(as) {
		return "at Codex the turn is " + c.Status
	}
	return ""
}

// notProven says what does not fit if the message that is answered is in no turn.
func (v *View) notProven(d *transitions.Delivery) string {
	if d.Kind != transitions.Notice {
		return ""
	}
	m := v.message(d.ReplyTo)
	switch {
	case m == nil:
		return "there is no such message"
	case m.State == transitions.MessageProven || m.State == transitions.MessageAnswered:
		return "the message is proven in " + m.Turn
	}
	return ""
}
