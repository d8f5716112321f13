package appserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"deskbridge/adapters/sched"

	"github.com/gorilla/websocket"
)

// maxQueue is the number of frames that a client may leave unread before it is
// dropped: no reader is waited for.
const maxQueue = 10000

// closeLimit bounds the wait for connections when a listener closes.
const closeLimit = 5 * time.Second

// Listener serves a [Server] on a unix socket or a network address, in real time.
// Its methods may be called from any goroutine.
type Listener struct {
	at     net.Addr
	token  string // that a client has to have; empty: none
	loop   *sched.Loop
	server *Server
	http   *http.Server
	served chan error
	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	mu     sync.Mutex
	closed bool
	active sync.WaitGroup // the loop, the listener and all connections
}

// Listen starts a server on the socket path until Close: a websocket upgrade on
// any URL, then one JSON text a message. A socket file that nobody listens on is
// replaced, as the real server does.
func Listen(path string, options Options) (*Listener, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	return listenOn("unix", path, "", options)
}

// ListenWS is Listen on an IP:PORT; port 0 is one that is free. With a token, only
// clients that bring it as a bearer token are let in, and others are refused in the
// real server's words.
func ListenWS(address, token string, options Options) (*Listener, error) {
	return listenOn("tcp", address, token, options)
}

func listenOn(network, address, token string, options Options) (*Listener, error) {
	listener, err := net.Listen(network, address)
	if err != nil {
		return nil, fmt.Errorf("appserver: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	loop := sched.NewLoop()
	l := &Listener{
		at: listener.Addr(), token: token, loop: loop, server: New(loop, options),
		ctx: ctx, cancel: cancel, served: make(chan error, 1),
	}
	l.http = &http.Server{
		ReadHeaderTimeout: closeLimit,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		Handler:           http.HandlerFunc(l.answer),
	}
	l.active.Go(func() { loop.Run(ctx) })
	l.active.Go(func() { l.served <- l.http.Serve(listener) })
	return l, nil
}

// removeStale removes a socket file that nobody listens on.
func removeStale(path string) error {
	conn, err := net.DialTimeout("unix", path, closeLimit)
	if err == nil {
		return errors.Join(fmt.Errorf("appserver: somebody listens on %s already", path), conn.Close())
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("appserver: %s is not a socket", path)
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("appserver: %w", err)
	}
	return nil
}

// Do runs f with the server, where it may be used, and waits for it: to inject
// faults, release holds, or kill it and start it again. A killed server refuses
// connections, but the socket stays. The error is the context's, or
// context.Canceled once the listener is closed.
func (l *Listener) Do(ctx context.Context, f func(*Server)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	return l.loop.Call(ctx, func() { f(l.server) })
}

// Close drops all connections, removes the socket and waits until nothing of
// the listener runs. It must be called once.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	err := l.http.Close()
	if serveErr := <-l.served; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, serveErr)
	}
	l.active.Wait()
	return err
}

// enter counts a connection, unless the listener is closed.
func (l *Listener) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.active.Add(1)
	return true
}

// URL is where it listens, as the client is to be told: unix://PATH or
// ws://IP:PORT.
func (l *Listener) URL() string {
	if l.at.Network() == "unix" {
		return "unix://" + l.at.String()
	}
	return "ws://" + l.at.String()
}

// answer answers one request: on the network a client may have to prove itself, may
// not be a page in a browser, and may ask whether the server is there.
func (l *Listener) answer(w http.ResponseWriter, r *http.Request) {
	bearer, sent := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case l.at.Network() == "unix":
		l.upgrade(w, r)
	case r.Header.Get("Origin") != "":
		w.WriteHeader(http.StatusForbidden)
	case r.URL.Path == "/readyz", r.URL.Path == "/healthz":
		w.WriteHeader(http.StatusOK)
	case l.token == "" || sent && bearer == l.token:
		l.upgrade(w, r)
	case sent:
		http.Error(w, "invalid websocket bearer token", http.StatusUnauthorized)
	default:
		http.Error(w, "missing websocket bearer token", http.StatusUnauthorized)
	}
}

// upgrade serves one connection.
func (l *Listener) upgrade(w http.ResponseWriter, r *http.Request) {
	if !l.enter() {
		return
	}
	defer l.active.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	queue := &queue{wake: make(chan struct{}, 1)}
	var conn *Conn
	err := l.Do(ctx, func(s *Server) { conn = s.Connect(queue.push, cancel) })
	// Posted even if the wait was given up: what was connected meanwhile is closed.
	defer l.loop.Post(func() {
		if conn != nil {
			conn.Close()
		}
	})
	if err != nil || conn == nil {
		http.Error(w, "the server is down", http.StatusServiceUnavailable)
		return
	}
	// Who may come this far may use it.
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	socket, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // The upgrader has answered.
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		defer cancel()
		l.read(socket, conn)
	})
	queue.drain(ctx, func(frame []byte) bool {
		return socket.SetWriteDeadline(time.Now().Add(closeLimit)) == nil &&
			socket.WriteMessage(websocket.TextMessage, frame) == nil
	})
	// Whatever ended the connection, closing it ends the reader. That it was
	// closed already is no news.
	_ = socket.Close()
	reading.Wait()
}

// read passes frames on until the connection ends.
func (l *Listener) read(socket *websocket.Conn, conn *Conn) {
	for {
		_, frame, err := socket.ReadMessage()
		if err != nil {
			return
		}
		l.loop.Post(func() { conn.Receive(frame) })
	}
}

// queue are the frames on their way to a client.
type queue struct {
	mu     sync.Mutex
	frames [][]byte
	wake   chan struct{}
}

// push adds a frame without waiting for the client.
func (q *queue) push(frame []byte) {
	q.mu.Lock()
	q.frames = append(q.frames, frame)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// drain writes what is pushed until the context ends, then what is left; or
// until the connection ends, or the client is too slow.
func (q *queue) drain(ctx context.Context, write func(frame []byte) bool) {
	for ctx.Err() == nil {
		select {
		case <-q.wake:
		case <-ctx.Done():
		}
		frames := q.take()
		if len(frames) > maxQueue {
			return
		}
		for _, frame := range frames {
			if !write(frame) {
				return
			}
		}
	}
}

// take empties the queue.
func (q *queue) take() [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	frames := q.frames
	q.frames = nil
	return frames
}
