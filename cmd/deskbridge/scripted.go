package main

import (
	"os"

	"github.com/spf13/cobra"

	"deskbridge/adapters/sandbox/appserver"
)

// scriptedCommand lets this program stand in for `codex`, so that the demo works
// where no Codex can be had. It is no part of the daemon.
func scriptedCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "app-server",
		Short:              "Stand in for `codex app-server`, with a script in place of a model",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			args = append([]string{"app-server"}, args...)
			os.Exit(appserver.Main(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), appserver.Options{}))
			return nil
		},
	}
}
