package feishu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"deskbridge/adapters/sched"
)

// ErrClosed is returned by the methods of a server that was closed.
var ErrClosed = errors.New("feishu: the server is closed")

// bodyLimit is the longest request body that the server reads: far above the
// platform's own limits, so that those are what a caller meets.
const bodyLimit = 4 << 20

// ServerOptions of a server. The platform's ConnectURL is the server's own.
type ServerOptions struct {
	Options
	// Addr is the address to listen on, which must be a loopback one; default
	// "127.0.0.1:0".
	Addr string
	// Setup, if given, makes the apps, users and chats before the first request is
	// served, and names the chat that the chat page shows.
	Setup func(*Platform) Page
}

// Server serves a platform on a loopback address.
type Server struct {
	platform *Platform
	loop     *sched.Loop
	http     *http.Server
	host     string // host:port
	page     Page

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // everything that runs

	serveErr error // of the listener; set before its goroutine ends
}

// Start listens and serves until [Server.Close]. It fails if the address cannot be
// used, or is not a loopback address: the chat page may drive a desk that runs real
// tools, so nobody but this machine may reach it.
func Start(o ServerOptions) (*Server, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	addr, err := net.ResolveTCPAddr("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("feishu: address: %w", err)
	}
	if !addr.IP.IsLoopback() {
		return nil, fmt.Errorf("feishu: %s is not a loopback address", o.Addr)
	}
	l, err := net.ListenTCP("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("feishu: %w", err)
	}
	s := &Server{loop: sched.NewLoop(), host: l.Addr().String()}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	o.ConnectURL = "ws://" + s.host + connectPath
	s.platform = New(s.loop, o.Options)
	// The loop does not run yet, so this is the only goroutine that knows the
	// platform, and what Setup writes down is there when Start returns.
	if o.Setup != nil {
		s.page = o.Setup(s.platform)
	}
	s.http = &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 10 * time.Second,
		ConnState:         s.count,
		BaseContext:       func(net.Listener) context.Context { return s.ctx },
	}
	s.wg.Go(func() { s.loop.Run(s.ctx) })
	s.wg.Go(func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.serveErr = err
		}
	})
	return s, nil
}

// URL is the base of the HTTP API, and the address of the chat page.
func (s *Server) URL() string { return "http://" + s.host }

// Close ends all connections and waits until nothing of the server runs any more.
// It returns the error that ended the listener before, if one did.
func (s *Server) Close() error {
	s.cancel()
	err := s.http.Close()
	s.wg.Wait()
	if s.serveErr != nil {
		return fmt.Errorf("feishu: %w", s.serveErr)
	}
	if err != nil {
		return fmt.Errorf("feishu: %w", err)
	}
	return nil
}

// count keeps the number of connections that net/http serves.
func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.wg.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.wg.Done()
	}
}

// Do runs f on the platform and waits for it. It returns [ErrClosed] if the server
// was closed before.
func (s *Server) Do(f func(*Platform)) error {
	if s.loop.Call(s.ctx, func() { f(s.platform) }) != nil {
		return ErrClosed
	}
	return nil
}

// Wait returns once cond holds of the platform: now, or after a change. Its error is
// that of ctx, or [ErrClosed].
func (s *Server) Wait(ctx context.Context, cond func(*Platform) bool) error {
	held := make(chan struct{})
	stop := func() {}
	s.loop.Post(func() {
		done := false
		check := func() {
			if !done && cond(s.platform) {
				done = true
				stop()
				close(held)
			}
		}
		if check(); !done {
			stop = s.platform.OnChange(check)
		}
	})
	var err error
	select {
	case <-held:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.ctx.Done():
		err = ErrClosed
	}
	s.loop.Post(func() { stop() })
	return err
}

// WaitMessage returns the first message of the chat, in its order, for which pred
// holds, once there is one. Its error is as with [Server.Wait].
func (s *Server) WaitMessage(ctx context.Context, chatID string, pred func(Message) bool) (Message, error) {
	var found Message
	err := s.Wait(ctx, func(p *Platform) bool {
		for _, m := range p.Messages(chatID) {
			if pred(m) {
				found = m
				return true
			}
		}
		return false
	})
	if err != nil {
		return Message{}, err
	}
	return found, nil
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(connectPath, s.serveConnect)
	mux.HandleFunc("/", s.serveAPI)
	s.routePage(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.wg.Add(1) // besides its connection, which it may hijack
		defer s.wg.Done()
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	if resp := s.handle(w, r); resp != nil {
		write(w, *resp)
	}
}

// handle lets the platform handle a request. It returns nil if the caller has gone
// or was answered already, and does not return if the connection is to be closed
// without an answer.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) *Response {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		http.Error(w, "the body could not be read", http.StatusBadRequest)
		return nil
	}
	req := Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header, Body: body}
	replies := make(chan Response, 1)
	s.loop.Post(func() { s.platform.Handle(req, func(resp Response) { replies <- resp }) })
	select {
	case resp := <-replies:
		if resp.Closed {
			panic(http.ErrAbortHandler) // net/http's way to close without an answer
		}
		return &resp
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

func write(w http.ResponseWriter, resp Response) {
	for key, values := range resp.Header {
		w.Header()[key] = values
	}
	w.WriteHeader(resp.Status)
	// A failed write means that the caller has gone; the journal has the answer.
	_, _ = w.Write(resp.Body)
}
