package durabletest

import "deskbridge/fsm/durable"

// Life is one life of a process with an engine. It counts the points that the
// engine reaches, and may end at one of them.
type Life struct {
	// EndsAt is the point at which it ends, all of them counted from 1; 0: it goes
	// on to its end.
	EndsAt int
	// Dying, if set, is called at that point, before anything unwinds.
	Dying func()
	// Reached are the points so far, in order.
	Reached []durable.Point

	dead bool
}

// ended is what the panic carries that ends a life.
type ended struct{}

// Reach is for [durable.Options].
func (l *Life) Reach(p durable.Point) {
	if l.dead {
		panic("durabletest: a life goes on after its end, at " + string(p))
	}
	l.Reached = append(l.Reached, p)
	if len(l.Reached) != l.EndsAt {
		return
	}
	l.dead = true
	if l.Dying != nil {
		l.Dying()
	}
	panic(ended{})
}

// Lead runs a life. It says whether it ended at its point; any other panic goes on.
func (l *Life) Lead(life func()) (crashed bool) {
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case ended:
			crashed = true
		default:
			panic(r)
		}
	}()
	life()
	return false
}
