package appserver

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// usage is the one line that a wrong call is answered with.
const usage = "usage: app-server [--listen stdio://|unix://PATH|ws://IP:PORT [--ws-auth capability-token --ws-token-file PATH]], or --version"

// Main is the scripted server as a command that can stand in for `codex`. It
// understands `--version` and `app-server` with the options of [usage], where
// stdio:// is the default (`-c KEY=VALUE` is accepted and ignored), and serves until
// ctx ends or its input does. Its threads live in its memory only: another process
// starts without them.
//
// It returns the exit code: 0, 1 with one sentence on stderr, or 2 for a wrong
// call.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, options Options) int {
	if len(args) == 1 && (args[0] == "--version" || args[0] == "-V") {
		fmt.Fprintln(stdout, "codex-cli "+Version)
		return 0
	}
	if len(args) == 0 || args[0] != "app-server" {
		fmt.Fprintln(stderr, usage)
		return 2
	}
	flags := flag.NewFlagSet("app-server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "stdio://", "the `address` to listen on")
	auth := flags.String("ws-auth", "", "how clients of a ws:// address prove themselves: capability-token")
	tokenFile := flags.String("ws-token-file", "", "the `file` with that token")
	flags.Func("c", "a `setting` of the real server, ignored", func(string) error { return nil })
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	scheme, address, _ := strings.Cut(*listen, "://")
	wrong := scheme != "stdio" && address == "" || *auth != "" && (*auth != "capability-token" || *tokenFile == "" || scheme != "ws")
	var l *Listener
	var err error
	switch {
	case wrong:
		fmt.Fprintln(stderr, usage)
		return 2
	case scheme == "stdio":
		Serve(ctx, stdin, stdout, options)
		return 0
	case scheme == "unix":
		l, err = Listen(address, options)
	case scheme == "ws":
		var token string
		if *auth != "" {
			token, err = readToken(*tokenFile)
		}
		if err == nil {
			l, err = ListenWS(address, token, options)
		}
	default:
		fmt.Fprintln(stderr, usage)
		return 2
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if scheme == "ws" { // the port may be one that was free
		fmt.Fprintln(stderr, "  listening on: "+l.URL())
	}
	<-ctx.Done()
	if err := l.Close(); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// readToken is the one word in the file.
func readToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	token := strings.TrimSpace(string(text))
	if err == nil && token == "" {
		err = fmt.Errorf("appserver: %s holds no token", path)
	}
	return token, err
}
