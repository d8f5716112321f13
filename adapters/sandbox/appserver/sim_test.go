package appserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"deskbridge/adapters/sched"
)

// sim is a scripted server under virtual time, with its clients.
type sim struct {
	t      *testing.T
	clock  *sched.Virtual
	server *Server
}

func newSim(t *testing.T, script Script) *sim {
	t.Helper()
	clock := sched.NewVirtual(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
	return &sim{t, clock, New(clock, Options{Script: script})}
}

// client is one connection of a sim.
type client struct {
	*sim
	conn   *Conn
	got    [][]byte
	closed bool
	calls  int
}

// dial connects without the handshake.
func (s *sim) dial() *client {
	s.t.Helper()
	c := &client{sim: s}
	c.conn = s.server.Connect(
		func(frame []byte) { c.got = append(c.got, frame) },
		func() { c.closed = true },
	)
	if c.conn == nil {
		s.t.Fatal("the server is down")
	}
	return c
}

// hello connects with it.
func (s *sim) hello() *client {
	s.t.Helper()
	c := s.dial()
	c.must("initialize", `{"clientInfo":{"name":"desk","version":"0"}}`)
	return c
}

// send sends a call and lets what is due happen; it returns the call's id.
func (c *client) send(method, params string) int {
	c.calls++
	c.conn.Receive(fmt.Appendf(nil, `{"id":%d,"method":%q,"params":%s}`, c.calls, method, params))
	c.clock.Settle()
	return c.calls
}

// reply is the answer to a call; nil if there is none.
type reply struct {
	ID     int
	Result json.RawMessage
	Error  *rpcError
}

func (c *client) reply(id int) *reply {
	c.t.Helper()
	for _, frame := range c.got {
		var r reply
		var kind struct{ Method string }
		if json.Unmarshal(frame, &kind) != nil || kind.Method != "" {
			continue
		}
		if err := json.Unmarshal(frame, &r); err != nil {
			c.t.Fatalf("%s: %v", frame, err)
		}
		if r.ID == id {
			return &r
		}
	}
	return nil
}

// must is a call that succeeds.
func (c *client) must(method, params string) json.RawMessage {
	c.t.Helper()
	r := c.reply(c.send(method, params))
	if r == nil || r.Error != nil {
		c.t.Fatalf("%s %s: %+v", method, params, r)
	}
	return r.Result
}

// refused is a call that fails, and how: "CODE TEXT".
func (c *client) refused(method, params string) string {
	c.t.Helper()
	r := c.reply(c.send(method, params))
	if r == nil || r.Error == nil {
		return "not refused"
	}
	return fmt.Sprintf("%d %s", r.Error.Code, r.Error.Message)
}

// thread starts a thread and returns its id.
func (c *client) thread() string {
	c.t.Helper()
	return field[string](c, c.must("thread/start", `{"cwd":"/w"}`), "thread", "id")
}

// start starts a turn and returns its id.
func (c *client) start(thread, text string) string {
	c.t.Helper()
	result := c.must("turn/start", fmt.Sprintf(
		`{"threadId":%q,"clientUserMessageId":%q,"input":[{"type":"text","text":%q}]}`, thread, "om_"+text, text))
	return field[string](c, result, "turn", "id")
}

// steer adds a text to a turn.
func (c *client) steer(thread, turn, text string) {
	c.t.Helper()
	c.must("turn/steer", fmt.Sprintf(
		`{"threadId":%q,"expectedTurnId":%q,"clientUserMessageId":%q,"input":[{"type":"text","text":%q}]}`,
		thread, turn, "om_"+text, text))
}

// history is what is stored of a thread, newest turn first: its status and its
// items as "CLIENT ID: TEXT" or "PHASE: TEXT".
func (c *client) history(thread string) []string {
	c.t.Helper()
	var list struct {
		Data []struct {
			Status string
			Items  []struct {
				Type, ClientID, Phase, Text, Command string
				Content                              []struct{ Text string }
			}
		}
	}
	result := c.must("thread/turns/list", fmt.Sprintf(`{"threadId":%q,"itemsView":"full"}`, thread))
	if err := json.Unmarshal(result, &list); err != nil {
		c.t.Fatal(err)
	}
	var lines []string
	for _, turn := range list.Data {
		lines = append(lines, turn.Status)
		for _, item := range turn.Items {
			switch item.Type {
			case "userMessage":
				lines = append(lines, item.ClientID+": "+item.Content[0].Text)
			case "agentMessage":
				lines = append(lines, item.Phase+": "+item.Text)
			default:
				lines = append(lines, item.Type+": "+item.Command)
			}
		}
	}
	return lines
}

// methods are the notifications that came, in order.
func (c *client) methods() []string {
	var names []string
	for _, frame := range c.got {
		var kind struct{ Method string }
		if json.Unmarshal(frame, &kind) == nil && kind.Method != "" {
			names = append(names, kind.Method)
		}
	}
	return names
}

// count is how often a notification came.
func (c *client) count(method string) int {
	n := 0
	for _, name := range c.methods() {
		if name == method {
			n++
		}
	}
	return n
}

// ended lets time pass until the client has heard of n ended turns.
func (c *client) ended(n int) {
	c.t.Helper()
	if !c.clock.AdvanceUntil(time.Hour, func() bool { return c.count("turn/completed") >= n }) {
		c.t.Fatalf("only %d turns ended; got %s", c.count("turn/completed"), slices.Concat(c.got...))
	}
}

// field reads a member of a result.
func field[T any](c *client, result json.RawMessage, path ...string) T {
	c.t.Helper()
	for _, name := range path {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(result, &members); err != nil {
			c.t.Fatalf("%s: %v", result, err)
		}
		result = members[name]
	}
	var value T
	if err := json.Unmarshal(result, &value); err != nil {
		c.t.Fatalf("%v in %s: %v", path, result, err)
	}
	return value
}
