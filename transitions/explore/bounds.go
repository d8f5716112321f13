package explore

// Bounds say how much may happen in a world before it has to come to rest.
type Bounds struct {
	// Messages and Stops are what persons write.
	Messages, Stops int
	// Requests is how often a turn asks a person.
	Requests int
	// Faults is how much happens that is out of the ordinary: what goes wrong, what
	// is late, what another client of the thread does, and a turn that ends in
	// another way than with a reply.
	Faults int
	// Oddities is how much happens beside that is neither: files, text that is taken
	// back or grows old, a deadline, a hint, a track or chat that is closed for a
	// while, a command of somebody who may not.
	Oddities int
}
