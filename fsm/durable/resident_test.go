package durable_test

import (
	"fmt"
	"testing"
)

func TestAnInstanceThatIsNotResidentIsReadAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.engine.KeepResident(2)
	loads := map[string]int{}
	r.store.Refuse = func(op string, about any) error {
		if op == "load" {
			loads[about.(string)]++
		}
		return nil
	}
	for i, p := range []string{"p", "q", "p", "s", "q", "p"} { // s puts q out, q puts p out, p puts s out
		r.ask(p, fmt.Sprint(i))
	}
	want(t, "loads", loads, map[string]int{"p": 2, "q": 2, "s": 1})
	want(t, "resident", r.engine.Resident(), 2)
	want(t, "story of p", r.story("p"), []string{"asked 0", "asked 2", "asked 5"})
	want(t, "story of q", r.story("q"), []string{"asked 1", "asked 4"})
	want(t, "steps of p", r.store.Instances["p"].Steps, int64(3))
}

// A batch may hold more instances than are kept.
func TestABatchOfMoreInstancesThanAreResident(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.engine.KeepResident(2)
	for round := range 2 {
		for i := range 9 {
			r.submit(fmt.Sprint("p", i%3), asked{Key: fmt.Sprint(round, " ", i)})
		}
		r.clock.Settle()
	}
	want(t, "commits", r.store.Commits, 2)
	want(t, "resident", r.engine.Resident(), 2)
	want(t, "story", r.story("p1"), []string{"asked 0 1", "asked 0 4", "asked 0 7", "asked 1 1", "asked 1 4", "asked 1 7"})
}
