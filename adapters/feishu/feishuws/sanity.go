package feishuws

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	larkws "github.com/larksuite/oapi-sdk-go/v3/ws"
)

// What the long connection keeps to where the platform says nothing, or too much.
const (
	usualPing        = 120 // seconds, as the SDK has it
	longestReconnect = 30  // seconds between two tries
	usualNonce       = 5   // seconds, below which the first wait is random
	longestNonce     = 30
	withoutEnd       = -1
)

// endpointLimit bounds what is read of the endpoint's answer.
const endpointLimit = 1 << 20

// sanity corrects the endpoint's answer before the SDK reads it. The SDK applies
// the ClientConfig in it as it stands, an absent field as 0: it then pings, or
// calls the endpoint, thousands of times a second, or never reconnects.
type sanity struct{ base http.RoundTripper }

// RoundTrip passes the request on and corrects its answer.
func (s sanity) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := s.base.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.HasSuffix(req.URL.Path, larkws.GenEndpointUri) {
		return resp, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, endpointLimit))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	body = correct(body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return resp, nil
}

// clientConfig is the SDK's, with absent told from 0.
type clientConfig struct {
	ReconnectCount    *int
	ReconnectInterval *int
	ReconnectNonce    *int
	PingInterval      *int
}

type endpointData struct {
	URL          string
	ClientConfig clientConfig
}

// correct leaves an answer that is no success, or not JSON, as it is: the SDK has
// its own ways with those.
func correct(body []byte) []byte {
	var answer struct {
		Code int           `json:"code"`
		Msg  string        `json:"msg"`
		Data *endpointData `json:"data"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Code != 0 || answer.Data == nil {
		return body
	}
	answer.Data.ClientConfig = answer.Data.ClientConfig.sane()
	corrected, err := json.Marshal(answer)
	if err != nil {
		return body
	}
	return corrected
}

func (c clientConfig) sane() clientConfig {
	return clientConfig{
		ReconnectCount:    within(c.ReconnectCount, withoutEnd, withoutEnd, 1<<30),
		ReconnectInterval: within(c.ReconnectInterval, longestReconnect, 1, longestReconnect),
		ReconnectNonce:    within(c.ReconnectNonce, usualNonce, 0, longestNonce),
		PingInterval:      within(c.PingInterval, usualPing, 1, usualPing),
	}
}

// within takes a value that is absent or too small for the usual one, and cuts one
// that is too large.
func within(v *int, usual, low, high int) *int {
	if v == nil || *v < low {
		return &usual
	}
	n := min(*v, high)
	return &n
}

// newTransport is for the endpoint call.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialBound}).DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: dialBound,
		IdleConnTimeout:     time.Minute,
	}
}
