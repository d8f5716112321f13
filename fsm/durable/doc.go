// Package durable runs declared machines over a journal, so that neither a fact
// nor an effect is lost or doubled by a crash.
//
//	Submit ─► waiting ─► flush: one transaction ──────────────► dispatch ─► Execute
//	             ▲       journal + state + records + outbox        │          │
//	             └──────────── result, as a fact ◄─────────────────┴──────────┘
//
// # The contract
//
//  1. Facts that wait together share a commit. Within an instance the order of
//     submission is the order of the journal.
//  2. A fact whose key is in the journal is the same happening told again: it is
//     not stepped on, and its submitter gets the same success.
//  3. Done is called after the commit, never before: whoever acknowledges a
//     receipt does it there.
//  4. An effect that is about to be carried out is leased in a transaction
//     first, mostly the one that created it. After a crash a leased effect may
//     have been carried out: it becomes the fact its [Handling] names, or, where
//     repeating does no harm, is repeated.
//  5. Effects of one instance and lane are carried out one at a time, in order;
//     all others side by side.
//  6. A result settles its effect in the same transaction as its facts. If that
//     transaction fails, it is tried again until it succeeds; receipts are told
//     of the failure instead, so that their sender keeps them.
//  7. A fact on which the machine has no step is refused alone. Its submitter
//     is told, and so is the operator; a result settles its effect all the same.
//  8. A fact that cannot be stored while the store is well ([ErrUnfit]), for itself
//     or for an effect that its step asks for, is refused alone too; the later facts
//     of its instance go on as if it had not come. If it is of a result, none of
//     that result's facts is stored, and the effect stays leased, as after a crash:
//     until the next start it is not begun again, and holds its lane.
//  9. An effect of several parts is settled part by part: each is journalled
//     with how far the effect is done, and no part is begun twice on purpose.
//
// durabletest holds a store, and the engine over it, to each of them.
//
// # What belongs here
//
// Nothing of the bridge and nothing of SQL: a store implements [Store], adapters
// implement [Executor]. The engine runs in one goroutine, that of its scheduler;
// under virtual time it is deterministic.
package durable
