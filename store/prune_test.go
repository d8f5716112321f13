package store

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	t "deskbridge/transitions"
)

// cutOf takes out the first steps of oc_1/1, with the messages named.
func cutOf(steps int64, messages ...string) Cut {
	c := Cut{Starts: []Track{{ID: "oc_1/1", Snapshot: Snapshot{State: t.Idle, Data: t.Data{Track: "oc_1/1"}, Steps: steps}}}}
	for _, id := range messages {
		c.Messages = append(c.Messages, Version{id, time.UnixMilli(noon.UnixMilli())})
	}
	return c
}

// three is a ledger with three steps of oc_1/1, one of oc_2/1, rows and a call.
func three(tt *testing.T) *Ledger {
	tt.Helper()
	l := open(tt, tt.TempDir())
	commit(tt, l, func(x *Tx) error {
		_, err := x.Enqueue(Queued{Instance: "oc_1/1", Step: 1, Effect: openThread})
		other := received("oc_2/1", 1, "om_9")
		return errors.Join(err,
			x.Append(numbered(1), recordOf(1)), x.Append(numbered(2), recordOf(2)),
			x.Append(numbered(3), append(recordOf(3), records[1:]...)), x.Append(other, nil))
	})
	return l
}

func TestACutTakesOutWhatItNamesAndKeepsTheKeys(tt *testing.T) {
	tt.Parallel()
	l := three(tt)
	before := contents(tt, l)
	r := must[Removed](tt)(l.Prune(tt.Context(), cutOf(2, "om_1", "om_2", "om_4")))
	want(tt, "removed", r, Removed{Entries: 2, Messages: 2})
	after := contents(tt, l)
	want(tt, "journal", after.Journal, before.Journal[2:])
	want(tt, "messages", after.Rows["message"], before.Rows["message"][2:])
	for _, table := range []string{"turn", "delivery", "track"} {
		want(tt, table, after.Rows[table], before.Rows[table])
	}
	want(tt, "outbox", after.Outbox, before.Outbox)
	want(tt, "starts", must[Books](tt)(l.Books(tt.Context())).Starts, cutOf(2).Starts)
	x := begin(tt, l)
	defer x.Rollback()
	for key, seen := range map[string]bool{"message:om_1": true, "message:om_2": true, "message:om_3": true, "message:om_9": true, "message:om_4": false} {
		want(tt, "seen "+key, must[bool](tt)(x.Seen(key)), seen)
	}
}

func TestEachKindOfRowGoes(tt *testing.T) {
	tt.Parallel()
	l := three(tt)
	at := time.UnixMilli(noon.UnixMilli())
	c := cutOf(3, "om_3")
	c.Turns, c.Deliveries, c.Requests = []Version{{"A", at}}, []Version{{"d", at}}, []Version{{"r", at}}
	want(tt, "removed", must[Removed](tt)(l.Prune(tt.Context(), c)), Removed{Entries: 3, Messages: 1, Turns: 1, Deliveries: 1, Requests: 1})
	want(tt, "again", must[Removed](tt)(l.Prune(tt.Context(), c)), Removed{})
}

func TestARowThatChangedSinceStays(tt *testing.T) {
	tt.Parallel()
	l := three(tt)
	c := cutOf(2, "om_1")
	c.Messages[0].At = c.Messages[0].At.Add(-time.Millisecond)
	want(tt, "removed", must[Removed](tt)(l.Prune(tt.Context(), c)), Removed{Entries: 2})
}

// TestAnOlderCutDoesNotMoveTheBeginningBack makes a cut that was planned before
// another one was made.
func TestAnOlderCutDoesNotMoveTheBeginningBack(tt *testing.T) {
	tt.Parallel()
	l := three(tt)
	must[Removed](tt)(l.Prune(tt.Context(), cutOf(2)))
	want(tt, "removed", must[Removed](tt)(l.Prune(tt.Context(), cutOf(1))), Removed{})
	want(tt, "starts", must[Books](tt)(l.Books(tt.Context())).Starts, cutOf(2).Starts)
}

// TestACutThatIsEndedLeavesAllAsItWas ends one after each of its statements, as a
// crash does: nothing of a transaction is there without its commit.
func TestACutThatIsEndedLeavesAllAsItWas(tt *testing.T) {
	tt.Parallel()
	l := three(tt)
	before := must[Books](tt)(l.Books(tt.Context()))
	c := cutOf(2, "om_1", "om_2")
	c.Turns = []Version{{"A", time.UnixMilli(noon.UnixMilli())}}
	for _, table := range []string{"pruned_key", "journal", "start", "message", "turn"} {
		_, err := l.write.Exec(`CREATE TEMP TRIGGER stop BEFORE ` + map[bool]string{true: "INSERT", false: "DELETE"}[strings.HasPrefix(table, "pruned") || table == "start"] +
			` ON main.` + table + ` BEGIN SELECT RAISE(FAIL, 'it ends here'); END`)
		if err != nil {
			tt.Fatal(err)
		}
		r, err := l.Prune(tt.Context(), c)
		sentence(tt, err, "store: prune "+l.path+": it ends here")
		want(tt, "removed", r, Removed{})
		if _, err := l.write.Exec(`DROP TRIGGER stop`); err != nil {
			tt.Fatal(err)
		}
		want(tt, "the ledger after an end at "+table, must[Books](tt)(l.Books(tt.Context())), before)
	}
	cancelled, cancel := context.WithCancel(tt.Context())
	cancel()
	if _, err := l.Prune(cancelled, c); !errors.Is(err, context.Canceled) {
		tt.Errorf("cancelled, it says %v", err)
	}
	want(tt, "removed at last", must[Removed](tt)(l.Prune(tt.Context(), c)), Removed{Entries: 2, Messages: 2, Turns: 1})
}
