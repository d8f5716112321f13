// Package trace tells the whole life of one thing that the ledger knows, as a timeline
// that a support person can read: a message, a turn, a request or a delivery, with what
// belongs to it.
//
//	id ──► Find ──► subject, related ids ──► the journal, stepped on again ──► a line a step
//
// A line says when the step was committed, what happened, what became of the subject and
// what belongs to it, which calls were to follow, and why: the reasons that the tables
// declare. Nothing that a person or Codex wrote is told, but by its length.
//
// What belongs here: pure functions over what store has read. What does not: reading a
// ledger, and any reason that is not in the tables.
package trace
