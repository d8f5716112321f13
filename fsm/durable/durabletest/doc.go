// Package durabletest is what a store has to pass before an engine of fsm/durable
// may run over it: [Run] holds it to the contract of that package and of
// [durable.Store], line by line, and ends the process at each of its crash points.
//
//	Run ─► contract: one rule, one test, over the store alone or with an engine
//	    └► crashes:  a scenario, ended at every point that it reaches, taken up by
//	                 another life on what is left, and ended again on the way
//
// The suite has a machine of its own: a [Fact] says which effects are wanted, and
// an [Effect] how it is to be handled. A store takes the types of its own machine
// only; a [Dialect] says the suite's things in those.
//
// A crash is simulated: at the point the place is told, see [Place], and a panic
// unwinds the life, of which nothing runs afterwards. [Life] is that alone, for
// stories of other machines.
//
// What belongs here: the suite, and [Memory], the store in memory of the engine's
// own tests. What does not: anything of SQL, or of the bridge. The scheduler is
// the subject's to give, since fsm imports nothing of ours.
package durabletest
