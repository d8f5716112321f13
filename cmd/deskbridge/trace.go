package main

import (
	"time"

	"github.com/spf13/cobra"

	"deskbridge/cmd/deskbridge/config"
	"deskbridge/cmd/deskbridge/trace"
	"deskbridge/store"
)

func traceCommand() *cobra.Command {
	return reading(&cobra.Command{
		Use:   "trace ID",
		Short: "Tell the whole life of a message, turn, request or delivery",
		Long: "Tell the whole life of one thing as a timeline, a line a step, in local time: what happened, what became of\n" +
			"it, what was to be done next, and why. ID is that of a message (a person's, or the bridge's own as it\n" +
			"stands in the chat), a turn, a request or a delivery. What belongs together is told together.\n" +
			"The daemon may go on meanwhile. Nobody's words are printed, but how long they are.",
		Args: oneArg("an id"),
	}, func(cmd *cobra.Command, ledger *store.Ledger, _ config.Config, args []string) error {
		books, err := ledger.Books(cmd.Context())
		if err != nil {
			return err
		}
		return trace.Write(cmd.OutOrStdout(), books, args[0], time.Local)
	})
}
