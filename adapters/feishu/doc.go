// Package feishu is the bridge's side of the Feishu/Lark open platform: what
// people write becomes facts, and what is to be said in a chat becomes calls.
//
//	event ─► Decode ─► Access ─► Receiver ─► Decision{conversation, fact}
//
//	effect ─► Sender ─► Watched ─► API ─► (done) ─► Report{facts | again}
//	                       │        └─ Client: token, SDK, HTTP
//	                       └─ Trouble, for the operator
//
// # Receiving
//
// [Decode] reads the raw event, [Access] says whom the bridge listens to, and
// [Receiver] makes a fact of it or says why not. All three are pure: the long
// connection in feishuws, a stand-in and a test feed them alike. Nothing here
// acknowledges an event; whoever journals the fact does.
//
// # Sending
//
// [Sender] carries out the effects that concern a chat. It talks to an [API], a
// seam that answers later and on the scheduler, so that the real platform
// ([Client]) and a simulated one are the same to it. [Classify] says what an answer
// means, and one table, [Policy], what is done about it:
//
//	done           the platform did it                     it is settled
//	later          too many requests                       again, for about a day
//	unreachable    it never reached the platform           again, for about a day
//	token          refused because of the access token     again, for about a day
//	credentials    refused until an operator acts          again, for about a day
//	too_long       refused because of its length           a smaller part
//	refused        refused for good                        given up: a visible failure
//	ambiguous      nobody knows whether it took effect     again, under the same uuid
//
// Whatever is waited for, waiting is the outbox's part, by [Backoff]: a Sender makes
// one attempt and reports.
//
// # Parts
//
// A text is as long as it likes: it is said in parts, each a reply to the same
// message, in order. An attempt says one part and reports how far the text stands in
// the chat, in bytes; the next begins there, in this life of the bridge or another.
// The same text is cut at the same places, and a part's uuid never says anything
// else. What a part leaves out is said where it is cut (split.go).
//
// # Unknown outcomes
//
// What may have been sent is repeated under its uuid, which the platform recognises
// for an hour. What is older, or was refused after it may have been sent, is looked
// up: the messages of the chat, or of the topic, since the one replied to.
//
//	one of ours, same parent, type and text, not older than the attempts ─► confirmed
//	none that resembles it, all of them read                             ─► sent again
//	anything else: no scope, too many, two alike, recalled, set clocks   ─► unknown
//
// Unknown is never sent again and never called failed. Reading a direct chat needs
// the scope im:message, a group im:message.group_msg too.
//
// # What belongs here
//
// Everything that knows the platform's JSON, codes and limits, except the long
// connection itself, which is in feishuws because that client makes a binary
// several times as slow to build.
//
// # What does not
//
// Decisions about a conversation (they are rows of transitions), storage, and
// the words of the catalogue. The package imports the standard library, the
// SDK's core and im packages, transitions and sched.
package feishu
