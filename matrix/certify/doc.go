// Package certify runs real Codex versions through what the bridge needs of them,
// by the bridge's own client, over the real unix socket, with a scripted model
// behind the real binary.
//
//	capabilities × versions ──▶ golden/certify/VERSION.json ──▶ docs/compatibility.md
//
// A capability is one test. It works, or the version has a gap: a way of its own
// that is declared beforehand, with the versions that have it, and is found to be
// just so. All else fails, also a gap that is not there any more.
//
// # What belongs here
//
// The capabilities and the gaps; the recorder of the frames that adapters/codex
// replays (-record); and what is measured on real versions: steers around a turn's
// end, polls of a long thread.
//
// # What does not
//
// What the bridge makes of it: that is in transitions, and in the tests of matrix.
// There is nothing here but tests; no other package can import it.
package certify
