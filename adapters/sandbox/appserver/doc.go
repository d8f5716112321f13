// Package appserver is a scripted Codex app-server: it speaks the app-server
// protocol as codex-cli 0.171.0 does, for the part that is used here, with a
// script in place of a model.
//
// What belongs here: the protocol's visible behaviour (threads, turns, items,
// notifications, error texts, what survives a killed process), faults at the
// transport, and three shells: a listener on a unix socket or a network address, a
// pair of streams, and a command that can stand in for `codex app-server`. What
// does not: anything about the client's side, and behaviour that no recording and no
// measurement of the real server shows.
//
// # The core
//
// [Server] does no I/O and starts no goroutine. A scheduler drives it: all of
// its methods, and those of [Conn], must be called from within a function that
// the scheduler runs (under sched.Virtual: from the one goroutine that drives
// it). It sends nothing from within such a call either; frames go out by a
// posted function of their own. Its ids are counted, so that two runs of the
// same calls are equal byte for byte.
//
//	turn/start ─▶ answer ─ Begin ─▶ turn/started ─ Take ─▶ userMessage ─▶ Script
//	              (not stored,      (stored)                                │ steps
//	               not to be interrupted)                                   ▼
//	                 turn/steer ─▶ cancels the steps ─ Take ─▶ userMessage ─▶ Script
//
// # What real behaviour it holds to
//
// The recordings in testdata are replayed against it, frame by frame; their
// normalisations are declared in the test. Beyond them, measured against the
// real binary:
//
//   - thread/started and thread/status/changed go to every initialised
//     connection; all other notifications of a thread only to connections that
//     started or resumed it. turn/start does not subscribe.
//   - Between the answer of turn/start and turn/started a steer is accepted and
//     another turn/start is folded in, but turn/interrupt answers "no active
//     turn to interrupt" and the turn runs on.
//   - Before its first turn a thread has no stored form: thread/turns/list says
//     that it is "not materialized yet", thread/resume "no rollout found", the
//     text of a lost thread. After thread/read with includeTurns, and while the
//     first turn begins, it is "list_turns is not supported yet", and a plain
//     thread/read fails while the first turn begins.
//   - thread/read with includeTurns and thread/resume without excludeTurns send
//     a deprecationNotice before their answer.
//   - The initialized notification is not waited for. Frames that are no
//     requests are ignored.
//
// Left out, as the recordings leave it out: notifications about accounts,
// limits, tokens, goals, warnings and read states. Requests from the server
// (approvals, questions) have no step yet. A method that the real server knows
// and this one does not is answered with an error that says so.
//
// The package imports the standard library, github.com/gorilla/websocket and
// adapters/sched.
package appserver
