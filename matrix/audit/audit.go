package audit

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"deskbridge/store"
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// Check returns what does not agree in the accounts of a scenario that is over,
// and what does not hold that must hold of every bridge.
func Check(a Account) []string { return check(&a, transitions.Standard().Step) }

func check(a *Account, step stepper) []string {
	h := live(a, step)
	all := h.problems
	if !h.diverged {
		all = append(all, h.unlike(&a.Books)...)
	}
	v := a.view(h)
	all = append(all, invariant.Check(&v)...)
	for _, seen := range edges {
		all = append(all, seen(a, h)...)
	}
	return all
}

// unlike tells which of the ledger's tables are not what the steps have written.
func (h *history) unlike(b *Books) []string {
	var p problems
	differ := func(table string, written, rows any) {
		if diff := cmp.Diff(written, rows, cmpopts.EquateEmpty()); diff != "" {
			p.add("the table of %s is not what the steps have written (-written +rows):\n%s", table, diff)
		}
	}
	slices.SortFunc(h.tracks, func(x, y store.Track) int { return strings.Compare(x.ID, y.ID) })
	differ("tracks", h.tracks, b.Tracks)
	differ("messages", bare(h.written.Messages), b.Messages)
	differ("turns", h.written.Turns, b.Turns)
	differ("deliveries", h.written.Deliveries, b.Deliveries)
	differ("requests", h.written.Requests, b.Requests)
	return p
}

// bare leaves of messages what their rows keep.
func bare(all []invariant.Message) (rows []transitions.Message) {
	for i := range all {
		row := all[i].Message
		row.Barred, row.Told, row.Confirmed, row.Files = "", nil, false, nil
		rows = append(rows, row)
	}
	return rows
}
