package codex

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// maxFrame bounds a message of the server, in bytes.
	maxFrame = 64 << 20
	// maxUnread bounds how many messages wait for the scheduler. Beyond that the
	// server waits.
	maxUnread = 64
	// handshakeLimit and writeLimit bound how long the server may take to accept.
	handshakeLimit = 10 * time.Second
	writeLimit     = 10 * time.Second
	// maxSocketPath is the longest path of a unix socket, in bytes (sun_path of
	// unix(7), less its closing zero byte).
	maxSocketPath = 107
)

// UnixDialer connects to the app-server that listens on a unix socket: websocket
// messages over that socket, one JSON message each.
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
func (d *UnixDialer) Dial(h Handler) (cancel func()) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		reason := d.run(ctx, h)
		d.Post(func() { h.Closed(reason) })
	}()
	return cancel
}

// run is one connection from beginning to end. It returns why it ended.
func (d *UnixDialer) run(ctx context.Context, h Handler) error {
	ws, err := d.open(ctx)
	if err != nil {
		return err
	}
	conn := &unixConn{ws: ws, generation: generation(ws), wake: make(chan struct{}, 1)}
	ctx, conn.cancel = context.WithCancel(ctx)
	defer conn.cancel()
	// Reading and writing know no context: closing ends both. What it says does
	// not matter, since nothing more is expected from the socket.
	defer context.AfterFunc(ctx, func() { _ = ws.Close() })()
	defer ws.Close()
	written := make(chan error, 1)
	go func() { written <- conn.write(ctx) }()
	d.Post(func() { h.Opened(conn) })
	readErr := d.read(ctx, ws, h)
	conn.cancel()
	if err := <-written; err != nil {
		return fmt.Errorf("codex: writing to the app-server: %w", err)
	}
	return fmt.Errorf("codex: the app-server's connection: %w", readErr)
}

// open connects, after making sure that somebody listens.
func (d *UnixDialer) open(ctx context.Context) (*websocket.Conn, error) {
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
		return ws, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, dialTrouble(d.Socket, err)
}

// dialTrouble says in an operator's words why the socket gives no connection.
func dialTrouble(socket string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &Trouble{
			Kind: SocketUnusable, Err: err,
			What:   "the bridge may not use Codex's socket " + socket,
			Remedy: "run both as the same user, or set another path",
		}
	case nobodyListens(err):
		return &Trouble{
			Kind: NotAnswering, Err: err,
			What:   "no Codex app-server listens on " + socket,
			Remedy: "start one there with `codex app-server --listen unix://" + socket + "`",
		}
	default:
		return &Trouble{
			Kind: NotAnswering, Err: err,
			What:   "what listens on " + socket + " does not answer as a Codex app-server does",
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
	dialer := websocket.Dialer{
		HandshakeTimeout: handshakeLimit,
		NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var unix net.Dialer
			return unix.DialContext(ctx, "unix", d.Socket)
		},
	}
	ws, response, err := dialer.DialContext(ctx, "ws://codex/", nil)
	if response != nil && response.Body != nil {
		// The package has read what there is; there is nothing to close but a name.
		_ = response.Body.Close()
	}
	return ws, err
}

// read hands on every message, and waits while too many are unread.
func (d *UnixDialer) read(ctx context.Context, ws *websocket.Conn, h Handler) error {
	ws.SetReadLimit(maxFrame)
	unread := make(chan struct{}, maxUnread)
	for {
		_, raw, err := ws.ReadMessage()
		if err != nil {
			return err
		}
		select {
		case unread <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		d.Post(func() {
			<-unread
			h.Frame(raw)
		})
	}
}

// unixConn is an open connection. Its methods may be called from any goroutine.
type unixConn struct {
	ws         *websocket.Conn
	generation string
	cancel     context.CancelFunc

	mu    sync.Mutex
	queue [][]byte
	wake  chan struct{} // holds a token while the queue may not be empty
}

var _ Conn = (*unixConn)(nil)

// Send implements [Conn].
func (c *unixConn) Send(frame []byte) {
	c.mu.Lock()
	c.queue = append(c.queue, frame)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Close implements [Conn].
func (c *unixConn) Close() { c.cancel() }

// Generation implements [Conn].
func (c *unixConn) Generation() string { return c.generation }

// write sends what is queued until the connection is given up. If the server
// does not take it in time, the connection is.
func (c *unixConn) write(ctx context.Context) error {
	defer c.cancel()
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			return nil
		}
		c.mu.Lock()
		queue := c.queue
		c.queue = nil
		c.mu.Unlock()
		for _, frame := range queue {
			if err := c.ws.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
				return err
			}
			if err := c.ws.WriteMessage(websocket.TextMessage, frame); err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return err
			}
		}
	}
}

// generation is the identity of the process that listens on the other side.
func generation(ws *websocket.Conn) string {
	conn, ok := ws.NetConn().(*net.UnixConn)
	if !ok {
		return ""
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return ""
	}
	var pid int
	err = raw.Control(func(fd uintptr) {
		// The credentials are those of the time when it began to listen.
		if peer, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(peer.Pid)
		}
	})
	if err != nil {
		return ""
	}
	return identity(pid)
}
