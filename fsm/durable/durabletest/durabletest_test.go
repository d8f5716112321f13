package durabletest

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"deskbridge/adapters/sched"
	"deskbridge/fsm/durable"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type memory = Memory[State, Data, durable.Fact, Effect]

// memoryPlace is a place for a ledger in memory.
type memoryPlace struct{ m *memory }

func (p *memoryPlace) Open() (ledger, error) {
	return &memoryLedger{memory: p.m, spoilt: map[string]bool{}}, nil
}

func (p *memoryPlace) Crash() error {
	p.m = clone(p.m)
	return nil
}

// clone copies what was committed.
func clone(m *memory) *memory {
	to := newMemory()
	to.Entries, to.Records, to.lastID = slices.Clone(m.Entries), slices.Clone(m.Records), m.lastID
	to.Keys, to.Instances, to.Pending = maps.Clone(m.Keys), maps.Clone(m.Instances), maps.Clone(m.Pending)
	return to
}

// memoryLedger refuses what the suite calls unfit.
type memoryLedger struct {
	*memory
	spoilt map[string]bool
}

func (l *memoryLedger) Begin() (tx, error) {
	l.Refuse = l.refuse
	return l.memory.Begin()
}

func (l *memoryLedger) refuse(op string, about any) error {
	unfit := false
	switch a := about.(type) {
	case Fact:
		unfit = a.Unfit
	case Effect:
		unfit = a.Unfit
	case string:
		unfit = op == "load" && l.spoilt[a]
	}
	if unfit {
		return fmt.Errorf("%s: %w", op, durable.ErrUnfit)
	}
	return nil
}

func (l *memoryLedger) Journal() (lines []lineOf, err error) {
	for _, e := range l.Entries {
		lines = append(lines, lineOf{e.Instance, e.Steps, e.Fact})
	}
	return lines, nil
}

func (l *memoryLedger) Records() (names []string, err error) {
	for _, r := range l.memory.Records {
		names = append(names, r.Name)
	}
	return names, nil
}

func (l *memoryLedger) Spoil(instance string) error {
	l.spoilt[instance] = true
	return nil
}

func (l *memoryLedger) Close() error { return nil }

func newMemory() *memory { return NewMemory[State, Data, durable.Fact, Effect](Fresh) }

func clock(at time.Time) Clock { return sched.NewVirtual(at) }

func inMemory() Subject[State, Data, durable.Fact, Effect] {
	return Subject[State, Data, durable.Fact, Effect]{
		New:   func(*testing.T) place { return &memoryPlace{newMemory()} },
		Clock: clock,
		Dialect: Dialect[State, Data, durable.Fact, Effect]{
			States:     map[State]State{Fresh: Fresh, Told: Told},
			Data:       func(d Data) Data { return d },
			ReadData:   func(d Data) Data { return d },
			Fact:       func(f Fact) durable.Fact { return f },
			ReadFact:   func(f durable.Fact) Fact { return f.(Fact) },
			Effect:     func(e Effect) Effect { return e },
			ReadEffect: func(e Effect) Effect { return e },
		},
	}
}

func TestTheLedgerInMemoryConforms(t *testing.T) {
	t.Parallel()
	Run(t, inMemory())
}
