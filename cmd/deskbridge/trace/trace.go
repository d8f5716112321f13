package trace

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"deskbridge/store"
	"deskbridge/store/audit"
	t "deskbridge/transitions"
)

// Write tells the life of whatever has the id, with times of a zone. An id that the
// ledger does not know is an [*UnknownError].
func Write(w io.Writer, books store.Books, id string, zone *time.Location) error {
	conversations := audit.Conversations(books)
	c, subject := find(conversations, id)
	if c == nil {
		return &UnknownError{id}
	}
	tl := timeline{
		books: &c.Books, related: related(&c.Books, subject), zone: zone,
		Replay: audit.NewReplay(&c.Books, t.Standard().Step), states: map[thing]string{},
	}
	lines := []string{headline(c, subject)}
	for i := range c.Journal {
		if line := tl.step(&c.Journal[i]); line != "" {
			lines = append(lines, line)
		}
	}
	lines = append(lines, tl.rest()...)
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// headline says what the subject is, and how it stands.
func headline(c *audit.Conversation, x thing) string {
	stands := "a command"
	switch x.kind {
	case message:
		if i := slices.IndexFunc(c.Messages, func(m t.Message) bool { return m.ID == x.id }); i >= 0 {
			stands = string(c.Messages[i].State)
		}
	case turn:
		stands = string(c.Turns[slices.IndexFunc(c.Turns, func(o t.Turn) bool { return o.ID == x.id })].State)
	case delivery:
		stands = string(c.Deliveries[slices.IndexFunc(c.Deliveries, func(d t.Delivery) bool { return d.ID == x.id })].State)
	case request:
		stands = string(c.Requests[slices.IndexFunc(c.Requests, func(q t.Request) bool { return q.ID == x.id })].State)
	}
	return fmt.Sprintf("%s in conversation %s: %s", x, c.ID, stands)
}

// timeline is a journal on its way to lines.
type timeline struct {
	audit.Replay
	books   *audit.Books
	related map[thing]bool
	zone    *time.Location
	// states are those that the related things were last recorded in.
	states map[thing]string
	// last is what the last line said happened.
	last string
}

// step is the line of a step; empty: it has nothing to do with the subject, or says
// again what the last line did.
func (tl *timeline) step(e *store.JournalEntry) string {
	_, res, diverged := tl.Take(e)
	moves, reasons := tl.moves(res)
	calls := tl.calls(res)
	own := slices.ContainsFunc(about(e.Fact), func(x thing) bool { return tl.related[x] })
	what := words(e.Fact, tl.zone)
	if !own && moves == nil && calls == nil || what == tl.last && moves == nil && calls == nil {
		return ""
	}
	tl.last = what
	var line strings.Builder
	fmt.Fprintf(&line, "%s  %s  %s.", e.At.In(tl.zone).Format("2006-01-02 "+clock), tl.place(e), what)
	if moves != nil {
		fmt.Fprintf(&line, " Now %s.", strings.Join(moves, ", "))
	}
	if calls != nil {
		fmt.Fprintf(&line, " Next: %s.", strings.Join(calls, ", "))
	}
	if diverged != nil {
		fmt.Fprintf(&line, " Why is not known: the journal is not what this bridge makes of it.")
		return line.String()
	}
	if !slices.Contains(reasons, res.Why) {
		reasons = append([]string{res.Why}, reasons...)
	}
	fmt.Fprintf(&line, " Why: %s", strings.Join(reasons, " "))
	return line.String()
}

// place is the step's number, with that of its track where there are several.
func (tl *timeline) place(e *store.JournalEntry) string {
	if len(tl.books.Tracks) > 1 {
		_, number := t.SplitTrack(e.Track)
		return fmt.Sprintf("track %d step %d", number, e.Step)
	}
	return fmt.Sprintf("step %d", e.Step)
}

// moves are the related things that the step brings into another state, and why.
func (tl *timeline) moves(res audit.Result) (moves, reasons []string) {
	var order []thing
	through := map[thing][]string{}
	for _, e := range res.Effects {
		m, ok := moved(e)
		if !ok || !tl.related[m.thing] || tl.states[m.thing] == m.state {
			continue
		}
		tl.states[m.thing] = m.state
		if through[m.thing] == nil {
			order = append(order, m.thing)
		}
		through[m.thing] = append(through[m.thing], standing(m))
		if m.why != "" && !slices.Contains(reasons, m.why) {
			reasons = append(reasons, m.why)
		}
	}
	for _, x := range order {
		moves = append(moves, x.String()+" is "+strings.Join(through[x], ", then "))
	}
	return moves, reasons
}

// standing is a state in the words of the tables, and for a delivery that it is kept
// before it is sent.
func standing(m move) string {
	if m.thing.kind == delivery && m.state == string(t.DeliveryReady) {
		return "persisted, ready to be sent"
	}
	return m.state
}

// calls are those about related things that the step asks for.
func (tl *timeline) calls(res audit.Result) (calls []string) {
	for _, e := range res.Effects {
		if x, asks, ok := call(e); ok && tl.related[x] {
			calls = append(calls, asks)
		}
	}
	return calls
}

// rest is what is not over, and what is not known any more.
func (tl *timeline) rest() (lines []string) {
	for _, q := range tl.books.Outbox {
		x, asks, ok := call(q.Effect)
		if !ok || !tl.related[x] {
			continue
		}
		line := fmt.Sprintf("in the outbox: %s, ", asks)
		if q.Attempt.Number == 0 {
			line += "not tried yet"
		} else {
			line += fmt.Sprintf("tried %d times, first at %s", q.Attempt.Number, q.Attempt.First.In(tl.zone).Format("2006-01-02 "+clock))
		}
		lines = append(lines, line)
	}
	if len(tl.books.Starts) > 0 {
		lines = append(lines, "older steps of this conversation were pruned")
	}
	return lines
}
