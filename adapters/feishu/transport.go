package feishu

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync"
	"time"
)

// exchange is what the transport sees of one request and the SDK does not tell:
// whether it got as far as a connection, and the answer's status and headers even
// where the body is not JSON.
type exchange struct {
	mu     sync.Mutex
	sent   bool
	status int
	header http.Header
}

type exchangeKey struct{}

// observed returns a context whose request is seen by the exchange.
func observed(ctx context.Context) (context.Context, *exchange) {
	x := &exchange{}
	return context.WithValue(ctx, exchangeKey{}, x), x
}

// observer is the transport that fills exchanges in.
type observer struct{ base http.RoundTripper }

// RoundTrip passes the request on.
func (o observer) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return o.base.RoundTrip(req)
	}
	trace := &httptrace.ClientTrace{
		// From here on bytes may have left; before, none has.
		GotConn: func(httptrace.GotConnInfo) {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.sent = true
		},
	}
	resp, err := o.base.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err == nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.status, x.header = resp.StatusCode, resp.Header.Clone()
	}
	return resp, err
}

// respond starts a response with what was seen.
func (x *exchange) respond() Response {
	x.mu.Lock()
	defer x.mu.Unlock()
	return Response{Sent: x.sent, HTTPStatus: x.status, RetryAfter: retryAfter(x.header)}
}

// retryAfter is how long the platform asks to wait: x-ogw-ratelimit-reset, in
// seconds, with its rate limits; Retry-After, in seconds, with gateways.
func retryAfter(h http.Header) time.Duration {
	for _, name := range []string{"X-Ogw-Ratelimit-Reset", "Retry-After"} {
		seconds, err := strconv.ParseFloat(h.Get(name), 64)
		if err == nil && seconds > 0 {
			return time.Duration(min(seconds, longestWait.Seconds()) * float64(time.Second))
		}
	}
	return 0
}

// newHTTPClient is for the platform only: it follows no redirect, since what it
// sends are secrets.
func newHTTPClient(timeout time.Duration) (*http.Client, *http.Transport) {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: dialTimeout,
		MaxIdleConnsPerHost: defaultConcurrency,
		IdleConnTimeout:     time.Minute,
	}
	return &http.Client{
		Timeout:       timeout,
		Transport:     observer{base: transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, transport
}

// dialTimeout leaves time for the second dial that the SDK makes after a failed
// one.
const dialTimeout = 5 * time.Second
