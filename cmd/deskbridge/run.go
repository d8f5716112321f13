package main

import (
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"deskbridge/cmd/deskbridge/config"
	"deskbridge/cmd/deskbridge/daemon"
)

func runCommand() *cobra.Command {
	var path string
	var verbose bool
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the bridge until it is told to stop",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load(path, os.Environ())
			if err != nil {
				return err
			}
			level := slog.LevelInfo
			if verbose {
				level = slog.LevelDebug
			}
			return daemon.Serve(cmd.Context(), daemon.Settings{Config: c, Version: version(), Log: logger(cmd.ErrOrStderr(), level)})
		},
	}
	cmd.Flags().StringVar(&path, "config", "desk.toml", "the configuration file")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "log every step")
	return cmd
}

func logger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}
