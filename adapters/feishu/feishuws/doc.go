// Package feishuws receives events over the platform's long connection, with the
// official SDK's client.
//
// It stands apart from package feishu because that client and its dispatcher
// bring nearly all packages of the SDK along: whoever imports this package
// compiles them, and nobody else has to.
//
//	Run ─┬─ SDK client ── endpoint call (sanity) ── socket ── reconnects by itself
//	     │       └─ event ─► dispatcher ─► Handler ─► nil: acknowledged
//	     │                                        └► error, panic: comes again
//	     └─ supervisor: starts it again when it gives up
//
// What is added to the SDK's client, and why:
//
//   - A supervisor, since the client ends for good on a refusal, and a bridge does
//     not.
//   - Timeouts for the endpoint call and the upgrade.
//   - A correction of the endpoint's answer: the client takes an absent ping
//     interval for none at all and pings without pause.
//   - A logger that lets no address with its ticket through, and no message.
//   - A recover around the handler: a panic must not look like a loss.
//   - A bounded stop: the client waits for its handlers and for a hanging upgrade
//     without one.
//
// # What belongs here
//
// The connection, and nothing of what comes over it: an event is a type and a
// body, which package feishu reads.
//
// # What does not
//
// Ordering, recognising repetitions, deciding. The handler does one thing, which
// is to have the event journalled.
package feishuws
