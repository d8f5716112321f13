package feishuws

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"github.com/larksuite/oapi-sdk-go/v3/event/dispatcher"
	larkws "github.com/larksuite/oapi-sdk-go/v3/ws"

	"deskbridge/adapters/feishu"
)

// Handler journals an event. It returns nil only once that is durable; the
// platform is then told that the event arrived, and otherwise brings it again.
// It may be called from many goroutines at once, must honour ctx, which ends
// after 2 s, and must not wait for anything else: the platform waits for 3 s.
type Handler func(ctx context.Context, e feishu.Event) error

// Options of a source. All but Random and Log are needed.
type Options struct {
	AppID, AppSecret string
	// BaseURL is the platform's: https://open.feishu.cn, or Lark's.
	BaseURL string
	Handler Handler
	// Observe is told what becomes of the connection. It must not block.
	Observe func(Status)
	// Random gives numbers in [0, 1) that spread retries; default math/rand.
	Random func() float64
	// Log takes what the SDK logs, without secrets and texts; default: nowhere.
	Log *slog.Logger
}

// The waits of the supervisor and of the handler.
const (
	firstWait    = time.Second
	longestWait  = 2 * time.Minute // also the wait after a refusal
	handlerBound = 2 * time.Second
	stopBound    = 5 * time.Second
	dialBound    = 10 * time.Second
)

// ErrStillRunning is returned by [Source.Run] when something of the connection
// did not end in time. The process can be left all the same: what was not
// acknowledged comes again.
var ErrStillRunning = errors.New("feishu long connection: not ended 5 s after it was asked to")

// Source is the long connection.
type Source struct {
	opts      Options
	log       redactor
	dispatch  *dispatcher.EventDispatcher
	endpoint  *http.Client
	transport *http.Transport
	status    statusKeeper
	// connected says that the current client has had a connection.
	connected atomic.Bool
	// hurry ends the wait before the next try.
	hurry chan struct{}

	// wait passes d or ends early with ctx; stopBound is how long Run waits. Both
	// are fields so that a test need not wait.
	wait      func(ctx context.Context, d time.Duration)
	stopBound time.Duration
}

// New returns a source that is not connected yet. It sets os.Stdout aside for a
// moment (see silently), so it should be called before anything else writes there.
func New(o Options) *Source {
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Source{
		opts:      o,
		log:       redactor{log: o.Log, secret: o.AppSecret},
		transport: newTransport(),
		hurry:     make(chan struct{}, 1),
		stopBound: stopBound,
	}
	s.wait = s.pause
	s.status = statusKeeper{observe: o.Observe, redact: s.log.redact}
	s.endpoint = &http.Client{
		Timeout:       dialBound,
		Transport:     sanity{base: s.transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.dispatch = newDispatcher(s.log, s.receive)
	return s
}

// Run keeps a connection until ctx ends, whatever happens to it, and returns nil
// then, or [ErrStillRunning].
func (s *Source) Run(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.supervise(ctx)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	timer := time.NewTimer(s.stopBound)
	defer timer.Stop()
	select {
	case <-ended:
		return nil
	case <-timer.C:
		return ErrStillRunning
	}
}

// supervise starts the client again whenever it gives up. Until there is a
// connection it gives up at every failure, since the SDK would wait up to 30 s and
// then minutes. A connection that was lost it opens again by itself, and gives up
// only if the platform refuses it, or told it to try only so often.
func (s *Source) supervise(ctx context.Context) {
	defer s.transport.CloseIdleConnections()
	var client *larkws.Client
	backoff := firstWait
	for ctx.Err() == nil {
		// Every client leaves a goroutine behind for good, and one that was
		// connected cannot be started again. One that never was can, so that a
		// refusal that lasts for days does not cost a goroutine each time.
		if client == nil || s.connected.Swap(false) {
			client = s.newClient(ctx)
		}
		err := client.Start(ctx)
		if ctx.Err() != nil {
			return
		}
		if s.connected.Load() {
			backoff = firstWait
		}
		d := backoff
		if refusal := (*larkws.ClientError)(nil); errors.As(err, &refusal) {
			d = longestWait // it will be the same until somebody changes something
			s.status.tell(Refused, err)
		} else if err != nil {
			s.status.tell(Failing, err)
		}
		backoff = min(2*backoff, longestWait)
		s.wait(ctx, d/2+time.Duration(s.opts.Random()*float64(d/2)))
	}
}

func (s *Source) newClient(ctx context.Context) *larkws.Client {
	var client *larkws.Client
	up := func() {
		s.connected.Store(true)
		// The SDK calls this on the goroutine that reads the setting.
		larkws.WithAutoReconnect(true)(client)
		s.status.tell(Connected, nil)
	}
	client = larkws.NewClient(s.opts.AppID, s.opts.AppSecret,
		larkws.WithAutoReconnect(false),
		larkws.WithDomain(s.opts.BaseURL),
		larkws.WithLogger(s.log),
		larkws.WithEventHandler(s.dispatch),
		larkws.WithHttpClient(s.endpoint),
		larkws.WithWebSocketDialer(&websocket.Dialer{HandshakeTimeout: dialBound, Proxy: http.ProxyFromEnvironment}),
		larkws.WithOnReady(up),
		larkws.WithOnReconnected(up),
		larkws.WithOnDisconnected(func() {
			if ctx.Err() == nil { // an end that was asked for is no news
				s.status.tell(Disconnected, nil)
			}
		}),
		larkws.WithOnError(func(err error) {
			// A refusal ends the client, and is told with that.
			if refusal := (*larkws.ClientError)(nil); !errors.As(err, &refusal) {
				s.status.tell(Failing, err)
			}
		}),
	)
	return client
}

// Retry ends the wait before the next try, if there is one: whatever the platform
// had against the app is known to be over.
func (s *Source) Retry() {
	select {
	case s.hurry <- struct{}{}:
	default:
	}
}

func (s *Source) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.hurry:
	case <-ctx.Done():
	}
}
