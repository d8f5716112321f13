// Package store is the ledger: one SQLite file that holds what the bridge
// durably knows.
//
//	journal     every fact that was stepped on, once, with the table entry it took
//	track       each track's state and data, as of its last fact
//	message     what became of each message
//	turn        what became of each turn
//	delivery    what became of each delivery
//	request     what became of each request of Codex
//	outbox      calls that are not settled
//	start       where the journal of a track begins, once it was pruned
//	pruned_key  the keys of what was pruned, which is still never taken twice
//
// The file is in WAL mode with synchronous=FULL, which [Open] asserts: the
// driver's own default in WAL is NORMAL, under which a commit does not survive a
// power cut, and Feishu is acknowledged after the commit.
//
// A ledger that is damaged, empty, or of a newer version is refused, and left as it is:
// Open looks at all of the file, and at SQLite's log beside it, before it opens anything
// for writing. A new ledger has its name only once it is complete.
//
// # What belongs here
//
// SQL, the schema and its migrations, the lock of the data folder, copies of the
// file and the removal of what is old. The package implements the journal and
// outbox of fsm/durable for the types of transitions.
//
// A [Ledger] of the daemon writes. Whoever only reads opens one with [OpenReader],
// beside the daemon or without it: in WAL mode a reader sees the last commit,
// waits for nobody, and nobody waits for it.
//
// # What does not
//
// Decisions. A row of the ledger is written as a record effect says, and nothing
// here looks at a state to choose what to do. What may be pruned is decided in
// store/retention, and whether the ledger is sound in store/audit.
package store
