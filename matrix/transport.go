package matrix

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"deskbridge/adapters/codex"
)

// codexToken is what an app-server on the network lets its clients in by.
const codexToken = "a-token-of-the-desk"

// transport are the configuration's lines about how Codex is reached. One on the
// network is started first: the daemon does not.
func (d *Desk) transport(name string) string {
	switch name {
	case "", "unix":
		return ""
	}
	d.elsewhere = true
	switch name {
	case "ws":
		file := filepath.Join(filepath.Dir(d.Config), "token")
		d.must(os.WriteFile(file, []byte(codexToken+"\n"), 0o600))
		return fmt.Sprintf("transport = %q\nendpoint = %q\ntoken = %q\n", name, d.startNetwork(file), "file:token")
	default:
		return fmt.Sprintf("transport = %q\n", name)
	}
}

// startNetwork starts a real app-server on the network and returns its address.
func (d *Desk) startNetwork(token string) string {
	cmd := exec.Command(d.codex, "app-server", "--listen", "ws://127.0.0.1:0", "--ws-auth", "capability-token", "--ws-token-file", token)
	cmd.Dir = d.Work
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.Home, "CODEX_HOME=" + d.Home, "TMPDIR=" + filepath.Dir(d.Config)}
	var err error
	d.network, err = Launch(cmd)
	d.must(err)
	ctx, cancel := d.deadline()
	defer cancel()
	const says = "listening on: "
	line, err := d.network.AwaitLine(ctx, d.network.Stderr, says)
	d.must(err)
	_, url, _ := strings.Cut(line, says)
	return url
}

// endNetwork ends the app-server on the network, if there is one.
func (d *Desk) endNetwork(ctx context.Context) {
	if d.network == nil {
		return
	}
	d.check(d.network.Signal(syscall.SIGKILL))
	_, err := d.network.Wait(ctx)
	d.check(err)
	d.show("Codex's log", d.network.Stderr.String())
	d.network = nil
}

// listening makes an app-server listen on the desk's socket where the daemon reaches
// Codex in another way: threads are stored, and any can read them. The daemon must not
// run then.
func (d *Desk) listening() {
	if !d.elsewhere {
		return
	}
	ctx, cancel := d.deadline()
	defer cancel()
	d.endNetwork(ctx)
	server := codex.Server{Command: d.codex, Socket: d.socket(), Home: d.Home, Workdir: d.Work, Log: filepath.Join(d.Data, "codex.log")}
	d.must(server.Ensure(ctx))
}
