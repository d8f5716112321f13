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
// ([Client]) and a simulated one are the same to it. One table, [Classify], says
// what an answer means:
//
//	done           the platform did it, and gave the id of what it made
//	later          it did not, and will if asked again after a while
//	token          it did not, because of the access token
//	credentials    it did not, and will not until an operator acts
//	refused        it did not, and never will
//	ambiguous      nobody knows whether it did
//
// An ambiguous send is repeated with the same uuid, which the platform recognises
// for an hour; what is older than that is declared unknown, never sent again.
// Whatever is waited for, waiting is the outbox's part: a Sender makes one
// attempt and reports.
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
