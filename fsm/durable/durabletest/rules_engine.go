package durabletest

import (
	"errors"
	"fmt"
	"time"

	"deskbridge/fsm/durable"
)

// engineRules are the contract of fsm/durable, kept by an engine over the store.
func engineRules() []rule {
	return []rule{
		{"1 facts that wait together share a commit, in order", sharedCommit},
		{"2 a fact told again is not stepped on", toldAgain},
		{"3 done is called after the commit", doneAfterCommit},
		{"4 what is about to be carried out is leased", leasedBefore},
		{"4 a restart knows what may have been carried out", knownAfterRestart},
		{"5 a lane keeps its order over a restart", laneKeepsOrder},
		{"6 a result settles its effect with its facts", settledWithFacts},
		{"6 a result is tried again, a receipt is told", triedAgain},
		{"7 a fact without a step is refused alone", refusedAlone},
		{"8 what cannot be stored is refused alone", unfitAlone},
		{"8 a result that cannot be stored leaves its effect leased", unfitResult},
		{"9 an effect in parts goes on where it was", partByPart},
		{"what is withdrawn becomes its fact in the same commit", withdrawnAtOnce},
		{"records are written with their step", recordsWithStep},
	}
}

func wants(key string, effects ...Effect) Fact { return Fact{Key: key, Wants: effects} }

// is reports that a call is done.
func is(name string) report {
	return report{Facts: []durable.Fact{Fact{Effect: name, How: done}}}
}

func journal(b *bench) []string { return b.books().Journal }

func sharedCommit(b *bench) {
	b.run()
	receipts := make([]error, 5)
	for i, at := range []string{"p", "q", "p", "q", "p"} {
		b.submit(at, wants(fmt.Sprint("k", i)), &receipts[i])
	}
	begun := b.begun
	b.clock.Settle()
	want("transactions", b.begun-begun, 1)
	want("receipts", receipts, make([]error, 5))
	lines := []string{"p.1 k0", "q.1 k1", "p.2 k2", "q.2 k3", "p.3 k4"}
	want("the journal", journal(b), lines)
	b.crash()
	want("the journal after a crash", journal(b), lines)
	want("the story of p", b.story("p"), []string{"k0", "k2", "k4"})
}

func toldAgain(b *bench) {
	b.run()
	twice := wants("a", call("e"))
	want("receipts within a batch", b.tell("p", twice, twice), []error{nil, nil})
	want("the receipt in another batch", b.tell("p", twice), []error{nil})
	b.crash()
	b.run()
	want("receipts after a crash", b.tell("p", twice, wants("b")), []error{nil, nil})
	want("the receipt of another instance", b.tell("q", twice), []error{nil})
	want("the journal", journal(b), []string{"p.1 a", "p.2 b"})
	want("the outbox", b.pending(), []string{"e leased=true attempts=2 done=0"})
}

func doneAfterCommit(b *bench) {
	b.run()
	var then []string
	for _, key := range []string{"a", "b"} {
		b.engine.Submit("p", wants(key), func(err error) {
			ok(err)
			then = journal(b)
		})
		b.clock.Settle()
		want("the journal's end when "+key+" is acknowledged", then[len(then)-1][4:], key)
	}
}

func leasedBefore(b *bench) {
	var seen []string
	b.engine = durable.New(b.options(func(_ string, e Effect, a durable.Attempt, done func(report)) {
		seen = append(seen, e.Name+": "+b.pending()[0])
		if a.Number == 1 {
			done(report{Again: &durable.Again{}})
		}
	}))
	ok(b.engine.Start())
	b.tell("p", wants("a", call("e")))
	want("transactions until it is carried out", b.begun, 2) // and one for its release
	b.clock.Advance(time.Minute)
	want("the outbox at each attempt", seen, []string{"e: e leased=true attempts=1 done=0", "e: e leased=true attempts=2 done=0"})
}

func knownAfterRestart(b *bench) {
	b.run()
	b.tell("p", wants("a", call("robust"), Effect{Kind: Call, Name: "fragile", Fragile: true},
		Effect{Kind: Call, Name: "unsent", Fragile: true}, call("absent")))
	first := b.clock.Now()
	b.report("unsent", report{Again: &durable.Again{After: time.Hour}})
	b.report("absent", report{Again: &durable.Again{Sent: true}})
	b.clock.Advance(time.Minute)
	b.report("absent", report{Again: &durable.Again{Absent: true, After: time.Hour}})
	b.crash()
	b.run()
	want("what is lost", b.story("p"), []string{"a", "fragile lost"})
	want("under way", b.names(), []string{"robust", "unsent", "absent"})
	for name, expected := range map[string]durable.Attempt{
		"robust": {Number: 2, First: first, Sent: true},
		"unsent": {Number: 2, First: b.clock.Now()},
		"absent": {Number: 3, First: b.clock.Now()},
	} {
		want("the attempt at "+name, b.take(name).Attempt, expected)
	}
}

func laneKeepsOrder(b *bench) {
	b.run()
	inLane := func(name string) Effect { return Effect{Kind: Call, Name: name, Lane: "road"} }
	b.tell("p", wants("a", inLane("1"), inLane("2")))
	b.tell("q", wants("b", inLane("other")))
	b.tell("p", wants("c", inLane("3"), call("free")))
	want("under way", b.names(), []string{"1", "other", "free"})
	b.report("1", is("1"))
	b.crash()
	b.run()
	want("under way after a crash", b.names(), []string{"2", "other", "free"})
	b.report("2", is("2"))
	want("under way after that", b.names(), []string{"other", "free", "3"})
}

func settledWithFacts(b *bench) {
	b.run()
	b.tell("p", wants("a", call("e")))
	before := b.books()
	b.refuse = func() error { // everything is written, and nothing there
		want("contents before the commit", b.books(), before)
		b.refuse = nil
		return nil
	}
	b.report("e", report{Facts: []durable.Fact{Fact{Effect: "e", How: "begun"}, Fact{Effect: "e", How: done, Wants: []Effect{call("next")}}}})
	b.crash()
	want("the journal", journal(b), []string{"p.1 a", "p.2 e begun", "p.3 e done"})
	want("the outbox", b.pending(), []string{"next leased=true attempts=1 done=0"})
}

var errRefused = errors.New("the disk is full")

func triedAgain(b *bench) {
	b.run()
	b.tell("p", wants("a", call("e")))
	times := 3
	b.refuse = func() error {
		if times--; times >= 0 {
			return errRefused
		}
		return nil
	}
	b.take("e").report(is("e"))
	receipts := b.tell("p", wants("b"))
	if !errors.Is(receipts[0], errRefused) {
		fail("the receipt hears %v, want the refusal", receipts[0])
	}
	want("the journal while the store refuses", journal(b), []string{"p.1 a"})
	b.clock.Advance(3 * time.Second)
	want("the journal", journal(b), []string{"p.1 a", "p.2 e done"})
	want("the outbox", b.pending(), []string{})
	want("the end of the trouble", b.troubles[len(b.troubles)-1], error(nil))
}

func refusedAlone(b *bench) {
	b.run()
	b.tell("p", wants("a", call("e")))
	hole := Fact{Key: "h", Hole: true}
	receipts := b.tell("p", wants("b"), hole, wants("c"))
	if receipts[0] != nil || !errors.Is(receipts[1], errHole) || receipts[2] != nil {
		fail("the receipts hear %v, want the second alone to be refused", receipts)
	}
	b.report("e", report{Facts: []durable.Fact{Fact{Hole: true}}})
	want("the journal", journal(b), []string{"p.1 a", "p.2 b", "p.3 c"})
	want("the outbox", b.pending(), []string{})
	b.discard(func(x tx) { want("the key is seen", must(x.Seen("h")), false) })
}

func unfitAlone(b *bench) {
	b.run()
	b.tell("broken", wants("a"))
	b.reopen() // so that the engine has to read it
	ok(b.ledger.Spoil("broken"))
	b.run()
	for i, at := range []struct {
		what, instance string
		fact           Fact
	}{
		{"a fact", "p", Fact{Key: "unfit fact", Unfit: true}},
		{"a record", "p", wants("unfit record", Effect{Kind: Record, Name: "u", Unfit: true})},
		{"an effect", "p", wants("unfit effect", call("fine"), Effect{Kind: Call, Name: "u", Unfit: true})},
		{"an instance", "broken", wants("unfit instance")},
	} {
		receipts := make([]error, 3)
		before, after := fmt.Sprint("before ", i), fmt.Sprint("after ", i)
		b.submit("p", wants(before), &receipts[0])
		b.submit(at.instance, at.fact, &receipts[1])
		b.submit("p", wants(after), &receipts[2])
		b.clock.Settle()
		if receipts[0] != nil || !errors.Is(receipts[1], durable.ErrUnfit) || receipts[2] != nil {
			fail("%s: the receipts hear %v, want the second alone to be refused", at.what, receipts)
		}
		story := b.story("p")
		want("the story's end with "+at.what, story[len(story)-2:], []string{before, after})
		want("the outbox with "+at.what, b.pending(), []string{})
	}
}

func unfitResult(b *bench) {
	b.run()
	b.tell("p", wants("a", Effect{Kind: Call, Name: "fragile", Fragile: true, Lane: "road"},
		Effect{Kind: Call, Name: "behind", Lane: "road"}, call("free")))
	b.report("fragile", report{Facts: []durable.Fact{
		Fact{Effect: "fragile", How: "begun"}, Fact{Effect: "fragile", How: done, Unfit: true},
	}})
	b.report("free", is("free"))
	b.tell("p", wants("b"))
	want("the journal", journal(b), []string{"p.1 a", "p.2 free done", "p.3 b"})
	want("the outbox", b.pending(), []string{"fragile leased=true attempts=1 done=0", "behind leased=false attempts=0 done=0"})
	b.reopen()
	b.run()
	want("the journal after a restart", journal(b), []string{"p.1 a", "p.2 free done", "p.3 b", "p.4 fragile lost"})
	want("under way", b.names(), []string{"behind"})
}

func partByPart(b *bench) {
	b.run()
	b.tell("p", wants("a", Effect{Kind: Call, Name: "robust", Parts: 3}, Effect{Kind: Call, Name: "fragile", Parts: 2, Fragile: true}))
	for _, name := range []string{"robust", "fragile"} {
		b.report(name, report{Facts: []durable.Fact{Fact{Effect: name, How: part(1)}}, Done: 1})
	}
	want("the outbox after a part", b.pending(), []string{"robust leased=true attempts=1 done=1", "fragile leased=true attempts=1 done=1"})
	first := b.clock.Now()
	b.clock.Advance(time.Minute)
	b.crash()
	b.run()
	want("the attempt after a crash", b.take("robust").Attempt, durable.Attempt{Number: 2, First: first, Sent: true, Done: 1})
	want("under way", b.names(), []string{})
	want("the journal", journal(b), []string{"p.1 a", "p.2 robust part 1", "p.3 fragile part 1", "p.4 fragile lost"})
}

func withdrawnAtOnce(b *bench) {
	b.run()
	recallable := func(name string) Effect { return Effect{Kind: Call, Name: name, Lane: "road", Recallable: true} }
	b.tell("p", wants("a", recallable("1"), recallable("2")))
	b.report("1", report{Again: &durable.Again{}})
	begun := b.begun
	b.tell("p", wants("stop", Effect{Kind: Withdraw}, recallable("3")))
	want("transactions", b.begun-begun, 1)
	b.crash()
	want("the journal", journal(b), []string{"p.1 a", "p.2 stop", "p.3 1 withdrawn", "p.4 2 withdrawn"})
	want("the outbox", b.pending(), []string{"3 leased=true attempts=1 done=0"})
}

func recordsWithStep(b *bench) {
	b.run()
	record := func(name string) Effect { return Effect{Kind: Record, Name: name} }
	b.refuse = func() error {
		want("records before the commit", len(must(b.ledger.Records())), 0)
		return nil
	}
	b.tell("p", wants("a", record("r1"), call("e"), record("r2")))
	b.refuse = nil
	b.crash()
	records := b.books().Records
	want("records", len(records), 2)
	if !(records[0] == "r1" && records[1] == "r2" || records[0] == "r2" && records[1] == "r1") {
		fail("records %q, want r1 and r2", records)
	}
	want("the outbox", b.pending(), []string{"e leased=true attempts=1 done=0"})
}
