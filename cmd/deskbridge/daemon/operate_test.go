package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/sched"
	"deskbridge/store"
	"deskbridge/store/retention"
	"deskbridge/store/storetest"
)

// pruning is what a command asks.
func pruning(t *testing.T, olderThan time.Duration) json.RawMessage {
	t.Helper()
	params, err := json.Marshal(PruneParams{OlderThan: olderThan})
	if err != nil {
		t.Fatal(err)
	}
	return params
}

// TestPruningIsDoneOnTheLoop holds that what was posted before is done before, and that
// it is reported what went.
func TestPruningIsDoneOnTheLoop(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Answered("oc_1/1", "om_1", "A")
	d := &desk{loop: sched.NewLoop(), ledger: l.Ledger, log: slog.New(slog.DiscardHandler)}
	running, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	var before int
	d.loop.Post(func() { before = len(l.Books().Journal) })
	go func() {
		defer close(ended)
		d.loop.Run(running)
	}()
	got, err := d.prune(t.Context(), pruning(t, retention.Least))
	end()
	<-ended
	want := retention.Report{Conversations: 1, Removed: store.Removed{Entries: 6, Messages: 1, Turns: 1, Deliveries: 1}}
	if diff := cmp.Diff(any(want), got); err != nil || diff != "" || before != 6 {
		t.Errorf("%v, %d entries before\n%s", err, before, diff)
	}
}

func TestTheDaemonPrunesNothingThatIsTooYoung(t *testing.T) {
	t.Parallel()
	var young *retention.TooYoungError
	if _, err := new(desk).prune(t.Context(), pruning(t, retention.Least-1)); !errors.As(err, &young) {
		t.Errorf("it says %v", err)
	}
}

// TestABridgeThatStopsPrunesNothingMore asks one whose loop runs no more.
func TestABridgeThatStopsPrunesNothingMore(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Answered("oc_1/1", "om_1", "A")
	d := &desk{loop: sched.NewLoop(), ledger: l.Ledger, log: slog.New(slog.DiscardHandler)}
	stopping, stop := context.WithCancel(t.Context())
	stop()
	if _, err := d.prune(stopping, pruning(t, retention.Least)); !errors.Is(err, errPruning) {
		t.Errorf("it says %v", err)
	}
	if left := len(l.Books().Journal); left != 6 {
		t.Errorf("%d entries are left", left)
	}
}
