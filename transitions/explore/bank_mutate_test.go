package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/transitions"
)

// smallBank is a bank of the program's tables that is made at once.
func smallBank(seed uint64, workers int) *Bank {
	return NewBank(transitions.Standard(), BankOptions{
		Seed: seed, Worlds: []Bounds{{Messages: 1, Stops: 1, Faults: 1}}, MaxStates: 300, Walks: 3, Imagined: 300, Workers: workers,
	})
}

// contents says how much of what a bank has.
func contents(b *Bank) map[string]int {
	has := map[string]int{}
	for of, s := range b.worlds {
		has[of.Machine+" "+of.Entry] = s.shown
	}
	for in, steps := range b.steps.in {
		has[in.machine+" "+in.name] = len(steps)
	}
	return has
}

func TestABankDoesNotDependOnTheWorkers(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(contents(smallBank(1, 1)), contents(smallBank(1, 3))); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(contents(smallBank(1, 1)), contents(smallBank(2, 1))) {
		t.Error("another seed makes no difference")
	}
}

// TestSoundTablesAreNotNoticed tries tables that are not broken at all.
func TestSoundTablesAreNotNoticed(t *testing.T) {
	t.Parallel()
	b := smallBank(1, 1)
	if len(b.Broken) > 0 {
		t.Fatal(b.Broken)
	}
	tried := 0
	for i, e := range transitions.Conversation().Entries() {
		of := Taken{Machine: conversation, Entry: e.ID}
		if i%20 != 0 || !b.Takes(of) {
			continue // some are enough
		}
		tried++
		sound := Mutant{Of: of, Name: "nothing", Make: func() (*transitions.Tables, error) { return transitions.Standard(), nil }}
		if v := b.Try(sound); v.By != ByNobody {
			t.Errorf("%v: noticed by %s: %s", of, v.By, v.Problem)
		}
		if b.Differs(sound) {
			t.Errorf("%v: the same tables differ", of)
		}
	}
	if tried == 0 {
		t.Error("none was tried")
	}
}

// TestFactsOfEveryKindAreImagined holds the imagined facts to what the machine declares.
func TestFactsOfEveryKindAreImagined(t *testing.T) {
	t.Parallel()
	want, got := map[string]bool{}, map[string]bool{}
	for _, f := range transitions.Conversation().Declaration().Facts {
		want[f.Name] = true
	}
	for _, m := range makers {
		got[m.fact] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMutantsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, m := range Mutants(transitions.Standard()) {
		if seen[m.Name] {
			t.Errorf("two mutants are called %s", m.Name)
		}
		seen[m.Name] = true
	}
}

func TestWhatIsAlikeIsKeptEverMoreRarely(t *testing.T) {
	t.Parallel()
	var kept []int
	for n := 1; n <= 20; n++ {
		if keeps(n) {
			kept = append(kept, n)
		}
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4, 8, 16}, kept); diff != "" {
		t.Error(diff)
	}
}
