package durabletest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"deskbridge/fsm"
	"deskbridge/fsm/durable"
)

// Memory is a ledger in memory. What it keeps, only a commit changes; what an
// engine never does, such as settling an effect twice, panics.
type Memory[S ~string, D any, F fsm.Fact, E fsm.Effect] struct {
	// Fresh is the state of an instance that is not known yet.
	Fresh S
	// Refuse, if set, is asked before each operation, which is called by its method
	// in lower case and is about an instance, a key, a fact, a record, an effect, or
	// nothing. An error is what the operation returns.
	Refuse func(op string, about any) error
	// Log, if set, hears of each commit, and Tell how facts and effects are called
	// there.
	Log  func(line string)
	Tell func(about any) string

	Entries   []durable.Entry[S, D, F, E]
	Records   []E
	Keys      map[string]bool
	Instances map[string]durable.Snapshot[S, D]
	// Pending is the outbox, by id.
	Pending map[int64]durable.Queued[E]
	// Begun counts the transactions, and Commits those that were committed.
	Begun, Commits int

	lastID int64
	open   bool
}

// NewMemory makes an empty ledger.
func NewMemory[S ~string, D any, F fsm.Fact, E fsm.Effect](fresh S) *Memory[S, D, F, E] {
	return &Memory[S, D, F, E]{
		Fresh:     fresh,
		Keys:      map[string]bool{},
		Instances: map[string]durable.Snapshot[S, D]{},
		Pending:   map[int64]durable.Queued[E]{},
	}
}

func (m *Memory[S, D, F, E]) may(op string, about any) error {
	if m.Refuse == nil {
		return nil
	}
	return m.Refuse(op, about)
}

// Outbox is what is pending, by id.
func (m *Memory[S, D, F, E]) Outbox() ([]durable.Queued[E], error) {
	if err := m.may("outbox", nil); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(m.Pending), func(a, b durable.Queued[E]) int { return cmp.Compare(a.ID, b.ID) }), nil
}

// Begin opens the transaction.
func (m *Memory[S, D, F, E]) Begin() (durable.Tx[S, D, F, E], error) {
	if m.open {
		panic("a second write transaction")
	}
	m.Begun++
	if err := m.may("begin", nil); err != nil {
		return nil, err
	}
	m.open = true
	return &memoryTx[S, D, F, E]{m: m, keys: map[string]bool{}}, nil
}

// memoryTx collects what its commit will do.
type memoryTx[S ~string, D any, F fsm.Fact, E fsm.Effect] struct {
	m       *Memory[S, D, F, E]
	keys    map[string]bool
	entries []*durable.Entry[S, D, F, E]
	todo    []func()
	lines   []string
}

func (x *memoryTx[S, D, F, E]) put(op string, about any, f func(), line func() string) error {
	if err := x.m.may(op, about); err != nil {
		return err
	}
	x.todo = append(x.todo, f)
	if x.m.Log != nil {
		x.lines = append(x.lines, line())
	}
	return nil
}

func (x *memoryTx[S, D, F, E]) Load(instance string) (durable.Snapshot[S, D], error) {
	if err := x.m.may("load", instance); err != nil {
		return durable.Snapshot[S, D]{}, err
	}
	for _, e := range slices.Backward(x.entries) {
		if e.Instance == instance {
			return after(e), nil
		}
	}
	if s, ok := x.m.Instances[instance]; ok {
		return s, nil
	}
	return durable.Snapshot[S, D]{State: x.m.Fresh}, nil
}

// after is an instance as a step left it.
func after[S ~string, D any, F fsm.Fact, E fsm.Effect](e *durable.Entry[S, D, F, E]) durable.Snapshot[S, D] {
	return durable.Snapshot[S, D]{State: e.Result.State, Data: e.Result.Data, Steps: e.Steps}
}

func (x *memoryTx[S, D, F, E]) Seen(key string) (bool, error) {
	return x.m.Keys[key] || x.keys[key], x.m.may("seen", key)
}

func (x *memoryTx[S, D, F, E]) Append(e durable.Entry[S, D, F, E], records []E) error {
	for _, r := range records {
		if err := x.m.may("record", r); err != nil {
			return err
		}
	}
	if e.Key != "" {
		x.keys[e.Key] = true
	}
	x.entries = append(x.entries, &e)
	return x.put("append", e.Fact, func() {
		if have := x.m.Instances[e.Instance].Steps; e.Steps != have+1 {
			panic(fmt.Sprintf("step %d of %s follows %d", e.Steps, e.Instance, have))
		}
		x.m.Entries = append(x.m.Entries, e)
		if e.Key != "" {
			x.m.Keys[e.Key] = true
		}
		x.m.Instances[e.Instance] = after(&e)
		x.m.Records = append(x.m.Records, records...)
	}, func() string { return fmt.Sprintf("journal %s.%d %s", e.Instance, e.Steps, x.m.Tell(e.Fact)) })
}

func (x *memoryTx[S, D, F, E]) Enqueue(q durable.Queued[E]) (int64, error) {
	x.m.lastID++
	q.ID = x.m.lastID
	return q.ID, x.put("enqueue", q.Effect, func() { x.m.Pending[q.ID] = q },
		func() string { return fmt.Sprintf("enqueue %s leased=%t", x.m.Tell(q.Effect), q.Leased) })
}

func (x *memoryTx[S, D, F, E]) Lease(id int64, a durable.Attempt) error {
	return x.change("lease", id, func(q *durable.Queued[E]) { q.Leased, q.Attempt = true, a })
}

func (x *memoryTx[S, D, F, E]) Release(id int64) error {
	return x.change("release", id, func(q *durable.Queued[E]) { q.Leased = false })
}

func (x *memoryTx[S, D, F, E]) change(op string, id int64, f func(*durable.Queued[E])) error {
	return x.about(op, id, func(q durable.Queued[E]) {
		f(&q)
		x.m.Pending[id] = q
	})
}

func (x *memoryTx[S, D, F, E]) Settle(id int64) error {
	return x.about("settle", id, func(durable.Queued[E]) { delete(x.m.Pending, id) })
}

// about does something to an effect that is pending.
func (x *memoryTx[S, D, F, E]) about(op string, id int64, f func(durable.Queued[E])) error {
	effect := x.m.Pending[id].Effect
	return x.put(op, effect, func() {
		q, ok := x.m.Pending[id]
		if !ok {
			panic(fmt.Sprintf("%s of effect %d, which is not pending", op, id))
		}
		f(q)
	}, func() string { return op + " " + x.m.Tell(effect) })
}

func (x *memoryTx[S, D, F, E]) Commit() error {
	if err := x.m.may("commit", nil); err != nil {
		return err
	}
	for _, f := range x.todo {
		f()
	}
	x.m.Commits++
	x.m.open = false
	if x.m.Log != nil {
		x.m.Log("commit: " + strings.Join(x.lines, "; "))
	}
	return nil
}

func (x *memoryTx[S, D, F, E]) Rollback() { x.m.open = false }
