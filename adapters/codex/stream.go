package codex

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// maxFrame bounds a message of the server that is kept, in bytes.
	maxFrame = 64 << 20
	// headSize is how much of a larger one is.
	headSize = 256
	// maxUnread bounds the messages that wait for the scheduler, in bytes. Beyond
	// that the server waits; one message may always wait.
	maxUnread = 16 << 20
	// unreadCost is what a message costs beside its bytes.
	unreadCost = 256
	// writeLimit bounds how long the server may take to accept a message.
	writeLimit = 10 * time.Second
)

// stream is what a transport opens: whole messages, both ways.
type stream interface {
	// read returns the next message.
	read() (message, error)
	// write writes one, by the deadline.
	write(frame []byte, by time.Time) error
	// hangUp makes read and write return soon. It may be called at any time, any
	// number of times.
	hangUp()
	// why is the reason of the end, after read or write has failed: its error, or
	// one that says more.
	why(err error) error
	// release gives up what is left, and returns once that is gone.
	release()
	generation() string
}

// message is one message of the server. One that is too large is cut.
type message struct {
	frame []byte
	cut   bool
	size  int64
}

// readMessage reads a message that ends with the reader. The rest of a too large
// one is read and forgotten, so that the next one can be read.
func readMessage(r io.Reader) (message, error) {
	var b bytes.Buffer
	if _, err := b.ReadFrom(io.LimitReader(r, maxFrame+1)); err != nil {
		return message{}, err
	}
	if b.Len() <= maxFrame {
		return message{frame: b.Bytes(), size: int64(b.Len())}, nil
	}
	rest, err := io.Copy(io.Discard, r)
	if err != nil {
		return message{}, err
	}
	return message{frame: bytes.Clone(b.Bytes()[:headSize]), cut: true, size: maxFrame + 1 + rest}, nil
}

// dialStream is Dial of a transport whose streams open gives. The goroutines it
// starts end soon after it is cancelled, once the stream is released.
func dialStream(post func(func()), h Handler, open func(context.Context) (stream, error)) (cancel func()) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		s, err := open(ctx)
		if err != nil {
			post(func() { h.Closed(err) })
			return
		}
		reason := carry(ctx, post, h, s)
		post(func() { h.Closed(reason) })
		s.release()
	}()
	return cancel
}

// carry carries messages both ways until the stream ends or is given up. It
// returns why it ended.
func carry(ctx context.Context, post func(func()), h Handler, s stream) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn := &streamConn{stream: s, cancel: cancel, wake: make(chan struct{}, 1)}
	// Reading and writing know no context.
	defer context.AfterFunc(ctx, s.hangUp)()
	written := make(chan error, 1)
	go func() { written <- conn.write(ctx) }()
	post(func() { h.Opened(conn) })
	readErr := readAll(ctx, post, h, s)
	given := ctx.Err() // by this side, unless writing has failed
	cancel()
	if err := <-written; err != nil {
		return s.why(fmt.Errorf("codex: writing to the app-server: %w", err))
	}
	if given != nil {
		return given
	}
	return s.why(fmt.Errorf("codex: the app-server's connection: %w", readErr))
}

// readAll hands on every message that is not to be skipped, and waits while too
// much is unread.
func readAll(ctx context.Context, post func(func()), h Handler, s stream) error {
	unread := semaphore.NewWeighted(maxUnread)
	for {
		m, err := s.read()
		if err != nil {
			return err
		}
		if !m.cut && h.Skip != nil && h.Skip(m.frame) {
			continue
		}
		cost := min(int64(len(m.frame))+unreadCost, maxUnread)
		if err := unread.Acquire(ctx, cost); err != nil {
			return err
		}
		post(func() {
			unread.Release(cost)
			if m.cut {
				h.Cut(m.frame, m.size)
				return
			}
			h.Frame(m.frame)
		})
	}
}

// streamConn is an open connection. Its methods may be called from any goroutine.
type streamConn struct {
	stream stream
	cancel context.CancelFunc

	mu    sync.Mutex
	queue [][]byte
	wake  chan struct{} // holds a token while the queue may not be empty
}

var _ Conn = (*streamConn)(nil)

// Send implements [Conn].
func (c *streamConn) Send(frame []byte) {
	c.mu.Lock()
	c.queue = append(c.queue, frame)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Close implements [Conn].
func (c *streamConn) Close() { c.cancel() }

// Generation implements [Conn].
func (c *streamConn) Generation() string { return c.stream.generation() }

// write sends what is queued until the connection is given up. If the server
// does not take it in time, the connection is.
func (c *streamConn) write(ctx context.Context) error {
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
			if err := c.stream.write(frame, time.Now().Add(writeLimit)); err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return err
			}
		}
	}
}
