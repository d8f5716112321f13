package model

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// closeLimit bounds how long Close waits for what is being sent.
const closeLimit = 10 * time.Second

// State is how far a recorded request came.
type State string

const (
	// Waiting is a request whose reply is not sent yet, or only in part.
	Waiting State = "waiting"
	// Answered is a request whose reply, or failure, was sent in full.
	Answered State = "answered"
	// Cancelled is a request whose sender went away before that.
	Cancelled State = "cancelled"
)

// Record is a request and how far it came.
type Record struct {
	Request
	State State
}

// Server is a running model provider. Its methods may be called from any
// goroutine.
type Server struct {
	http   *http.Server
	addr   string
	served chan error
	cancel context.CancelFunc // of all requests

	mu      sync.Mutex
	script  Script
	records []Record
	changed chan struct{} // closed and replaced whenever records change
	serial  int           // of the last item
}

// Start serves the script on a free port of loopback until Close.
func Start(script Script) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{
		cancel:  cancel,
		addr:    listener.Addr().String(),
		served:  make(chan error, 1),
		script:  script,
		changed: make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", s.respond)
	s.http = &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	go func() { s.served <- s.http.Serve(listener) }()
	return s, nil
}

// BaseURL is the address to configure as the provider's base_url.
func (s *Server) BaseURL() string { return "http://" + s.addr + "/v1" }

// Close gives up all held replies and waits until nothing of the server runs,
// for a few seconds at most; what sends or reads even then is cut off. It must
// be called once.
func (s *Server) Close() error {
	s.cancel()
	ctx, stop := context.WithTimeout(context.Background(), closeLimit)
	defer stop()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	if serveErr := <-s.served; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, serveErr)
	}
	return err
}

// Records is what reached the model so far, in order.
func (s *Server) Records() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records)
}

// Await waits until the records satisfy done and returns them, or returns the
// context's error.
func (s *Server) Await(ctx context.Context, done func([]Record) bool) ([]Record, error) {
	for {
		s.mu.Lock()
		records, changed := slices.Clone(s.records), s.changed
		s.mu.Unlock()
		if done(records) {
			return records, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return records, ctx.Err()
		}
	}
}

// accept records a request and asks the script for its reply.
func (s *Server) accept(body []byte) (Request, Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	request, err := parseRequest(len(s.records)+1, body)
	if err != nil {
		return Request{}, Reply{}, err
	}
	s.records = append(s.records, Record{request, Waiting})
	s.signal()
	return request, s.script(request), nil
}

// settle records how a request ended.
func (s *Server) settle(number int, state State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[number-1].State = state
	s.signal()
}

// nextSerial counts the items of all replies.
func (s *Server) nextSerial() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	return s.serial
}

// signal wakes all that wait for a change. The caller holds mu.
func (s *Server) signal() {
	close(s.changed)
	s.changed = make(chan struct{})
}
