package modeltest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// callLimit bounds how long a frame may take to arrive.
const callLimit = 30 * time.Second

// Frame is one message of the app-server protocol: an answer (ID and Result or
// Error), a notification (Method), or a request of the server (both).
type Frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *FrameError     `json:"error"`
	// Raw is the frame as it came, At when.
	Raw json.RawMessage `json:"-"`
	At  time.Time       `json:"-"`
}

// FrameError is the error of an answer.
type FrameError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Decode reads the frame's result or parameters into out.
func (f Frame) Decode(tb testing.TB, out any) {
	tb.Helper()
	content := f.Result
	if f.Method != "" {
		content = f.Params
	}
	if err := json.Unmarshal(content, out); err != nil {
		tb.Fatalf("%s: %v", f.Raw, err)
	}
}

// Client is one connection to an app-server.
type Client struct {
	tb   testing.TB
	conn *websocket.Conn

	mu      sync.Mutex
	frames  []Frame
	changed chan struct{}
	nextID  int
	read    error // why reading ended
	done    bool
}

// Dial connects to an app-server on a unix socket until the test ends.
func Dial(tb testing.TB, socket string) *Client {
	tb.Helper()
	conn, err := dial(tb.Context(), socket)
	if err != nil {
		tb.Fatal(err)
	}
	return newClient(tb, conn)
}

func newClient(tb testing.TB, conn *websocket.Conn) *Client {
	c := &Client{tb: tb, conn: conn, changed: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.receive()
	}()
	tb.Cleanup(func() {
		c.Close()
		<-ended
	})
	return c
}

// Hello is Dial and the handshake.
func Hello(tb testing.TB, socket string) *Client {
	tb.Helper()
	return hello(tb, Dial(tb, socket))
}

// Reach is Hello as soon as somebody listens.
func Reach(tb testing.TB, socket string) *Client {
	tb.Helper()
	ctx, stop := context.WithTimeout(tb.Context(), startLimit)
	defer stop()
	return hello(tb, newClient(tb, dialUntil(tb, ctx, socket)))
}

func hello(tb testing.TB, c *Client) *Client {
	tb.Helper()
	c.Call("initialize", map[string]any{
		"capabilities": map[string]any{"experimentalApi": true},
		"clientInfo":   map[string]any{"name": "desk", "title": "desk", "version": "0"},
	})
	c.Send(map[string]any{"method": "initialized"})
	return c
}

// Close drops the connection.
func (c *Client) Close() {
	// Closing what the peer closed already is an error that says nothing.
	_ = c.conn.Close()
}

// Send writes one frame.
func (c *Client) Send(frame any) {
	c.tb.Helper()
	if err := c.conn.WriteJSON(frame); err != nil {
		c.tb.Fatalf("sending %v: %v", frame, err)
	}
}

// SendRaw writes one frame as it is.
func (c *Client) SendRaw(frame []byte) {
	c.tb.Helper()
	if err := c.conn.WriteMessage(websocket.TextMessage, frame); err != nil {
		c.tb.Fatalf("sending %s: %v", frame, err)
	}
}

// Call sends a request and waits for its answer, which may be an error.
func (c *Client) Call(method string, params any) Frame {
	c.tb.Helper()
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	c.mu.Unlock()
	c.Send(map[string]any{"id": id, "method": method, "params": params})
	return c.Await(method+"'s answer", func(f Frame) bool {
		return f.Method == "" && string(f.ID) == strconv.Itoa(id)
	})
}

// Await waits for the first frame that matches, of all that came or will come.
func (c *Client) Await(what string, match func(Frame) bool) Frame {
	c.tb.Helper()
	ctx, stop := context.WithTimeout(c.tb.Context(), callLimit)
	defer stop()
	for {
		c.mu.Lock()
		frames, changed, done, read := c.frames, c.changed, c.done, c.read
		c.mu.Unlock()
		if i := slices.IndexFunc(frames, match); i >= 0 {
			return frames[i]
		}
		if done {
			c.tb.Fatalf("the connection ended before %s: %v", what, read)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			c.tb.Fatalf("no %s: %v", what, ctx.Err())
		}
	}
}

// AwaitEnd waits until the peer has ended the connection.
func (c *Client) AwaitEnd() {
	c.tb.Helper()
	ctx, stop := context.WithTimeout(c.tb.Context(), callLimit)
	defer stop()
	for {
		c.mu.Lock()
		changed, done := c.changed, c.done
		c.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			c.tb.Fatal("the connection did not end")
		}
	}
}

// Frames is what came so far.
func (c *Client) Frames() []Frame {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.frames)
}

// Changed is closed when the next frame has come, or the connection has ended.
func (c *Client) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// receive keeps every frame until the connection ends.
func (c *Client) receive() {
	for {
		_, raw, err := c.conn.ReadMessage()
		var frame Frame
		if err == nil {
			if err = json.Unmarshal(raw, &frame); err != nil {
				err = fmt.Errorf("%s: %w", raw, err)
			}
			frame.Raw, frame.At = raw, time.Now()
		}
		c.mu.Lock()
		if err != nil {
			c.read, c.done = err, true
		} else {
			c.frames = append(c.frames, frame)
		}
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// dialUntil connects to a socket as soon as somebody listens.
func dialUntil(tb testing.TB, ctx context.Context, socket string) *websocket.Conn {
	tb.Helper()
	retry := time.NewTicker(dialRetry)
	defer retry.Stop()
	for {
		conn, err := dial(ctx, socket)
		if err == nil {
			return conn
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			tb.Fatalf("nobody can be reached on %s: %v", socket, err)
		}
	}
}

// dial does the websocket handshake over a unix socket.
func dial(ctx context.Context, socket string) (*websocket.Conn, error) {
	dialer := websocket.Dialer{
		HandshakeTimeout: callLimit,
		NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		},
	}
	conn, response, err := dialer.DialContext(ctx, "ws://codex/", nil)
	if response != nil {
		response.Body.Close()
	}
	return conn, err
}
