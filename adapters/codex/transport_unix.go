package codex

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"

	"github.com/gorilla/websocket"
)

// maxSocketPath is the longest path of a unix socket, in bytes (sun_path of
// unix(7), less its closing zero byte).
const maxSocketPath = 107

// UnixDialer connects to the app-server that listens on a unix socket: websocket
// messages over that socket.
type UnixDialer struct {
	// Socket is the path.
	Socket string
	// Ensure makes a server listen there and returns once it does; it is called
	// when none does. Optional: without it there is only what listens by itself.
	Ensure func(ctx context.Context) error
	// Post runs a function in the scheduler, from any goroutine. Required.
	Post func(func())
}

var _ Dialer = (*UnixDialer)(nil)

// Dial implements [Dialer]. The goroutines it starts end soon after it is
// cancelled.
func (d *UnixDialer) Dial(h Handler) (cancel func()) { return dialStream(d.Post, h, d.open) }

// open connects, after making sure that somebody listens.
func (d *UnixDialer) open(ctx context.Context) (stream, error) {
	if err := checkSocketPath(d.Socket); err != nil {
		return nil, err
	}
	ws, err := d.handshake(ctx)
	if d.Ensure != nil && nobodyListens(err) {
		if err := d.Ensure(ctx); err != nil {
			return nil, err
		}
		ws, err = d.handshake(ctx)
	}
	if err == nil {
		return &webStream{ws: ws, id: listenerOf(ws)}, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, d.trouble(err)
}

// trouble says in an operator's words why the socket gives no connection.
func (d *UnixDialer) trouble(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &Trouble{
			Kind: SocketUnusable, Err: err,
			What:   "the bridge may not use Codex's socket " + d.Socket,
			Remedy: "run both as the same user, or set another path",
		}
	case nobodyListens(err):
		return &Trouble{
			Kind: NotAnswering, Err: err,
			What:   "no Codex app-server listens on " + d.Socket,
			Remedy: "start one there with `codex app-server --listen unix://" + d.Socket + "`",
		}
	default:
		return &Trouble{
			Kind: NotAnswering, Err: err,
			What:   "what listens on " + d.Socket + " does not answer as a Codex app-server does",
			Remedy: "end it, or set another path",
		}
	}
}

// nobodyListens reports whether the socket is missing, or left behind.
func nobodyListens(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// checkSocketPath refuses a path that no socket can have.
func checkSocketPath(path string) error {
	if len(path) <= maxSocketPath {
		return nil
	}
	return &Trouble{
		Kind:   SocketUnusable,
		What:   fmt.Sprintf("the path of Codex's socket is %d bytes long, and %d are possible: %s", len(path), maxSocketPath, path),
		Remedy: "set a shorter path",
	}
}

// handshake connects to the socket and asks for the websocket protocol.
func (d *UnixDialer) handshake(ctx context.Context) (*websocket.Conn, error) {
	connect := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var unix net.Dialer
		return unix.DialContext(ctx, "unix", d.Socket)
	}
	ws, _, err := dialWeb(ctx, websocket.Dialer{HandshakeTimeout: handshakeLimit}, connect, "ws://codex/", nil)
	return ws, err
}

// listenerOf is the identity of the process that listens on the other side.
func listenerOf(ws *websocket.Conn) string {
	conn, ok := ws.NetConn().(*net.UnixConn)
	if !ok {
		return ""
	}
	pid, err := peerOf(conn)
	if err != nil {
		return ""
	}
	return identity(pid)
}
