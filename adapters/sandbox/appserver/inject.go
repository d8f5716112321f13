package appserver

import (
	"encoding/json"
	"slices"
)

// threadInjectItems appends to what the model sees of a thread, without a turn: the
// items show in no list. The script does not see them; [Server.Injected] does.
func (c *Conn) threadInjectItems(params json.RawMessage) (answer, *rpcError) {
	var in struct {
		ThreadID string
		Items    []json.RawMessage
	}
	if problem := decode(params, &in, "threadId", "items"); problem != nil {
		return answer{}, problem
	}
	t, problem := c.loaded(in.ThreadID)
	if problem != nil {
		return answer{}, problem
	}
	t.injected = append(t.injected, in.Items...)
	return answer{value: struct{}{}}, nil
}

// Injected are the items that a thread was given beside its turns, in order.
func (s *Server) Injected(id string) []json.RawMessage {
	if t := s.thread(id); t != nil {
		return slices.Clone(t.injected)
	}
	return nil
}

// Remove takes a thread away for good, as when its file is deleted while no server
// runs.
func (s *Server) Remove(id string) {
	s.threads = slices.DeleteFunc(s.threads, func(t *thread) bool { return t.id == id })
}

// SetSandbox sets the sandbox of threads that are started or loaded from now on, as the
// configuration of versions up to 0.155.0 does (the newest keeps that of a stored
// thread); such as "dangerFullAccess".
func (s *Server) SetSandbox(kind string) { s.sandbox = kind }
