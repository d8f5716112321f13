package codex

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

// The kinds of trouble that only an endpoint on the network has.
const (
	// TokenUnusable: the token cannot be read, or is none.
	TokenUnusable TroubleKind = "token_unusable"
	// TokenRefused: the server does not accept the token, or wants one.
	TokenRefused TroubleKind = "token_refused"
	// EndpointUnusable: the address leads to no app-server.
	EndpointUnusable TroubleKind = "endpoint_unusable"
)

// WSDialer connects to an app-server that listens on a network address. Nothing
// here starts or ends that server. Which process answers cannot be told, so that
// its connections have no generation: that an earlier server is gone is never
// concluded from an address, and what a lost turn/start became of is proven by
// reads alone.
type WSDialer struct {
	// Endpoint is ws://HOST:PORT or wss://HOST:PORT, with a path or without.
	Endpoint string
	// Token returns the bearer token; it is asked at every dial, so that a new one
	// needs no new start. Nil: none is sent. It must not block for long. Neither it
	// nor anything made of it is in any error or log.
	Token func() (string, error)
	// Post runs a function in the scheduler, from any goroutine. Required.
	Post func(func())

	tls   *tls.Config   // nil: the system's certificates
	limit time.Duration // of the handshake; 0: handshakeLimit
}

var _ Dialer = (*WSDialer)(nil)

// Dial implements [Dialer]. The goroutines it starts end soon after it is
// cancelled.
func (d *WSDialer) Dial(h Handler) (cancel func()) { return dialStream(d.Post, h, d.open) }

func (d *WSDialer) open(ctx context.Context) (stream, error) {
	header := http.Header{}
	if d.Token != nil {
		token, err := d.Token()
		if err == nil && !sendable(token) {
			err = errors.New("it is empty, or more than one word")
		}
		if err != nil {
			return nil, &Trouble{
				Kind: TokenUnusable, Err: err,
				What:   "the token for Codex's app-server cannot be used",
				Remedy: "write the server's token, and nothing else, where the configuration says it is",
			}
		}
		header.Set("Authorization", "Bearer "+token)
	}
	limit := d.limit
	if limit == 0 {
		limit = handshakeLimit
	}
	var network net.Dialer
	ws, status, err := dialWeb(ctx, websocket.Dialer{HandshakeTimeout: limit, TLSClientConfig: d.tls}, network.DialContext, d.Endpoint, header)
	switch {
	case err == nil:
		return &webStream{ws: ws}, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default:
		return nil, d.trouble(status, err)
	}
}

// sendable reports whether a token can stand in a header: printable, without spaces.
func sendable(token string) bool {
	return token != "" && strings.IndexFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// trouble says in an operator's words why the endpoint gives no connection.
func (d *WSDialer) trouble(status string, err error) error {
	t := &Trouble{
		Kind: NotAnswering, Err: err,
		What:   "what listens on " + d.Endpoint + " does not answer as a Codex app-server does",
		Remedy: "correct the endpoint, or start the app-server again",
	}
	var unknown *net.DNSError
	var untrusted *tls.CertificateVerificationError
	var noTLS tls.RecordHeaderError
	var alert tls.AlertError
	switch refused := strings.HasPrefix(status, "401") || strings.HasPrefix(status, "403"); {
	case refused && d.Token == nil:
		t.Kind, t.What = TokenRefused, "Codex's app-server on "+d.Endpoint+" wants a token, and none is configured"
		t.Remedy = "give the bridge the token that the server was started with"
	case refused:
		t.Kind, t.What = TokenRefused, "Codex's app-server on "+d.Endpoint+" refuses the bridge's token"
		t.Remedy = "give the bridge the token that the server was started with; it is read again at each attempt"
	case status != "":
		t.Kind, t.What = EndpointUnusable, "what listens on "+d.Endpoint+" is no Codex app-server (it answers "+status+")"
		t.Remedy = "correct the endpoint, or look after what stands between the bridge and the server"
	case errors.As(err, &unknown):
		t.Kind, t.What = EndpointUnusable, "the host of "+d.Endpoint+" cannot be found"
		t.Remedy = "correct the endpoint"
	case errors.Is(err, syscall.ECONNREFUSED):
		t.What = "no Codex app-server listens on " + d.Endpoint
		t.Remedy = "start one there with `codex app-server --listen ws://IP:PORT`, or correct the endpoint"
	case errors.As(err, &untrusted):
		t.Kind, t.What = EndpointUnusable, "the certificate of "+d.Endpoint+" is not to be trusted"
		t.Remedy = "give the server a certificate for that name that this machine trusts"
	case errors.As(err, &noTLS), errors.As(err, &alert):
		t.Kind, t.What = EndpointUnusable, "what listens on "+d.Endpoint+" does not agree on TLS"
		t.Remedy = "write ws:// where the server speaks no TLS, or correct the endpoint"
	}
	return t
}
