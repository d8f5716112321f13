package durable_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"deskbridge/fsm/durable"
)

type (
	entry    = durable.Entry[place, parcel, fact, effect]
	snapshot = durable.Snapshot[place, parcel]
	queued   = durable.Queued[effect]
)

// memStore is a ledger in memory. It exists to refuse at a chosen point; what it
// keeps, only a commit changes.
type memStore struct {
	// refuse, if set, is asked before each operation.
	refuse func(op string) error
	// log, if set, hears of each commit.
	log func(line string)

	entries []entry
	notes   []string
	keys    map[string]bool
	parcels map[string]snapshot
	outbox  map[int64]queued
	nextID  int64
	begun   int
	commits int
	open    bool
}

func newMemStore() *memStore {
	return &memStore{keys: map[string]bool{}, parcels: map[string]snapshot{}, outbox: map[int64]queued{}}
}

func (s *memStore) may(op string) error {
	if s.refuse == nil {
		return nil
	}
	return s.refuse(op)
}

func (s *memStore) Outbox() ([]queued, error) {
	if err := s.may("outbox"); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(s.outbox), func(a, b queued) int { return cmp.Compare(a.ID, b.ID) }), nil
}

func (s *memStore) Begin() (durable.Tx[place, parcel, fact, effect], error) {
	if s.open {
		panic("a second write transaction")
	}
	s.begun++
	if err := s.may("begin"); err != nil {
		return nil, err
	}
	s.open = true
	return &memTx{s: s, keys: map[string]bool{}}, nil
}

// memTx collects what its commit will do.
type memTx struct {
	s     *memStore
	keys  map[string]bool
	todo  []func()
	lines []string
}

func (x *memTx) put(op, line string, f func()) error {
	if err := x.s.may(op); err != nil {
		return err
	}
	x.todo = append(x.todo, f)
	if x.s.log != nil {
		x.lines = append(x.lines, line)
	}
	return nil
}

func (x *memTx) Load(instance string) (snapshot, error) {
	if err := x.s.may("load"); err != nil {
		return snapshot{}, err
	}
	if s, ok := x.s.parcels[instance]; ok {
		return s, nil
	}
	return snapshot{State: atHome}, nil
}

func (x *memTx) Seen(key string) (bool, error) {
	return x.s.keys[key] || x.keys[key], x.s.may("seen")
}

func (x *memTx) Append(e entry, records []effect) error {
	if e.Key != "" {
		x.keys[e.Key] = true
	}
	return x.put("append", fmt.Sprintf("journal %s.%d %s", e.Instance, e.Steps, tellFact(e.Fact)), func() {
		if have := x.s.parcels[e.Instance].Steps; e.Steps != have+1 {
			panic(fmt.Sprintf("step %d of %s follows %d", e.Steps, e.Instance, have))
		}
		x.s.entries = append(x.s.entries, e)
		if e.Key != "" {
			x.s.keys[e.Key] = true
		}
		x.s.parcels[e.Instance] = snapshot{State: e.Result.State, Data: e.Result.Data, Steps: e.Steps}
		for _, r := range records {
			x.s.notes = append(x.s.notes, r.(note).Text)
		}
	})
}

func (x *memTx) Enqueue(q queued) (int64, error) {
	x.s.nextID++
	q.ID = x.s.nextID
	return q.ID, x.put("enqueue", fmt.Sprintf("enqueue %s leased=%t", tellEffect(q.Effect), q.Leased), func() { x.s.outbox[q.ID] = q })
}

func (x *memTx) Lease(id int64, a durable.Attempt) error {
	return x.change("lease", id, func(q *queued) { q.Leased, q.Attempt = true, a })
}

func (x *memTx) Release(id int64) error {
	return x.change("release", id, func(q *queued) { q.Leased = false })
}

func (x *memTx) change(op string, id int64, f func(*queued)) error {
	return x.put(op, op+" "+tellEffect(x.s.outbox[id].Effect), func() {
		q, ok := x.s.outbox[id]
		if !ok {
			panic(fmt.Sprintf("%s of effect %d, which is settled", op, id))
		}
		f(&q)
		x.s.outbox[id] = q
	})
}

func (x *memTx) Settle(id int64) error {
	return x.put("settle", "settle "+tellEffect(x.s.outbox[id].Effect), func() {
		if _, ok := x.s.outbox[id]; !ok {
			panic(fmt.Sprintf("effect %d is settled twice", id))
		}
		delete(x.s.outbox, id)
	})
}

func (x *memTx) Commit() error {
	if err := x.s.may("commit"); err != nil {
		return err
	}
	for _, f := range x.todo {
		f()
	}
	x.s.commits++
	x.s.open = false
	if x.s.log != nil {
		x.s.log("commit: " + strings.Join(x.lines, "; "))
	}
	return nil
}

func (x *memTx) Rollback() { x.s.open = false }

func tellFact(f fact) string {
	switch f := f.(type) {
	case asked:
		return "asked " + f.Key
	case ended:
		return f.How + " " + f.Errand
	}
	return f.FactName()
}

func tellEffect(e effect) string {
	if e, ok := e.(errand); ok {
		return e.Name
	}
	return e.EffectName()
}
