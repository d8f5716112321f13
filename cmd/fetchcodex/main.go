// Command fetchcodex downloads the pinned Codex binary into a cache folder and
// prints its path. It holds flags and wiring only; what happens is in codexbin.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"deskbridge/adapters/sandbox/codexbin"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command: exit code 0 and one line, the path, on stdout; or 1 (2
// for a wrong call) and one sentence on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fetchcodex", flag.ContinueOnError)
	flags.SetOutput(stderr)
	version := flags.String("version", codexbin.Default, "the pinned Codex `version` to fetch")
	dir := flags.String("dir", ".cache/codex", "the `folder` to keep it in")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	path, err := codexbin.Fetch(ctx, *dir, *version)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	fmt.Fprintln(stdout, path)
	return 0
}
