package explore

import "regexp"

// An equivalent is a kind of mutants that nobody could notice, and why.
type equivalent struct {
	name *regexp.Regexp
	// ifSame restricts it to mutants that make no difference in any step that the
	// bank has. Without it, all mutants of that name are meant.
	ifSame bool
	why    string
}

// equivalents are asked in this order.
var equivalents = []equivalent{
	{regexp.MustCompile(` drops guard `), true,
		"The guard holds whenever the others of its row do: the state, or another guard, implies it. It is there to be read."},

	{regexp.MustCompile(` drops effect record_(message|request|delivery) of `), true,
		"Another row of the same subject is written in the same transaction, or the row says the same already."},
	{regexp.MustCompile(` drops effect withdraw of `), true,
		"No call has text there, so there is nothing to take back."},
	{regexp.MustCompile(` drops effect `), true,
		"The action does not emit it in this row: it declares what it emits in any."},

	{regexp.MustCompile(` drops action (tell|say)_`), true,
		"Whoever would be told was told before, or nobody waits there."},
	{regexp.MustCompile(` drops action \w+_queue`), true,
		"Nothing waits there, or what waits is held already."},
	{regexp.MustCompile(` drops action `), true,
		"The action finds nothing to do where the row is taken."},
	{regexp.MustCompile(` ignores`), true,
		"The row's actions find nothing to do where it is taken."},
}

// equivalentTo finds why nobody can notice the mutant; nil: there is no reason.
func equivalentTo(bank *Bank, m Mutant) *equivalent {
	for i := range equivalents {
		e := &equivalents[i]
		if e.name.MatchString(m.Name) && (!e.ifSame || !bank.Differs(m)) {
			return e
		}
	}
	return nil
}
