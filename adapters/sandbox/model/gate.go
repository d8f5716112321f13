package model

import "sync"

// Gate holds replies back until it is opened, without a clock: a test shuts the
// model up at a point and goes on when it has seen what it wanted to see.
type Gate struct {
	open chan struct{}
	once sync.Once
}

// NewGate returns a shut gate.
func NewGate() *Gate { return &Gate{open: make(chan struct{})} }

// Open lets all held replies pass, and those that come later. It may be called
// any number of times.
func (g *Gate) Open() { g.once.Do(func() { close(g.open) }) }
