package mutate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/fsm"
	"deskbridge/fsm/mutate"
)

// The machine of these tests is a lamp with a push button and a fuse.

type state string

const (
	dark  state = "dark"
	light state = "light"
)

type lamp struct{ Pushed int }

type happening string

func (h happening) FactName() string { return string(h) }

type wish string

func (w wish) EffectName() string { return string(w) }

type (
	declaration = fsm.Declaration[state, lamp, happening, wish]
	row         = fsm.Row[state, lamp, happening, wish]
	guard       = fsm.Guard[lamp, happening]
	action      = fsm.Action[lamp, happening, wish]
	mutation    = mutate.Mutation[state, lamp, happening, wish]
)

func term(name string) fsm.Term { return fsm.Term{Name: name, Doc: name + "."} }

var (
	fresh = guard{Term: term("fresh"), Holds: func(l *lamp, _ happening) bool { return l.Pushed < 3 }}
	count = action{Term: term("count"), Do: func(l *lamp, _ happening, _ func(wish)) { l.Pushed++ }}
	click = action{
		Term: term("click"), Emits: []string{"sound", "spark"},
		Do: func(_ *lamp, _ happening, emit func(wish)) {
			emit("sound")
			emit("spark")
		},
	}
)

func lampMachine(t *testing.T) *fsm.Machine[state, lamp, happening, wish] {
	t.Helper()
	m, err := fsm.New(declaration{
		Term:    term("lamp"),
		Initial: dark,
		States:  []fsm.State[state]{{Name: dark, Doc: "Off.", Settled: true}, {Name: light, Doc: "On."}},
		Facts:   []fsm.Term{term("push"), term("blow")},
		Effects: []fsm.Term{term("sound"), term("spark")},
		Rows: []row{
			{In: []state{dark}, On: "push", If: []guard{fresh}, To: light, Do: []action{count, click}, Why: "It goes on."},
			{In: []state{dark}, On: "push", If: []guard{fsm.Not(fresh)}, Do: []action{count}, Why: "It is worn out."},
			{In: []state{light}, On: "push", To: dark, Do: []action{count, click}, Why: "It goes off."},
			{In: []state{dark, light}, On: "blow", To: dark, Why: "Without the fuse it is dark."},
		},
		Clone: func(l lamp) lamp { return l },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAllNamesEveryMutation(t *testing.T) {
	t.Parallel()
	var names []string
	for m := range mutate.All(lampMachine(t)) {
		names = append(names, m.String())
	}
	want := []string{
		"dark.push.1 drops guard fresh",
		"dark.push.1 is deleted",
		"dark.push.1 goes to dark",
		"dark.push.1 ignores",
		"dark.push.1 drops action count",
		"dark.push.1 drops action click",
		"dark.push.1 drops effect sound of click",
		"dark.push.1 drops effect spark of click",

		"dark.push.2 drops guard not_fresh",
		"dark.push.2 is deleted",
		"dark.push.2 goes to light",
		"dark.push.2 ignores",
		"dark.push.2 drops action count",

		"light.push.1 is deleted",
		"light.push.1 goes to light",
		"light.push.1 ignores",
		"light.push.1 drops action count",
		"light.push.1 drops action click",
		"light.push.1 drops effect sound of click",
		"light.push.1 drops effect spark of click",

		"dark.blow.1 is deleted",
		"dark.blow.1 goes to light",
		"dark.blow.1 ignores",

		"light.blow.1 is deleted",
		"light.blow.1 goes to light",
		"light.blow.1 ignores",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestPartsOfTheSameNameAreNumbered(t *testing.T) {
	t.Parallel()
	decl := lampMachine(t).Declaration()
	decl.Rows[2].Do = []action{count, click, count}
	m, err := fsm.New(decl)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for m := range mutate.All(m) {
		if m.Kind == mutate.DropAction && m.Entry == "light.push.1" {
			names = append(names, m.What)
		}
	}
	if diff := cmp.Diff([]string{"count", "click", "count#2"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestTheOriginalIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	m := lampMachine(t)
	before := outline(m.Declaration())
	for mutation := range mutate.All(m) {
		after := outline(mutation.Apply())
		if diff := cmp.Diff(before, outline(m.Declaration())); diff != "" {
			t.Fatalf("%s changed the original:\n%s", mutation, diff)
		}
		if cmp.Equal(before, after) {
			t.Errorf("%s changed nothing", mutation)
		}
	}
}

// outline is a declaration's table as text, one line an entry, with what each entry
// emits and does.
func outline(d declaration) (lines []string) {
	for _, r := range d.Rows {
		for _, from := range r.In {
			line := fmt.Sprintf("%s %s", from, r.On)
			for _, g := range r.If {
				line += " if " + g.Name
			}
			line += fmt.Sprintf(" to %q ignore %t", r.To, r.Ignore)
			for _, a := range r.Do {
				line += " do " + a.Name + " emits " + strings.Join(emitted(a), ",")
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func emitted(a action) (names []string) {
	a.Do(&lamp{}, "push", func(w wish) { names = append(names, string(w)) })
	return names
}

func TestEachKindBreaksItsOneEntry(t *testing.T) {
	t.Parallel()
	m := lampMachine(t)
	before := outline(m.Declaration())
	const on, off = "dark push if fresh", "light push"
	for _, c := range []struct{ name, entry, want string }{
		{"dark.push.1 drops guard fresh", on, `dark push to "light" ignore false do count emits  do click emits sound,spark`},
		{"dark.push.1 is deleted", on, ""},
		{"dark.push.1 goes to dark", on, `dark push if fresh to "dark" ignore false do count emits  do click emits sound,spark`},
		{"light.push.1 ignores", off, `light push to "" ignore true`},
		{"light.push.1 drops action count", off, `light push to "dark" ignore false do click emits sound,spark`},
		{"light.push.1 drops effect sound of click", off, `light push to "dark" ignore false do count emits  do click emits spark`},
		{"dark.blow.1 goes to light", "dark blow", `dark blow to "light" ignore false`},
		{"light.blow.1 goes to light", "light blow", `light blow to "light" ignore false`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var want []string
			for _, line := range before {
				switch {
				case !strings.HasPrefix(line, c.entry):
					want = append(want, line)
				case c.want != "":
					want = append(want, c.want)
				}
			}
			after := outline(named(t, m, c.name).Apply())
			slices.Sort(want) // an entry of a row of several states changes places with the others
			slices.Sort(after)
			if diff := cmp.Diff(want, after); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func named(t *testing.T, m *fsm.Machine[state, lamp, happening, wish], name string) mutation {
	t.Helper()
	for mutation := range mutate.All(m) {
		if mutation.String() == name {
			return mutation
		}
	}
	t.Fatalf("there is no mutation %q", name)
	return mutation{}
}

func TestABrokenTableStepsAsItSays(t *testing.T) {
	t.Parallel()
	m := lampMachine(t)
	step := func(t *testing.T, from state, name string) fsm.Result[state, lamp, wish] {
		t.Helper()
		broken, err := fsm.New(named(t, m, name).Apply())
		if err != nil {
			t.Fatal(err)
		}
		res, err := broken.Step(from, lamp{}, "push")
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if got := step(t, light, "light.push.1 goes to light"); got.State != light || got.Data.Pushed != 1 {
		t.Errorf("got %+v", got)
	}
	if got := step(t, dark, "dark.push.1 drops effect sound of click"); !slices.Equal(got.Effects, []wish{"spark"}) {
		t.Errorf("got %+v", got)
	}
	if got := step(t, light, "light.push.1 ignores"); !got.Ignored || got.Data.Pushed != 0 || len(got.Effects) > 0 {
		t.Errorf("got %+v", got)
	}
}

func TestAnIgnoredFactMayMove(t *testing.T) {
	t.Parallel()
	decl := lampMachine(t).Declaration()
	decl.Rows = slices.Clone(decl.Rows)
	decl.Rows[1] = row{In: []state{dark}, On: "push", If: []guard{fsm.Not(fresh)}, Ignore: true, Why: "It is worn out."}
	m, err := fsm.New(decl)
	if err != nil {
		t.Fatal(err)
	}
	broken, err := fsm.New(named(t, m, "dark.push.2 goes to light").Apply())
	if err != nil {
		t.Fatal(err)
	}
	res, err := broken.Step(dark, lamp{Pushed: 3}, "push")
	if err != nil || res.State != light || res.Ignored {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestADeletedEntryLeavesItsCell(t *testing.T) {
	t.Parallel()
	_, err := fsm.New(named(t, lampMachine(t), "light.blow.1 is deleted").Apply())
	if err == nil || !strings.Contains(err.Error(), "state light has no cell for fact blow") {
		t.Errorf("got %v", err)
	}
}
