package appserver

import (
	"slices"
	"time"
)

// Point is where on the transport a fault strikes.
type Point int

const (
	// Calls are requests of the client, before they take effect.
	Calls Point = iota
	// Answers are the results and errors of calls, after they took effect.
	Answers
	// Notifications are what the server sends unasked.
	Notifications
)

// Action is what a fault does to a frame.
type Action int

const (
	// Lose makes the frame vanish: a call has no effect and no answer.
	Lose Action = iota
	// Delay lets the frame arrive later; others overtake it.
	Delay
	// Duplicate sends the frame twice. It is not for Calls: no transport
	// delivers a client's frame twice.
	Duplicate
	// CloseBefore drops the connection in place of the frame.
	CloseBefore
	// CloseAfter drops the connection right after the frame: a call takes effect,
	// but its answer is lost.
	CloseAfter
)

// Fault strikes the next frame of a method at a point, once.
type Fault struct {
	At     Point
	Method string
	Do     Action
	// By is how long Delay takes.
	By time.Duration
}

// Inject adds a fault. Several for the same frames strike one after another, in
// the order in which they were added. A notification that goes to several
// connections is several frames.
func (s *Server) Inject(fault Fault) {
	if fault.At == Calls && fault.Do == Duplicate {
		panic("appserver: a call cannot be duplicated")
	}
	s.faults = append(s.faults, fault)
}

// PendingFaults is the number of injected faults that have not struck yet.
func (s *Server) PendingFaults() int { return len(s.faults) }

// Drop breaks every connection. Threads and turns go on.
func (s *Server) Drop() {
	for _, c := range slices.Clone(s.conns) {
		c.drop()
	}
}

// fault takes the first fault that is due for a frame.
func (s *Server) fault(at Point, method string) (Fault, bool) {
	for i, fault := range s.faults {
		if fault.At == at && fault.Method == method {
			s.faults = slices.Delete(s.faults, i, i+1)
			return fault, true
		}
	}
	return Fault{}, false
}
