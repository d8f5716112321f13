// Package control is how an operator's command reaches the daemon of the same data
// folder: a unix socket there, for the user of the daemon alone.
//
//	command ── dial ctl.sock ──► one JSON request ──► handler
//	        ◄── one JSON answer, or an error in one sentence
//
// Only what has to be done by the daemon goes this way: what writes to the ledger,
// which has one writer. What only reads opens the ledger itself.
//
// # What belongs here
//
// The socket: making, finding and protecting it.
//
// # What does not
//
// What is asked. The caller names an operation, and the daemon has a handler for it.
package control
