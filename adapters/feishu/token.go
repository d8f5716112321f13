package feishu

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// tokens keeps the app's tenant access token. The SDK's own cache is not used: it
// is global to the process, fetches once for every caller that finds it empty,
// and keeps a token that the platform has declared invalid.
type tokens struct {
	fetch func(context.Context) (tenantToken, error)
	now   func() time.Time

	mu      sync.Mutex
	value   string
	renewal time.Time // when to fetch the next one
	flight  *flight   // the fetch under way
}

type tenantToken struct {
	value string
	life  time.Duration
}

type flight struct {
	done  chan struct{}
	value string
	err   error
}

// tokenMargin is how long before its end a token is renewed, so that it outlives
// the request that carries it.
const tokenMargin = 3 * time.Minute

// get returns a token. Whoever asks while one is being fetched waits for that
// one, so its failure is everybody's.
func (t *tokens) get(ctx context.Context) (string, error) {
	t.mu.Lock()
	if t.value != "" && t.now().Before(t.renewal) {
		defer t.mu.Unlock()
		return t.value, nil
	}
	f := t.flight
	if f == nil {
		f = &flight{done: make(chan struct{})}
		t.flight = f
		t.mu.Unlock()
		t.fly(ctx, f)
	} else {
		t.mu.Unlock()
	}
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (t *tokens) fly(ctx context.Context, f *flight) {
	defer close(f.done)
	got, err := t.fetch(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flight = nil
	if f.value, f.err = got.value, err; err == nil {
		t.value, t.renewal = got.value, t.now().Add(got.life-min(tokenMargin, got.life/2))
	}
}

// forget drops a token that the platform does not accept, unless another has
// taken its place already.
func (t *tokens) forget(value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.value == value {
		t.value = ""
	}
}

// tokenPath is where an app that belongs to one tenant gets its token.
const tokenPath = "/open-apis/auth/v3/tenant_access_token/internal"

// answerLimit bounds what is read of a JSON answer; a token's or a message's is
// far below.
const answerLimit = 1 << 20

// fetchToken asks the platform for a token. An answer that is a refusal is a
// *CallError with the platform's code.
func fetchToken(ctx context.Context, client *http.Client, baseURL, appID, secret string) (tenantToken, error) {
	body, err := json.Marshal(map[string]string{"app_id": appID, "app_secret": secret})
	if err != nil {
		return tenantToken{}, fmt.Errorf("encode the token request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(baseURL, "/")+tokenPath, bytes.NewReader(body))
	if err != nil {
		return tenantToken{}, &CallError{Op: "token", Err: err}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp, err := client.Do(req)
	if err != nil {
		return tenantToken{}, &CallError{Op: "token", Err: err}
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return tenantToken{}, &CallError{Op: "token", HTTPStatus: resp.StatusCode, Err: err}
	}
	var answer struct {
		Code   int    `json:"code"`
		Msg    string `json:"msg"`
		Token  string `json:"tenant_access_token"`
		Expire int64  `json:"expire"` // seconds
	}
	// The error is not handed on: it could quote what stands in the answer.
	if json.Unmarshal(raw, &answer) != nil {
		return tenantToken{}, &CallError{Op: "token", HTTPStatus: resp.StatusCode, Err: errors.New("the answer is not the platform's JSON")}
	}
	if answer.Code != 0 || answer.Token == "" || resp.StatusCode != http.StatusOK {
		return tenantToken{}, &CallError{Op: "token", Code: answer.Code, Msg: answer.Msg, HTTPStatus: resp.StatusCode}
	}
	return tenantToken{value: answer.Token, life: time.Duration(answer.Expire) * time.Second}, nil
}
