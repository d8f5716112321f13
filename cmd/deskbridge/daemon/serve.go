package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	mathrand "math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/feishu"
	"deskbridge/adapters/feishu/feishuws"
	"deskbridge/adapters/sched"
	"deskbridge/cmd/deskbridge/config"
	"deskbridge/fsm/durable"
	"deskbridge/store"
	t "deskbridge/transitions"
)

// stopLimit is how long calls under way may take to end when the daemon stops.
const stopLimit = 10 * time.Second

// Settings of the daemon.
type Settings struct {
	Config config.Config
	// Version is this program's, for Codex and for the operator.
	Version string
	Log     *slog.Logger
	// Reach, if set, is called at each of the [Points]. No configuration sets it:
	// it is for whoever has to see the process end there.
	Reach func(durable.Point)
}

// Serve runs the daemon until ctx ends, then stops in order: no new receipts,
// calls under way awaited for a while, everything else left for the next start.
func Serve(ctx context.Context, s Settings) (err error) {
	c, version, log := s.Config, s.Version, s.Log
	lock, err := store.LockDir(c.Desk.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	// What was begun with the ledger is finished, whenever the stop comes.
	ledger, err := store.OpenReaching(context.WithoutCancel(ctx), c.Desk.Data, s.Reach)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()

	d := &desk{loop: sched.NewLoop(), ledger: ledger, data: c.Desk.Data, log: log}
	d.api = feishu.NewClient(d.loop, feishu.ClientOptions{AppID: c.Feishu.AppID, AppSecret: string(c.Feishu.AppSecret), BaseURL: c.Feishu.BaseURL})
	d.source = feishuws.New(feishuws.Options{
		AppID: c.Feishu.AppID, AppSecret: string(c.Feishu.AppSecret), BaseURL: c.Feishu.BaseURL,
		Handler: d.receive,
		Observe: func(s feishuws.Status) { observe(log, s) },
		Log:     log,
	})
	supervising, end := context.WithCancel(ctx)
	defer end()
	var options codex.Options
	options, d.endCodex = codexOptions(supervising, c, version, d.loop, log)
	d.bridge = New(Parts{
		Scheduler: d.loop,
		Ledger:    ledger,
		Codex:     options,
		API:       d.api,
		Access: feishu.Access{
			AllowUsers: c.Feishu.Users, Admins: c.Feishu.Admins, AllowChats: c.Feishu.Chats,
			GroupMode: feishu.GroupMode(c.Feishu.GroupMode),
		},
		Language:    t.Language(c.Desk.Language),
		Unreachable: c.Limits.Unreachable.Duration,
		RunID:       rand.Text(),
		Rand:        mathrand.Float64,
		Log:         log,
		Accepted:    d.source.Retry,
		Reach:       s.Reach,
	})
	log.Info("the desk is starting", "name", c.Desk.Name, "version", version, "data", c.Desk.Data)
	if c.Codex.Transport == "stdio" {
		log.Info("Codex runs as a child of the bridge: a task that is running when the bridge ends is interrupted")
	}
	return d.run(ctx)
}

// desk is the bridge with its real transports.
type desk struct {
	loop   *sched.Loop
	ledger *store.Ledger
	data   string
	api    *feishu.Client
	source *feishuws.Source
	bridge *Bridge
	log    *slog.Logger
	// endCodex returns once the app-server is gone, if it ends with the bridge.
	endCodex func(context.Context) error
}

func (d *desk) run(ctx context.Context) (err error) {
	lasting := context.WithoutCancel(ctx)
	running, end := context.WithCancel(lasting)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.loop.Run(running)
	}()
	defer func() {
		end()
		<-ended
		closing, cancel := context.WithTimeout(lasting, stopLimit)
		defer cancel()
		err = errors.Join(err, d.api.Close(closing), d.endCodex(closing))
	}()
	var startErr error
	if err := d.loop.Call(lasting, func() { startErr = d.bridge.Start(lasting) }); err != nil {
		return err
	}
	if startErr != nil {
		return startErr
	}
	closeControl := d.listen()
	receiveErr := d.source.Run(ctx)
	d.log.Info("stopping; what is not sent stays in the ledger")
	closeControl()
	d.stop(lasting)
	return receiveErr
}

// receive has an event journalled. It is acknowledged after the commit of its
// fact, and not before.
func (d *desk) receive(ctx context.Context, e feishu.Event) error {
	committed := make(chan error, 1)
	d.loop.Post(func() { d.bridge.Receive(e, func(err error) { committed <- err }) })
	select {
	case err := <-committed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop waits for the calls under way, for a while: what becomes of those that take
// longer is found out at the next start, as after a crash.
func (d *desk) stop(ctx context.Context) {
	limit, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	stopped := make(chan struct{})
	d.loop.Post(func() { d.bridge.Stop(func() { close(stopped) }) })
	select {
	case <-stopped:
	case <-limit.Done():
		d.log.Warn("calls were still under way after the stop; what became of them is found out at the next start", "waited", stopLimit)
	}
}

// observe tells the operator about the long connection.
func observe(log *slog.Logger, s feishuws.Status) {
	switch s.State {
	case feishuws.Connected:
		log.Info("Feishu's events arrive")
	case feishuws.Disconnected:
		log.Warn("Feishu's events do not arrive for the moment; the link is being opened again")
	case feishuws.Failing:
		log.Warn("Feishu's events do not arrive; it is tried again", "err", s.Err)
	case feishuws.Refused:
		log.Error("Feishu refuses to send its events to this app; check [feishu] app_id and app_secret, and that the app's event subscription is set to long connection", "err", s.Err)
	}
}

// codexOptions are the client's settings and how it reaches Codex, and what waits for the
// end of an app-server that ends with the bridge. What looks after a server does so
// until ctx ends.
func codexOptions(ctx context.Context, c config.Config, version string, loop *sched.Loop, log *slog.Logger) (codex.Options, func(context.Context) error) {
	server := &codex.Server{
		Command: c.Codex.Command, Socket: c.Socket(), Without: c.SecretVariables, Home: c.Codex.Home, Workdir: c.Codex.Workdir,
		Log: filepath.Join(c.Desk.Data, "codex.log"),
	}
	o := codex.Options{
		Version: version,
		Workdir: c.Codex.Workdir, Roots: roots(c.Codex), ApprovalPolicy: c.Codex.ApprovalPolicy, Sandbox: c.Codex.Sandbox, Model: c.Codex.Model,
		Wall: time.Now, Stale: c.Limits.Stale.Duration, TurnIdle: c.Limits.TurnIdle.Duration, Settle: c.Limits.Settle.Duration,
	}
	end := func(context.Context) error { return nil }
	switch c.Codex.Transport {
	case "ws":
		dialer := &codex.WSDialer{Endpoint: c.Codex.Endpoint, Post: loop.Post}
		if c.Codex.Token != "" {
			dialer.Token = c.Token
		}
		o.Dialer = dialer
	case "stdio":
		dialer := codex.NewStdioDialer(server, loop.Post)
		o.Dialer, end = dialer, dialer.Close
		go server.KeepLog(ctx, log)
	default:
		o.Dialer = &codex.UnixDialer{Socket: c.Socket(), Ensure: server.Ensure, Post: loop.Post}
		o.Installed, o.Replace = inquire(ctx, server, loop), replace(ctx, server, loop)
		go server.KeepLog(ctx, log)
	}
	return o, end
}

// roots are the folders whose threads are the desk's, by all names that Codex may have
// for them: it follows links in some places.
func roots(c config.Codex) (all []string) {
	for _, root := range append(slices.Clip(c.Roots), c.Workdir) {
		all = append(all, root)
		if resolved, err := filepath.EvalSymlinks(root); err == nil && resolved != root {
			all = append(all, resolved)
		}
	}
	return all
}
