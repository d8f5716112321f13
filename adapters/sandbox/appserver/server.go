package appserver

import (
	"fmt"
	"time"

	"deskbridge/adapters/sched"
)

// Version is the version of Codex whose behaviour this is.
const Version = "0.171.0"

// Options are the surroundings of a server. Their zero value is usable.
type Options struct {
	// Script is the model; [Echo] if nil.
	Script Script
	// Home is the state folder that it claims to have; "/codex-home" if empty.
	// Nothing is read or written there.
	Home string
	// Begin is the time from turn/start's answer to turn/started; 50 ms if 0.
	Begin time.Duration
	// Take is the time it takes to make an accepted text a userMessage item;
	// 15 ms if 0.
	Take time.Duration
}

// Server is the core of the scripted app-server; see the package comment for
// the goroutine it may be used from.
type Server struct {
	sched   sched.Scheduler
	options Options

	running bool
	sandbox string    // of threads that are started or loaded
	conns   []*Conn   // in the order of connecting
	threads []*thread // in the order of starting
	faults  []Fault
	held    []*hold
	ids     int // UUIDs given
	items   int // model items given
}

// New returns a running server without threads.
func New(scheduler sched.Scheduler, options Options) *Server {
	if options.Script == nil {
		options.Script = Echo
	}
	if options.Home == "" {
		options.Home = "/codex-home"
	}
	if options.Begin == 0 {
		options.Begin = 50 * time.Millisecond
	}
	if options.Take == 0 {
		options.Take = 15 * time.Millisecond
	}
	return &Server{sched: scheduler, options: options, running: true, sandbox: "readOnly"}
}

// Connect opens a connection, or returns nil while the server is killed. Its
// frames are given to send, one JSON text each; closed is called once if the
// server drops the connection. Both are called by the scheduler.
func (s *Server) Connect(send func(frame []byte), closed func()) *Conn {
	if !s.running {
		return nil
	}
	c := &Conn{server: s, send: send, closed: closed, open: true}
	s.conns = append(s.conns, c)
	return c
}

// Running reports whether the server is up.
func (s *Server) Running() bool { return s.running }

// Kill ends the server as a killed process ends: all connections drop at once,
// frames that were not sent are lost, running turns stop, texts that were
// accepted but not taken in are gone, threads without a stored turn too.
func (s *Server) Kill() {
	s.running = false
	s.Drop()
	var stored []*thread
	for _, t := range s.threads {
		if t.run != nil {
			t.run.lose()
		}
		if t.stage == stageStored {
			t.loaded, t.failed, t.subscribers = false, false, nil
			stored = append(stored, t)
		}
	}
	s.threads = stored
}

// Restart starts a killed server again, with what it had stored. A running one
// is killed first.
func (s *Server) Restart() {
	if s.running {
		s.Kill()
	}
	s.running = true
}

// Release lets the steps that are held under this name go on and reports how
// many there were; see [Hold].
func (s *Server) Release(name string) int {
	released := 0
	for _, h := range append([]*hold(nil), s.held...) {
		if h.name == name {
			s.forget(h)
			h.run.done()
			released++
		}
	}
	return released
}

// thread finds a thread by its id, loaded or not.
func (s *Server) thread(id string) *thread {
	for _, t := range s.threads {
		if t.id == id {
			return t
		}
	}
	return nil
}

// nextID is a new id in the shape of a UUID of version 7.
func (s *Server) nextID() string {
	s.ids++
	return fmt.Sprintf("01a00000-0000-7000-8000-%012x", s.ids)
}

// nextItem is a new id of something that the model said or did.
func (s *Server) nextItem(kind string) string {
	s.items++
	return fmt.Sprintf("%s_%d", kind, s.items)
}

// nowMs is the present in milliseconds of Unix time.
func (s *Server) nowMs() int64 { return s.sched.Now().UnixMilli() }

// broadcast notifies every initialised connection.
func (s *Server) broadcast(method string, params any) {
	for _, c := range s.conns {
		if c.initialized {
			c.notify(method, params)
		}
	}
}
