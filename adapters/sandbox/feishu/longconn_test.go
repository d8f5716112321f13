package feishu

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
)

// wire is a client that speaks the long connection frame by frame.
type wire struct {
	t   *testing.T
	srv *Server
	ctx context.Context
}

func startWire(t *testing.T, o Options) *wire {
	t.Helper()
	srv, err := Start(ServerOptions{Options: o, Setup: func(p *Platform) Page {
		p.AddApp(App{ID: "cli_a", Secret: "secret"})
		p.AddP2P("cli_a", p.AddUser("A"))
		return Page{}
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(func() {
		cancel()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return &wire{t: t, srv: srv, ctx: ctx}
}

func (w *wire) do(f func(*Platform)) {
	w.t.Helper()
	if err := w.srv.Do(f); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) wait(cond func(*Platform) bool) {
	w.t.Helper()
	if err := w.srv.Wait(w.ctx, cond); err != nil {
		w.t.Fatal(err)
	}
}

// endpoint asks for the address of a new long connection.
func (w *wire) endpoint() (url string) {
	w.t.Helper()
	var body struct{ Data struct{ URL string } }
	w.do(func(p *Platform) {
		p.Handle(Request{Method: "POST", Path: "/callback/ws/endpoint", Body: []byte(`{"AppID":"cli_a","AppSecret":"secret"}`)},
			func(r Response) {
				if err := json.Unmarshal(r.Body, &body); err != nil {
					w.t.Error(err)
				}
			})
	})
	return body.Data.URL
}

func (w *wire) dial(url string) *websocket.Conn {
	w.t.Helper()
	ws, _, err := websocket.DefaultDialer.DialContext(w.ctx, url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { ws.Close() })
	return ws
}

func (w *wire) read(ws *websocket.Conn) frame {
	w.t.Helper()
	kind, b, err := ws.ReadMessage()
	if err != nil || kind != websocket.BinaryMessage {
		w.t.Fatalf("kind %d: %v", kind, err)
	}
	f, err := decodeFrame(b)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

func (w *wire) write(ws *websocket.Conn, f frame) {
	w.t.Helper()
	if err := ws.WriteMessage(websocket.BinaryMessage, f.encode()); err != nil {
		w.t.Fatal(err)
	}
}

func ping() frame {
	return frame{Service: 1, Method: methodControl, Headers: []frameHeader{{"type", "ping"}}}
}

func TestPingIsAnsweredWithTheConfiguration(t *testing.T) {
	t.Parallel()
	w := startWire(t, Options{ClientConfig: ClientConfig{ReconnectCount: 2, ReconnectInterval: 3, ReconnectNonce: 4, PingInterval: 5}})
	ws := w.dial(w.endpoint())
	w.write(ws, ping())
	want := frame{
		Service: 1, Method: methodControl, Headers: []frameHeader{{"type", "pong"}},
		Payload: []byte(`{"ReconnectCount":2,"ReconnectInterval":3,"ReconnectNonce":4,"PingInterval":5}`),
	}
	if diff := cmp.Diff(want, w.read(ws)); diff != "" {
		t.Error(diff)
	}
}

func TestEventFrameAndItsAcknowledgement(t *testing.T) {
	t.Parallel()
	w := startWire(t, Options{})
	ws := w.dial(w.endpoint())
	w.wait(func(p *Platform) bool { return p.Connections() == 1 })
	w.do(func(p *Platform) { p.Say("oc_1", "ou_1", "hi") })
	f := w.read(ws)
	got := []string{f.header("type"), f.header("message_id"), f.header("trace_id"), f.header("sum"), f.header("seq")}
	if diff := cmp.Diff([]string{"event", "ev_1", "trace_1", "1", "0"}, got); diff != "" {
		t.Error(diff)
	}
	if f.Method != methodData || f.SeqID != 1 || f.header("timestamp") == "" || f.header("instance_id") == "" {
		t.Errorf("frame %+v", f)
	}
	if !strings.Contains(string(f.Payload), `"event_type":"im.message.receive_v1"`) {
		t.Errorf("payload %s", f.Payload)
	}
	f.Payload = []byte(`{"code":200,"headers":null,"data":null}`)
	w.write(ws, f)
	w.wait(func(p *Platform) bool { return p.Events()[0].Acknowledged })
}

func TestSilentConnectionAnswersNoPing(t *testing.T) {
	t.Parallel()
	w := startWire(t, Options{})
	silent := w.dial(w.endpoint())
	w.write(silent, ping())
	w.read(silent)
	w.do(func(p *Platform) { p.SilenceConnections() })
	w.write(silent, ping())
	w.write(silent, frame{SeqID: 1, Method: methodData, Payload: []byte(`{"code":200}`)})
	// The server sees the end only after it has read all of the above.
	if err := silent.NetConn().(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	w.wait(func(p *Platform) bool { return p.Connections() == 0 })
	if _, b, err := silent.ReadMessage(); err == nil {
		t.Errorf("it was sent %q", b)
	}
}

func TestConnectionThatBreaksTheProtocolIsClosed(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(*websocket.Conn) error{
		"no frame":     func(ws *websocket.Conn) error { return ws.WriteMessage(websocket.BinaryMessage, []byte{0xff}) },
		"text message": func(ws *websocket.Conn) error { return ws.WriteMessage(websocket.TextMessage, []byte("ping")) },
		"too long":     func(ws *websocket.Conn) error { return ws.WriteMessage(websocket.BinaryMessage, make([]byte, 2<<20)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startWire(t, Options{})
			ws := w.dial(w.endpoint())
			w.wait(func(p *Platform) bool { return p.Connections() == 1 })
			// The write itself may fail already, when the other end closes early.
			if err := send(ws); err == nil {
				if _, b, err := ws.ReadMessage(); err == nil {
					t.Errorf("answered %q", b)
				}
			}
			w.wait(func(p *Platform) bool { return p.Connections() == 0 })
		})
	}
}

func TestTicketServesOnce(t *testing.T) {
	t.Parallel()
	w := startWire(t, Options{})
	url := w.endpoint()
	w.dial(url)
	w.wait(func(p *Platform) bool { return p.Connections() == 1 })
	_, resp, err := websocket.DefaultDialer.DialContext(w.ctx, url, nil)
	if err == nil || resp.StatusCode != http.StatusForbidden || resp.Header.Get("Handshake-Status") != "514" {
		t.Errorf("%v %v", resp, err)
	}
}

func TestHandshakeCanBeRefusedAndLost(t *testing.T) {
	t.Parallel()
	w := startWire(t, Options{})
	refused := http.Header{"Handshake-Status": {"514"}, "Handshake-Autherrcode": {"1000040350"}}
	w.do(func(p *Platform) {
		on := Match{Path: connectPath}
		p.Inject(Fault{Match: on, Kind: Gateway, Status: 403, Header: refused}, Fault{Match: on, Kind: LostBefore})
	})
	url := w.endpoint()
	_, resp, err := websocket.DefaultDialer.DialContext(w.ctx, url, nil)
	if err == nil || resp.StatusCode != 403 || resp.Header.Get("Handshake-Autherrcode") != "1000040350" {
		t.Errorf("%v %v", resp, err)
	}
	if _, resp, err = websocket.DefaultDialer.DialContext(w.ctx, url, nil); err == nil || resp != nil {
		t.Errorf("%v %v", resp, err)
	}
	w.dial(url)
	w.wait(func(p *Platform) bool { return p.Connections() == 1 })
}

func TestDroppedConnectionGetsWhatWasSentBefore(t *testing.T) {
	t.Parallel()
	w := startWire(t, Options{})
	ws := w.dial(w.endpoint())
	w.wait(func(p *Platform) bool { return p.Connections() == 1 })
	w.do(func(p *Platform) {
		p.Inject(Fault{Match: Match{Method: EventMethod}, Kind: LostAfter})
		p.Say("oc_1", "ou_1", "hi")
	})
	if f := w.read(ws); f.header("message_id") != "ev_1" {
		t.Errorf("frame %+v", f)
	}
	if _, b, err := ws.ReadMessage(); err == nil {
		t.Errorf("it was sent %q", b)
	}
}

func TestConnectionOfAPageFromElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	w := startWire(t, Options{})
	h := http.Header{"Origin": {"https://example.com"}}
	_, resp, err := websocket.DefaultDialer.DialContext(w.ctx, w.endpoint(), h)
	if err == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("%v %v", resp, err)
	}
}
