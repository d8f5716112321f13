package main

import (
	"bufio"

	"github.com/spf13/cobra"

	"deskbridge/cmd/deskbridge/config"
	"deskbridge/cmd/deskbridge/export"
	"deskbridge/store"
)

func exportCommand() *cobra.Command {
	var withText bool
	cmd := reading(&cobra.Command{
		Use:   "export",
		Short: "Print all that the ledger holds, a line of JSON each",
		Long: "Print all that the ledger holds at this moment, a line of JSON each. Its kind is track, message, turn,\n" +
			"delivery, request, journal or outbox. The daemon may go on meanwhile.\n\n" +
			"What people, Codex and servers wrote is given by its length, unless --with-text is set. The app's secret\n" +
			"is never printed.",
		Args: noArgs,
	}, func(cmd *cobra.Command, ledger *store.Ledger, c config.Config, _ []string) error {
		books, err := ledger.Books(cmd.Context())
		if err != nil {
			return err
		}
		out := bufio.NewWriter(cmd.OutOrStdout())
		if err := export.Write(out, books, export.Options{WithText: withText, Secret: string(c.Feishu.AppSecret)}); err != nil {
			return err
		}
		return out.Flush()
	})
	cmd.Flags().BoolVar(&withText, "with-text", false, "print what people, Codex and servers wrote")
	return cmd
}
