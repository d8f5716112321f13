package main

import (
	"github.com/spf13/cobra"

	"deskbridge/cmd/deskbridge/config"
	"deskbridge/fsm"
	"deskbridge/store"
)

func journalCommand() *cobra.Command {
	return reading(&cobra.Command{
		Use:   "journal",
		Short: "Print the steps of the ledger, a line of JSON each, without any text of a message",
		Long: "Print the steps of the ledger, a line of JSON each, without any text of a message.\n" +
			"The daemon may go on meanwhile. go run ./cmd/fsmdoc -format html -journal FILE draws them.",
		Args: noArgs,
	}, func(cmd *cobra.Command, ledger *store.Ledger, _ config.Config, _ []string) error {
		entries, err := ledger.Journal(cmd.Context())
		if err != nil {
			return err
		}
		return fsm.WritePath(cmd.OutOrStdout(), pathOf(entries))
	})
}

// pathOf leaves of the journal what happened, and nothing that anybody wrote.
func pathOf(entries []store.JournalEntry) (path []fsm.PathStep) {
	for _, e := range entries {
		path = append(path, fsm.PathStep{
			Track: e.Track, Step: e.Step, At: e.At.UTC(), Fact: e.Fact.FactName(),
			From: string(e.From), To: string(e.To), Entry: e.Entry,
		})
	}
	return path
}
