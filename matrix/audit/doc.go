// Package audit compares what all who took part in a scenario say about it, once
// the scenario is over, and says what does not agree.
//
//	journal, rows, tracks, outbox ── store/audit ─┐
//	Codex's turns, chat ──────────────────────────┴─► View ──► invariant.Check
//	events, chat, model ──────────────────────────────► edges
//
// What must hold of a bridge is said once, in transitions/invariant. That the ledger
// tells by itself whether it does, at every step of its journal, is store/audit; here
// the same functions see the ledger together with what stood at the edges.
//
// # What belongs here
//
// Reading a ledger that is at rest, the view of it and of the edges, and those checks
// that are of the edges and not of the ledger: that what was acknowledged is in the journal
// at all, that the chat shows a delivery's very words, that the model was told
// nothing twice, that a scenario leaves nothing open.
//
// # What does not
//
// Anything that could be said of the ledger alone: that is an invariant, which the
// exploration should hold too, or belongs into store/audit. Nothing here runs a bridge or asks anybody but
// the ledger; who took part is asked by the harness.
package audit
