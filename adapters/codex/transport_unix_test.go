package codex

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sched"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
)

// loop is a running scheduler that ends with the test.
func loop(t *testing.T) *sched.Loop {
	t.Helper()
	l := sched.NewLoop()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return l
}

// serve runs a websocket server on a unix socket until the test ends.
func serve(t *testing.T, handle func(*websocket.Conn)) (socket string) {
	t.Helper()
	socket = filepath.Join(shortFolder(t), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var upgrader websocket.Upgrader
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer ws.Close()
		handle(ws)
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return socket
}

// dialed is what a dial says, in order.
type dialed struct {
	opened chan Conn
	frames chan string
	closed chan error
}

func dial(t *testing.T, d *UnixDialer) (dialed, func()) {
	t.Helper()
	l := dialed{opened: make(chan Conn, 1), frames: make(chan string, 1000), closed: make(chan error, 1)}
	cancel := d.Dial(Handler{
		Opened: func(c Conn) { l.opened <- c },
		Frame:  func(raw []byte) { l.frames <- string(raw) },
		Closed: func(err error) { l.closed <- err },
	})
	t.Cleanup(cancel)
	return l, cancel
}

func TestFramesArriveInOrderBothWays(t *testing.T) {
	t.Parallel()
	const frames = 3 * maxUnread
	socket := serve(t, func(ws *websocket.Conn) {
		for range frames {
			kind, raw, err := ws.ReadMessage()
			if err == nil {
				err = ws.WriteMessage(kind, append(raw, '!'))
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	l, _ := dial(t, &UnixDialer{Socket: socket, Post: loop(t).Post})
	conn := <-l.opened
	if want := identity(os.Getpid()); conn.Generation() != want {
		t.Errorf("generation %q, want that of this process, %q", conn.Generation(), want)
	}
	for i := range frames {
		conn.Send(fmt.Append(nil, i))
	}
	for i := range frames {
		if got, want := <-l.frames, fmt.Sprint(i, "!"); got != want {
			t.Fatalf("frame %q, want %q", got, want)
		}
	}
	if err := <-l.closed; err == nil {
		t.Error("closed without a reason")
	}
}

func TestALargeFrameArrivesAndATooLargeOneEndsTheConnection(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	socket := serve(t, func(ws *websocket.Conn) {
		for _, size := range []int{maxFrame, maxFrame + 1} {
			// The second one is cut off by the other side.
			_ = ws.WriteMessage(websocket.TextMessage, []byte(strings.Repeat("x", size)))
			<-next
		}
	})
	defer close(next)
	l, _ := dial(t, &UnixDialer{Socket: socket, Post: loop(t).Post})
	if got := len(<-l.frames); got != maxFrame {
		t.Errorf("a frame of %d bytes, want %d", got, maxFrame)
	}
	next <- struct{}{}
	if err := <-l.closed; !errors.Is(err, websocket.ErrReadLimit) {
		t.Errorf("closed by %v, want the limit", err)
	}
}

func TestClosingOrCancellingEndsTheConnection(t *testing.T) {
	t.Parallel()
	for _, end := range []func(Conn, func()){
		func(c Conn, _ func()) { c.Close() },
		func(_ Conn, cancel func()) { cancel() },
	} {
		gone := make(chan error, 1)
		socket := serve(t, func(ws *websocket.Conn) {
			_, _, err := ws.ReadMessage()
			gone <- err
		})
		l, cancel := dial(t, &UnixDialer{Socket: socket, Post: loop(t).Post})
		end(<-l.opened, cancel)
		if err := <-gone; err == nil {
			t.Error("the server still reads")
		}
		<-l.closed
	}
}

func TestWhyADialFailsIsSaid(t *testing.T) {
	t.Parallel()
	post := loop(t).Post
	kinds := map[TroubleKind]string{}
	fails := func(d *UnixDialer) {
		t.Helper()
		d.Post = post
		l, _ := dial(t, d)
		err := <-l.closed
		var trouble *Trouble
		if !errors.As(err, &trouble) || len(l.opened) != 0 {
			t.Errorf("%v, want a trouble", err)
			return
		}
		kinds[trouble.Kind] += d.Socket[strings.LastIndex(d.Socket, "/")+1:]
	}
	dir := shortFolder(t)
	fails(&UnixDialer{Socket: filepath.Join(dir, "none")})
	fails(&UnixDialer{Socket: filepath.Join(dir, strings.Repeat("l", maxSocketPath))})
	mute, err := net.Listen("unix", filepath.Join(dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	go func() {
		// What hangs up at once is no app-server.
		if conn, err := mute.Accept(); err == nil {
			_ = conn.Close()
		}
	}()
	fails(&UnixDialer{Socket: filepath.Join(dir, "other")})
	fails(&UnixDialer{Socket: filepath.Join(dir, "ensured"), Ensure: func(context.Context) error {
		return &Trouble{Kind: BinaryMissing}
	}})
	want := map[TroubleKind]string{
		NotAnswering: "noneother", SocketUnusable: strings.Repeat("l", maxSocketPath), BinaryMissing: "ensured",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("troubles (-want +got):\n%s", diff)
	}
}

func TestCancellingEndsADialThatWaits(t *testing.T) {
	t.Parallel()
	ensuring := make(chan struct{})
	l, cancel := dial(t, &UnixDialer{
		Socket: filepath.Join(shortFolder(t), "none"), Post: loop(t).Post,
		Ensure: func(ctx context.Context) error {
			close(ensuring)
			<-ctx.Done()
			return ctx.Err()
		},
	})
	<-ensuring
	cancel()
	if err := <-l.closed; !errors.Is(err, context.Canceled) {
		t.Errorf("closed by %v", err)
	}
}
