package codex

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"deskbridge/adapters/sched"
	"deskbridge/transitions"
)

// session is one open connection and the calls under way on it.
type session struct {
	scheduler sched.Scheduler
	conn      Conn
	link      transitions.Link
	// silent is told of a call that found no answer in time and gives the
	// connection up, or does not.
	silent func(method string)

	lastID int64
	calls  map[int64]*call
	closed bool
}

// call is a call without an answer yet.
type call struct {
	method    string
	done      func(result json.RawMessage, err error)
	stopTimer func()
}

// request and response are frames of ours.
type request struct {
	ID     int64  `json:"id,omitzero"`
	Method string `json:"method"`
	Params any    `json:"params,omitempty"`
}

type response struct {
	ID    json.RawMessage `json:"id"`
	Error refuse          `json:"error"`
}

func newSession(scheduler sched.Scheduler, conn Conn, link transitions.Link, silent func(method string)) *session {
	return &session{
		scheduler: scheduler, conn: conn, link: link, silent: silent, calls: map[int64]*call{},
	}
}

// call sends a call and runs done once: with the result, a [*CallError], or an
// error that says that there is no answer. done may run before call returns, if
// the call cannot be sent.
func (s *session) call(method string, params any, limit time.Duration, done func(json.RawMessage, error)) {
	if s.closed {
		done(nil, errLost)
		return
	}
	s.lastID++
	id := s.lastID
	c := &call{method: method, done: done}
	if err := s.send(request{ID: id, Method: method, Params: params}); err != nil {
		done(nil, err)
		return
	}
	s.calls[id] = c
	c.stopTimer = s.scheduler.After(limit, func() {
		// The connection's end, if it is given up for this, settles the call
		// together with the others; else only this call is over.
		s.silent(method)
		if s.calls[id] == c {
			delete(s.calls, id)
			done(nil, errSilent)
		}
	})
}

// notify sends a notification.
func (s *session) notify(method string) error { return s.send(request{Method: method}) }

// decline answers a request of the server with an error.
func (s *session) decline(id json.RawMessage) error {
	return s.send(response{ID: id, Error: refuse{Code: -32601, Message: "not supported by this client"}})
}

func (s *session) send(message any) error {
	raw, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("codex: encoding a call: %w", err)
	}
	s.conn.Send(raw)
	return nil
}

// answer settles the call that the frame answers and reports whether there is
// one.
func (s *session) answer(f frame) bool {
	c, ok := s.calls[f.Number]
	if !ok {
		return false
	}
	delete(s.calls, f.Number)
	c.stopTimer()
	if f.Refuse != nil {
		c.done(nil, &CallError{Method: c.method, Code: f.Refuse.Code, Message: f.Refuse.Message})
		return true
	}
	c.done(f.Result, nil)
	return true
}

// tooLarge settles the call whose answer is too large, and reports whether there is
// one.
func (s *session) tooLarge(id int64) bool {
	c, ok := s.calls[id]
	if ok {
		delete(s.calls, id)
		c.stopTimer()
		c.done(nil, errTooLarge)
	}
	return ok
}

// close drops the connection and settles all calls, in the order in which they
// were sent.
func (s *session) close() {
	if s.closed {
		return
	}
	s.closed = true
	s.conn.Close()
	calls := s.calls
	s.calls = nil
	for _, id := range slices.Sorted(maps.Keys(calls)) {
		calls[id].stopTimer()
		calls[id].done(nil, errLost)
	}
}

// abandon drops the connection and forgets all calls.
func (s *session) abandon() {
	s.closed = true
	s.conn.Close()
	for _, c := range s.calls {
		c.stopTimer()
	}
	s.calls = nil
}
