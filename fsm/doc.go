// Package fsm declares, checks, steps and documents state machines.
//
// A machine is data: states, facts, effects and rows. A row says: in this
// state, on this fact, if these guards hold, go there and do that, because.
//
//	          fact
//	            │
//	            ▼
//	┌─ cell (state × fact) ────────────────────────┐
//	│ row 1   guards ─ target ─ actions ─ why      │   exactly one row
//	│ row 2   guards ─ target ─ actions ─ why      │   may be enabled
//	│ …                         or one "ignore"    │
//	└──────────────────────┬───────────────────────┘
//	                       ▼
//	   (state, data, fact) → (state, data, effects, row)
//
// # What a declaration must satisfy
//
// [New] refuses a declaration, naming all its faults at once, unless
//
//  1. every name used is declared, once, in snake_case, with a doc sentence;
//  2. every (state, fact) pair has a cell: rows, or one ignore with its reason;
//  3. every row says why, and an unguarded row is alone in its cell;
//  4. every state can be reached from the initial one, and can reach a settled
//     one;
//  5. every declared effect is emitted by some action of some row.
//
// There is no implicit default. Whether the guards of a cell overlap or leave a
// gap depends on data: [Machine.Step] evaluates all of them and returns a
// [*CellError] unless exactly one row is enabled; tests feed it generated data.
//
// # What the shell owes
//
//  1. Step has no clock, no randomness and no I/O: time and ids arrive in facts.
//  2. The data handed in is not changed: Step works on a clone.
//  3. What Step returns is to be stored before any effect is carried out.
//  4. A CellError is a defect of the declaration; nothing has changed then.
//
// # What belongs here
//
// Nothing of the bridge: the package knows no chat, turn or ledger. It imports
// the standard library and github.com/looplab/fsm, the latter in one file. Beside it,
// fsm/floor is what benchmarks compare with.
package fsm
