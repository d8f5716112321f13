// Package crash ends whole bridges with SIGKILL and holds what comes of it: a real
// child process, a real ledger, stand-ins at the network's edge, and after the next
// start every message answered exactly once, or told exactly once how its turn ended.
//
//	at a named point      the child ends itself there: child.go
//	at a random moment    it is ended from outside, while people write: load.go
//	in which phase        what the ledger and the stand-ins know right after: phase.go
//	what came of it       matrix/audit, and an account of each message: told.go
//
// # What belongs here
//
// Ending processes, and what has to be known to do so at a moment that matters.
//
// # What does not
//
// What must hold of a bridge: that is said in transitions/invariant, store/audit and
// matrix/audit. Crashes under virtual time, which are in matrix. Nothing here waits by
// letting time pass: a moment is the so-manieth fact that the stand-ins see, and a
// fraction of a millisecond by chance.
package crash
