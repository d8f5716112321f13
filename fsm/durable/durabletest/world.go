package durabletest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/go-cmp/cmp/cmpopts"

	"deskbridge/fsm/durable"
)

// world is what no crash changes: who submits facts until they are acknowledged,
// and the far side, where calls take effect.
type world struct {
	inbox []*receipt
	// round counts the minutes that passed.
	round int
	// life counts the lives.
	life   int
	tricks map[string]trick
	calls  map[string]*farCall
	// saw counts what happened, so that the suite can show that all of it did.
	saw map[string]int
}

// What is counted, beside the ends.
const (
	deemedAbsent = "found absent"
	foundThere   = "found to be there"
	repeated     = "repeated, for nobody could know"
)

// receipt is a fact that is submitted, from a round on, until it is acknowledged.
type receipt struct {
	instance string
	fact     Fact
	round    int
	acked    bool
}

// farCall is what the far side knows of a call.
type farCall struct {
	// identity is what the call was first asked for as; every attempt has the same.
	identity queued
	tries    int
	// parts are the lives in which each part took effect.
	parts map[int][]int
	// owed says that a life ended when nobody could know what had become of it, and
	// that it must become the fact of its loss.
	owed bool
}

// outcome is what becomes of a try.
type outcome int

const (
	works  outcome = iota
	fails          // has no effect, and the executor knows
	gone           // has no effect, and the executor does not know
	silent         // has its effect, and the executor does not know
)

// trick is how the far side takes a call: the outcomes of the first tries, after
// which each works.
type trick struct {
	outcomes []outcome
	// atOnce says that the executor reports within Execute.
	atOnce bool
	// blind says that nobody can look up whether it took effect: it is repeated.
	blind bool
}

// scenario is a world in which everything happens that the outbox knows.
func scenario() *world {
	record := func(name string) Effect { return Effect{Kind: Record, Name: name} }
	road := func(e Effect) Effect { e.Kind, e.Lane = Call, "road"; return e }
	again := wants("q again", record("r5"), Effect{Kind: Call, Name: "glass", Lane: "rail", Fragile: true, Parts: 2})
	return &world{
		inbox: []*receipt{
			{instance: "p", fact: wants("p first", record("r1"),
				road(Effect{Name: "one", Fragile: true, Then: []Effect{record("r2"), road(Effect{Name: "one then"})}}),
				road(Effect{Name: "two"}),
				road(Effect{Name: "three", Fragile: true, Recallable: true}),
				Effect{Kind: Call, Name: "parcel", Lane: "rail", Parts: 3, Then: []Effect{call("parcel then")}})},
			{instance: "q", fact: wants("q first", call("doubt"), road(Effect{Name: "maybe", Recallable: true}),
				road(Effect{Name: "behind maybe", Fragile: true, Recallable: true}))},
			{instance: "p", fact: wants("p second", record("r3"), Effect{Kind: Call, Name: "patient", Fragile: true, Recallable: true})},
			{instance: "q", fact: again},
			{instance: "q", fact: again}, // told again in the same batch
			{instance: "p", round: 1, fact: wants("p stop", Effect{Kind: Withdraw}, road(Effect{Name: "after", Recallable: true}))},
			{instance: "s", round: 1, fact: wants("s first", call("lone"), record("r4"))},
			{instance: "q", round: 2, fact: wants("q stop", Effect{Kind: Withdraw})},
			{instance: "q", round: 3, fact: again},
		},
		tricks: map[string]trick{
			"one":          {},
			"two":          {outcomes: []outcome{fails, fails}, atOnce: true},
			"parcel":       {blind: true, outcomes: []outcome{works, fails}},
			"doubt":        {outcomes: []outcome{silent}},
			"maybe":        {outcomes: []outcome{gone, fails}, atOnce: true},
			"patient":      {outcomes: []outcome{fails, fails, fails, fails}},
			"glass":        {atOnce: true},
			"after":        {outcomes: []outcome{gone}},
			"lone":         {blind: true},
			"parcel then":  {atOnce: true},
			"behind maybe": {},
		},
		calls: map[string]*farCall{},
		saw:   map[string]int{},
	}
}

func (w *world) call(name string) *farCall {
	c := w.calls[name]
	if c == nil {
		c = &farCall{parts: map[int][]int{}}
		w.calls[name] = c
	}
	return c
}

// perform lets an attempt take effect or not, and says what the executor reports.
func (w *world) perform(e Effect, a durable.Attempt) report {
	c, trick := w.call(e.Name), w.tricks[e.Name]
	if a.Sent && !trick.blind {
		if len(c.parts[a.Done]) == 0 {
			w.saw[deemedAbsent]++
			return report{Again: &durable.Again{Absent: true}}
		}
		w.saw[foundThere]++
		return reportOf(e, a.Done)
	}
	does := works
	if c.tries < len(trick.outcomes) {
		does = trick.outcomes[c.tries]
	}
	c.tries++
	if does == works || does == silent {
		w.affect(e, a, trick)
	}
	switch does {
	case fails:
		return report{Again: &durable.Again{}}
	case gone, silent:
		return report{Again: &durable.Again{Sent: true}}
	}
	return reportOf(e, a.Done)
}

// affect lets a part take effect. Twice it may, where nobody can look it up, if a
// life ended in between.
func (w *world) affect(e Effect, a durable.Attempt, trick trick) {
	c := w.call(e.Name)
	if before := c.parts[a.Done]; len(before) > 0 {
		if !trick.blind || slices.Contains(before, w.life) {
			fail("part %d of %s takes effect again in life %d, and did in %v", a.Done+1, e.Name, w.life, before)
		}
		w.saw[repeated]++
	}
	if a.Done > 0 && len(c.parts[a.Done-1]) == 0 {
		fail("part %d of %s takes effect before the part before it", a.Done+1, e.Name)
	}
	c.parts[a.Done] = append(c.parts[a.Done], w.life)
}

// reportOf is the report that the part is done after so many others.
func reportOf(e Effect, before int) report {
	if n := before + 1; n < e.Parts {
		return report{Facts: []durable.Fact{Fact{Effect: e.Name, How: part(n)}}, Done: n}
	}
	return report{Facts: []durable.Fact{Fact{Effect: e.Name, How: done, Wants: e.Then}}}
}

// begin holds that an attempt may begin, in view of the store's outbox.
func (w *world) begin(pending []queued, instance string, e Effect, a durable.Attempt) {
	a.Sent = false
	c := w.call(e.Name)
	i := slices.IndexFunc(pending, func(q queued) bool { return q.Effect.Name == e.Name })
	if i < 0 {
		fail("%s is carried out, and is not in the outbox", e.Name)
	}
	q := pending[i]
	if !q.Leased || q.Attempt.Number != a.Number || !q.Attempt.First.Equal(a.First) || q.Attempt.Done != a.Done || q.Instance != instance {
		fail("attempt %+v at %s of %s begins, and the outbox has %+v", a, e.Name, instance, q)
	}
	if c.owed {
		fail("%s may have been carried out in a life before, and is begun again", e.Name)
	}
	q.Leased, q.Attempt = false, durable.Attempt{}
	if c.identity.ID == 0 {
		c.identity = q
	}
	want("the identity of "+e.Name, q, c.identity)
	for _, before := range pending[:i] {
		if before.Instance == instance && e.Lane != "" && before.Effect.Lane == e.Lane {
			fail("%s begins before %s of its lane is settled", e.Name, before.Effect.Name)
		}
	}
}

// account holds that the ledger is in order with the world, whenever a life begins or
// ends: what was acknowledged is in the journal, once; an instance is what its
// journal says; each effect that was emitted is in the outbox, or has its one end,
// and one that is true.
func (w *world) account(b *bench) (ends map[string]string) {
	t := tale{b: b, w: w, ends: map[string]string{}, parts: map[string]int{}, stories: map[string][]string{}, keys: map[string]int{}}
	for _, l := range must(b.ledger.Journal()) {
		t.read(l)
	}
	t.checkInbox()
	t.checkInstances()
	t.checkRecords()
	t.checkOutbox()
	for name, how := range t.ends {
		t.checkEnd(name, how)
	}
	return t.ends
}

// settled says that there is nothing left to do.
func (w *world) settled(b *bench) bool {
	waits := slices.ContainsFunc(w.inbox, func(r *receipt) bool { return !r.acked })
	return !waits && len(must(b.ledger.Outbox())) == 0
}

// tale is what a journal tells.
type tale struct {
	b       *bench
	w       *world
	emitted []Effect // calls, in order
	records []string
	ends    map[string]string
	parts   map[string]int
	stories map[string][]string
	keys    map[string]int
}

func (t *tale) read(l lineOf) {
	f := l.Fact.(Fact)
	story := append(t.stories[l.Instance], f.String())
	t.stories[l.Instance] = story
	if l.Step != int64(len(story)) {
		fail("step %d of %s is line %d of its journal", l.Step, l.Instance, len(story))
	}
	if f.Key != "" {
		t.keys[f.Key]++
	}
	for _, e := range f.Wants {
		switch e.Kind {
		case Call:
			t.emitted = append(t.emitted, e)
		case Record:
			t.records = append(t.records, e.Name)
		case Withdraw:
		}
	}
	switch {
	case f.Effect == "":
	case t.ends[f.Effect] != "":
		fail("%s is %s, after it was %s", f.Effect, f.How, t.ends[f.Effect])
	case f.How == part(t.parts[f.Effect]+1):
		t.parts[f.Effect]++
	case f.How == done || f.How == lost || f.How == withdrawn:
		t.ends[f.Effect] = f.How
	default:
		fail("%s is done up to %s, after part %d", f.Effect, f.How, t.parts[f.Effect])
	}
}

func (t *tale) checkInbox() {
	order := map[string][]string{}
	for _, r := range t.w.inbox {
		key := r.fact.Key
		if n := t.keys[key]; n > 1 || r.acked && n == 0 {
			fail("%s is in the journal %d times; acknowledged: %t", key, n, r.acked)
		}
		if t.keys[key] == 1 && !slices.Contains(order[r.instance], key) {
			order[r.instance] = append(order[r.instance], key)
		}
	}
	for instance, keys := range order {
		told := slices.DeleteFunc(slices.Clone(t.stories[instance]), func(s string) bool { return t.keys[s] == 0 })
		want("the order of submission to "+instance, told, keys)
	}
}

func (t *tale) checkInstances() {
	t.b.discard(func(x tx) {
		for instance, story := range t.stories {
			want("instance "+instance, must(x.Load(instance)), told(story...))
		}
	})
}

func (t *tale) checkRecords() {
	written := must(t.b.ledger.Records())
	slices.Sort(written)
	slices.Sort(t.records)
	want("the records", written, t.records)
}

func (t *tale) checkOutbox() {
	pending := must(t.b.ledger.Outbox())
	var names, open []string
	for _, q := range pending {
		names = append(names, q.Effect.Name)
		if q.Attempt.Done != t.parts[q.Effect.Name] {
			fail("%s is done up to %d in the outbox, and up to %d in the journal", q.Effect.Name, q.Attempt.Done, t.parts[q.Effect.Name])
		}
	}
	for _, e := range t.emitted {
		if t.ends[e.Name] == "" {
			open = append(open, e.Name)
		}
	}
	want("the outbox, by what was emitted and has no end", names, open)
	committed := slices.SortedFunc(maps.Values(t.b.committed), func(a, b queued) int { return cmp.Compare(a.ID, b.ID) })
	want("the outbox, by what was committed", pending, committed, cmpopts.EquateEmpty())
}

func (t *tale) checkEnd(name, how string) {
	i := slices.IndexFunc(t.emitted, func(e Effect) bool { return e.Name == name })
	if i < 0 {
		fail("%s is %s, and was never asked for", name, how)
	}
	e, c := t.emitted[i], t.w.call(name)
	whole := true
	for n := range max(1, e.Parts) {
		whole = whole && len(c.parts[n]) > 0
	}
	holds := map[string]bool{
		done:      whole && !c.owed,
		withdrawn: e.Recallable && len(c.parts) == 0 && !c.owed,
		lost:      e.Fragile && c.owed,
	}
	if !holds[how] {
		fail("%s is %s, which is not true: its parts took effect in the lives %v; it may have been lost: %t", name, how, c.parts, c.owed)
	}
}
