package durable_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/sched"
	"deskbridge/fsm/durable"
)

var errRefused = errors.New("the disk is full")

type (
	engine = durable.Engine[place, parcel, fact, effect]
	report = durable.Report[fact]
)

// attempt is an errand that the executor was given.
type attempt struct {
	instance string
	errand   errand
	durable.Attempt
	report func(report)
}

// rig is an engine over a store in memory, in virtual time, with an executor
// that keeps what it is given until the test reports on it.
type rig struct {
	t      *testing.T
	clock  *sched.Virtual
	store  *memStore
	engine *engine
	// open are the attempts without a report, in order.
	open []attempt
	// executed are the names of all attempts of this life, in order.
	executed []string
	// lines are all that happened, in order.
	lines    []string
	troubles []error
	// onExecute, if set, takes the attempts instead.
	onExecute func(attempt)
	// onTrouble, if set, hears of trouble too.
	onTrouble func(error)
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, clock: sched.NewVirtual(time.Unix(1_000_000, 0)), store: newMemStore()}
	r.store.Log = r.tell
	r.start()
	return r
}

func (r *rig) tell(line string) { r.lines = append(r.lines, line) }

// start begins a life of the engine on what the store holds; what the last one
// had in memory is gone.
func (r *rig) start() {
	r.t.Helper()
	r.clock = sched.NewVirtual(r.clock.Now())
	r.open, r.executed, r.troubles = nil, nil, nil
	r.engine = durable.New(r.options())
	if err := r.engine.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.clock.Settle()
}

func (r *rig) options() durable.Options[place, parcel, fact, effect] {
	return durable.Options[place, parcel, fact, effect]{
		Scheduler: r.clock,
		Store:     r.store,
		Machine:   parcels,
		Handle:    handle,
		Executor:  durable.ExecutorFunc[fact, effect](r.execute),
		Hint:      func(instance string, e effect) { r.tell("hint " + instance + " " + e.(whisper).Text) },
		Stepped:   func(e entry) { r.tell(fmt.Sprintf("stepped %s.%d", e.Instance, e.Steps)) },
		Backoff:   func(n int) time.Duration { return time.Duration(n) * time.Minute },
		Trouble: func(err error) {
			r.troubles = append(r.troubles, err)
			if r.onTrouble != nil {
				r.onTrouble(err)
			}
		},
	}
}

func (r *rig) execute(instance string, e effect, a durable.Attempt, done func(report)) {
	at := attempt{instance, e.(errand), a, done}
	r.tell(fmt.Sprintf("execute %s %s #%d", instance, at.errand.Name, a.Number))
	r.executed = append(r.executed, at.errand.Name)
	if r.onExecute != nil {
		r.onExecute(at)
		return
	}
	r.open = append(r.open, at)
}

// submit hands in one fact and tells of its receipt.
func (r *rig) submit(instance string, f fact) {
	r.engine.Submit(instance, f, func(err error) {
		r.tell(fmt.Sprintf("receipt of %s: %v", tell(f), err))
	})
}

// ask submits effects to be carried out, and lets the engine settle.
func (r *rig) ask(instance, key string, effects ...effect) {
	r.submit(instance, asked{key, effects})
	r.clock.Settle()
}

// take takes the one open attempt at an errand.
func (r *rig) take(name string) attempt {
	r.t.Helper()
	i := slices.IndexFunc(r.open, func(a attempt) bool { return a.errand.Name == name })
	if i < 0 {
		r.t.Fatalf("no attempt at %s is under way; under way are %v", name, r.underWay())
	}
	a := r.open[i]
	r.open = slices.Delete(r.open, i, i+1)
	return a
}

// done reports that an errand is done, without letting the engine settle.
func (r *rig) done(name string) {
	r.t.Helper()
	r.take(name).report(report{Facts: []fact{ended{name, "done"}}})
}

// again reports that an errand is to be tried again, and lets the engine settle.
func (r *rig) again(name string, again durable.Again) {
	r.t.Helper()
	r.take(name).report(report{Again: &again})
	r.clock.Settle()
}

func (r *rig) underWay() []string {
	names := []string{}
	for _, a := range r.open {
		names = append(names, a.errand.Name)
	}
	return names
}

// story is what the store knows of a parcel.
func (r *rig) story(instance string) []string { return r.store.Instances[instance].Data.Story }

// inStore lists the store's outbox: name, lease and attempts.
func (r *rig) inStore() []string {
	r.t.Helper()
	pending, err := r.store.Outbox()
	if err != nil {
		r.t.Fatal(err)
	}
	lines := []string{}
	for _, q := range pending {
		lines = append(lines, fmt.Sprintf("%s leased=%t attempts=%d", tell(q.Effect), q.Leased, q.Attempt.Number))
	}
	return lines
}

// refuseNext lets the store refuse an operation n times.
func (r *rig) refuseNext(op string, n int) {
	r.store.Refuse = func(o string, _ any) error {
		if o == op && n > 0 {
			n--
			return errRefused
		}
		return nil
	}
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
