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
// # How it is known that somebody watches
//
// Tests of tables are as good as the faults that they notice. TestMutants breaks the
// tables in one place at a time, in every way that fsm/mutate knows, and holds that
// somebody notices:
//
//	mutant ─┬─ fsm.New ──── refuses the declaration?
//	        ├─ Laws ─────── does a small machine do what it must not?
//	        ├─ steps ────── does Agrees, Derive or invariant.Proven not hold of one?
//	        └─ worlds ───── is an invariant broken in what is reached from one?
//
// Steps and worlds come from a [Bank], which is filled by the sound tables: with
// worlds that are explored or walked through by chance, and with imagined walks by
// any facts in any order. What the sound tables would have done on a step is never
// compared: a mutant counts as noticed only by what must hold of any tables. One that
// nobody notices fails the test, unless it is listed as making no difference, with
// the reason.
//
// The test tries a sample; -mutate.sample 0 tries all.
//
// # Adding to it
//
// A new fact needs somebody who makes it happen: a move, in the file of who does
// it, listed in moves.go, and a maker in mutate_facts.go; a new effect needs a case in
// outbox.go. What the track's data or a fact holds takes part in telling states apart
// by itself.
//
// # What belongs here
//
// The environment, and what to count as one state. The search is fsm/explore; what
// must hold is transitions/invariant. The package imports these, transitions, fsm
// and the standard library.
package explore
