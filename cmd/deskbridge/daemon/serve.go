package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"path/filepath"
	"time"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/feishu"
	"deskbridge/adapters/feishu/feishuws"
	"deskbridge/adapters/sched"
	"deskbridge/cmd/deskbridge/config"
	"deskbridge/store"
	t "deskbridge/transitions"
)

// stopLimit is how long calls under way may take to end when the daemon stops.
const stopLimit = 10 * time.Second

// Serve runs the daemon until ctx ends, then stops in order: no new receipts,
// calls under way awaited for a while, everything else left for the next start.
func Serve(ctx context.Context, c config.Config, version string, log *slog.Logger) (err error) {
	lock, err := store.LockDir(c.Desk.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	ledger, err := store.Open(ctx, c.Desk.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()

	loop := sched.NewLoop()
	api := feishu.NewClient(loop, feishu.ClientOptions{AppID: c.Feishu.AppID, AppSecret: string(c.Feishu.AppSecret), BaseURL: c.Feishu.BaseURL})
	bridge := New(Parts{
		Scheduler: loop,
		Ledger:    ledger,
		Codex:     codexOptions(c, version, loop),
		API:       api,
		Access: feishu.Access{
			AllowUsers: c.Feishu.Users, Admins: c.Feishu.Admins, AllowChats: c.Feishu.Chats,
			GroupMode: feishu.GroupMode(c.Feishu.GroupMode),
		},
		Language: t.Language(c.Desk.Language),
		RunID:    rand.Text(),
		Rand:     mathrand.Float64,
		Log:      log,
	})
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		loop.Run(running)
	}()
	defer func() {
		end()
		<-ended
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
		defer cancel()
		err = errors.Join(err, api.Close(closing))
	}()

	var startErr error
	if err := loop.Call(ctx, func() { startErr = bridge.Start(ctx) }); err != nil {
		return nil // asked to stop before anything began
	}
	if startErr != nil {
		return startErr
	}
	log.Info("the desk is running", "name", c.Desk.Name, "version", version, "data", c.Desk.Data)
	receiveErr := receive(ctx, c, bridge, loop, log)
	log.Info("stopping; what is not sent stays in the ledger")
	return errors.Join(receiveErr, stop(ctx, bridge, loop))
}

// receive keeps the long connection until ctx ends. An event is acknowledged
// after the commit of its fact, and not before.
func receive(ctx context.Context, c config.Config, bridge *Bridge, loop *sched.Loop, log *slog.Logger) error {
	source := feishuws.New(feishuws.Options{
		AppID: c.Feishu.AppID, AppSecret: string(c.Feishu.AppSecret), BaseURL: c.Feishu.BaseURL,
		Handler: func(ctx context.Context, e feishu.Event) error {
			committed := make(chan error, 1)
			loop.Post(func() { bridge.Receive(e, func(err error) { committed <- err }) })
			select {
			case err := <-committed:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		Observe: func(s feishuws.Status) { observe(log, s) },
		Log:     log,
	})
	return source.Run(ctx)
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
		log.Error("Feishu refuses the app; check [feishu] app_id, app_secret and the app's event subscription (long connection)", "err", s.Err)
	}
}

func stop(ctx context.Context, bridge *Bridge, loop *sched.Loop) error {
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	stopped := make(chan struct{})
	loop.Post(func() { bridge.Stop(func() { close(stopped) }) })
	select {
	case <-stopped:
		return nil
	case <-limit.Done():
		return fmt.Errorf("daemon: calls were still under way %s after the stop; what became of them is found out at the next start", stopLimit)
	}
}

// Socket is where the app-server of a desk listens.
func Socket(c config.Config) string { return filepath.Join(c.Desk.Data, "codex.sock") }

func codexOptions(c config.Config, version string, loop *sched.Loop) codex.Options {
	socket := Socket(c)
	server := &codex.Server{
		Command: c.Codex.Command, Socket: socket, Home: c.Codex.Home, Workdir: c.Codex.Workdir,
		Log: filepath.Join(c.Desk.Data, "codex.log"),
	}
	return codex.Options{
		Dialer:  &codex.UnixDialer{Socket: socket, Ensure: server.Ensure, Post: loop.Post},
		Version: version,
		Workdir: c.Codex.Workdir, ApprovalPolicy: c.Codex.ApprovalPolicy, Sandbox: c.Codex.Sandbox, Model: c.Codex.Model,
		Settle: time.Duration(c.Limits.Settle),
	}
}
