package daemon

import (
	"slices"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/feishu"
	"deskbridge/fsm/durable"
	"deskbridge/store"
)

// The points of the bridge's own work, at its edges.
const (
	// PointReceived: an event has come, and nothing of it is written.
	PointReceived durable.Point = "received"
	// PointAsking: a frame is about to go to Codex.
	PointAsking durable.Point = "asking"
	// PointHeard: a frame of Codex was read, and nobody knows what is in it.
	PointHeard durable.Point = "heard"
	// PointCalling: a call to Feishu is about to go.
	PointCalling durable.Point = "calling"
	// PointAnswered: what became of a call to Feishu was read, and nobody knows it.
	PointAnswered durable.Point = "answered"
)

// Points lists all points of the daemon: its own, the engine's and the ledger's.
func Points() []durable.Point {
	own := []durable.Point{PointReceived, PointAsking, PointHeard, PointCalling, PointAnswered}
	return slices.Concat(own, durable.Points(), store.Points())
}

// reachingAPI has the points of calls to Feishu.
type reachingAPI struct {
	feishu.API
	reach func(durable.Point)
}

func (a reachingAPI) Do(req feishu.Request, done func(feishu.Response)) {
	a.reach(PointCalling)
	a.API.Do(req, func(r feishu.Response) {
		a.reach(PointAnswered)
		done(r)
	})
}

// reachingDialer has the points of connections to Codex.
type reachingDialer struct {
	codex.Dialer
	reach func(durable.Point)
}

func (d reachingDialer) Dial(h codex.Handler) (cancel func()) {
	opened, frame := h.Opened, h.Frame
	h.Opened = func(c codex.Conn) { opened(reachingConn{c, d.reach}) }
	h.Frame = func(raw []byte) {
		d.reach(PointHeard)
		frame(raw)
	}
	return d.Dialer.Dial(h)
}

type reachingConn struct {
	codex.Conn
	reach func(durable.Point)
}

func (c reachingConn) Send(frame []byte) {
	c.reach(PointAsking)
	c.Conn.Send(frame)
}
