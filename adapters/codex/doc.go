// Package codex is the client of a Codex app-server: it carries out the effects
// that are meant for Codex, and turns what the server says into facts.
//
//	 effects (Execute)                          facts (Report, Emit)
//	      │                                           ▲
//	      ▼                                           │
//	┌───────────┐  resume first  ┌─────────────┐  ┌───┴──────────────┐
//	│ calls     ├───────────────▶│ rpc         │  │ pull: list, read │
//	└───────────┘                │ (session)   │◀─┤ snapshot → facts │
//	┌───────────┐  hints         │             │  └───▲──────────────┘
//	│ poll      │◀───────────────┤             │      │ when
//	│ (rhythm)  ├────────────────┼─────────────┼──────┘
//	└───────────┘                └──────┬──────┘
//	      ▲ Watch                       │ frames (Dialer, Handler, Conn)
//	                             ┌──────┴──────┐
//	                             │ stream      │
//	                             └──────┬──────┘
//	              ┌─────────────────────┼───────────────────┐
//	        UnixDialer              WSDialer            StdioDialer
//	   Server: start or adopt    somebody else's     a child of the bridge
//
// # Pull is the truth, push is a hint
//
// A turn's end, and whether the thread is idle, is only ever told from a read of
// the stored turns. A notification makes that read happen sooner; if every
// notification were lost, the rhythm of reads would establish the same facts.
// The one fact a notification gives by itself is that a message of ours is an
// item of a running turn, which the next read gives as well.
//
// # The connection
//
//	stopped ─Start─▶ dialing ─opened─▶ greeting ─answered─▶ up
//	                    ▲                 │                  │
//	                    └───── waiting ◀──┴── lost, or silent ┘
//
// A connection has a name of its own ([transitions.Link]), unique over all runs
// of the bridge. It is given up when a call finds no answer in time, since the
// absence of a lost turn/start can only be proven on another connection. Calls
// without an answer are reported as unknown, never as failed; calls that were
// not sent are reported as such. Waiting times grow and are spread by chance.
//
// # What belongs here
//
// The protocol's encoding, the transports, starting a server, and the knowledge
// of what the server's words mean. Nothing here decides what is done about a
// fact, knows a chat, or stores anything: after a restart everything needed
// comes back through [Client.Watch]. Requests of the server are not carried yet:
// they are answered with an error, by which nothing is ever approved.
//
// # Concurrency
//
// All state is confined to functions that one [sched.Scheduler] runs, and the
// client never blocks it. What blocks (dialing, reading, writing, starting a
// process) runs in goroutines of the transports, which post back. They bound what
// is read and not looked at yet, and skip what nobody looks at: see [Handler].
//
// The package imports the standard library, gorilla/websocket, golang.org/x/sync,
// transitions and adapters/sched.
package codex
