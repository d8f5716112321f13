package invariant

import "deskbridge/transitions"

// givingBack are the sentences that give a message back to its sender.
var givingBack = []transitions.SentenceID{
	transitions.SaidNotSent, transitions.SaidRefused, transitions.SaidVanished, transitions.SaidUnresolved, transitions.SaidDismissed,
}

// NothingLostIn is invariant 1. At any moment, a message that is over has an end,
// and no message has two; at rest, each has exactly one. Nothing behind a fence
// is sent.
func NothingLostIn(v *View) []string {
	var p problems
	for i := range v.Messages {
		m := &v.Messages[i]
		if m.SentBehindFence {
			p.add("%s came before a /stop, was in no turn, and was sent to Codex afterwards", m.ID)
		}
		if m.Kind != Text {
			continue // an answer or a command is its own end
		}
		proven := m.State == transitions.MessageProven || m.State == transitions.MessageAnswered
		back := v.givenBack(m.ID)
		ends := len(back)
		if proven {
			ends++
		}
		if m.Asked || m.State == transitions.MessageWithdrawn {
			ends++
		}
		switch {
		case ends > 1:
			p.add("%s has %d ends: state %s, given back by %q, asked: %t", m.ID, ends, m.State, back, m.Asked)
		case ends == 0 && (m.State == transitions.MessageRefused || m.State == transitions.MessageUnresolved):
			p.add("%s counts as given back, and its sender was told nothing", m.ID)
		case ends == 0 && v.AtRest && v.waitsFor() == "":
			p.add("%s has no end: it is %s", m.ID, m.State)
		}
		if proven && v.Outside && len(v.items(m.ID)) == 0 {
			p.add("%s counts as proven in %s, and is an item of no turn", m.ID, m.Turn)
		}
	}
	return p
}

// NothingTwiceIn is invariant 2.
func NothingTwiceIn(v *View) []string {
	var p problems
	for i := range v.Messages {
		m := &v.Messages[i]
		in := v.items(m.ID)
		switch {
		case len(in) > 1:
			p.add("%s is an item of %q", m.ID, in)
		case len(in) == 1 && m.Kind != Text:
			p.add("%s is a %s, and an item of %s", m.ID, m.Kind, in[0])
		case len(in) == 1 && v.AtRest && len(v.givenBack(m.ID)) > 0:
			p.add("%s is an item of %s, and was given back to its sender, who may send it again", m.ID, in[0])
		}
	}
	for i := range v.CodexTurns {
		for _, id := range v.CodexTurns[i].Messages {
			if v.message(id) == nil {
				p.add("%s holds %s, which the ledger does not know", v.CodexTurns[i].ID, id)
			}
		}
	}
	return p
}

// NothingFalselyHeld is invariant 6.
func NothingFalselyHeld(v *View) []string {
	var p problems
	for i := range v.Messages {
		m := &v.Messages[i]
		switch {
		case m.Kind != Text || !waits(&m.Message):
		case m.Hold == "":
			p.add("%s waits (%s), and nothing holds it; the track is %s", m.ID, m.State, v.newest().State)
		case m.Hold.says() && !m.Told:
			p.add("%s is held by %s, and its sender was not told", m.ID, m.Hold)
		}
	}
	for i := range v.Requests {
		r := &v.Requests[i]
		switch {
		case r.State == transitions.RequestShown && r.Shown == "":
			p.add("request %s counts as visible, and no message shows it", r.ID)
		case r.State == transitions.RequestHidden && !r.Showing && v.AtRest:
			p.add("request %s is not shown, and nothing is on its way to show it", r.ID)
		case r.State == transitions.RequestUnshown && !r.Told && v.provenIn(r.Turn):
			p.add("request %s cannot be shown, and nobody was told", r.ID)
		}
	}
	return p
}
