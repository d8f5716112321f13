package invariant

import "deskbridge/transitions"

// NothingLostOut is invariant 3. At any moment, a turn that the ledger knows to be
// over and that held a message of ours has its outcome; at rest, so has every such
// turn that Codex has, and the outcome is in the chat or known to have failed.
func NothingLostOut(v *View) []string {
	var p problems
	for i := range v.Turns {
		t := &v.Turns[i]
		if over(t.State) && v.provenIn(t.ID) && v.outcome(t.ID) == nil {
			p.add("%s ended as %s with a message of ours in it, and has no outcome", t.ID, t.State)
		}
	}
	shown := v.shown()
	for i := range v.Deliveries {
		d := &v.Deliveries[i]
		if t := v.turn(d.Turn); d.Kind == transitions.Outcome && (t == nil || !over(t.State)) {
			p.add("%s is the outcome of a turn that the ledger does not know to be over", d.ID)
		}
		if d.State == transitions.DeliveryShown && d.Shown == "" {
			p.add("%s counts as shown, and which message of the chat it is is not known", d.ID)
		}
		if d.State == transitions.DeliveryShown && v.Outside && shown[d.ID] == 0 {
			p.add("%s counts as shown, and is not in the chat", d.ID)
		}
		if d.State == transitions.DeliveryReady && v.AtRest {
			p.add("%s is at rest in the outbox", d.ID)
		}
	}
	if !v.AtRest || !v.Outside {
		return p
	}
	for i := range v.CodexTurns {
		t := &v.CodexTurns[i]
		if len(t.Messages) > 0 && v.outcome(t.ID) == nil {
			p.add("%s holds %q, and has no outcome", t.ID, t.Messages)
		}
	}
	return p
}

// NothingTwiceOut is invariant 4.
func NothingTwiceOut(v *View) []string {
	var p problems
	outcomes := map[string]int{}
	deliveries := map[string]int{}
	for i := range v.Deliveries {
		d := &v.Deliveries[i]
		deliveries[d.ID]++
		if deliveries[d.ID] == 2 {
			p.add("%s is made twice", d.ID)
		}
		if d.Kind == transitions.Outcome {
			outcomes[d.Turn]++
			if outcomes[d.Turn] == 2 {
				p.add("%s has more than one outcome", d.Turn)
			}
		}
	}
	for _, s := range v.Chat {
		deliveries["shown "+s.Delivery]++
		switch {
		case deliveries[s.Delivery] == 0:
			p.add("%s stands in the chat, and is no delivery", s.ID)
		case deliveries["shown "+s.Delivery] == 2:
			p.add("%s stands in the chat more than once", s.Delivery)
		}
	}
	return p
}

func over(s transitions.TurnState) bool {
	return s != transitions.TurnUnknown && s != transitions.TurnInFlight
}

// provenIn says that a message of ours is proven in the turn.
func (v *View) provenIn(turn string) bool {
	return find(v.Messages, func(m Message) bool {
		return m.Turn == turn && (m.State == transitions.MessageProven || m.State == transitions.MessageAnswered)
	}) != nil
}

func (v *View) shown() map[string]int {
	shown := make(map[string]int, len(v.Chat))
	for _, s := range v.Chat {
		shown[s.Delivery]++
	}
	return shown
}
