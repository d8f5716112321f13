package explore

import (
	"flag"
	"math/rand/v2"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"deskbridge/transitions"
)

var (
	mutateSample   = flag.Int("mutate.sample", 500, "how many mutants are tried; 0: all")
	mutateOnly     = flag.String("mutate.only", "", "try the mutants whose names match this, and no sample")
	mutateSeed     = flag.Uint64("mutate.seed", 1, "which mutants the sample has")
	mutateImagined = flag.Int("mutate.imagined", 100000, "how often a track is walked on by any facts, true or not")
	mutateWalks    = flag.Int("mutate.walks", 1500, "how often a large world is walked through, to find where rows are taken")
)

// met are the worlds that are explored to find where rows are taken.
var met = []Bounds{
	{Messages: 1, Stops: 1, Requests: 1, Faults: 1},
	{Messages: 2, Stops: 1, Faults: 1},
	{Messages: 2, Stops: 1, Requests: 1, Faults: 1, Oddities: 1},
	{Messages: 2, Stops: 1, Oddities: 2},
	{Messages: 3, Faults: 2},
	{Messages: 1, Stops: 1, Requests: 1, Faults: 2},
}

// TestMutants breaks the tables in one place at a time, and holds that somebody
// notices: the check of declarations, a law of a step, or the exploration. A mutant
// that nobody notices must be one of those that make no difference (equivalents), or
// be of a row that nothing takes; these are listed.
func TestMutants(t *testing.T) {
	// Most of what is made is thrown away at once.
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	begin := time.Now()
	bank := NewBank(transitions.Standard(), BankOptions{
		Seed: 1, Worlds: met, MaxStates: 15000, Walks: *mutateWalks, Imagined: *mutateImagined, Workers: runtime.GOMAXPROCS(0),
	})
	slices.Sort(bank.Broken)
	for i, problem := range slices.Compact(bank.Broken) {
		if i == 20 {
			t.Fatal("the sound tables: and more")
		}
		t.Errorf("the sound tables: %s", problem)
	}
	mutants := Mutants(transitions.Standard())
	t.Logf("%d mutants; where rows are taken was found in %s", len(mutants), time.Since(begin).Round(time.Second))
	if *mutateOnly != "" {
		only := regexp.MustCompile(*mutateOnly)
		mutants, *mutateSample = slices.DeleteFunc(mutants, func(m Mutant) bool { return !only.MatchString(m.Name) }), 0
	}
	all := *mutateSample <= 0 || *mutateSample >= len(mutants)
	if !all {
		mutants = sampleOf(mutants, *mutateSample, *mutateSeed)
	}
	s := try(bank, mutants)
	s.report(t)
	if all && *mutateOnly == "" {
		s.holdEquivalents(t)
	}
	t.Logf("%s in all", time.Since(begin).Round(time.Second))
}

// sampleOf picks some of the mutants, in their order.
func sampleOf(mutants []Mutant, n int, seed uint64) []Mutant {
	picked := rand.New(rand.NewPCG(seed, 0)).Perm(len(mutants))[:n]
	slices.Sort(picked)
	some := make([]Mutant, 0, n)
	for _, i := range picked {
		some = append(some, mutants[i])
	}
	return some
}

// score is what became of some mutants.
type score struct {
	trials []trial
	// taken says for each mutant's entry whether it is taken in any step.
	taken map[Taken]bool
}

// trial is what became of one mutant.
type trial struct {
	Mutant
	Verdict
	// as is why nobody can notice it; nil: somebody should.
	as *equivalent
}

// try tries the mutants side by side.
func try(bank *Bank, mutants []Mutant) *score {
	s := &score{trials: make([]trial, len(mutants)), taken: map[Taken]bool{}}
	var next sync.Mutex
	todo := 0
	take := func() int {
		next.Lock()
		defer next.Unlock()
		todo++
		return todo - 1
	}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := take(); i < len(mutants); i = take() {
				m := mutants[i]
				v := bank.Try(m)
				s.trials[i] = trial{Mutant: m, Verdict: v}
				if v.By == ByNobody {
					s.trials[i].as = equivalentTo(bank, m)
				}
			}
		})
	}
	workers.Wait()
	for _, m := range mutants {
		s.taken[m.Of] = bank.Takes(m.Of)
	}
	return s
}

// report logs the score and every survivor, and fails for those that somebody
// should have noticed.
func (s *score) report(t *testing.T) {
	by := map[Layer]int{}
	never, same, unnoticed := 0, 0, 0
	inNever := map[Taken]int{}
	var order []Taken
	for i := range s.trials {
		tr := &s.trials[i]
		by[tr.By]++
		switch {
		case tr.By != ByNobody:
		case !s.taken[tr.Of]:
			if never++; inNever[tr.Of] == 0 {
				order = append(order, tr.Of)
			}
			inNever[tr.Of]++
		case tr.as != nil:
			same++
			t.Logf("equivalent: %s: %s", tr.Name, tr.as.why)
		default:
			unnoticed++
			t.Errorf("unnoticed: %s", tr.Name)
		}
	}
	for _, of := range order {
		t.Logf("never taken: %s %s (%d mutants)", of.Machine, of.Entry, inNever[of])
	}
	noticed := len(s.trials) - by[ByNobody]
	t.Logf("%d mutants tried: %d noticed (%d by declaration, %d by steps, %d by exploration), %d equivalent, %d of rows that nothing takes, %d unnoticed",
		len(s.trials), noticed, by[ByDeclaration], by[BySteps], by[ByExploration], same, never, unnoticed)
	t.Logf("score: %.2f %%", 100*float64(noticed)/float64(max(1, noticed+unnoticed)))
}

// holdEquivalents keeps the list of equivalents true: each of them excuses somebody,
// and what is said of a mutant by name holds of every one of that name.
func (s *score) holdEquivalents(t *testing.T) {
	excuses := map[*equivalent]int{}
	for i := range s.trials {
		tr := &s.trials[i]
		if tr.as != nil {
			excuses[tr.as]++
		}
		for k := range equivalents {
			if e := &equivalents[k]; tr.By != ByNobody && !e.ifSame && e.name.MatchString(tr.Name) {
				t.Errorf("equivalent, and noticed by %s all the same: %s: %s", tr.By, tr.Name, tr.Problem)
			}
		}
	}
	for k := range equivalents {
		if excuses[&equivalents[k]] == 0 {
			t.Errorf("no equivalent is %s", equivalents[k].name)
		}
	}
}
