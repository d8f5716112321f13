// Package invariant says what must hold of a bridge, whatever happens: one pure
// function for each of the nine invariants of the design, over a view of the
// ledger and, as far as it is known, of the world outside.
//
//	ledger ──────┐
//	             ├─► View ─► All() ─► sentences: what does not hold, with ids
//	Codex, chat ─┘
//
// The same functions are used wherever something is held against them: by the
// exploration of the tables, by the simulation, by the tests on real parts.
//
// A view may be taken at any moment. Some things must hold only once nothing is
// left to happen; [View.AtRest] says that it is so. What the view does not know of
// the world outside ([View.Outside]) is not held against it.
//
// # What belongs here
//
// Values and pure functions; no ledger is read and nothing is decided here. The
// package imports transitions and the standard library.
package invariant
