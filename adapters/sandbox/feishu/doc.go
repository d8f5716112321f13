// Package feishu is a stand-in for the Feishu/Lark open platform: it speaks the
// platform's real protocol on the loopback interface, so that an unmodified SDK
// and a whole bridge can be run, tested and shown without a tenant.
//
// It has two halves.
//
//	           ┌────────────── Server (the shell) ──────────────┐
//	HTTP API ──┤ server.go    bytes → Request, Response → bytes │
//	/ws      ──┤ longconn.go  frames ⇄ Delivery, Ack            ├── Platform (the core)
//	/        ──┤ page.go      the chat page                     │
//	           └────────────────────────────────────────────────┘
//
// [Platform] is the core: apps, users, chats, messages, reactions, tokens,
// connected clients, events that wait for an acknowledgement, scripted faults and
// a journal of every request. It does no I/O, starts no goroutine and knows no
// clock but its scheduler; ids are counters (om_1, oc_1, ou_1) and nothing depends
// on the order of a map. Under a virtual scheduler the same calls give the same
// bytes. All its methods must be called from functions that the scheduler runs.
//
// [Server] is the shell: one HTTP server on a loopback address, one goroutine that
// owns the core, the long connection with its protobuf frames, and a chat page for
// one demo chat. A simulation leaves it out and calls [Platform.Handle] and
// [Platform.Connect] itself.
//
// # What it promises
//
//   - An event goes to one of the app's connected clients, in turn. Without an
//     acknowledgement of code 200 it comes again after 15 s, 5 min, 1 h and 6 h,
//     each counted from the try before, and then no more. While nobody is connected
//     a try counts as failed.
//   - An acknowledgement counts only on the connection that carried the delivery.
//     What the real platform does with a late one is not documented; the stricter
//     reading makes a bridge prove that it recognises what it has seen.
//   - A uuid succeeds once within an hour; a repeated one gives the same message id.
//     The id in the answer is this stand-in's choice, since the platform's documents
//     leave it open.
//   - Refusals are HTTP 400 with the platform's code in a JSON body, as the platform
//     gives them; credentials are refused with HTTP 200, because the SDK takes any
//     other status of the endpoint call as a passing failure.
//
// # Faults
//
// One list, [Platform.Inject]. A fault names the requests or events that it is for
// and what becomes of them: refused with a code, answered by a broken gateway,
// never answered, lost before or after taking effect, late, duplicated, overtaken.
//
// # What belongs here
//
// What the platform does, as its documents and measurements of the SDK describe
// it, and nothing of the bridge: the package imports the standard library,
// gorilla/websocket and the scheduler seam. A further part of the API is a row of
// the route table in api.go and a file with its handlers.
package feishu
