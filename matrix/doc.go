// Package matrix is the protocol matrix: scenarios × faults, run against the
// whole bridge, and the accounts of all who took part compared at the end.
//
//	          said, shown            acknowledged           stored
//	person ───────────────▶ platform ────────────▶ bridge ─────────▶ Codex ──▶ model
//	                            │                     │                 │         │
//	                            └──── chat ──┬─ ledger ┴──── threads ───┴ records ┘
//	                                         ▼
//	                                    matrix/audit
//
// It has two halves. A [Desk] is made of real parts: the unmodified daemon as a
// process of its own, with the platform's SDK in it, a real Codex, and stand-ins
// only at the network's edge, for the platform and for the model. A [World] is
// the same daemon above its transports under virtual time, in one goroutine, for
// what has to be tried thousands of times or at a chosen moment. Both give an
// account of who took part ([Desk.Finish], [World.Account]) to the same audit,
// which holds the invariants of transitions/invariant against it. In matrix/crash the
// daemon of a Desk is killed again and again.
//
// # What belongs here
//
// Whatever holds of the bridge as a whole: harnesses, scenarios, faults,
// simulation, properties. The package may import everything of the module.
//
// # What does not
//
// Tests of one package, which stand beside it; and anything that the daemon
// imports. Nothing here waits by letting time pass: a scenario waits for a fact,
// in the chat, the model's records, Codex's threads, or a process's output.
package matrix
