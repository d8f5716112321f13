package mutate

import (
	"iter"
	"slices"
	"strconv"

	"deskbridge/fsm"
)

// Kind is what a mutation does to a row.
type Kind string

// The kinds of mutations.
const (
	// DropGuard takes one guard off a row.
	DropGuard Kind = "drops guard"
	// DeleteRow takes the row out of the table.
	DeleteRow Kind = "is deleted"
	// Retarget lets the row lead to another state. A row that ignores its fact
	// moves then.
	Retarget Kind = "goes to"
	// Ignore lets a row that acts or moves ignore its fact.
	Ignore Kind = "ignores"
	// DropAction takes one action off a row.
	DropAction Kind = "drops action"
	// DropEffect keeps one kind of effect from being emitted by one action.
	DropEffect Kind = "drops effect"
)

// Mutation is one way of breaking a table in one place.
type Mutation[S ~string, D any, F fsm.Fact, E fsm.Effect] struct {
	// Entry is the ID of the entry that is broken.
	Entry string
	Kind  Kind
	// What is the guard, the state, the action, or the effect and its action;
	// empty where the kind says it all.
	What string

	machine *fsm.Machine[S, D, F, E]
	// The row's index in the declaration, and that of the state among its states.
	row, in int
	// change breaks the row, which is the mutation's own by then; nil: it is deleted.
	change func(*fsm.Row[S, D, F, E])
}

// String is the mutation's name, which no other of the same machine has.
func (m Mutation[S, D, F, E]) String() string {
	name := m.Entry + " " + string(m.Kind)
	if m.What != "" {
		name += " " + m.What
	}
	return name
}

// Apply returns the broken declaration. The machine's own is left as it is, and
// all entries of other cells keep their IDs.
func (m Mutation[S, D, F, E]) Apply() fsm.Declaration[S, D, F, E] {
	decl := m.machine.Declaration()
	whole := decl.Rows[m.row]
	rest, broken := whole, whole
	rest.In = slices.Concat(whole.In[:m.in], whole.In[m.in+1:])
	broken.In = []S{whole.In[m.in]}
	broken.If, broken.Do = slices.Clone(whole.If), slices.Clone(whole.Do)

	rows := slices.Clone(decl.Rows[:m.row])
	if len(rest.In) > 0 {
		rows = append(rows, rest)
	}
	if m.change != nil {
		m.change(&broken)
		rows = append(rows, broken)
	}
	decl.Rows = append(rows, decl.Rows[m.row+1:]...)
	return decl
}

// All yields every single mutation of a machine, entry by entry in declared order.
func All[S ~string, D any, F fsm.Fact, E fsm.Effect](machine *fsm.Machine[S, D, F, E]) iter.Seq[Mutation[S, D, F, E]] {
	return func(yield func(Mutation[S, D, F, E]) bool) {
		decl, entries := machine.Declaration(), machine.Entries()
		for row := range decl.Rows {
			for in := range decl.Rows[row].In {
				entry := entries[0]
				entries = entries[1:]
				for _, m := range ofEntry(&entry, decl.States) {
					m.Entry, m.machine, m.row, m.in = entry.ID, machine, row, in
					if !yield(m) {
						return
					}
				}
			}
		}
	}
}

// ofEntry makes the mutations of one entry.
func ofEntry[S ~string, D any, F fsm.Fact, E fsm.Effect](e *fsm.Entry[S, D, F, E], states []fsm.State[S]) (all []Mutation[S, D, F, E]) {
	add := func(kind Kind, what string, change func(*fsm.Row[S, D, F, E])) {
		all = append(all, Mutation[S, D, F, E]{Kind: kind, What: what, change: change})
	}
	for i, name := range numbered(e.If, func(g fsm.Guard[D, F]) string { return g.Name }) {
		add(DropGuard, name, func(r *fsm.Row[S, D, F, E]) { r.If = slices.Delete(r.If, i, i+1) })
	}
	add(DeleteRow, "", nil)
	for _, s := range states {
		if s.Name != e.To {
			add(Retarget, string(s.Name), func(r *fsm.Row[S, D, F, E]) { r.To, r.Ignore = s.Name, false })
		}
	}
	if !e.Ignore {
		add(Ignore, "", func(r *fsm.Row[S, D, F, E]) { r.To, r.Do, r.Ignore = "", nil, true })
	}
	for i, name := range numbered(e.Do, func(a fsm.Action[D, F, E]) string { return a.Name }) {
		add(DropAction, name, func(r *fsm.Row[S, D, F, E]) { r.Do = slices.Delete(r.Do, i, i+1) })
		for _, effect := range e.Do[i].Emits {
			add(DropEffect, effect+" of "+name, func(r *fsm.Row[S, D, F, E]) { r.Do[i] = without(r.Do[i], effect) })
		}
	}
	return all
}

// numbered names the parts of a row; the second of the same name is name#2.
func numbered[T any](parts []T, name func(T) string) []string {
	count := map[string]int{}
	names := make([]string, 0, len(parts))
	for _, p := range parts {
		n := name(p)
		if count[n]++; count[n] > 1 {
			n += "#" + strconv.Itoa(count[n])
		}
		names = append(names, n)
	}
	return names
}

// without is the action that neither emits nor declares one of its effects.
func without[D any, F fsm.Fact, E fsm.Effect](a fsm.Action[D, F, E], effect string) fsm.Action[D, F, E] {
	do := a.Do
	a.Emits = slices.DeleteFunc(slices.Clone(a.Emits), func(name string) bool { return name == effect })
	a.Do = func(data *D, fact F, emit func(E)) {
		do(data, fact, func(e E) {
			if e.EffectName() != effect {
				emit(e)
			}
		})
	}
	return a
}
