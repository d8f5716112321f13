package fsm_test

import (
	"errors"
	"strings"
	"testing"

	"deskbridge/fsm"
	"github.com/google/go-cmp/cmp"
)

func TestAGoodDeclarationIsAccepted(t *testing.T) {
	t.Parallel()
	m, err := fsm.New(turnstile())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range m.Entries() {
		ids = append(ids, e.ID)
	}
	want := []string{"locked.coin.1", "unlocked.coin.1", "locked.push.1", "unlocked.push.1", "unlocked.push.2"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}
	if e, ok := m.Entry("unlocked.push.1"); !ok || e.From != unlocked || e.To != locked {
		t.Errorf("%+v, %v", e, ok)
	}
	if e, ok := m.Entry("unlocked.push.2"); !ok || e.To != unlocked {
		t.Errorf("a row without a target stays: %+v, %v", e, ok)
	}
	if _, ok := m.Entry("unlocked.push.3"); ok {
		t.Error("an entry that nobody declared")
	}
	if got := m.Declaration().Name; got != "turnstile" {
		t.Errorf("got %s", got)
	}
}

// TestAFaultyDeclarationIsRefused breaks the good declaration in one place at a
// time and holds what is said about it.
func TestAFaultyDeclarationIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage func(d *declaration)
		want   []string
	}{
		{"a missing cell", func(d *declaration) { d.Rows = append(d.Rows[:1:1], d.Rows[2:]...) },
			[]string{"state unlocked has no cell for fact coin"}},
		{"an unguarded row that is not alone", func(d *declaration) { d.Rows[3].If = nil },
			[]string{"unlocked.push.1 has no guard but is not alone in its cell"}},
		{"two unguarded rows in one cell", func(d *declaration) { d.Rows = append(d.Rows, d.Rows[0]) },
			[]string{"locked.coin.1 has no guard but is not alone in its cell", "locked.coin.2 has no guard but is not alone in its cell"}},
		{"an undeclared source", func(d *declaration) {
			d.Rows = append(d.Rows, row{In: []state{"ajar"}, On: "coin", Ignore: true, Why: "No such state."})
		}, []string{`ajar.coin.1: state "ajar" is not declared`, `ajar.coin.1: state "ajar" is not declared`}},
		{"an undeclared target", func(d *declaration) { d.Rows[0].To = "ajar" },
			[]string{`locked.coin.1: state "ajar" is not declared`}},
		{"an undeclared fact", func(d *declaration) { d.Rows[0].On = "kick" },
			[]string{`locked.kick.1: fact "kick" is not declared`}},
		{"an undeclared effect", func(d *declaration) { d.Effects = d.Effects[:1] },
			[]string{
				`locked.push.1: action ring: effect "ring_bell" is not declared`,
				`unlocked.push.2: action ring: effect "ring_bell" is not declared`,
			}},
		{"an undeclared initial state", func(d *declaration) { d.Initial = "ajar" },
			[]string{`the initial state: state "ajar" is not declared`}},
		{"no initial state", func(d *declaration) { d.Initial = "" },
			[]string{`the initial state: state "" is not declared`}},
		{"a machine whose name is not snake_case", func(d *declaration) { d.Name = "Turnstile" },
			[]string{`machine "Turnstile": a name is snake_case`}},
		{"a fact whose name is not snake_case", func(d *declaration) { d.Facts = append(d.Facts, named("kick-it", "A kick.")) },
			[]string{`fact "kick-it": a name is snake_case`}},
		{"an effect whose name is not snake_case", func(d *declaration) { d.Effects = append(d.Effects, named("call__police", "Calls.")) },
			[]string{`effect "call__police": a name is snake_case`}},
		{"a guard whose name is not snake_case", func(d *declaration) { d.Rows[0].If = []guard{{Term: named("is 1", "One."), Holds: welcome.Holds}} },
			[]string{`guard of locked.coin.1 "is 1": a name is snake_case`}},
		{"a state without a name", func(d *declaration) { d.States = append(d.States, fsm.State[state]{Doc: "Nowhere."}) },
			[]string{`state "": a name is snake_case`}},
		{"a state declared twice", func(d *declaration) { d.States = append(d.States, d.States[0]) },
			[]string{"state locked is declared twice"}},
		{"a fact declared twice", func(d *declaration) { d.Facts = append(d.Facts, d.Facts[0]) },
			[]string{"fact coin is declared twice"}},
		{"an effect declared twice", func(d *declaration) { d.Effects = append(d.Effects, d.Effects[0]) },
			[]string{"effect greet is declared twice"}},
		{"a machine without a doc sentence", func(d *declaration) { d.Doc = "" },
			[]string{"machine turnstile has no doc sentence"}},
		{"a state without a doc sentence", func(d *declaration) { d.States[1].Doc = "" },
			[]string{"state unlocked has no doc sentence"}},
		{"a fact without a doc sentence", func(d *declaration) { d.Facts[1].Doc = "" },
			[]string{"fact push has no doc sentence"}},
		{"an effect without a doc sentence", func(d *declaration) { d.Effects[0].Doc = "" },
			[]string{"effect greet has no doc sentence"}},
		{"an action without a doc sentence", func(d *declaration) {
			d.Rows[0].Do = []action{{Term: named("keep_coin", ""), Do: keepCoin.Do}}
		}, []string{"action of locked.coin.1 keep_coin has no doc sentence"}},
		{"a row without a reason", func(d *declaration) { d.Rows[1].Why = "" },
			[]string{"unlocked.coin.1: no reason"}},
		{"an ignored fact that moves", func(d *declaration) { d.Rows[1].To = locked },
			[]string{"unlocked.coin.1: an ignored fact neither moves nor does anything"}},
		{"an ignored fact that does something", func(d *declaration) { d.Rows[1].Do = []action{keepCoin} },
			[]string{"unlocked.coin.1: an ignored fact neither moves nor does anything"}},
		{"a guard without a condition", func(d *declaration) { d.Rows[3].If = []guard{{Term: welcome.Term}} },
			[]string{"unlocked.push.1: guard welcome has no condition"}},
		{"an action without a function", func(d *declaration) { d.Rows[0].Do = []action{{Term: keepCoin.Term}} },
			[]string{"locked.coin.1: action keep_coin does nothing"}},
		{"no Clone", func(d *declaration) { d.Clone = nil },
			[]string{"Clone is missing"}},
		{"an effect that no row emits", func(d *declaration) { d.Effects = append(d.Effects, named("call_police", "Calls.")) },
			[]string{"effect call_police is emitted by no row"}},
		{"a state without a cell", func(d *declaration) { d.States = append(d.States, broken); d.Rows[4].To = broken.Name },
			[]string{"state broken has no cell for fact coin", "state broken has no cell for fact push", "state broken cannot reach a settled state"}},
		{"a state that cannot be reached", func(d *declaration) {
			d.States = append(d.States, broken)
			d.Rows = append(d.Rows, brokenRows(locked)...)
		}, []string{"state broken cannot be reached from locked"}},
		{"a settled state that cannot be reached", func(d *declaration) {
			d.States = append(d.States, broken)
			d.States[2].Settled = true
			d.Rows = append(d.Rows, brokenRows("")...)
		}, []string{"state broken cannot be reached from locked"}},
		{"a state without a way to rest", func(d *declaration) {
			d.States = append(d.States, broken)
			d.Rows = append(d.Rows, brokenRows("")...)
			d.Rows[4].To = broken.Name
		}, []string{"state broken cannot reach a settled state"}},
		{"nowhere to rest", func(d *declaration) { d.States[0].Settled = false },
			[]string{"state locked cannot reach a settled state", "state unlocked cannot reach a settled state"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := turnstile()
			c.damage(&d)
			if diff := cmp.Diff(c.want, faultsOf(t, d)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// broken is a state that the turnstile can do without.
var broken = fsm.State[state]{Name: "broken", Doc: "Nothing moves."}

// brokenRows gives the broken turnstile cells; a push leads to the given state.
func brokenRows(push state) []row {
	return []row{
		{In: []state{broken.Name}, On: "coin", Ignore: true, Why: "It is broken."},
		{In: []state{broken.Name}, On: "push", To: push, Do: []action{ring}, Why: "It is broken."},
	}
}

func faultsOf(t *testing.T, d declaration) []string {
	t.Helper()
	m, err := fsm.New(d)
	var wrong *fsm.DeclarationError
	if !errors.As(err, &wrong) || m != nil {
		t.Fatalf("accepted, or refused otherwise: %v", err)
	}
	if wrong.Machine != d.Name {
		t.Errorf("machine %q", wrong.Machine)
	}
	return wrong.Faults
}

// TestAllFaultsAreListedAtOnce holds that nobody has to mend a declaration one
// run at a time, and that the error's text has them all, a line each.
func TestAllFaultsAreListedAtOnce(t *testing.T) {
	t.Parallel()
	d := turnstile()
	d.Clone = nil
	d.Initial = "ajar"
	d.Facts[0].Doc = ""
	d.Rows[1].Why = ""
	d.Rows[2].To = "gone"
	want := []string{
		"fact coin has no doc sentence",
		`the initial state: state "ajar" is not declared`,
		"Clone is missing",
		"unlocked.coin.1: no reason",
		`locked.push.1: state "gone" is not declared`,
	}
	if diff := cmp.Diff(want, faultsOf(t, d)); diff != "" {
		t.Error(diff)
	}
	_, err := fsm.New(d)
	text := "fsm: machine turnstile is not well declared:\n  " + strings.Join(want, "\n  ")
	if diff := cmp.Diff(text, err.Error()); diff != "" {
		t.Error(diff)
	}
}

// TestFaultsOfTheWholeTableAreListedAtOnce does the same for what can be checked
// only once every row is well formed.
func TestFaultsOfTheWholeTableAreListedAtOnce(t *testing.T) {
	t.Parallel()
	d := turnstile()
	d.States = append(d.States, broken)
	d.Effects = append(d.Effects, named("call_police", "Calls."))
	want := []string{
		"state broken has no cell for fact coin",
		"state broken has no cell for fact push",
		"state broken cannot be reached from locked",
		"effect call_police is emitted by no row",
	}
	if diff := cmp.Diff(want, faultsOf(t, d)); diff != "" {
		t.Error(diff)
	}
}

func TestMustNewPanicsOnAFaultyDeclaration(t *testing.T) {
	t.Parallel()
	defer func() {
		var wrong *fsm.DeclarationError
		if err, ok := recover().(error); !ok || !errors.As(err, &wrong) {
			t.Errorf("recovered %v", err)
		}
	}()
	d := turnstile()
	d.Clone = nil
	fsm.MustNew(d)
}
