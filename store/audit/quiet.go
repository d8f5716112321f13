package audit

import (
	"fmt"
	"slices"

	"deskbridge/store"
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// Lingering are the ids of what tracks that are quiet still remember: deliveries that
// failed, or that may or may not stand in the chat, with the turns whose outcomes they
// are and the messages in these.
type Lingering struct {
	Messages, Turns, Deliveries []string
}

// Quiet tells whether tracks of one conversation are: nothing more becomes of what there
// is, but for what lingers. Otherwise open names something that is not settled.
func Quiet(tracks []store.Track) (l Lingering, open string) {
	for i := range tracks {
		d := &tracks[i].Data
		for j := range d.Deliveries {
			one := &d.Deliveries[j]
			if one.State != transitions.DeliveryFailed && one.State != transitions.DeliveryInDoubt {
				return Lingering{}, fmt.Sprintf("delivery %s is %s", one.ID, one.State)
			}
			l.Deliveries = append(l.Deliveries, one.ID)
			if one.Turn != "" {
				l.Turns = append(l.Turns, one.Turn)
			}
		}
		if len(d.Requests) > 0 {
			return Lingering{}, fmt.Sprintf("request %s is %s", d.Requests[0].ID, d.Requests[0].State)
		}
		for j := range d.Messages {
			m := &d.Messages[j]
			if m.State != transitions.MessageProven || !slices.Contains(l.Turns, m.Turn) {
				return Lingering{}, fmt.Sprintf("message %s is %s", m.ID, m.State)
			}
			l.Messages = append(l.Messages, m.ID)
		}
		if len(d.Turns) > 0 {
			return Lingering{}, fmt.Sprintf("turn %q is %s", d.Turns[0].ID, d.Turns[0].State)
		}
	}
	return l, ""
}

// of picks the rows of what lingers.
func (l *Lingering) of(rows invariant.Ledger) (left invariant.Ledger) {
	for _, m := range rows.Messages {
		if slices.Contains(l.Messages, m.ID) {
			left.Messages = append(left.Messages, m)
		}
	}
	for _, t := range rows.Turns {
		if slices.Contains(l.Turns, t.ID) {
			left.Turns = append(left.Turns, t)
		}
	}
	for _, d := range rows.Deliveries {
		if slices.Contains(l.Deliveries, d.ID) {
			left.Deliveries = append(left.Deliveries, d)
		}
	}
	return left
}

// lingered are the rows of what lingered when the journal was pruned: as the tracks
// remember them, and, of a turn that is over and that no track remembers, as the table
// has them.
func lingered(b *Books) (rows invariant.Ledger) {
	l, _ := Quiet(b.Starts)
	for i := range b.Starts {
		for _, m := range b.Starts[i].Data.Messages {
			rows.Messages = append(rows.Messages, invariant.Message{Message: m, Kind: invariant.Text})
		}
		rows.Deliveries = append(rows.Deliveries, b.Starts[i].Data.Deliveries...)
	}
	rows.Turns = b.Turns
	return l.of(rows)
}
