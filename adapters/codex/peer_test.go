package codex

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"deskbridge/adapters/sched"

	"github.com/gorilla/websocket"
)

// carrier is a transport, with a server whose side of each connection a test plays.
type carrier struct {
	name string
	// serve serves until the test ends, and returns how to dial.
	serve func(t *testing.T, handle func(peer)) func(post func(func())) Dialer
}

var carriers = []carrier{
	{"unix", func(t *testing.T, handle func(peer)) func(func(func())) Dialer {
		socket := filepath.Join(shortFolder(t), "s")
		serveWeb(t, listenOn(t, "unix", socket), handle)
		return func(post func(func())) Dialer { return &UnixDialer{Socket: socket, Post: post} }
	}},
	{"ws", func(t *testing.T, handle func(peer)) func(func(func())) Dialer {
		listener := listenOn(t, "tcp", "127.0.0.1:0")
		serveWeb(t, listener, handle)
		return func(post func(func())) Dialer {
			return &WSDialer{Endpoint: "ws://" + listener.Addr().String(), Post: post}
		}
	}},
	{"stdio", func(t *testing.T, handle func(peer)) func(func(func())) Dialer {
		s := childServer(t, "relay")
		serveLines(t, listenOn(t, "unix", filepath.Join(s.Workdir, "peer")), handle)
		return func(post func(func())) Dialer { return childDialer(t, s, post) }
	}},
}

// onEach runs a test on every transport.
func onEach(t *testing.T, test func(t *testing.T, c carrier)) {
	t.Helper()
	for _, c := range carriers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// childServer is a program of testdata/bin as a server that is started as a child.
func childServer(t *testing.T, program string) *Server {
	t.Helper()
	command, err := filepath.Abs(filepath.Join("testdata", "bin", program))
	if err != nil {
		t.Fatal(err)
	}
	dir := shortFolder(t)
	return &Server{Command: command, Home: dir, Workdir: dir, Log: filepath.Join(dir, "codex.log")}
}

// childDialer is a dialer whose last child ends with the test.
func childDialer(t *testing.T, s *Server, post func(func())) *StdioDialer {
	t.Helper()
	d := NewStdioDialer(s, post)
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		if err := d.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return d
}

// peer is the server's end of a connection.
type peer interface {
	// say sends one message, or some bytes of one, after which nothing can be said.
	say(text string) error
	tear(text string) error
	// hear returns the next message.
	hear() (string, error)
	hangUp()
}

func listenOn(t *testing.T, network, address string) net.Listener {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// serveWeb serves websocket connections until the test ends.
func serveWeb(t *testing.T, listener net.Listener, handle func(peer)) {
	t.Helper()
	var upgrader websocket.Upgrader
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer ws.Close()
		handle(webPeer{ws})
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
}

type webPeer struct{ ws *websocket.Conn }

func (p webPeer) say(text string) error {
	return p.ws.WriteMessage(websocket.TextMessage, []byte(text))
}

func (p webPeer) tear(text string) error {
	const final, kind = 0x80, websocket.TextMessage
	_, err := p.ws.NetConn().Write(append([]byte{final | kind, 125}, text...)) // of 125 bytes
	return err
}

func (p webPeer) hear() (string, error) {
	_, raw, err := p.ws.ReadMessage()
	return string(raw), err
}

func (p webPeer) hangUp() { _ = p.ws.Close() }

// serveLines serves lines over a socket until the test ends.
func serveLines(t *testing.T, listener net.Listener, handle func(peer)) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			go func() {
				defer conn.Close()
				handle(linePeer{conn, bufio.NewReader(conn)})
			}()
		}
	}()
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
}

type linePeer struct {
	net.Conn
	lines *bufio.Reader
}

func (p linePeer) say(text string) error {
	_, err := p.Write([]byte(text + "\n"))
	return err
}

func (p linePeer) tear(text string) error {
	_, err := p.Write([]byte(text))
	return err
}

func (p linePeer) hear() (string, error) {
	line, err := p.lines.ReadString('\n')
	if err != nil {
		return "", err
	}
	return line[:len(line)-1], nil
}

func (p linePeer) hangUp() { _ = p.Close() }

// loop is a running scheduler that ends with the test.
func loop(t testing.TB) *sched.Loop {
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

// dialed is what a dial says, in order.
type dialed struct {
	opened chan Conn
	frames chan string
	cuts   chan cutMessage
	closed chan error
	cancel func()
}

type cutMessage struct {
	Head string
	Size int64
}

func dial(t *testing.T, d Dialer) dialed {
	t.Helper()
	l := dialed{
		opened: make(chan Conn, 1), frames: make(chan string, 10000), cuts: make(chan cutMessage, 10), closed: make(chan error, 1),
	}
	l.cancel = d.Dial(Handler{
		Opened: func(c Conn) { l.opened <- c },
		Frame:  func(raw []byte) { l.frames <- string(raw) },
		Cut:    func(head []byte, size int64) { l.cuts <- cutMessage{string(head), size} },
		Closed: func(err error) { l.closed <- err },
	})
	t.Cleanup(l.cancel)
	return l
}
