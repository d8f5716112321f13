package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"deskbridge/cmd/deskbridge/config"
	"deskbridge/store"
	"deskbridge/store/audit"
)

func auditCommand() *cobra.Command {
	return reading(&cobra.Command{
		Use:   "audit",
		Short: "Hold the whole ledger against what must hold of every bridge",
		Long: "Step on the journal again, and hold every moment of it, and the ledger as it is, against the nine\n" +
			"invariants: nothing lost or taken twice, nothing said that is not so. What does not hold is printed, a\n" +
			"line each, with the ids that deskbridge trace takes; then the exit code is 1.\n" +
			"The daemon may go on meanwhile. What Codex and the chat themselves hold is not asked.",
		Args: noArgs,
	}, func(cmd *cobra.Command, ledger *store.Ledger, _ config.Config, _ []string) error {
		books, err := ledger.Books(cmd.Context())
		if err != nil {
			return err
		}
		conversations, found := audit.Conversations(books), 0
		for i := range conversations {
			c := &conversations[i]
			for _, problem := range audit.Check(&c.Books) {
				found++
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", c.ID, problem); err != nil {
					return err
				}
			}
		}
		if found > 0 {
			return fmt.Errorf("the ledger is not sound (%d found); keep a copy of it (deskbridge backup) and report what was found", found)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "sound: conversations %d, steps %d, messages %d, turns %d, deliveries %d, requests %d\n",
			len(conversations), len(books.Journal), len(books.Messages), len(books.Turns), len(books.Deliveries), len(books.Requests))
		return err
	})
}
