// Package explore walks through every state that a small world can get into, and
// reports the shortest way to one in which something does not hold.
//
//	roots ──► level 0 ──► level 1 ──► level 2 ──► …      breadth first
//	                        │
//	                        ├─ broken?     what must hold always
//	                        └─ fair path ─► at rest ─► unsettled?
//
// A world is a value: it lists the moves that are possible in it, and each move
// makes a new world. Two worlds with the same [Key] have the same future and are
// visited once. From each world that is found, the path of its fair moves is
// followed as well: what happens when nothing goes wrong any more and everybody
// does what they ought to. That path must end, at a world in which all is
// settled; so a world from which nobody can get out is found without a search for
// cycles.
//
// Worlds of one level are expanded side by side, in blocks; what a block has
// found is taken in one after the other, in the order of the worlds and of their
// moves. So the result does not depend on how many workers there are.
//
// # What belongs here
//
// Nothing of the bridge. The package imports the standard library.
package explore
