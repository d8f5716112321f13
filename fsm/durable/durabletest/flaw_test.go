package durabletest

import (
	"fmt"
	"slices"
	"testing"

	"deskbridge/fsm/durable"
)

// flawed is a transaction with something wrong in it. What is nil is as it should be.
type flawed struct {
	tx
	seen    func(key string) (bool, error)
	load    func(instance string) (snapshot, error)
	append  func(e entry, records []Effect) error
	enqueue func(q queued) (int64, error)
	lease   func(id int64, a durable.Attempt) error
	release func(id int64) error
	settle  func(id int64) error
	commit  func() error
	undo    func()
}

func (x flawed) Seen(key string) (bool, error)                 { return x.seen(key) }
func (x flawed) Load(instance string) (snapshot, error)        { return x.load(instance) }
func (x flawed) Append(e entry, records []Effect) error        { return x.append(e, records) }
func (x flawed) Enqueue(q queued) (int64, error)               { return x.enqueue(q) }
func (x flawed) Lease(id int64, attempt durable.Attempt) error { return x.lease(id, attempt) }
func (x flawed) Release(id int64) error                        { return x.release(id) }
func (x flawed) Settle(id int64) error                         { return x.settle(id) }

func (x flawed) Commit() error { return x.commit() }
func (x flawed) Rollback()     { x.undo() }

// flaws are what may be wrong with a store, each with the rules that must find it.
var flaws = map[string]struct {
	tx    func(m *memory, x *flawed)
	crash func(m *memory) // done to what a crash leaves
	out   func([]queued)  // done to what the outbox returns
	rules []string
	// calm flaws change nothing for an engine in the scenario of the crashes.
	calm bool
}{
	"an unknown instance is not fresh": {
		tx: func(_ *memory, x *flawed) {
			x.load = func(instance string) (snapshot, error) {
				s, err := x.tx.Load(instance)
				s.State = Told
				return s, err
			}
		},
		rules: []string{"an unknown instance is fresh"},
		calm:  true,
	},
	"the outbox is in another order": {
		out:   slices.Reverse[[]queued],
		rules: []string{"the outbox is in the order of ids, which is that of enqueueing", "5 a lane keeps its order over a restart"},
	},
	"a commit does nothing": {
		tx: func(_ *memory, x *flawed) { x.commit = func() error { return nil } },
		rules: []string{
			"1 facts that wait together share a commit, in order", "3 done is called after the commit",
			"6 a result is tried again, a receipt is told", "7 a fact without a step is refused alone",
		},
	},
	"a rollback undoes a commit": {
		tx: func(m *memory, x *flawed) {
			before := clone(m)
			x.undo = func() {
				x.tx.Rollback()
				m.Entries, m.Records, m.Keys, m.Instances, m.Pending = before.Entries, before.Records, before.Keys, before.Instances, before.Pending
			}
		},
		rules: []string{"after a commit a rollback does nothing"},
	},
	"a key is not seen within its transaction": {
		tx:    func(m *memory, x *flawed) { x.seen = func(key string) (bool, error) { return m.Keys[key], nil } },
		rules: []string{"a key is seen from its step on, for good", "2 a fact told again is not stepped on"},
	},
	"a step is not loaded within its transaction": {
		tx: func(m *memory, x *flawed) {
			x.load = func(instance string) (snapshot, error) {
				if s, ok := m.Instances[instance]; ok {
					return s, nil
				}
				return snapshot{State: Fresh}, nil
			}
		},
		rules: []string{"a step is there with its commit and not before"},
		calm:  true,
	},
	"a rollback leaves what was settled": {
		tx: func(m *memory, x *flawed) {
			x.settle = func(id int64) error {
				delete(m.Pending, id)
				return nil
			}
		},
		rules: []string{"a rollback leaves nothing", "a crash within a transaction leaves nothing", "6 a result settles its effect with its facts"},
	},
	"a rollback leaves the records": {
		tx: func(m *memory, x *flawed) {
			x.append = func(e entry, records []Effect) error {
				m.Records = append(m.Records, records...)
				return x.tx.Append(e, nil)
			}
		},
		rules: []string{"a rollback leaves nothing", "records are written with their step"},
	},
	"records are not written": {
		tx:    func(_ *memory, x *flawed) { x.append = func(e entry, _ []Effect) error { return x.tx.Append(e, nil) } },
		rules: []string{"a step is there with its commit and not before", "records are written with their step"},
	},
	"facts are journalled without their keys": {
		tx: func(_ *memory, x *flawed) {
			x.append = func(e entry, records []Effect) error {
				e.Key = ""
				return x.tx.Append(e, records)
			}
		},
		rules: []string{"a key is seen from its step on, for good", "2 a fact told again is not stepped on"},
	},
	"an effect is enqueued without its lease": {
		tx: func(_ *memory, x *flawed) {
			x.enqueue = func(q queued) (int64, error) {
				q.Leased = false
				return x.tx.Enqueue(q)
			}
		},
		rules: []string{"4 what is about to be carried out is leased", "4 a restart knows what may have been carried out"},
	},
	"a lease forgets the number of the attempt": {
		tx: func(_ *memory, x *flawed) {
			x.lease = func(id int64, a durable.Attempt) error {
				return x.tx.Lease(id, durable.Attempt{Number: 1, First: a.First, Done: a.Done})
			}
		},
		rules: []string{"a lease keeps number, first attempt and how far it is done", "4 a restart knows what may have been carried out"},
	},
	"a lease forgets the first attempt": {
		tx: func(_ *memory, x *flawed) {
			x.lease = func(id int64, a durable.Attempt) error {
				return x.tx.Lease(id, durable.Attempt{Number: a.Number, Done: a.Done})
			}
		},
		rules: []string{"a lease keeps number, first attempt and how far it is done", "9 an effect in parts goes on where it was"},
	},
	"a lease forgets how far the effect is done": {
		tx: func(_ *memory, x *flawed) {
			x.lease = func(id int64, a durable.Attempt) error {
				return x.tx.Lease(id, durable.Attempt{Number: a.Number, First: a.First})
			}
		},
		rules: []string{"a lease keeps number, first attempt and how far it is done", "9 an effect in parts goes on where it was"},
	},
	"a release is forgotten": {
		tx:    func(_ *memory, x *flawed) { x.release = func(int64) error { return nil } },
		rules: []string{"a lease keeps number, first attempt and how far it is done", "4 a restart knows what may have been carried out"},
	},
	"what is unfit fails as the whole store does": {
		tx: func(_ *memory, x *flawed) {
			whole := func(err error) error {
				if err != nil {
					return errRefused
				}
				return nil
			}
			x.append = func(e entry, records []Effect) error { return whole(x.tx.Append(e, records)) }
		},
		rules: []string{
			"what is unfit is said to be, and the store is well", "8 what cannot be stored is refused alone",
			"8 a result that cannot be stored leaves its effect leased",
		},
		calm: true,
	},
	"a crash takes the last step along": {
		crash: func(m *memory) {
			last := m.Entries[len(m.Entries)-1]
			m.Entries = m.Entries[:len(m.Entries)-1]
			delete(m.Keys, last.Key)
		},
		rules: []string{"a step is there with its commit and not before", "2 a fact told again is not stepped on"},
	},
	"a crash takes the leases along": {
		crash: func(m *memory) {
			for id, q := range m.Pending {
				q.Leased = false
				m.Pending[id] = q
			}
		},
		rules: []string{"a step is there with its commit and not before", "4 a restart knows what may have been carried out"},
	},
	"a crash brings a settled effect back": {
		crash: func(m *memory) {
			m.lastID++
			m.Pending[m.lastID] = queued{ID: m.lastID, Instance: "p", Effect: m.Entries[0].Fact.(Fact).Wants[0], Step: 1}
		},
		rules: []string{"6 a result settles its effect with its facts"},
	},
}

// flawedPlace is a place for a ledger in memory with a flaw.
type flawedPlace struct {
	memoryPlace
	flaw string
}

func (p *flawedPlace) Open() (ledger, error) {
	l, err := p.memoryPlace.Open()
	return flawedLedger{l.(*memoryLedger), p.flaw}, err
}

func (p *flawedPlace) Crash() error {
	err := p.memoryPlace.Crash()
	if crash := flaws[p.flaw].crash; crash != nil && len(p.m.Entries) > 0 && len(p.m.Entries[0].Fact.(Fact).Wants) > 0 {
		crash(p.m)
	}
	return err
}

type flawedLedger struct {
	*memoryLedger
	flaw string
}

func (l flawedLedger) Outbox() ([]queued, error) {
	pending, err := l.memoryLedger.Outbox()
	if out := flaws[l.flaw].out; out != nil {
		out(pending)
	}
	return pending, err
}

func (l flawedLedger) Begin() (tx, error) {
	x, err := l.memoryLedger.Begin()
	if err != nil {
		return nil, err
	}
	f := &flawed{
		tx: x, seen: x.Seen, load: x.Load, append: x.Append, enqueue: x.Enqueue,
		lease: x.Lease, release: x.Release, settle: x.Settle, commit: x.Commit, undo: x.Rollback,
	}
	if flaw := flaws[l.flaw].tx; flaw != nil {
		flaw(l.memory, f)
	}
	return f, nil
}

// TestTheSuiteFindsWhatIsWrong holds that each flaw is found, by its rules and by a
// crash somewhere in the scenario, and that there is no rule that finds none.
func TestTheSuiteFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	finds := map[string]bool{}
	for name, flaw := range flaws {
		s := subject{clock: clock, place: func(*testing.T) place {
			return speakingPlace[State, Data, durable.Fact, Effect]{&flawedPlace{memoryPlace{newMemory()}, name}, inMemory().Dialect}
		}}
		var broken []string
		for _, r := range rules() {
			if broke(func() error { return s.try(t, r.check) }) != nil {
				broken = append(broken, r.name)
				finds[r.name] = true
			}
		}
		for _, r := range flaw.rules {
			if !slices.Contains(broken, r) {
				t.Errorf("%s: the rule %q does not find it; %q do", name, r, broken)
			}
		}
		if err := broke(func() error { return s.crashAnywhere(t) }); (err == nil) != flaw.calm {
			t.Errorf("%s: crashes find %v", name, err)
		}
	}
	for _, r := range rules() {
		if !finds[r.name] {
			t.Errorf("the rule %q finds nothing", r.name)
		}
	}
}

// broke is what a check finds. The ledger in memory panics where no engine over a
// sound store would come.
func broke(check func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return check()
}

// crashAnywhere leads the scenario through a crash at each point until something
// does not hold.
func (s subject) crashAnywhere(t *testing.T) error {
	t.Helper()
	reached, err := s.told(t, scenario())
	for at := 1; err == nil && at <= len(reached[0]); at++ {
		_, err = s.told(t, scenario(), at)
	}
	return err
}
