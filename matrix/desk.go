package matrix

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/sandbox/appserver"
	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/cmd/deskbridge/config"
	"deskbridge/store"
)

// usualLimit bounds a wait: long enough for a slow machine, so that only what never
// comes is missed.
const usualLimit = time.Minute

// Options of a desk. Only Program is needed.
type Options struct {
	// Program is the daemon, as [Build] made it.
	Program string
	// Script is what the model answers; nil means [model.Echo].
	Script model.Script
	// Codex is the program that the configuration names; empty means the real one.
	Codex string
	// Transport is how the daemon reaches Codex: unix, ws or stdio; empty means unix.
	Transport string
	// Scripted, if set, is a scripted app-server in place of Codex. It runs in this
	// process, and so outlives the daemon and keeps its threads.
	Scripted *appserver.Options
	// Chats is how many direct chats there are, each with a person of its own; 0
	// means one.
	Chats int
	// Unregistered leaves the app unknown to the platform; see [Desk.Register].
	Unregistered bool
	// Data is the ledger's folder, whose path is short; empty means one of the desk's
	// own.
	Data string
	// Redelivery are the platform's waits before it brings an event again; nil means
	// the real ones.
	Redelivery []time.Duration
	// Limit bounds each wait; 0 means a minute.
	Limit time.Duration
}

// Desk is a whole desk of real parts, for one test: direct chats with the app, one
// daemon, one Codex. A method that does not succeed fails the test. All of it ends
// with the test, and the daemon's log is shown if that failed.
type Desk struct {
	Platform *feishu.Server
	Model    *model.Server
	// App is the app as the platform knows it. The daemon is started with its
	// Secret as it is then.
	App feishu.App
	// User and Chat are the first person and the first chat. Chat is empty until the
	// app is registered.
	User, Chat string
	// Chats are all chats, with their persons.
	Chats []Chat
	// Scripted is the app-server, where [Options] ask for a scripted one.
	Scripted *appserver.Listener
	// Config is the path of desk.toml, Data the ledger's folder, Home Codex's state
	// folder, Work the folder that Codex works in.
	Config, Data, Home, Work string

	tb      testing.TB
	program string
	codex   string // the program
	// network is the app-server on the network, if there is one, and elsewhere says
	// that none is meant to listen on the desk's socket.
	network   *Process
	elsewhere bool
	limit     time.Duration
	bridge    *Process
	said      map[string][]string // by chat: ids of what its person wrote, oldest first
	asked     asked
}

// Chat is a direct chat of one person with the app.
type Chat struct{ ID, User string }

// NewDesk puts a desk together. The daemon does not run yet; see [Desk.Start].
func NewDesk(tb testing.TB, o Options) *Desk {
	tb.Helper()
	d := &Desk{
		tb: tb, program: o.Program, limit: cmp.Or(o.Limit, usualLimit), said: map[string][]string{},
		App: feishu.App{ID: appID(tb), Secret: "a secret", Name: "Desk"},
	}
	if o.Script == nil {
		o.Script = model.Echo
	}
	if o.Codex == "" && o.Scripted == nil {
		var err error
		o.Codex, err = Codex(tb.Context())
		d.must(err)
	}
	var err error
	d.Model, err = model.Start(o.Script)
	d.must(err)
	tb.Cleanup(func() { d.check(d.Model.Close()) })
	d.Platform, err = feishu.Start(feishu.ServerOptions{Options: feishu.Options{Redelivery: o.Redelivery}, Setup: func(p *feishu.Platform) feishu.Page {
		for range max(1, o.Chats) {
			d.Chats = append(d.Chats, Chat{User: p.AddUser("A")})
		}
		d.User = d.Chats[0].User
		if !o.Unregistered {
			d.register(p)
		}
		return feishu.Page{}
	}})
	d.must(err)
	tb.Cleanup(func() { d.check(d.Platform.Close()) })
	d.folders()
	d.Data = cmp.Or(o.Data, d.Data)
	d.must(model.WriteHome(d.Home, d.Model.BaseURL()))
	d.codex = cmp.Or(o.Codex, "none")
	tb.Cleanup(d.end)
	d.configure(d.transport(o.Transport))
	if o.Scripted != nil {
		d.script(*o.Scripted)
	}
	return d
}

// appID gives each test an app of its own.
func appID(tb testing.TB) string {
	return "cli_" + strings.ToLower(strings.NewReplacer("/", "_", " ", "_").Replace(tb.Name()))
}

// folders makes the desk's folders. The data folder's name is short, since the
// path of a unix socket in it may be 107 bytes long only.
func (d *Desk) folders() {
	var err error
	d.Home, err = StateFolder()
	d.must(err)
	d.tb.Cleanup(func() { d.check(os.RemoveAll(d.Home)) })
	dir, err := os.MkdirTemp("", "desk-")
	d.must(err)
	d.tb.Cleanup(func() { d.check(os.RemoveAll(dir)) })
	d.Config, d.Data, d.Work = filepath.Join(dir, "desk.toml"), filepath.Join(dir, "data"), filepath.Join(dir, "work")
	d.must(os.Mkdir(d.Work, 0o700))
}

// secretName is the environment variable that holds the app's secret.
const secretName = "APP_SECRET"

func (d *Desk) configure(transport string) {
	var users []string
	for _, c := range d.Chats {
		users = append(users, strconv.Quote(c.User))
	}
	text := fmt.Sprintf(`[desk]
data = %q

[codex]
command = %q
home = %q
workdir = %q
%s
[feishu]
app_id = %q
app_secret = "env:%s"
base_url = %q
allow_users = [%s]

[limits]
settle = "1s"
`, d.Data, d.codex, d.Home, d.Work, transport, d.App.ID, secretName, d.Platform.URL(), strings.Join(users, ", "))
	d.must(os.WriteFile(d.Config, []byte(text), 0o600))
}

// Register makes the app known to the platform, with the chats.
func (d *Desk) Register() {
	d.tb.Helper()
	d.OnPlatform(d.register)
}

func (d *Desk) register(p *feishu.Platform) {
	p.AddApp(d.App)
	for i := range d.Chats {
		d.Chats[i].ID = p.AddP2P(d.App.ID, d.Chats[i].User)
	}
	d.Chat = d.Chats[0].ID
}

// Command is the daemon with the desk's configuration, not started.
func (d *Desk) Command() *exec.Cmd { return d.Operator("run") }

// Operator is an operator's command with the desk's configuration, not started. Its
// environment is the desk's own, so that nothing of whoever runs the test is in it.
func (d *Desk) Operator(name string) *exec.Cmd {
	return d.Other(d.program, name)
}

// Other is another program in the place of the daemon's, as [Desk.Operator] has it.
func (d *Desk) Other(program, name string) *exec.Cmd {
	cmd := exec.Command(program, name, "--config", d.Config)
	cmd.Dir = filepath.Dir(d.Config)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + d.Home, // commands run in login shells, which read start-up files
		"TMPDIR=" + cmd.Dir,
		secretName + "=" + d.App.Secret,
	}
	return cmd
}

// Launch starts the daemon.
func (d *Desk) Launch() {
	d.tb.Helper()
	d.LaunchAs(d.Command())
}

// LaunchAs starts the daemon by a command of one's own; see [Desk.Other].
func (d *Desk) LaunchAs(cmd *exec.Cmd) {
	d.tb.Helper()
	if d.bridge != nil {
		d.tb.Fatal("the daemon runs already")
	}
	var err error
	d.bridge, err = Launch(cmd)
	d.must(err)
}

// Start starts the daemon and waits until the platform's events reach it.
func (d *Desk) Start() {
	d.tb.Helper()
	d.Launch()
	d.AwaitPlatform("the daemon connects", func(p *feishu.Platform) bool { return p.Connections() == 1 })
}

// Kill ends the daemon as a crash would, and waits until the platform knows.
func (d *Desk) Kill() {
	d.tb.Helper()
	if code := d.stop(syscall.SIGKILL); code != -1 {
		d.tb.Fatalf("the daemon ended before it was killed, with exit code %d", code)
	}
	d.AwaitPlatform("the killed daemon is gone", func(p *feishu.Platform) bool { return p.Connections() == 0 })
}

// AwaitKilled waits for the end of a daemon that kills itself, as [Desk.Kill] does.
func (d *Desk) AwaitKilled() {
	d.tb.Helper()
	if code := d.stop(syscall.Signal(0)); code != -1 {
		d.tb.Fatalf("the daemon ended with exit code %d instead of being killed", code)
	}
	d.AwaitPlatform("the killed daemon is gone", func(p *feishu.Platform) bool { return p.Connections() == 0 })
}

// Terminate asks the daemon to end, as a service manager does, and waits until it
// has ended without complaint.
func (d *Desk) Terminate() {
	d.tb.Helper()
	if code := d.stop(syscall.SIGTERM); code != 0 {
		d.tb.Fatalf("the daemon ended with exit code %d", code)
	}
}

func (d *Desk) stop(sig os.Signal) int {
	d.tb.Helper()
	if d.bridge == nil {
		d.tb.Fatal("the daemon does not run")
	}
	ctx, cancel := d.deadline()
	defer cancel()
	bridge := d.bridge
	d.must(bridge.Signal(sig))
	code, err := bridge.Wait(ctx)
	d.must(err)
	d.bridge = nil
	d.tb.Cleanup(func() { d.show("the daemon's log", bridge.Stderr.String()) })
	return code
}

// PID is the running daemon's.
func (d *Desk) PID() int { return d.bridge.PID() }

// Ended is closed once the running daemon has ended.
func (d *Desk) Ended() <-chan struct{} { return d.bridge.Ended() }

// AwaitLog waits until the running daemon has logged a line that contains all
// texts.
func (d *Desk) AwaitLog(texts ...string) string {
	d.tb.Helper()
	ctx, cancel := d.deadline()
	defer cancel()
	line, err := d.bridge.AwaitLine(ctx, d.bridge.Stderr, texts...)
	d.must(err)
	return line
}

// Log is what the running daemon has logged so far.
func (d *Desk) Log() string { return d.bridge.Stderr.String() }

// KillCodex ends the app-server as a crash would: the process that listens, since the
// daemon may have been killed before it wrote down which it is.
func (d *Desk) KillCodex() {
	d.tb.Helper()
	d.must(syscall.Kill(d.CodexPID(), syscall.SIGKILL))
}

// CodexPID is the app-server's.
func (d *Desk) CodexPID() int {
	d.tb.Helper()
	pid, err := codex.Listener(d.tb.Context(), d.socket())
	d.must(err)
	return pid
}

func (d *Desk) socket() string {
	return config.Config{Desk: config.Desk{Data: d.Data}}.Socket()
}

// end ends what runs: the app-server would outlive the daemon.
func (d *Desk) end() {
	ctx, cancel := context.WithTimeout(context.Background(), usualLimit) // the test's is over
	defer cancel()
	if d.bridge != nil {
		d.check(d.bridge.Signal(syscall.SIGKILL))
		_, err := d.bridge.Wait(ctx)
		d.check(err)
		d.show("the daemon's log", d.bridge.Stderr.String())
	}
	d.endNetwork(ctx)
	server := codex.Server{Socket: d.socket()}
	d.check(server.End(ctx))
	if log, err := os.ReadFile(filepath.Join(d.Data, "codex.log")); err == nil {
		d.show("Codex's log", string(log))
	}
}

func (d *Desk) show(what, text string) {
	if d.tb.Failed() {
		d.tb.Logf("%s:\n%s", what, text)
	}
}

func (d *Desk) deadline() (context.Context, context.CancelFunc) {
	return context.WithTimeout(d.tb.Context(), d.limit)
}

func (d *Desk) must(err error) {
	d.tb.Helper()
	if err != nil {
		d.tb.Fatal(err)
	}
}

func (d *Desk) check(err error) {
	d.tb.Helper()
	if err != nil {
		d.tb.Error(err)
	}
}

// AwaitLedger waits until something holds of the running daemon's ledger. The daemon
// has to log its steps (run --verbose): each is a reason to look again.
func (d *Desk) AwaitLedger(what string, cond func(*store.Ledger) (bool, error)) {
	d.tb.Helper()
	ctx, cancel := d.deadline()
	defer cancel()
	l, err := store.OpenReader(ctx, d.Data)
	d.must(err)
	defer func() { d.check(l.Close()) }()
	for {
		changed := d.bridge.Stderr.changes() // taken before the look
		holds, err := cond(l)
		d.must(err)
		if holds {
			return
		}
		select {
		case <-changed:
		case <-d.bridge.Ended():
			d.tb.Fatalf("the daemon ended while waiting until %s", what)
		case <-ctx.Done():
			d.tb.Fatalf("waiting until %s: %v", what, ctx.Err())
		}
	}
}
