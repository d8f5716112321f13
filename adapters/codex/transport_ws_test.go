package codex

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/appserver"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
)

// refusedDial is the trouble that a dial ends with.
func refusedDial(t *testing.T, d *WSDialer) *Trouble {
	t.Helper()
	d.Post = loop(t).Post
	l := dial(t, d)
	err := <-l.closed
	var trouble *Trouble
	if !errors.As(err, &trouble) || len(l.opened) != 0 {
		t.Fatalf("%v, want a trouble", err)
	}
	return trouble
}

// scriptedWS is a scripted app-server on the network, with a token or without.
func scriptedWS(t *testing.T, token string) *appserver.Listener {
	t.Helper()
	l, err := appserver.ListenWS("127.0.0.1:0", token, appserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func word(token string) func() (string, error) {
	return func() (string, error) { return token, nil }
}

func TestWhyAnEndpointGivesNoConnectionIsSaid(t *testing.T) {
	t.Parallel()
	guarded, open := scriptedWS(t, "hush"), scriptedWS(t, "")
	page := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(page.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that do not trust it
	secure.StartTLS()
	t.Cleanup(secure.Close)
	free := listenOn(t, "tcp", "127.0.0.1:0")
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	mute := listenOn(t, "tcp", "127.0.0.1:0")
	t.Cleanup(func() { _ = mute.Close() })
	ws := func(url string) string { return "ws" + strings.TrimPrefix(url, "http") }
	for _, c := range []struct {
		name   string
		dialer WSDialer
		kind   TroubleKind
		what   string
		remedy string
	}{
		{
			"no token", WSDialer{Endpoint: guarded.URL()}, TokenRefused,
			"Codex's app-server on " + guarded.URL() + " wants a token, and none is configured",
			"give the bridge the token that the server was started with",
		},
		{
			"another token", WSDialer{Endpoint: guarded.URL(), Token: word("other-secret")}, TokenRefused,
			"Codex's app-server on " + guarded.URL() + " refuses the bridge's token",
			"give the bridge the token that the server was started with; it is read again at each attempt",
		},
		{
			"no token in the file", WSDialer{Endpoint: open.URL(), Token: word("")}, TokenUnusable,
			"the token for Codex's app-server cannot be used",
			"write the server's token, and nothing else, where the configuration says it is",
		},
		{
			"more than a token", WSDialer{Endpoint: open.URL(), Token: word("secret one\r\nX: y")}, TokenUnusable,
			"the token for Codex's app-server cannot be used",
			"write the server's token, and nothing else, where the configuration says it is",
		},
		{
			"no file", WSDialer{Endpoint: open.URL(), Token: func() (string, error) { return "", os.ErrNotExist }}, TokenUnusable,
			"the token for Codex's app-server cannot be used",
			"write the server's token, and nothing else, where the configuration says it is",
		},
		{
			"nobody listens", WSDialer{Endpoint: ws("http://" + free.Addr().String())}, NotAnswering,
			"no Codex app-server listens on ws://" + free.Addr().String(),
			"start one there with `codex app-server --listen ws://IP:PORT`, or correct the endpoint",
		},
		{
			"no such host", WSDialer{Endpoint: "ws://no-such-host.invalid:1"}, EndpointUnusable,
			"the host of ws://no-such-host.invalid:1 cannot be found", "correct the endpoint",
		},
		{
			"another server", WSDialer{Endpoint: ws(page.URL)}, EndpointUnusable,
			"what listens on " + ws(page.URL) + " is no Codex app-server (it answers 404 Not Found)",
			"correct the endpoint, or look after what stands between the bridge and the server",
		},
		{
			"a certificate of its own", WSDialer{Endpoint: ws(secure.URL)}, EndpointUnusable,
			"the certificate of " + ws(secure.URL) + " is not to be trusted",
			"give the server a certificate for that name that this machine trusts",
		},
		{
			"no TLS", WSDialer{Endpoint: "wss" + strings.TrimPrefix(open.URL(), "ws")}, EndpointUnusable,
			"what listens on wss" + strings.TrimPrefix(open.URL(), "ws") + " does not agree on TLS",
			"write ws:// where the server speaks no TLS, or correct the endpoint",
		},
		{
			"one that accepts and says nothing", WSDialer{Endpoint: ws("http://" + mute.Addr().String()), limit: 50 * time.Millisecond}, NotAnswering,
			"what listens on ws://" + mute.Addr().String() + " does not answer as a Codex app-server does",
			"correct the endpoint, or start the app-server again",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := refusedDial(t, &c.dialer)
			want := []string{string(c.kind), c.what, c.remedy}
			if diff := cmp.Diff(want, []string{string(got.Kind), got.What, got.Remedy}); diff != "" {
				t.Errorf("trouble (-want +got):\n%s", diff)
			}
			if got.Err == nil || strings.Contains(fmt.Sprintf("%v %+v", got, got.Err), "secret") {
				t.Errorf("no cause, or the token in it: %v", got)
			}
		})
	}
}

// TestATokenIsReadAnewAtEachDial puts another token into the file: the bridge had to be
// started again.
func TestATokenIsReadAnewAtEachDial(t *testing.T) {
	t.Parallel()
	server := scriptedWS(t, "second")
	file := filepath.Join(t.TempDir(), "token")
	write := func(token string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := &WSDialer{Endpoint: server.URL(), Post: loop(t).Post, Token: func() (string, error) {
		text, err := os.ReadFile(file)
		return string(text), err
	}}
	write("first")
	var trouble *Trouble
	if err := <-dial(t, d).closed; !errors.As(err, &trouble) || trouble.Kind != TokenRefused {
		t.Errorf("closed by %v", err)
	}
	write("second")
	<-dial(t, d).opened
}

func TestAnEndpointWithACertificateIsSpokenToOverTLS(t *testing.T) {
	t.Parallel()
	var upgrader websocket.Upgrader
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer ws.Close()
		echo(webPeer{ws})
	}))
	t.Cleanup(server.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	l := dial(t, &WSDialer{
		Endpoint: "wss" + strings.TrimPrefix(server.URL, "https") + "/codex", Post: loop(t).Post, tls: &tls.Config{RootCAs: trusted},
	})
	(<-l.opened).Send([]byte("hello"))
	if got := <-l.frames; got != "hello!" {
		t.Errorf("frame %q", got)
	}
}

// TestCancellingEndsADialThatWaits holds it for a server that accepts and says nothing.
func TestCancellingEndsADialThatHearsNothing(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"unix", "tcp"} {
		address := map[string]string{"unix": filepath.Join(shortFolder(t), "s"), "tcp": "127.0.0.1:0"}[network]
		mute := listenOn(t, network, address)
		accepted := make(chan net.Conn, 1)
		go func() {
			if conn, err := mute.Accept(); err == nil {
				accepted <- conn
			}
		}()
		post := loop(t).Post
		l := dial(t, map[string]Dialer{
			"unix": &UnixDialer{Socket: address, Post: post},
			"tcp":  &WSDialer{Endpoint: "ws://" + mute.Addr().String(), Post: post},
		}[network])
		conn := <-accepted
		l.cancel()
		<-l.closed
		if len(l.opened) != 0 {
			t.Errorf("%s: opened", network)
		}
		_, _ = conn.Close(), mute.Close()
	}
}
