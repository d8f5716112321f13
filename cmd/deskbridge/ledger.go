package main

import (
	"os"

	"github.com/spf13/cobra"

	"deskbridge/cmd/deskbridge/config"
	"deskbridge/store"
)

// operate makes a command that needs the configuration.
func operate(cmd *cobra.Command, do func(cmd *cobra.Command, c config.Config, args []string) error) *cobra.Command {
	var path string
	cmd.Flags().StringVar(&path, "config", "desk.toml", "the configuration file")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := config.Load(path, os.Environ())
		if err != nil {
			return err
		}
		return do(cmd, c, args)
	}
	return cmd
}

// reading makes a command that reads the ledger, beside the daemon or without it. A
// ledger in WAL mode lets a reader in at any time, and shows it the last commit: what
// only reads has no need to ask the daemon.
func reading(cmd *cobra.Command, do func(cmd *cobra.Command, ledger *store.Ledger, c config.Config, args []string) error) *cobra.Command {
	return operate(cmd, func(cmd *cobra.Command, c config.Config, args []string) (err error) {
		ledger, err := store.OpenReader(cmd.Context(), c.Desk.Data)
		if err != nil {
			return err
		}
		defer func() {
			if closing := ledger.Close(); err == nil {
				err = closing
			}
		}()
		return do(cmd, ledger, c, args)
	})
}
