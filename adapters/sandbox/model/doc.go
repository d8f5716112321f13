// Package model is a scripted model provider: an HTTP server on loopback that a
// real Codex can be pointed at in place of a model. It makes what Codex does
// repeatable: a test, or the demo, says what "the model" answers and when.
//
// What belongs here: the part of the Responses API that Codex uses (POST
// /v1/responses, answered with server-sent events), the script that decides an
// answer, gates that hold one back, a record of what reached the model, and the
// configuration that makes Codex use it. What does not: Codex's own protocol,
// and starting Codex.
//
// # A request's way
//
//	Codex ── POST /v1/responses ──▶ recorded (Waiting) ──▶ Script ──▶ Reply
//	                                                                   │
//	      response.created ◀──────────────────────────────────────────┤
//	      (held while the reply's Gate is shut)                        │
//	      one response.output_item.done per item, response.completed ◀─┘
//	      or response.failed, an HTTP error, a broken connection
//
// Codex cancels a request when its turn is interrupted or steered: the
// connection closes, the held reply is given up, the record reads Cancelled.
//
// The package imports the standard library only.
package model
