package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"deskbridge/cmd/deskbridge/config"
	"deskbridge/cmd/deskbridge/control"
	"deskbridge/cmd/deskbridge/daemon"
	"deskbridge/store"
	"deskbridge/store/retention"
)

func pruneCommand() *cobra.Command {
	var olderThan time.Duration
	var dry bool
	cmd := operate(&cobra.Command{
		Use:   "prune --older-than AGE",
		Short: "Take out of the ledger what is old and settled",
		Long: "Take the journal and the messages, turns, deliveries and requests out of the ledger that are older than\n" +
			"AGE, such as 720h, and settled. Of a conversation, what is younger stays, and everything since something\n" +
			"was last left open; the conversation itself goes on in its thread.\n\n" +
			"Nothing younger than a week (168h) is ever pruned. The ids of messages and turns that were taken once are\n" +
			"kept for good, so that none is taken twice, however late Feishu or Codex tells of it again.\n\n" +
			"While the bridge runs, it is asked to do it, since there is one writer; otherwise it is done here.\n" +
			"The file does not get smaller: its space is used again. A backup has only what is left.",
		Args: noArgs,
	}, func(cmd *cobra.Command, c config.Config, _ []string) error {
		if !cmd.Flags().Changed("older-than") {
			return &usageError{fmt.Errorf("%s needs --older-than AGE, such as 720h; see %[1]s --help", cmd.CommandPath())}
		}
		if err := retention.Allowed(olderThan); err != nil {
			return &usageError{fmt.Errorf("--older-than: %w; see %s --help", err, cmd.CommandPath())}
		}
		report, err := prune(cmd.Context(), c.Desk.Data, olderThan, dry)
		if err != nil {
			return err
		}
		return printReport(cmd.OutOrStdout(), report, dry)
	})
	cmd.Flags().DurationVar(&olderThan, "older-than", 0, "how old what goes must be, at least 168h (required)")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would go")
	return cmd
}

// prune prunes the ledger of a data folder, or only plans to.
func prune(ctx context.Context, dir string, olderThan time.Duration, dry bool) (retention.Report, error) {
	planned, err := plan(ctx, dir, olderThan)
	if err != nil || dry {
		return planned, err
	}
	lock, err := store.LockDir(dir)
	var held *store.HeldError
	if errors.As(err, &held) {
		var report retention.Report
		err := control.Call(ctx, dir, daemon.OpPrune, daemon.PruneParams{OlderThan: olderThan}, &report)
		return report, err
	}
	if err != nil {
		return retention.Report{}, err
	}
	report, err := daemon.PruneHere(ctx, dir, olderThan, nil)
	return report, errors.Join(err, lock.Unlock())
}

// plan says what would go. It also tells a folder without a ledger, or with one of
// another version, before anything is made or changed there.
func plan(ctx context.Context, dir string, olderThan time.Duration) (r retention.Report, err error) {
	ledger, err := store.OpenReader(ctx, dir)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	books, err := ledger.Books(ctx)
	if err != nil {
		return r, err
	}
	p := retention.Of(books, time.Now().Add(-olderThan))
	return p.Planned(), nil
}

// printReport says what went, and what stays although it is old.
func printReport(w io.Writer, r retention.Report, dry bool) error {
	what := "removed"
	if dry {
		what = "would remove"
	}
	n := r.Removed
	if _, err := fmt.Fprintf(w, "%s: conversations %d, journal entries %d, messages %d, turns %d, deliveries %d, requests %d\n",
		what, r.Conversations, n.Entries, n.Messages, n.Turns, n.Deliveries, n.Requests); err != nil {
		return err
	}
	for _, k := range r.Kept {
		if _, err := fmt.Fprintf(w, "kept, though old, of %s: %s\n", k.Conversation, k.What); err != nil {
			return err
		}
	}
	return nil
}
