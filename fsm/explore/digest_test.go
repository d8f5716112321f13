package explore_test

import (
	"testing"

	"deskbridge/fsm/explore"
)

type thing interface{ thing() }

type (
	apple struct{ N int }
	pear  struct{ N int }
)

func (apple) thing() {}
func (pear) thing()  {}

func TestKeyOfTellsValuesApart(t *testing.T) {
	t.Parallel()
	type pair struct{ A, B string }
	type secret struct{ n int }
	for _, c := range []struct {
		name string
		a, b any
		same bool
	}{
		{"equal values", pair{"x", "y"}, pair{"x", "y"}, true},
		{"the parts of a text and their place", pair{"xy", ""}, pair{"x", "y"}, false},
		{"fields that are not exported", secret{1}, secret{2}, false},
		{"no list and an empty one", []string(nil), []string{}, true},
		{"the order of a list", []int{1, 2}, []int{2, 1}, false},
		{"no pointer and one to nothing much", (*pair)(nil), &pair{}, false},
		{"what a pointer points to", &pair{"x", "y"}, &pair{"x", "y"}, true},
		{"the type behind an interface", []thing{apple{1}}, []thing{pear{1}}, false},
		{"nothing behind an interface", []thing{nil}, []thing{apple{}}, false},
		{"numbers", uint8(3), uint8(4), false},
		{"truth", true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if same := explore.KeyOf(c.a) == explore.KeyOf(c.b); same != c.same {
				t.Errorf("same: %t", same)
			}
		})
	}
}

func TestKeyOfTakesNamesByWhereTheyStand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		a, b []string
		same bool
	}{
		{"another number throughout", []string{"t1", "outcome:t1", "t2"}, []string{"t7", "outcome:t7", "t3"}, true},
		{"two that are the same, and two that are not", []string{"t1", "t1"}, []string{"t1", "t2"}, false},
		{"names of different kinds, in the same place", []string{"t1"}, []string{"m1"}, true},
		{"what stands around a name", []string{"outcome:t1"}, []string{"notice:t1"}, false},
		{"a number that belongs to no name", []string{"1"}, []string{"2"}, false},
		{"a name at the end, and another that begins with it", []string{"t1", "t1x"}, []string{"t1", "t1y"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if same := explore.KeyOf(c.a) == explore.KeyOf(c.b); same != c.same {
				t.Errorf("same: %t", same)
			}
		})
	}
}

func TestKeyOfRefusesWhatHasNoOrder(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a map was taken")
		}
	}()
	explore.KeyOf(struct{ M map[string]int }{})
}
