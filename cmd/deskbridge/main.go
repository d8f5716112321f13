// Command deskbridge is the desk bridge: the daemon and its operator commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"deskbridge/cmd/deskbridge/config"
)

// Exit codes.
const (
	exitFailure = 1
	exitUsage   = 2 // a wrong call or configuration
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := root().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "deskbridge: "+err.Error())
		os.Exit(exitCode(err))
	}
}

func exitCode(err error) int {
	var wrong *config.Error
	var usage *usageError
	if errors.As(err, &wrong) || errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailure
}

// usageError is a command line that cannot be understood.
type usageError struct{ error }

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "deskbridge",
		Short:         "Talk to a Codex agent on your machine from a Feishu or Lark chat",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	cmd.CompletionOptions.HiddenDefaultCmd = true
	cmd.AddCommand(runCommand(), demoCommand(), auditCommand(), backupCommand(), codexCommand(), exportCommand(),
		journalCommand(), policyCommand(), pruneCommand(), traceCommand(), versionCommand(), scriptedCommand())
	return cmd
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{fmt.Errorf("%q is no command or argument of %s; see %s --help", args[0], cmd.CommandPath(), cmd.CommandPath())}
	}
	return nil
}
