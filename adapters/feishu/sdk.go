package feishu

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"
	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"

	"deskbridge/adapters/sched"
)

// requestTimeout bounds one call, with everything that it waits for.
const requestTimeout = 15 * time.Second

// defaultConcurrency keeps below the 50 calls a second that the platform allows
// an app, at the usual length of a call.
const defaultConcurrency = 8

// ClientOptions say which app the client speaks for.
type ClientOptions struct {
	AppID, AppSecret string
	// BaseURL is the platform's: https://open.feishu.cn, or Lark's.
	BaseURL string
	// Concurrency is how many calls may be under way; 0 means 8.
	Concurrency int
}

// Client is the [API] of the real platform: the official SDK, with a token
// manager of our own.
type Client struct {
	sched  sched.Scheduler
	im     *larkim.V1
	config *larkcore.Config
	tokens *tokens

	// Only touched by functions that the scheduler runs.
	limit, running int
	waiting        []func()

	ctx       context.Context
	cancel    context.CancelFunc
	calls     sync.WaitGroup
	transport *http.Transport
}

var _ API = (*Client)(nil)

// NewClient returns a client. It opens no connection yet.
func NewClient(s sched.Scheduler, o ClientOptions) *Client {
	client, transport := newHTTPClient(requestTimeout)
	config := &larkcore.Config{
		BaseUrl:    strings.TrimRight(o.BaseURL, "/"),
		AppId:      o.AppID,
		HttpClient: client,
		ReqTimeout: requestTimeout,
		Logger:     silent{},
		// Without its token cache the SDK needs no secret, sends what it is given
		// and repeats nothing.
		EnableTokenCache: false,
	}
	larkcore.NewSerialization(config)
	if o.Concurrency <= 0 {
		o.Concurrency = defaultConcurrency
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Client{
		sched: s, im: larkim.New(config), config: config, limit: o.Concurrency,
		tokens: &tokens{now: s.Now, fetch: func(ctx context.Context) (tenantToken, error) {
			return fetchToken(ctx, client, o.BaseURL, o.AppID, o.AppSecret)
		}},
		ctx: ctx, cancel: cancel, transport: transport,
	}
}

// Do starts a call, or queues it behind those under way.
func (c *Client) Do(req Request, done func(Response)) {
	start := func() {
		c.running++
		c.calls.Go(func() {
			resp := c.call(req)
			c.sched.Post(func() {
				c.running--
				c.next()
				done(resp)
			})
		})
	}
	c.waiting = append(c.waiting, start)
	c.next()
}

func (c *Client) next() {
	for c.running < c.limit && len(c.waiting) > 0 {
		start := c.waiting[0]
		c.waiting[0] = nil
		c.waiting = c.waiting[1:]
		start()
	}
}

// Close breaks the calls under way off and waits for their goroutines, or for
// ctx. It must be called once the scheduler runs nothing any more: their results
// are lost.
func (c *Client) Close(ctx context.Context) error {
	c.cancel()
	ended := make(chan struct{})
	go func() {
		c.calls.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		c.transport.CloseIdleConnections()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// call makes one call, and once more with a new token if the old one was not
// accepted.
func (c *Client) call(req Request) Response {
	ctx, cancel := context.WithTimeout(c.ctx, requestTimeout)
	defer cancel()
	resp, token := c.attempt(ctx, req)
	if token == "" || Classify(req, resp) != Token {
		return resp
	}
	c.tokens.forget(token)
	resp, _ = c.attempt(ctx, req)
	return resp
}

// attempt makes one call with the current token, which it returns; empty if there
// is none.
func (c *Client) attempt(ctx context.Context, req Request) (Response, string) {
	token, err := c.tokens.get(ctx)
	if err != nil {
		return withoutToken(err), ""
	}
	ctx, x := observed(ctx)
	verdict, err := c.send(ctx, req, larkcore.WithTenantAccessToken(token))
	seen := x.respond()
	verdict.Sent, verdict.HTTPStatus, verdict.RetryAfter = seen.Sent, seen.HTTPStatus, seen.RetryAfter
	if err != nil {
		verdict.Err = plainError(err, seen.HTTPStatus)
	}
	return verdict, token
}

// withoutToken is the response to a request that was never sent. Only a word on
// the credentials counts as a verdict: whatever else keeps the platform from
// giving a token, it is no refusal of the request.
func withoutToken(err error) Response {
	refusal := (*CallError)(nil)
	if errors.As(err, &refusal) && codeClass[refusal.Code] == Credentials {
		return Response{Code: refusal.Code, Msg: refusal.Msg, HTTPStatus: refusal.HTTPStatus, Err: err}
	}
	return Response{Err: err}
}

// plainError keeps the SDK's error, except where the platform's place was taken
// by something that speaks no JSON: then it is a page of HTML with its headers.
func plainError(err error, status int) error {
	if status != 0 {
		return errors.New("the answer is not the platform's JSON")
	}
	return err
}

// silent is the SDK's logger. All that it would log is returned as an error too,
// or is a request's content.
type silent struct{}

func (silent) Debug(context.Context, ...any) {}
func (silent) Info(context.Context, ...any)  {}
func (silent) Warn(context.Context, ...any)  {}
func (silent) Error(context.Context, ...any) {}
