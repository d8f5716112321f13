package durabletest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"deskbridge/fsm/durable"
)

// storeRules are about a store by itself: what Store and Tx promise.
func storeRules() []rule {
	return []rule{
		{"an unknown instance is fresh", unknownIsFresh},
		{"a step is there with its commit and not before", stepCommits},
		{"a rollback leaves nothing", rollbackLeavesNothing},
		{"a crash within a transaction leaves nothing", crashLeavesNothing},
		{"after a commit a rollback does nothing", rollbackAfterCommit},
		{"a key is seen from its step on, for good", keyIsSeen},
		{"the outbox is in the order of ids, which is that of enqueueing", outboxInOrder},
		{"a lease keeps number, first attempt and how far it is done", leaseKeeps},
		{"what is unfit is said to be, and the store is well", unfitIsSaid},
	}
}

func call(name string) Effect { return Effect{Kind: Call, Name: name} }

// step is an instance's step on a fact, told as the story so far.
func step(instance string, n int64, f Fact, story ...string) entry {
	return entry{
		Instance: instance, Fact: f, Key: f.Key, At: start, From: Fresh, Steps: n,
		Result: result{State: Told, Data: Data{Story: story}, Effects: f.Wants, Entry: "any.told.1"},
	}
}

// told is an instance that was told so.
func told(story ...string) snapshot {
	return snapshot{State: Told, Data: Data{Story: story}, Steps: int64(len(story))}
}

func unknownIsFresh(b *bench) {
	fresh := map[string]snapshot{"p": {State: Fresh}, "q": {State: Fresh}}
	want("contents", b.look("p", "q"), contents{Instances: fresh})
	b.fill(func(x tx) { ok(x.Append(step("p", 1, Fact{Key: "a"}, "a"), nil)) })
	want("the other instance", b.look("q").Instances["q"], snapshot{State: Fresh})
}

// written makes a ledger with a step, a record and three effects, and returns what
// is in it.
func written(b *bench) contents {
	b.fill(func(x tx) {
		f := Fact{Key: "a", Wants: []Effect{call("settled"), call("leased"), call("released")}}
		ok(x.Append(step("p", 1, f, "a"), []Effect{{Kind: Record, Name: "r1"}}))
		for i, e := range f.Wants {
			must(x.Enqueue(queued{Instance: "p", Effect: e, Step: 1, Leased: i == 2, Attempt: durable.Attempt{Number: i}}))
		}
	})
	before := b.look("p", "q")
	if len(before.Outbox) != 3 {
		fail("%d effects are in the outbox, and 3 were enqueued", len(before.Outbox))
	}
	o := before.Outbox
	want("contents at first", before, contents{
		Journal: []string{"p.1 a"},
		Records: []string{"r1"},
		Outbox: []queued{
			{ID: o[0].ID, Instance: "p", Effect: call("settled"), Step: 1},
			{ID: o[1].ID, Instance: "p", Effect: call("leased"), Step: 1, Attempt: durable.Attempt{Number: 1}},
			{ID: o[2].ID, Instance: "p", Effect: call("released"), Step: 1, Leased: true, Attempt: durable.Attempt{Number: 2}},
		},
		Instances: map[string]snapshot{"p": told("a"), "q": {State: Fresh}},
	})
	return before
}

// everyWrite does everything that a transaction can do, upon what [written] made.
func everyWrite(before contents) func(tx) {
	return func(x tx) {
		f := Fact{Key: "b", Wants: []Effect{call("new")}}
		ok(x.Append(step("p", 2, f, "a", "b"), []Effect{{Kind: Record, Name: "r2"}}))
		ok(x.Append(step("q", 1, Fact{Effect: "x", How: done}, "x done"), nil))
		must(x.Enqueue(queued{Instance: "p", Effect: call("new"), Step: 2, Leased: true, Attempt: durable.Attempt{Number: 1, First: start}}))
		ok(x.Settle(before.Outbox[0].ID))
		ok(x.Lease(before.Outbox[1].ID, durable.Attempt{Number: 3, First: start, Done: 2}))
		ok(x.Release(before.Outbox[2].ID))
	}
}

func stepCommits(b *bench) {
	before := written(b)
	x := must(b.ledger.Begin())
	defer x.Rollback()
	everyWrite(before)(x)
	want("the step within its transaction", must(x.Load("p")), told("a", "b"))
	want("the journal before the commit", len(must(b.ledger.Journal())), len(before.Journal))
	want("the outbox before the commit", must(b.ledger.Outbox()), before.Outbox)
	ok(x.Commit())
	for _, when := range []string{"after the commit", "after a restart", "after a crash"} {
		switch when {
		case "after a restart":
			b.reopen()
		case "after a crash":
			b.crash()
		}
		now := b.look("p", "q")
		slices.Sort(now.Records)
		o := now.Outbox
		if len(o) != 3 {
			fail("%d effects are in the outbox %s, want 3", len(o), when)
		}
		want("contents "+when, now, contents{
			Journal: []string{"p.1 a", "p.2 b", "q.1 x done"},
			Records: []string{"r1", "r2"},
			Outbox: []queued{
				{ID: before.Outbox[1].ID, Instance: "p", Effect: call("leased"), Step: 1, Leased: true, Attempt: durable.Attempt{Number: 3, First: start, Done: 2}},
				{ID: before.Outbox[2].ID, Instance: "p", Effect: call("released"), Step: 1, Attempt: durable.Attempt{Number: 2}},
				{ID: o[2].ID, Instance: "p", Effect: call("new"), Step: 2, Leased: true, Attempt: durable.Attempt{Number: 1, First: start}},
			},
			Instances: map[string]snapshot{
				"p": told("a", "b"),
				"q": told("x done"),
			},
		})
	}
}

func rollbackLeavesNothing(b *bench) {
	before := written(b)
	x := must(b.ledger.Begin())
	everyWrite(before)(x)
	x.Rollback()
	x.Rollback() // twice is once
	want("contents after the rollback", b.look("p", "q"), before)
	b.reopen()
	want("contents after a restart", b.look("p", "q"), before)
	b.fill(everyWrite(before)) // none of it is there to be in the way
	want("the journal", len(must(b.ledger.Journal())), 3)
}

func crashLeavesNothing(b *bench) {
	before := written(b)
	x := must(b.ledger.Begin())
	everyWrite(before)(x)
	b.die()
	x.Rollback() // a dead life unwinds
	b.anew()
	b.open()
	want("contents", b.look("p", "q"), before)
	b.fill(everyWrite(before))
	want("the journal", len(must(b.ledger.Journal())), 3)
}

func rollbackAfterCommit(b *bench) {
	x := must(b.ledger.Begin())
	ok(x.Append(step("p", 1, Fact{Key: "a"}, "a"), nil))
	ok(x.Commit())
	x.Rollback()
	want("the journal", journal(b), []string{"p.1 a"})
}

func keyIsSeen(b *bench) {
	seen := func(when string, expected bool) {
		b.discard(func(x tx) {
			want("seen "+when, must(x.Seen("a")), expected)
			want("another key "+when, must(x.Seen("b")), false)
		})
	}
	e := step("p", 1, Fact{Key: "a"}, "a")
	seen("at first", false)
	b.discard(func(x tx) {
		ok(x.Append(e, nil))
		want("seen within the transaction", must(x.Seen("a")), true)
	})
	seen("after a rollback", false)
	b.fill(func(x tx) {
		ok(x.Append(e, nil))
		// Facts without a key all count.
		ok(x.Append(step("p", 2, Fact{Effect: "x", How: done}, "a", "x done"), nil))
		ok(x.Append(step("p", 3, Fact{Effect: "x", How: done}, "a", "x done", "x done"), nil))
	})
	seen("after the commit", true)
	b.reopen()
	seen("after a restart", true)
	b.crash()
	seen("after a crash", true)
}

func outboxInOrder(b *bench) {
	const n = 12
	ids := map[string]int64{}
	var order []string
	for i := range n {
		name := fmt.Sprint("e", i)
		b.fill(func(x tx) {
			ids[name] = must(x.Enqueue(queued{Instance: fmt.Sprint("p", i*7%5), Effect: call(name), Step: int64(n - i)}))
			if i%4 == 3 { // the newest, and one in the middle
				ok(x.Settle(ids[name]))
				ok(x.Settle(ids[fmt.Sprint("e", i-2)]))
				order = order[:len(order)-2]
				order = append(order, fmt.Sprint("e", i-1))
			} else {
				order = append(order, name)
			}
		})
		if i%5 == 4 {
			b.reopen()
		}
		// A lease changes nothing of the order.
		b.fill(func(x tx) { ok(x.Lease(ids["e0"], durable.Attempt{Number: i + 1, First: start})) })
	}
	var names []string
	last := int64(0)
	for _, q := range must(b.ledger.Outbox()) {
		names = append(names, q.Effect.Name)
		if q.ID <= last || q.ID != ids[q.Effect.Name] {
			fail("%s has the id %d after %d, and was enqueued as %d", q.Effect.Name, q.ID, last, ids[q.Effect.Name])
		}
		last = q.ID
	}
	want("the outbox", names, order)
}

func leaseKeeps(b *bench) {
	var id int64
	e := Effect{Kind: Call, Name: "e", Lane: "road", Fragile: true, Recallable: true, Parts: 3, Then: []Effect{call("then")}}
	b.fill(func(x tx) { id = must(x.Enqueue(queued{Instance: "p", Effect: e, Step: 7})) })
	kept := queued{ID: id, Instance: "p", Effect: e, Step: 7}
	check := func(when string) {
		want("the outbox "+when, must(b.ledger.Outbox()), []queued{kept})
		b.reopen()
		want("the outbox "+when+", after a restart", must(b.ledger.Outbox()), []queued{kept})
	}
	check("as enqueued")
	for _, a := range []durable.Attempt{
		{Number: 1, First: start},
		{Number: 2, First: start},
		{Number: 1, First: start.Add(time.Minute), Done: 2},
	} {
		b.fill(func(x tx) { ok(x.Lease(id, a)) })
		kept.Leased, kept.Attempt = true, a
		check(fmt.Sprintf("after lease %+v", a))
	}
	b.fill(func(x tx) { ok(x.Release(id)) })
	kept.Leased = false
	check("after the release")
	b.fill(func(x tx) { ok(x.Settle(id)) })
	want("the outbox in the end", len(must(b.ledger.Outbox())), 0)
}

func unfitIsSaid(b *bench) {
	before := written(b)
	for what, write := range map[string]func(x tx) error{
		"a fact": func(x tx) error { return x.Append(step("p", 2, Fact{Key: "u", Unfit: true}, "a", "u"), nil) },
		"a record": func(x tx) error {
			return x.Append(step("p", 2, Fact{Key: "u"}, "a", "u"), []Effect{{Kind: Record, Name: "u", Unfit: true}})
		},
		"an effect": func(x tx) error {
			_, err := x.Enqueue(queued{Instance: "p", Effect: Effect{Kind: Call, Name: "u", Unfit: true}, Step: 2})
			return err
		},
	} {
		b.discard(func(x tx) {
			ok(x.Append(step("q", 1, Fact{Key: "b"}, "b"), nil))
			if err := write(x); !errors.Is(err, durable.ErrUnfit) {
				fail("%s that cannot be written: %v, want ErrUnfit", what, err)
			}
		})
		want("contents after "+what+" that cannot be written", b.look("p", "q"), before)
	}
	ok(b.ledger.Spoil("p"))
	b.discard(func(x tx) {
		if _, err := x.Load("p"); !errors.Is(err, durable.ErrUnfit) {
			fail("an instance that cannot be read: %v, want ErrUnfit", err)
		}
		want("another instance", must(x.Load("q")), snapshot{State: Fresh})
	})
	b.fill(func(x tx) { ok(x.Append(step("q", 1, Fact{Key: "b"}, "b"), nil)) })
}
