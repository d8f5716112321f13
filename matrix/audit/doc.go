// Package audit compares what all who took part in a scenario say about it, once
// the scenario is over, and says what does not agree.
//
//	journal ── stepped on again ──► history ──┐  every step: Proven, SaidNow, Check
//	rows, tracks, outbox ─────────────────────┼─► View ──► invariant.Check
//	Codex's turns, chat ──────────────────────┘
//	events, chat, model ──────────────────────────► edges
//
// What must hold of a bridge is said once, in transitions/invariant. The audit
// builds the view that these functions take from the real ledger and from what
// stood at the edges, and holds them against it; and, since the journal is there,
// against every moment on the way. The rows themselves must be what the journal's
// steps have written.
//
// # What belongs here
//
// Reading a ledger that is at rest, the view of it, and those checks that are of
// the edges and not of the ledger: that what was acknowledged is in the journal
// at all, that the chat shows a delivery's very words, that the model was told
// nothing twice, that a scenario leaves nothing open.
//
// # What does not
//
// Anything that could be said of the ledger alone: that is an invariant, and the
// exploration should hold it too. Nothing here runs a bridge or asks anybody but
// the ledger; who took part is asked by the harness.
package audit
