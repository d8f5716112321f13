// Package transitions holds the decisions of the bridge, all of them as tables.
//
// The conversation machine moves on facts, and moves four machines of its own: one
// for each message, turn, request and delivery that is not settled yet.
//
//	protocol facts ─┐                             ┌─ records (same transaction)
//	                ├─► conversation ─► effects ──┤
//	ledger facts ───┘      │  ▲                   └─ calls (outbox, afterwards)
//	                 moves │  │ read by guards
//	                       ▼  │
//	        message · turn · request · delivery
//
// The conversation's state is at any time a function of those four ([Derive]);
// the tables say how each fact gets it there, and why.
//
// # What belongs here
//
// States, facts, effects, tables, guards, the data of a track, and the catalogue
// of sentences. Everything is a value or a pure function.
//
// # What does not
//
// No clock, no randomness, no I/O, no protocol encoding, no SQL. The package
// imports fsm and the standard library. Nobody else decides on a state: an
// adapter that wants to is missing a row here.
package transitions
