package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"deskbridge/cmd/deskbridge/config"
	"deskbridge/store"
)

func backupCommand() *cobra.Command {
	return reading(&cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the ledger to a new file",
		Long: "Copy the ledger, as it is at this moment, to a new file that only its owner can read.\n" +
			"The daemon may go on meanwhile, and nothing waits. A file that is there already is never touched.\n\n" +
			"The file has everything that people and Codex have written. To go back to it, stop the bridge, and\n" +
			"put it in place of ledger.db in the data folder, from which ledger.db-wal and ledger.db-shm must go.",
		Args: oneArg("the file to write"),
	}, func(cmd *cobra.Command, ledger *store.Ledger, _ config.Config, args []string) error {
		file, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		size, err := ledger.Backup(cmd.Context(), file)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "backed up %d bytes to %s\n", size, file)
		return err
	})
}

// oneArg demands one argument, and says what it is.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return &usageError{fmt.Errorf("%s needs one argument, %s; see %s --help", cmd.CommandPath(), what, cmd.CommandPath())}
		}
		return nil
	}
}
