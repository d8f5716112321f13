// Package retention decides what of a ledger may be pruned, and has it pruned.
//
//	            older than the bound                      younger
//	journal ──●────●──────●─────────●────●───────●───┊──────●──────●──►
//	          └── goes, with its rows ────┘  ↑       ┊
//	                                  quiet: nothing is open here
//
// A conversation is cut where all was quiet: no track remembered a message, turn,
// delivery or request that was not settled, none was on its way from one track to
// the next, and no call of before is in the outbox now. Of what lies before the cut
// nothing can be changed any more by what lies behind it, so the journal can begin
// there: with each track as it was at that moment, which the tables make of the
// journal. After that the audit finds what it found before.
//
// A delivery that failed, or that may or may not stand in the chat, is not settled, and
// may never be. It does not keep its conversation: it stays itself, with its turn and
// the messages in that, and its track remembers it.
//
// What is kept in any case: the tracks themselves, with the Codex threads that they
// are bound to; everything that is younger than a week; everything of a conversation
// since something in it was last left open; and for good the keys of what was pruned.
// These keep a message that Feishu brings again from being taken twice, and a turn's
// end that Codex tells again, as it does of a thread's last turns upon each
// connection, from being taken for another client's.
//
// # What belongs here
//
// What is old and settled. The writing itself is [store.Ledger.Prune].
package retention
