package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"deskbridge/cmd/deskbridge/config"
	"deskbridge/cmd/deskbridge/control"
	"deskbridge/cmd/deskbridge/daemon"
	"deskbridge/store"
	t "deskbridge/transitions"
)

func policyCommand() *cobra.Command {
	var allow string
	cmd := reading(&cobra.Command{
		Use:   "policy [--allow TRACK]",
		Short: "See and answer where Codex may now do more than before",
		Long: "List the conversations to which nothing is sent because Codex reports that their thread would run under a\n" +
			"looser policy than before: another sandbox, fewer questions, the network. It can come from a change of Codex's\n" +
			"own configuration and a new start of its app-server.\n\n" +
			"Either set Codex as it was and end its app-server, which the bridge starts anew; or allow what is listed, for\n" +
			"one conversation, with --allow. The bridge has to be running for that.",
		Args: noArgs,
	}, func(cmd *cobra.Command, ledger *store.Ledger, c config.Config, _ []string) error {
		tracks, err := ledger.Tracks(cmd.Context())
		if err != nil {
			return err
		}
		tracks = slices.DeleteFunc(tracks, func(tr store.Track) bool {
			return tr.Data.Superseded || !slices.Contains(tr.Data.Shut, t.ClosedByPolicy)
		})
		if allow == "" {
			return printPolicies(cmd.OutOrStdout(), tracks)
		}
		i := slices.IndexFunc(tracks, func(tr store.Track) bool { return tr.ID == allow })
		if i < 0 {
			return &usageError{fmt.Errorf("--allow: %s is not closed for a looser policy; %s lists what is", allow, cmd.CommandPath())}
		}
		return allowPolicy(cmd.Context(), cmd.OutOrStdout(), c.Desk.Data, tracks[i])
	})
	cmd.Flags().StringVar(&allow, "allow", "", "the conversation's track that may go on under the policy that is listed for it")
	return cmd
}

// printPolicies says which tracks are closed, and what is looser than before.
func printPolicies(w io.Writer, tracks []store.Track) error {
	if len(tracks) == 0 {
		_, err := fmt.Fprintln(w, "nothing is closed for a looser policy")
		return err
	}
	for _, tr := range tracks {
		if _, err := fmt.Fprintln(w, tr.ID); err != nil {
			return err
		}
		for _, l := range tr.Data.Found.LooserThan(tr.Data.Policy) {
			if _, err := fmt.Fprintf(w, "  %s: was %q, is %q\n", l.Part, l.Was, l.Is); err != nil {
				return err
			}
		}
	}
	return nil
}

func allowPolicy(ctx context.Context, w io.Writer, dir string, tr store.Track) error {
	if err := control.Call(ctx, dir, daemon.OpAllowPolicy, daemon.AllowPolicyParams{Track: tr.ID, Policy: tr.Data.Found}, &struct{}{}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "allowed: %s goes on\n", tr.ID)
	return err
}
