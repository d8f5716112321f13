package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"deskbridge/adapters/codex"
	"deskbridge/cmd/deskbridge/config"
	"deskbridge/cmd/deskbridge/control"
	"deskbridge/cmd/deskbridge/daemon"
	"deskbridge/store"
)

func codexCommand() *cobra.Command {
	return operate(&cobra.Command{
		Use:   "codex",
		Short: "Say which Codex the running bridge speaks with, and what is wrong with it",
		Long: "Say which Codex the running bridge speaks with, and what is wrong with it.\n\n" +
			"The version is that of the app-server that runs, which may have been started from an older program\n" +
			"than the one that is installed. What a version means is in docs/codex.md.",
		Args: noArgs,
	}, func(cmd *cobra.Command, c config.Config, _ []string) error {
		if runs, err := running(c.Desk.Data); err != nil {
			return err
		} else if !runs {
			return errors.New("no bridge runs on " + c.Desk.Data + "; start it with `deskbridge run`")
		}
		var status codex.Status
		if err := control.Call(cmd.Context(), c.Desk.Data, daemon.OpCodex, struct{}{}, &status); err != nil {
			return err
		}
		return printStatus(cmd.OutOrStdout(), status)
	})
}

// running reports whether a bridge has the data folder.
func running(dir string) (bool, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return false, nil // taking the lock would make it
	}
	lock, err := store.LockDir(dir)
	var held *store.HeldError
	if errors.As(err, &held) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, lock.Unlock()
}

// printStatus says how things stand with Codex, a line each.
func printStatus(w io.Writer, s codex.Status) error {
	var lines []string
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	add("connected", map[bool]string{true: "yes", false: "no"}[s.Connected])
	if s.Verdict != "" {
		add("version", s.Version)
		add("contract", string(s.Verdict)+": "+s.Verdict.Sentence(s.Version))
	}
	add("app-server", s.Generation)
	add("installed", s.Installed)
	for _, lacking := range s.Lacking {
		for _, known := range codex.Capabilities() {
			if known.Capability == lacking {
				add("lacks", string(lacking)+", for "+known.Entrance+": "+known.Instead)
			}
		}
	}
	if s.Trouble != nil {
		add("trouble", s.Trouble.What+"; "+s.Trouble.Remedy)
	}
	n := s.Counts
	add("this run", fmt.Sprintf("connections %d, requests declined %d, notifications passed over %d, answers to nothing %d, junk %d",
		n.Connections, n.Declined, n.Skipped, n.Strays, n.Junk))
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}
