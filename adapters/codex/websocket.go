package codex

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// handshakeLimit bounds how long the server may take to accept a connection.
const handshakeLimit = 10 * time.Second

// webStream is a websocket connection: one JSON message each.
type webStream struct {
	ws *websocket.Conn
	id string
}

var _ stream = (*webStream)(nil)

// connect opens the connection beneath a websocket.
type connect func(ctx context.Context, network, address string) (net.Conn, error)

// dialWeb connects, and asks for the websocket protocol. Where the peer answers in
// another way, the status is that of its answer, such as "404 Not Found".
func dialWeb(ctx context.Context, dialer websocket.Dialer, open connect, address string, header http.Header) (ws *websocket.Conn, status string, err error) {
	// The package waits for the answer whatever becomes of the context.
	var giveUp func() bool
	dialer.NetDialContext = func(limited context.Context, network, address string) (net.Conn, error) {
		conn, err := open(limited, network, address)
		if err == nil {
			giveUp = context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}
	ws, response, err := dialer.DialContext(ctx, address, header)
	if giveUp != nil && !giveUp() && err == nil {
		err = errors.Join(ctx.Err(), ws.Close())
	}
	if response != nil {
		status = response.Status
		if response.Body != nil {
			// The package has read what there is; there is nothing to close but a name.
			_ = response.Body.Close()
		}
	}
	return ws, status, err
}

func (s *webStream) read() (message, error) {
	_, r, err := s.ws.NextReader()
	if err != nil {
		return message{}, err
	}
	return readMessage(r)
}

func (s *webStream) write(frame []byte, by time.Time) error {
	if err := s.ws.SetWriteDeadline(by); err != nil {
		return err
	}
	return s.ws.WriteMessage(websocket.TextMessage, frame)
}

// hangUp closes the connection: nothing more is expected from it, so that what
// that says does not matter.
func (s *webStream) hangUp() { _ = s.ws.Close() }

func (s *webStream) why(err error) error { return err }
func (s *webStream) release()            { s.hangUp() }
func (s *webStream) generation() string  { return s.id }
