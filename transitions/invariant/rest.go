package invariant

import (
	"slices"

	"deskbridge/transitions"
)

// NothingStuck is invariant 8. It holds something only at rest; that a track comes
// to rest is for those to see who let it go on.
func NothingStuck(v *View) []string {
	var p problems
	if !v.AtRest {
		return p
	}
	waits := v.waitsFor()
	for _, tr := range v.Tracks {
		newest := tr == *v.newest()
		quiet := tr.State == transitions.Idle || tr.State == transitions.Delivered
		switch {
		case !newest && tr.State != transitions.Superseded:
			p.add("track %s is not the newest, and is %s", tr.ID, tr.State)
		case newest && !quiet && waits == "":
			p.add("track %s is at rest in %s, and waits for nobody that has a name", tr.ID, tr.State)
		}
	}
	if v.Waits > 0 {
		p.add("%d calls are at rest in the outbox", v.Waits)
	}
	for i := range v.Turns {
		if t := &v.Turns[i]; !over(t.State) && waits == "" {
			p.add("turn %q, asked for by %q, is %s at rest", t.ID, t.Start, t.State)
		}
	}
	for i := range v.Messages {
		m := &v.Messages[i]
		if m.Kind == Text && !settled(m.State) && !m.Asked && waits == "" {
			p.add("%s is %s at rest", m.ID, m.State)
		}
	}
	return p
}

// settled says that Codex has the message, or that nothing more becomes of it.
func settled(s transitions.MessageState) bool {
	switch s {
	case transitions.MessageProven, transitions.MessageAnswered, transitions.MessageRefused, transitions.MessageUnresolved, transitions.MessageWithdrawn:
		return true
	}
	return false
}

// waitsFor is somebody that an open request waits for and who can see that: its
// card, or that it cannot be shown.
func (v *View) waitsFor() string {
	for i := range v.Requests {
		r := &v.Requests[i]
		seen := r.State == transitions.RequestShown || r.State == transitions.RequestUnshown && r.Told
		if seen && len(r.Names) > 0 {
			return r.Names[0]
		}
	}
	return ""
}

// TurnIdentity is invariant 9, as far as one moment shows it: what the ledger
// knows of each turn is what Codex knows of that very turn, and a message is known
// to be in the turn that has it. [Untouched] compares two moments.
func TurnIdentity(v *View) []string {
	var p problems
	seen := map[string]bool{}
	for i := range v.Turns {
		t := &v.Turns[i]
		if t.ID != "" && seen[t.ID] {
			p.add("%s is in the ledger twice", t.ID)
		}
		seen[t.ID] = true
		c := v.codexTurn(t.ID)
		if !v.Outside || !over(t.State) || c == nil || c.Gone {
			continue
		}
		if c.Said != t.Said {
			p.add("%s failed because of %q, and the ledger says %q", t.ID, c.Said, t.Said)
		}
		if c.Status != string(t.State) {
			p.add("%s is %s in the ledger, and %s at Codex", t.ID, t.State, c.Status)
		}
	}
	for i := range v.Messages {
		m := &v.Messages[i]
		if m.State != transitions.MessageProven && m.State != transitions.MessageAnswered {
			continue
		}
		if c := v.codexTurn(m.Turn); v.Outside && (c == nil || !slices.Contains(c.Messages, m.ID)) {
			p.add("%s counts as proven in %q, which does not have it", m.ID, m.Turn)
		}
	}
	return p
}

// Untouched holds the other half of invariant 9 against a fact about one turn:
// what was known of every other turn before is known of it afterwards. What is
// done about a turn, such as interrupting it, is not knowledge.
func Untouched(before, after *transitions.Data, about string) []string {
	var p problems
	for i := range before.Turns {
		was := &before.Turns[i]
		if was.ID == "" || was.ID == about {
			continue
		}
		now := find(after.Turns, func(t transitions.Turn) bool { return t.ID == was.ID })
		if now == nil {
			p.add("a fact about %q took %s away", about, was.ID)
			continue
		}
		if known(*was) != known(*now) {
			p.add("a fact about %q changed what is known of %s: %+v, before %+v", about, was.ID, *now, *was)
		}
	}
	return p
}

func known(t transitions.Turn) transitions.Turn {
	t.Interrupting = false
	return t
}

// About tells which turn, and no other, a fact is about; false: it is about none,
// or may be about several.
func About(f transitions.Fact) (turn string, ok bool) {
	switch f := f.(type) {
	case transitions.TurnStartAccepted:
		return f.Turn, true
	case transitions.SteerAccepted:
		return f.Turn, true
	case transitions.SteerRefused:
		return f.Turn, true
	case transitions.SteerUnknown:
		return f.Turn, true
	case transitions.SteerWithdrawn:
		return f.Turn, true
	case transitions.InterruptAccepted:
		return f.Turn, true
	case transitions.InterruptRefused:
		return f.Turn, true
	case transitions.InterruptUnknown:
		return f.Turn, true
	case transitions.TurnRunning:
		return f.Turn, true
	case transitions.TurnEnded:
		return f.Turn, true
	case transitions.AgentMessageCompleted:
		return f.Turn, true
	case transitions.TurnSilent:
		return f.Turn, true
	case transitions.WaitingOverdue:
		return f.Turn, true
	case transitions.RequestOpened:
		return f.Turn, true
	case transitions.DeliveryConfirmed, transitions.DeliveryPartShown, transitions.DeliveryRefused, transitions.DeliveryUnknown,
		transitions.ReceiptShown, transitions.EffectDropped:
		return "", true // a turn's knowledge has nothing to do with the chat
	}
	return "", false
}
