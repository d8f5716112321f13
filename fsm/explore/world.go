package explore

// Key identifies a world among all of one exploration: two worlds with the same
// key must have the same moves, and break the same rules.
type Key [16]byte

// World is one state of what is explored, with all that decides on its future.
// A world must not change once it is made: several goroutines read it.
type World interface {
	Key() Key
	// Moves lists what can happen next, always in the same order.
	Moves() []Move
	// Fair is what happens next when nothing goes wrong any more; false: nothing
	// is left to happen, the world is at rest.
	Fair() (Move, bool)
	// Broken lists what must hold always, and does not.
	Broken() []string
	// Unsettled lists what must hold at rest, and does not. It is asked only of
	// a world at rest.
	Unsettled() []string
}

// Move is one thing that can happen.
type Move struct {
	// Name says what happens, readable as a line of a story.
	Name string
	// Next makes the world after it.
	Next func() World
}

// Narrator is a world that can tell what happened in the move that led to it.
type Narrator interface {
	// Narrate returns lines that stand, indented, under the move's name.
	Narrate() []string
}

// Options bound an exploration.
type Options struct {
	// Workers is how many goroutines expand worlds; 0 means one.
	Workers int
	// MaxStates and MaxDepth end the exploration early; 0 means no bound.
	MaxStates, MaxDepth int
	// MaxFair is how many fair moves a world may take to come to rest.
	MaxFair int
	// Edge, if not nil, sees every move, in a fixed order: the world before and
	// the world after, be it new or not.
	Edge func(from, to World)
}

// Report says what was seen.
type Report struct {
	// States counts the different worlds, Edges the moves between them.
	States, Edges int
	// Depth is how many moves the last world is away from a root.
	Depth int
	// Complete says that no bound cut the exploration short.
	Complete bool
	// Violation is the first that was found, nil if everything holds.
	Violation *Violation
}

// Violation is something that does not hold, and the shortest way there.
type Violation struct {
	// Problems are what does not hold.
	Problems []string
	// Story are the moves from a root, each with what its world narrates; those
	// of the fair path stand behind a line that says so.
	Story []string
	// Moves counts the moves before the fair path.
	Moves int
}
