package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/sandbox/codexbin"
	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/cmd/deskbridge/config"
	"deskbridge/cmd/deskbridge/daemon"
)

// fetchLimit is how long the demo waits for a Codex to be downloaded.
const fetchLimit = 10 * time.Minute

// endLimit is how long the demo waits for its app-server to end.
const endLimit = 10 * time.Second

func demoCommand() *cobra.Command {
	var addr, cache string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try it without an account: a chat page, a real Codex, a scripted model",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := demo{out: cmd.OutOrStdout(), log: logger(cmd.ErrOrStderr(), slog.LevelWarn), addr: addr, cache: cache}
			return d.run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "loopback address of the chat page")
	cmd.Flags().StringVar(&cache, "cache", ".cache", "folder for the downloaded Codex and its state")
	return cmd
}

// demo is one run of the demonstration: the daemon as it is, with stand-ins for
// the platform and the model at the network's edge.
type demo struct {
	out         io.Writer
	log         *slog.Logger
	addr, cache string
}

func (d demo) run(ctx context.Context) (err error) {
	if d.cache, err = filepath.Abs(d.cache); err != nil {
		return err
	}
	provider, err := model.Start(model.Demo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, provider.Close()) }()
	c := config.Default()
	chats, err := feishu.Start(feishu.ServerOptions{Addr: d.addr, Setup: func(p *feishu.Platform) feishu.Page { return populate(p, &c) }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, chats.Close()) }()
	c.Feishu.BaseURL = chats.URL()

	// The ledger begins anew each time, as the stand-in's message ids do.
	if c.Desk.Data, err = os.MkdirTemp("", "desk-demo-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.Desk.Data)) }()
	if c.Codex.Command, err = d.codex(ctx); err != nil {
		return err
	}
	c.Codex.Workdir = filepath.Join(d.cache, "demo", "work")
	if err := os.MkdirAll(c.Codex.Workdir, 0o700); err != nil {
		return err
	}
	// A state folder of its own, since two servers must not share one.
	if c.Codex.Home, err = os.MkdirTemp(filepath.Join(d.cache, "demo"), "codex-home-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.Codex.Home)) }()
	if err := model.WriteHome(c.Codex.Home, provider.BaseURL()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.endServer(ctx, c)) }()
	return d.serve(ctx, c, chats)
}

// serve runs the daemon, and prints the page's address once a message written
// there arrives at once.
func (d demo) serve(ctx context.Context, c config.Config, chats *feishu.Server) error {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() {
		served <- daemon.Serve(serving, daemon.Settings{Config: c, Version: version(), Log: d.log})
		stop() // nothing is left to wait for
	}()
	err := chats.Wait(serving, func(p *feishu.Platform) bool { return p.Connections() > 0 })
	if err == nil {
		_, err = fmt.Fprintf(d.out, "打开这个网址开始聊天，按 Ctrl-C 结束。\nOpen this address and say hello; Ctrl-C ends it.\n\n    %s\n\n", chats.URL())
	}
	if err != nil {
		stop() // asked to, or the daemon has ended, or nobody can read the address
		return errors.Join(ignoreCanceled(err), <-served)
	}
	return <-served
}

// ignoreCanceled drops the error of a wait that was given up on purpose.
func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// populate makes the app, its one person and their chat.
func populate(p *feishu.Platform, c *config.Config) feishu.Page {
	c.Feishu.AppID, c.Feishu.AppSecret = "cli_demo", "demo-secret"
	p.AddApp(feishu.App{ID: c.Feishu.AppID, Secret: string(c.Feishu.AppSecret), Name: "Codex"})
	user := p.AddUser("我")
	c.Feishu.Users = []string{user}
	return feishu.Page{ChatID: p.AddP2P(c.Feishu.AppID, user), UserID: user}
}

// codex finds a Codex, downloads the pinned one, or falls back to the scripted
// app-server and says so.
func (d demo) codex(ctx context.Context) (string, error) {
	bin := filepath.Join(d.cache, "codex")
	path, err := codexbin.Find("", bin, codexbin.Default)
	if err == nil {
		return path, nil
	}
	if _, err := fmt.Fprintf(d.out, "正在下载 Codex %s（约 172 MB，只需一次）……\nDownloading Codex %[1]s (about 172 MB, once)…\n", codexbin.Default); err != nil {
		return "", err
	}
	limit, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	if path, err = codexbin.Fetch(limit, bin, codexbin.Default); err == nil {
		return path, nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if _, err := fmt.Fprintf(d.out, "拿不到 Codex，改用脚本替身演示 / No Codex to be had, a scripted one stands in: %v\n", err); err != nil {
		return "", err
	}
	return os.Executable()
}

// endServer ends the app-server that the demo started; a desk's own would
// outlive the bridge.
func (d demo) endServer(ctx context.Context, c config.Config) error {
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer cancel()
	server := codex.Server{Socket: c.Socket()}
	return server.End(limit)
}
