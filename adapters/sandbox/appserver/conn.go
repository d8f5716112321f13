package appserver

import (
	"encoding/json"
	"slices"
	"time"
)

// Conn is one connection to a [Server].
type Conn struct {
	server      *Server
	send        func([]byte)
	closed      func()
	open        bool
	initialized bool
	client      string // as initialize named it
}

// Receive takes one frame from the client. What is no call is ignored, as the
// real server does. On a closed connection nothing happens.
func (c *Conn) Receive(frame []byte) {
	var call callFrame
	if !c.open || json.Unmarshal(frame, &call) != nil || call.Method == "" || call.ID == nil {
		return
	}
	fault, ok := c.server.fault(Calls, call.Method)
	if !ok {
		c.handle(call)
		return
	}
	switch fault.Do {
	case Lose:
	case Delay:
		c.server.sched.After(fault.By, func() {
			if c.open {
				c.handle(call)
			}
		})
	case CloseBefore:
		c.drop()
	case CloseAfter:
		c.handle(call)
		c.drop()
	}
}

// Close is the client's end of the connection going away.
func (c *Conn) Close() {
	if !c.open {
		return
	}
	c.open = false
	isThis := func(other *Conn) bool { return other == c }
	c.server.conns = slices.DeleteFunc(c.server.conns, isThis)
	for _, t := range c.server.threads {
		t.subscribers = slices.DeleteFunc(t.subscribers, isThis)
	}
}

// drop is the server closing the connection.
func (c *Conn) drop() {
	if c.open {
		c.Close()
		c.server.sched.Post(c.closed)
	}
}

// handle carries out a call and answers it.
func (c *Conn) handle(call callFrame) {
	result, problem := c.dispatch(call)
	if problem != nil {
		c.emit(Answers, call.Method, errorFrame{Error: problem, ID: call.ID})
		return
	}
	c.emit(Answers, call.Method, resultFrame{ID: call.ID, Result: result.value})
	if result.then != nil {
		result.then()
	}
}

// answer is the result of a call, and what happens once it is on its way.
type answer struct {
	value any
	then  func()
}

// notify sends a notification on this connection.
func (c *Conn) notify(method string, params any) {
	c.emit(Notifications, method, notificationFrame{
		Method: method, Params: params, EmittedAtMs: c.server.nowMs(),
	})
}

// emit sends a frame, unless a fault says otherwise.
func (c *Conn) emit(at Point, method string, frame any) {
	encoded := mustEncode(frame)
	fault, ok := c.server.fault(at, method)
	if !ok {
		c.post(0, encoded)
		return
	}
	switch fault.Do {
	case Lose:
	case Delay:
		c.post(fault.By, encoded)
	case Duplicate:
		c.post(0, encoded)
		c.post(0, encoded)
	case CloseBefore:
		c.server.sched.Post(c.drop)
	case CloseAfter:
		c.post(0, encoded)
		c.server.sched.Post(c.drop)
	}
}

// post gives a frame to the client, if it is still there then.
func (c *Conn) post(delay time.Duration, frame []byte) {
	deliver := func() {
		if c.open {
			c.send(frame)
		}
	}
	if delay > 0 {
		c.server.sched.After(delay, deliver)
		return
	}
	c.server.sched.Post(deliver)
}
