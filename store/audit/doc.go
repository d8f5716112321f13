// Package audit holds a ledger against what must hold of every bridge.
//
//	journal ── stepped on again ──► History ──┐  every step: Proven, SaidNow, Check
//	rows, tracks, outbox ─────────────────────┴─► View ──► invariant.Check
//
// What must hold is said once, in transitions/invariant. This package builds the
// view that these functions take from a real ledger: as it is, and, since the
// journal is there, as it was at every moment on the way. The rows themselves must
// be what the journal's steps have written.
//
// One conversation is looked at, at a time: [Conversations] takes the books apart,
// and [Check] is the whole audit of one. [Follow] is for whoever knows more than the
// ledger does, as matrix/audit does.
//
// # What belongs here
//
// Pure functions over what store has read.
//
// # What does not
//
// What Codex or the chat say. Anything that could be said of a view alone: that is
// an invariant. Reading a ledger.
package audit
