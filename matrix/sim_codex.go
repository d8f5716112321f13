package matrix

import (
	"encoding/json"
	"errors"
	"fmt"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/sandbox/appserver"
)

// simDialer opens connections to the scripted app-server without a socket, and
// tells what went over them.
type simDialer struct {
	life       *life
	server     *appserver.Server
	generation func() string
	told       func(method string)
}

var errSimClosed = errors.New("matrix: the connection is closed")

// Dial implements [codex.Dialer].
func (d *simDialer) Dial(h codex.Handler) (cancel func()) {
	c := &simConn{dialer: d}
	d.life.Post(func() {
		if c.gone {
			return
		}
		c.conn = d.server.Connect(
			func(frame []byte) {
				if !c.gone && !d.life.over {
					h.Frame(frame)
				}
			},
			func() {
				if !c.gone && !d.life.over {
					c.gone = true
					h.Closed(errSimClosed)
				}
			})
		if c.conn == nil {
			h.Closed(errSimClosed)
			return
		}
		h.Opened(c)
	})
	return c.Close
}

// simConn is the client's end of a connection.
type simConn struct {
	dialer *simDialer
	conn   *appserver.Conn
	gone   bool
}

// Send implements [codex.Conn].
func (c *simConn) Send(frame []byte) {
	c.dialer.told(describe(frame))
	c.dialer.life.Post(func() {
		if !c.gone {
			c.conn.Receive(frame)
		}
	})
}

// Close implements [codex.Conn].
func (c *simConn) Close() {
	c.gone = true
	if c.conn != nil {
		c.conn.Close()
	}
}

// Generation implements [codex.Conn].
func (c *simConn) Generation() string { return c.dialer.generation() }

// describe names a frame's method, and the message that it carries.
func describe(frame []byte) string {
	var f struct {
		Method string
		Params struct {
			Message string `json:"clientUserMessageId"`
		}
	}
	if err := json.Unmarshal(frame, &f); err != nil {
		return fmt.Sprintf("no JSON: %v", err)
	}
	if f.Params.Message != "" {
		return f.Method + " " + f.Params.Message
	}
	return f.Method
}
