package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"deskbridge/fsm/durable"
	t "deskbridge/transitions"
)

func TestTheOutboxKeepsOrderLeaseAndAttempts(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	effects := []t.Effect{
		openThread,
		t.StartTurn{Thread: "th", Message: "om_1", Text: "你好"},
		t.SteerTurn{Thread: "th", Turn: "tu", Message: "om_2", Text: "and"},
		t.InterruptTurn{Thread: "th", Turn: "tu"},
		t.Deliver{Delivery: "d", ReplyTo: "om_1", UUID: "u", Kind: t.Outcome, Body: t.Body{Sentence: "s", Args: []string{"a"}}},
		t.ShowReceipt{Message: "om_1"},
	}
	first := time.UnixMilli(noon.UnixMilli())
	leased := Queued{Instance: "T", Step: 3, Leased: true, Attempt: durable.Attempt{Number: 1, First: first}}
	var expected []Queued
	commit(tt, l, func(x *Tx) error {
		for i, e := range effects {
			q := Queued{Instance: fmt.Sprint("T", i%2), Step: int64(i), Effect: e}
			q.ID = must[int64](tt)(x.Enqueue(q))
			expected = append(expected, q)
		}
		leased.Effect = openThread
		leased.ID = must[int64](tt)(x.Enqueue(leased))
		expected = append(expected, leased)
		return nil
	})
	want(tt, "outbox", must[[]Queued](tt)(l.Outbox()), expected)

	second := durable.Attempt{Number: 2, First: first}
	commit(tt, l, func(x *Tx) error {
		return errors.Join(x.Lease(expected[0].ID, second), x.Lease(expected[1].ID, second), x.Release(expected[1].ID),
			x.Settle(expected[2].ID), x.Settle(leased.ID))
	})
	expected[0].Leased, expected[0].Attempt = true, second
	expected[1].Attempt = second
	want(tt, "outbox after changes", must[[]Queued](tt)(l.Outbox()), append(expected[:2:2], expected[3:6]...))

	// The id of a settled call is never given to another.
	commit(tt, l, func(x *Tx) error {
		if id := must[int64](tt)(x.Enqueue(leased)); id <= leased.ID {
			tt.Errorf("id %d follows %d", id, leased.ID)
		}
		return nil
	})
}

func TestACallThatNobodyKnowsIsNamed(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	if _, err := l.write.Exec(`INSERT INTO outbox (track, step, effect, body, leased, attempts, first_at) VALUES ('T', 1, 'teleport', '{}', 0, 0, 0)`); err != nil {
		tt.Fatal(err)
	}
	_, err := l.Outbox()
	sentence(tt, err, "store: read call 1 of T in "+l.path+`: transitions: no call is called "teleport"`)
}

func TestTheJournalKeepsTheOrderOfAllTracks(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	facts := []t.Fact{
		t.MessageReceived{Message: "om_1", Sender: "ou_a", Text: "你好", Created: 7},
		t.TurnEnded{Turn: "tu", Status: t.EndFailed, Messages: []string{"om_1"}, Said: "why"},
		t.PullAnswered{Idle: true, Turns: []string{"tu"}, Link: t.Link{Connection: "c"}, At: 5, Settle: 6},
		t.DeliveryConfirmed{Delivery: "d", Shown: "om_2"},
	}
	for i, f := range facts {
		commit(tt, l, func(x *Tx) error { return x.Append(stepped(fmt.Sprint("T", 9-i), 1, f), nil) })
	}
	var got []t.Fact
	for _, e := range must[[]JournalEntry](tt)(l.Journal(tt.Context())) {
		got = append(got, e.Fact)
	}
	want(tt, "facts", got, facts)
}

// Readers see the last commit, and wait for no writer.
func TestReadsGoOnBesideAnOpenTransaction(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	commit(tt, l, func(x *Tx) error { return x.Append(received("oc_1/1", 1, "om_1"), nil) })
	x := begin(tt, l)
	defer x.Rollback()
	for i := range 50 {
		if err := x.Append(received("oc_1/1", int64(i+2), fmt.Sprint("om_", i+2)), nil); err != nil {
			tt.Fatal(err)
		}
	}
	type read struct {
		tracks []Track
		err    error
	}
	reads := make(chan read)
	for range 8 {
		go func() {
			tracks, err := l.Tracks(tt.Context())
			reads <- read{tracks, err}
		}()
	}
	for range 8 {
		if r := <-reads; r.err != nil || len(r.tracks) != 1 || r.tracks[0].Steps != 1 {
			tt.Errorf("read %+v, %v, want the track after its first step", r.tracks, r.err)
		}
	}
	if err := x.Commit(); err != nil {
		tt.Fatal(err)
	}
	want(tt, "steps", contents(tt, l).Tracks[0].Steps, int64(51))
}

// TestTheTrackThatMovedLastComesLast takes two tracks through three steps.
func TestTheTrackThatMovedLastComesLast(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	var order []string
	for _, e := range []Entry{received("oc_1/1", 1, "om_1"), received("oc_2/1", 1, "om_2"), received("oc_1/1", 2, "om_3")} {
		commit(tt, l, func(x *Tx) error { return x.Append(e, nil) })
	}
	for _, tr := range must[[]Track](tt)(l.Tracks(tt.Context())) {
		order = append(order, tr.ID)
	}
	want(tt, "order", order, []string{"oc_2/1", "oc_1/1"})
}
