package retention

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/store"
	"deskbridge/store/audit"
	"deskbridge/store/storetest"
	t "deskbridge/transitions"
)

func want(tt *testing.T, what string, got, want any) {
	tt.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tt.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// prune prunes what is older than a moment, and holds that the audit has nothing to
// say of what is left.
func prune(tt *testing.T, l *storetest.Life, before time.Time) Report {
	tt.Helper()
	plan := Of(l.Books(), before)
	r, err := plan.Prune(tt.Context(), l.Ledger.Prune)
	if err != nil {
		tt.Fatal(err)
	}
	want(tt, "what was planned", plan.Planned(), r)
	for _, c := range audit.Conversations(l.Books()) {
		if problems := audit.Check(&c.Books); problems != nil {
			tt.Fatalf("after pruning, the audit says of %s: %q", c.ID, problems)
		}
	}
	return r
}

func TestWhatIsOldAndSettledGoesAndTheTracksStay(tt *testing.T) {
	tt.Parallel()
	l := storetest.New(tt)
	l.Sound()
	tracks, entries := l.Books().Tracks, len(l.Books().Journal)
	r := prune(tt, l, l.Now)
	want(tt, "report", r, Report{Conversations: 1, Removed: store.Removed{Entries: int64(entries), Messages: 4, Turns: 2, Deliveries: 5, Requests: 1}})
	want(tt, "the ledger", l.Books(), store.Books{Starts: tracks, Tracks: tracks})

	// What comes later is taken as ever, and what came before is not taken again.
	tx, err := l.Ledger.Begin()
	if err != nil {
		tt.Fatal(err)
	}
	for _, key := range []string{"message:om_1", "message:om_8", "turn_ended:A", "turn_ended:B"} {
		if seen, err := tx.Seen(key); err != nil || !seen {
			tt.Errorf("%s is forgotten (%v)", key, err)
		}
	}
	tx.Rollback()
	l.Answered("oc_1/2", "om_20", "C")
	want(tt, "report of nothing old", prune(tt, l, storetest.Noon), Report{})
	want(tt, "messages", len(l.Books().Messages), 1)
	want(tt, "the second time", prune(tt, l, l.Now).Removed.Messages, int64(1))
}

func TestWhatIsYoungerStays(tt *testing.T) {
	tt.Parallel()
	l := storetest.New(tt)
	l.Answered("oc_1/1", "om_1", "A")
	between := l.Now
	l.Now = l.Now.Add(time.Hour)
	l.Answered("oc_1/1", "om_2", "B")
	l.Answered("oc_2/1", "om_3", "C")
	r := prune(tt, l, between)
	want(tt, "report", r, Report{Conversations: 1, Removed: store.Removed{Entries: 6, Messages: 1, Turns: 1, Deliveries: 1}})
	var left []string
	for _, m := range l.Books().Messages {
		left = append(left, m.Of.ID)
	}
	want(tt, "messages", left, []string{"om_2", "om_3"})
}

// TestWhatIsOpenStays holds that nothing goes since something was last left open, and
// that the report names it.
func TestWhatIsOpenStays(tt *testing.T) {
	tt.Parallel()
	received := t.MessageReceived{Message: "om_2", Sender: storetest.Owner, Text: "text"}
	for _, c := range []struct {
		name  string
		leave func(*storetest.Life)
		why   string
	}{
		{"a message", func(l *storetest.Life) { l.Tell("oc_1/1", received) }, "message om_2 is offered"},
		{"a foreign turn", func(l *storetest.Life) { l.Tell("oc_1/1", t.TurnRunning{Turn: "X"}) }, `turn "X" is running`},
		{"a delivery", func(l *storetest.Life) {
			l.Tell("oc_1/1", t.StopRequested{Message: "om_2", Sender: storetest.Owner})
		}, "delivery notice:om_2:nothing_to_stop is ready"},
	} {
		tt.Run(c.name, func(tt *testing.T) {
			tt.Parallel()
			l := storetest.New(tt)
			l.Answered("oc_1/1", "om_1", "A")
			c.leave(l)
			r := prune(tt, l, l.Now)
			want(tt, "report", r, Report{
				Conversations: 1, Removed: store.Removed{Entries: 6, Messages: 1, Turns: 1, Deliveries: 1},
				Kept: []Kept{{"oc_1", "all since " + c.why}},
			})
		})
	}
}

// unposted is a conversation with a settled turn, and with one whose outcome may not
// have reached the chat.
func unposted(tt *testing.T, facts ...t.Fact) *storetest.Life {
	tt.Helper()
	l := storetest.New(tt)
	l.Answered("oc_1/1", "om_1", "A")
	l.Tell("oc_1/1", append([]t.Fact{
		t.MessageReceived{Message: "om_2", Sender: storetest.Owner, Text: "text"},
		t.TurnStartAccepted{Message: "om_2", Turn: "B"},
		t.TurnEnded{Turn: "B", Status: t.EndCompleted, Messages: []string{"om_2"}, Reply: "long"},
	}, facts...)...)
	l.Settle()
	return l
}

var stays = []Kept{{"oc_1", "delivery outcome:B, which did not reach the chat, and what belongs to it"}}

// TestWhatDidNotReachTheChatStaysByItself leaves the outcome of a turn in doubt, and
// holds that it stays with its turn and message, that all else goes, now and later, and
// that it can still be confirmed afterwards.
func TestWhatDidNotReachTheChatStaysByItself(tt *testing.T) {
	tt.Parallel()
	l := unposted(tt, t.DeliveryUnknown{Delivery: "outcome:B"})
	r := prune(tt, l, l.Now)
	want(tt, "report", r, Report{Conversations: 1, Removed: store.Removed{Entries: 10, Messages: 1, Turns: 1, Deliveries: 1}, Kept: stays})
	l.Answered("oc_1/1", "om_3", "C")
	r = prune(tt, l, l.Now)
	want(tt, "the second report", r, Report{Conversations: 1, Removed: store.Removed{Entries: 5, Messages: 1, Turns: 1, Deliveries: 1}, Kept: stays})
	b := l.Books()
	want(tt, "rows left", []string{b.Messages[0].Of.ID, b.Turns[0].Of.ID, b.Deliveries[0].Of.ID}, []string{"om_2", "B", "outcome:B"})
	want(tt, "counts", []int{len(b.Messages), len(b.Turns), len(b.Deliveries)}, []int{1, 1, 1})

	l.Tell("oc_1/1", t.DeliveryConfirmed{Delivery: "outcome:B", Shown: "om_9"})
	r = prune(tt, l, l.Now)
	want(tt, "the last report", r, Report{Conversations: 1, Removed: store.Removed{Entries: 1, Messages: 1, Turns: 1, Deliveries: 1}})
}

// TestWhatWasRefusedStaysUntilItIsSentAgain: the notice of it has been shown and goes.
func TestWhatWasRefusedStaysUntilItIsSentAgain(tt *testing.T) {
	tt.Parallel()
	l := unposted(tt,
		t.DeliveryRefused{Delivery: "outcome:B", Code: 1, Said: "no"},
		t.DeliveryConfirmed{Delivery: "notice:B:outcome_not_posted", Shown: "om_8"})
	r := prune(tt, l, l.Now)
	want(tt, "report", r, Report{Conversations: 1, Removed: store.Removed{Entries: 11, Messages: 1, Turns: 1, Deliveries: 2}, Kept: stays})

	l.Tell("oc_1/1", t.MessageReceived{Message: "om_3", Sender: storetest.Owner, Text: "text"})
	r = prune(tt, l, l.Now)
	want(tt, "the second report", r, Report{Kept: []Kept{{"oc_1", "all since delivery outcome:B is ready"}}})
}

func TestACallInTheOutboxKeepsItsStep(tt *testing.T) {
	tt.Parallel()
	l := storetest.New(tt)
	l.Answered("oc_1/1", "om_1", "A")
	tx, err := l.Ledger.Begin()
	if err != nil {
		tt.Fatal(err)
	}
	_, err = tx.Enqueue(store.Queued{Instance: "oc_1/1", Step: 6, Effect: t.ShowReceipt{Message: "om_1"}})
	if err = errors.Join(err, tx.Commit()); err != nil {
		tt.Fatal(err)
	}
	r := prune(tt, l, l.Now)
	want(tt, "report", r, Report{Kept: []Kept{{"oc_1", "all since the call show_receipt of step 6 of oc_1/1 is still in the outbox"}}})
}

func TestAMessageBetweenTwoTracksKeepsBoth(tt *testing.T) {
	tt.Parallel()
	w := walk{Replay: audit.Replay{Tracks: []store.Track{{ID: "oc_1/1"}}}, handed: map[string]bool{"om_1": true}}
	want(tt, "why", w.open(nil), "message om_1 is on its way to the next track")
}

// TestAJournalThatIsNotUnderstoodStays holds that a conversation whose journal is not
// what the tables make of it is left alone, and the others are pruned.
func TestAJournalThatIsNotUnderstoodStays(tt *testing.T) {
	tt.Parallel()
	l := storetest.New(tt)
	l.Answered("oc_1/1", "om_1", "A")
	l.Answered("oc_2/1", "om_2", "B")
	books := l.Books()
	books.Journal[len(books.Journal)-1].Entry = "another"
	plan := Of(books, l.Now)
	if len(plan.Cuts) != 1 || plan.Cuts[0].Conversation != "oc_1" {
		tt.Errorf("cuts %+v", plan.Cuts)
	}
	want(tt, "kept", plan.Kept, []Kept{{"oc_2", "all since step 6 of oc_2/1, of which this bridge makes something else " +
		"(the journal has 6: idle → delivered by another, the tables make 6: idle → delivered by idle.delivery_confirmed.1 of it)"}})
}

// TestAClockThatGoesBackKeepsWhatIsBehindIt holds that what stands behind a younger
// entry stays, whatever its time.
func TestAClockThatGoesBackKeepsWhatIsBehindIt(tt *testing.T) {
	tt.Parallel()
	l := storetest.New(tt)
	l.Answered("oc_1/1", "om_1", "A")
	l.Now = storetest.Noon.Add(-time.Hour)
	l.Answered("oc_1/1", "om_2", "B")
	r := prune(tt, l, storetest.Noon.Add(time.Second))
	want(tt, "report", r, Report{Kept: []Kept{{"oc_1", "all since message om_1 is received"}}})
}

// TestPruningAtAnyMomentLeavesALedgerThatIsSound prunes conversations again and again
// while they go on, at ages that are drawn from a seed.
func TestPruningAtAnyMomentLeavesALedgerThatIsSound(tt *testing.T) {
	tt.Parallel()
	for seed := range uint64(6) {
		tt.Run(fmt.Sprint("seed ", seed), func(tt *testing.T) {
			tt.Parallel()
			chance := rand.New(rand.NewPCG(seed, 0))
			l := storetest.New(tt)
			l.Sound()
			gone := int64(0)
			for i := range 8 {
				l.Answered(fmt.Sprintf("oc_%d/1", 2+chance.IntN(2)), fmt.Sprint("om_x", i), fmt.Sprint("turn_", i))
				gone += pruneSome(tt, l, l.Now.Add(-time.Duration(chance.IntN(60))*time.Second))
			}
			if gone == 0 {
				tt.Error("nothing was ever pruned")
			}
		})
	}
}

// pruneSome prunes, holds what must hold of it, and returns how many entries went.
func pruneSome(tt *testing.T, l *storetest.Life, before time.Time) int64 {
	tt.Helper()
	was := l.Books()
	r := prune(tt, l, before)
	is := l.Books()
	want(tt, "entries that went", int64(len(was.Journal)-len(is.Journal)), r.Removed.Entries)
	want(tt, "messages that went", int64(len(was.Messages)-len(is.Messages)), r.Removed.Messages)
	want(tt, "the tracks", is.Tracks, was.Tracks)
	for _, e := range was.Journal {
		stays := slices.ContainsFunc(is.Journal, func(o store.JournalEntry) bool { return o.Track == e.Track && o.Step == e.Step })
		if !stays && !e.At.Before(before) {
			tt.Errorf("step %d of %s was too young to go", e.Step, e.Track)
		}
	}
	tx, err := l.Ledger.Begin()
	if err != nil {
		tt.Fatal(err)
	}
	defer tx.Rollback()
	for _, key := range keys(was) {
		if seen, err := tx.Seen(key); err != nil || !seen {
			tt.Errorf("%s is forgotten (%v)", key, err)
		}
	}
	return r.Removed.Entries
}

func keys(b store.Books) (all []string) {
	for _, e := range b.Journal {
		if key := e.Fact.FactKey(); key != "" {
			all = append(all, key)
		}
	}
	return all
}

// TestAFailureKeepsWhatWasDoneBefore holds that each conversation is cut by itself.
func TestAFailureKeepsWhatWasDoneBefore(tt *testing.T) {
	tt.Parallel()
	plan := Plan{Cuts: []Cut{{Conversation: "oc_1"}, {Conversation: "oc_2"}, {Conversation: "oc_3"}}}
	full := errors.New("full")
	calls := 0
	r, err := plan.Prune(tt.Context(), func(context.Context, store.Cut) (store.Removed, error) {
		if calls++; calls == 2 {
			return store.Removed{}, full
		}
		return store.Removed{Entries: 3}, nil
	})
	if !errors.Is(err, full) || calls != 2 {
		tt.Errorf("%v after %d calls", err, calls)
	}
	want(tt, "report", r, Report{Conversations: 1, Removed: store.Removed{Entries: 3}})
}

func TestNothingYoungerThanAWeekIsEverPruned(tt *testing.T) {
	tt.Parallel()
	if err := Allowed(Least); err != nil {
		tt.Error(err)
	}
	var young *TooYoungError
	if err := Allowed(Least - 1); !errors.As(err, &young) || !strings.Contains(err.Error(), "168h0m0s") {
		tt.Error(err)
	}
}
