package appserver

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Main is the scripted server as a command that can stand in for `codex`. It
// understands `--version` and `app-server --listen unix://PATH` (`-c KEY=VALUE`
// is accepted and ignored) and serves until ctx ends. Its threads live in its
// memory only: another process starts without them.
//
// It returns the exit code: 0, 1 with one sentence on stderr, or 2 for a wrong
// call.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer, options Options) int {
	if len(args) == 1 && (args[0] == "--version" || args[0] == "-V") {
		fmt.Fprintln(stdout, "codex-cli "+Version)
		return 0
	}
	if len(args) == 0 || args[0] != "app-server" {
		fmt.Fprintln(stderr, "usage: app-server --listen unix://PATH, or --version")
		return 2
	}
	flags := flag.NewFlagSet("app-server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "", "the `address` to listen on, unix://PATH")
	flags.Func("c", "a `setting` of the real server, ignored", func(string) error { return nil })
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	path, ok := strings.CutPrefix(*listen, "unix://")
	if !ok || path == "" {
		fmt.Fprintln(stderr, "the scripted app-server listens on unix://PATH only")
		return 2
	}
	l, err := Listen(path, options)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	<-ctx.Done()
	if err := l.Close(); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}
