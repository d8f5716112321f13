package feishu

import "slices"

// Sink is a client's end of a long connection. Its methods are called from
// functions that the scheduler runs, and must not block.
type Sink interface {
	// Deliver hands an event over. The client answers with [Conn.Ack], not from
	// within Deliver.
	Deliver(Delivery)
	// Close says that the platform has dropped the connection.
	Close()
}

// Ack is a client's answer to a delivery. Code 200 acknowledges the event; with any
// other it will come again.
type Ack struct {
	Seq  uint64 // of the delivery
	Code int
}

// Conn is the platform's end of a long connection.
type Conn struct {
	p        *Platform
	app      *app
	sink     Sink
	inflight map[uint64]*event
	silent   bool // open, but nothing is sent or heard any more
	closed   bool
}

// Connect attaches a client to an app; from now on it gets its share of the events.
func (p *Platform) Connect(appID string, sink Sink) *Conn {
	a := p.mustApp(appID)
	c := &Conn{p: p, app: a, sink: sink, inflight: map[uint64]*event{}}
	a.conns = append(a.conns, c)
	p.changed()
	return c
}

// Connections counts the clients that are connected, over all apps.
func (p *Platform) Connections() int {
	n := 0
	for _, a := range p.appOrder {
		n += len(a.conns)
	}
	return n
}

// DropConnections closes every client's connection. What was not acknowledged stays
// on the redelivery clock.
func (p *Platform) DropConnections() {
	for _, c := range p.connections() {
		c.drop()
	}
}

// SilenceConnections keeps every client's connection open, and from now on neither
// sends on it nor hears what comes: no events, no pongs, no acknowledgements.
func (p *Platform) SilenceConnections() {
	for _, c := range p.connections() {
		c.silent = true
	}
}

func (p *Platform) connections() []*Conn {
	var all []*Conn
	for _, a := range p.appOrder {
		all = append(all, a.conns...)
	}
	return all
}

// Ack takes a client's answer. It counts only for a delivery that this connection
// carried, while it is open.
func (c *Conn) Ack(a Ack) {
	ev := c.inflight[a.Seq]
	if ev == nil || c.closed || c.silent {
		return
	}
	delete(c.inflight, a.Seq)
	if a.Code == 200 {
		c.p.acknowledge(ev)
	}
}

// Ping takes a client's ping and reports whether a pong is due.
func (c *Conn) Ping() (pong bool) { return !c.closed && !c.silent }

// Closed says that the client has gone. It may be called more than once.
func (c *Conn) Closed() {
	if c.closed {
		return
	}
	c.closed = true
	c.app.conns = slices.DeleteFunc(slices.Clone(c.app.conns), func(other *Conn) bool { return other == c })
	c.p.changed()
}

func (c *Conn) drop() {
	if !c.closed {
		c.Closed()
		c.sink.Close()
	}
}

// next is the client whose turn it is. The platform picks one at random; taking
// turns shows the same to a bridge, and twice the same.
func (a *app) next() *Conn {
	if len(a.conns) == 0 {
		return nil
	}
	c := a.conns[a.turn%len(a.conns)]
	a.turn++
	return c
}
