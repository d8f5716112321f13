package codex

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"deskbridge/adapters/sandbox/model"
	"deskbridge/transitions"
)

// over is how a client reaches one app-server, real or scripted, by a transport.
type over struct {
	dialer func(post func(func())) Dialer
	// kill ends the server that the link leads to, as a crash would. Another can be
	// reached afterwards.
	kill func(t *testing.T, link transitions.Link)
}

// overs are the transports.
var overs = map[string]func(t *testing.T, s *Server) over{
	"unix": func(t *testing.T, s *Server) over {
		t.Cleanup(func() { kill(t, s) })
		return over{
			func(post func(func())) Dialer { return &UnixDialer{Socket: s.Socket, Ensure: s.Ensure, Post: post} },
			func(t *testing.T, _ transitions.Link) { kill(t, s) },
		}
	},
	"ws": func(t *testing.T, s *Server) over {
		const token = "a-long-token"
		n := &onNetwork{server: s, token: filepath.Join(filepath.Dir(s.Log), "token")}
		if err := os.WriteFile(n.token, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		n.start(t, "127.0.0.1:0")
		t.Cleanup(func() { n.kill(t) })
		return over{
			func(post func(func())) Dialer { return &WSDialer{Endpoint: n.url, Token: word(token), Post: post} },
			func(t *testing.T, _ transitions.Link) {
				n.kill(t)
				n.start(t, strings.TrimPrefix(n.url, "ws://"))
			},
		}
	},
	"stdio": func(t *testing.T, s *Server) over {
		return over{
			func(post func(func())) Dialer { return childDialer(t, s, post) },
			func(t *testing.T, link transitions.Link) {
				pid, ok := pidOf(link.Generation)
				if !ok {
					t.Fatalf("%q names no process", link.Generation)
				}
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			},
		}
	},
}

// onNetwork is an app-server on a network address with a token.
type onNetwork struct {
	server  *Server
	token   string // the file
	url     string
	command *exec.Cmd
}

func (n *onNetwork) start(t *testing.T, address string) {
	t.Helper()
	program, err := n.server.program()
	if err != nil {
		t.Fatal(err)
	}
	log, from, err := n.server.openLog()
	if err != nil {
		t.Fatal(err)
	}
	n.command = exec.Command(program, "app-server", "--listen", "ws://"+address, "--ws-auth", "capability-token", "--ws-token-file", n.token)
	n.command.Dir, n.command.Env, n.command.Stderr = n.server.Workdir, n.server.environment(), log
	n.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := n.command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = log.Close()
	until(t, func() bool {
		text, err := os.ReadFile(n.server.Log)
		if err != nil {
			t.Fatal(err)
		}
		_, said, ok := strings.Cut(string(text[from:]), "listening on: ")
		url, _, whole := strings.Cut(said, "\n")
		n.url = url
		return ok && whole
	})
}

func (n *onNetwork) kill(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(-n.command.Process.Pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	// That it was killed is no news.
	_ = n.command.Wait()
}

// TestATurnEndToEnd holds the client over each transport to the real Codex and to the
// scripted one: a turn from its start to its end, a server that is killed, and a turn
// on the next one.
func TestATurnEndToEnd(t *testing.T) {
	t.Parallel()
	servers := map[string]func(t *testing.T) *Server{
		"real": func(t *testing.T) *Server { return codexServer(t, model.Echo) },
		"scripted": func(t *testing.T) *Server {
			s := childServer(t, "scripted")
			s.Socket = filepath.Join(s.Workdir, "s")
			return s
		},
	}
	for name, newServer := range servers {
		for transport, reach := range overs {
			t.Run(name+" over "+transport, func(t *testing.T) {
				t.Parallel()
				s := newServer(t)
				o := reach(t, s)
				b := newBridgeOver(t, "run", s.Workdir, o.dialer)
				before := b.turn("om_1", "hello")
				o.kill(t, before)
				after := b.turn("om_2", "and now")
				told := before.Generation != "" && after.Generation != "" && before.Generation != after.Generation
				if before.Connection == after.Connection || told != (transport != "ws") {
					t.Errorf("link %+v before, %+v after", before, after)
				}
			})
		}
	}
}

// turn runs a turn in a thread of its own, and returns the link over which it was read.
func (b *bridge) turn(message, text string) transitions.Link {
	b.t.Helper()
	// The scripted server counts its ids, and begins anew in each process.
	b.mu.Lock()
	b.facts = nil
	b.mu.Unlock()
	thread, turn := "", ""
	for turn == "" {
		// A dying server may have taken the thread, or the turn, with it.
		thread = b.open()
		fact := b.do(transitions.StartTurn{Thread: thread, Created: now(), Message: message, Text: text})
		if accepted, ok := fact.(transitions.TurnStartAccepted); ok {
			turn = accepted.Turn
		}
	}
	b.watch(thread, turn)
	b.ended(transitions.TurnEnded{Turn: turn, Status: transitions.EndCompleted, Messages: []string{message}, Reply: "reply to: " + text})
	return await(b, func(f transitions.PullAnswered) bool { return f.Idle && len(f.Turns) > 0 && f.Turns[0] == turn }).Link
}

// TestItIsTriedAgainUntilTheServerCanBeReached has the server be somewhere else at
// first: the client tries again by itself, on the wall clock.
func TestItIsTriedAgainUntilTheServerCanBeReached(t *testing.T) {
	t.Parallel()
	s := childServer(t, "scripted")
	o := overs["ws"](t, s)
	d := &corrected{at: 4}
	b := newBridgeOver(t, "run", s.Workdir, func(post func(func())) Dialer {
		d.WSDialer = *o.dialer(post).(*WSDialer)
		free := listenOn(t, "tcp", "127.0.0.1:0")
		d.right, d.Endpoint = d.Endpoint, "ws://"+free.Addr().String()
		_ = free.Close()
		return d
	})
	if got := b.turn("om_1", "hello").Connection; got != "run-4" {
		t.Errorf("the turn was read over %s, want the fourth attempt", got)
	}
}

// corrected is a dialer that has the right endpoint from some dial on.
type corrected struct {
	WSDialer
	right     string
	at, dials int
}

func (c *corrected) Dial(h Handler) func() {
	if c.dials++; c.dials == c.at {
		c.Endpoint = c.right
	}
	return c.WSDialer.Dial(h)
}
