// Package explore lets one track live through everything that can happen to it in
// a small world, and holds the invariants in each state of that world.
//
//	persons ─── messages, /stop ──┐
//	Codex ───── answers, reads ───┤                   ┌─ View ─► invariant.Check
//	faults ──── lost answers, … ──┼─► tables ─► world ┤
//	chat ────── shown, refused ───┤                   └─ a fair path ─► at rest?
//	outbox ──── calls, withdrawn ─┘
//
// Everything outside is as naive as can be and tells the truth: Codex has threads,
// turns and items; the outbox sends a lane's calls in order; the chat recognises
// what it has. What is hostile is the order in which things happen, and what goes
// wrong: an answer is lost before or after its effect, a call is still read from a
// connection that has ended, the bridge or the server dies, a call is refused, a
// turn leaves no trace, a thread is lost, a read is told late. How much of each
// may happen is in the [Bounds].
//
// # Adding to it
//
// A new fact needs somebody who makes it happen: a move, in the file of who does
// it, listed in moves.go; a new effect needs a case in outbox.go. What the track's
// data or a fact holds takes part in telling states apart by itself.
//
// # What belongs here
//
// The environment, and what to count as one state. The search is fsm/explore; what
// must hold is transitions/invariant. The package imports these, transitions, fsm
// and the standard library.
package explore
