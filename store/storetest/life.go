// Package storetest leads conversations in a real ledger, without an engine: facts
// are told, the tables step, and the store writes, as they do in the daemon.
//
// It is for tests. What belongs here: making ledgers. What does not: holding
// anything against them.
package storetest

import (
	"slices"
	"testing"
	"time"

	"deskbridge/store"
	t "deskbridge/transitions"
)

// The people and the track of [Life.Sound].
const (
	Owner = "ou_owner"
	Admin = "ou_admin"
	First = "oc_1/1"
)

// Life is what happens to the ledger of one data folder.
type Life struct {
	Dir    string
	Ledger *store.Ledger
	// Now is when the next fact is journalled; each takes a second.
	Now time.Time

	tb    testing.TB
	calls []call
}

// call is a call in the outbox.
type call struct {
	id     int64
	track  string
	effect t.Effect
}

// Noon is when a life begins: old enough to be pruned, whenever the test runs.
var Noon = time.Date(2024, 1, 2, 12, 0, 0, 0, time.UTC)

// New begins a life in a new data folder. The ledger is closed when the test ends.
func New(tb testing.TB) *Life {
	tb.Helper()
	l := &Life{tb: tb, Dir: tb.TempDir(), Now: Noon}
	var err error
	l.Ledger, err = store.Open(tb.Context(), l.Dir)
	l.must(err)
	tb.Cleanup(func() { l.must(l.Ledger.Close()) })
	return l
}

// Tell journals facts of a track, one after the other. What the steps ask to be
// called is put into the outbox.
func (l *Life) Tell(track string, facts ...t.Fact) {
	l.tb.Helper()
	for _, f := range facts {
		tx, err := l.Ledger.Begin()
		l.must(err)
		before, err := tx.Load(track)
		l.must(err)
		res, err := t.Conversation().Step(before.State, before.Data, f)
		l.must(err)
		var records []t.Effect
		for _, e := range res.Effects {
			switch h := t.Handle(e); {
			case h.Record:
				records = append(records, e)
			case !h.Volatile:
				id, err := tx.Enqueue(store.Queued{Instance: track, Step: before.Steps + 1, Effect: e})
				l.must(err)
				l.calls = append(l.calls, call{id, track, e})
			}
		}
		l.must(tx.Append(store.Entry{
			Instance: track, Fact: f, Key: f.FactKey(), At: l.Now, From: before.State, Result: res, Steps: before.Steps + 1,
		}, records))
		l.must(tx.Commit())
		l.Now = l.Now.Add(time.Second)
	}
}

// Settle takes all calls out of the outbox, and returns the deliveries among them.
func (l *Life) Settle() (deliveries []t.Deliver) {
	l.tb.Helper()
	tx, err := l.Ledger.Begin()
	l.must(err)
	for _, c := range l.calls {
		l.must(tx.Settle(c.id))
		if d, ok := c.effect.(t.Deliver); ok {
			deliveries = append(deliveries, d)
		}
	}
	l.must(tx.Commit())
	l.calls = nil
	return deliveries
}

// Shown lets the chat confirm all deliveries in the outbox, of whichever track,
// as messages of these ids.
func (l *Life) Shown(ids ...string) {
	l.tb.Helper()
	calls := slices.Clone(l.calls)
	l.Settle()
	for _, c := range calls {
		if d, ok := c.effect.(t.Deliver); ok {
			if len(ids) == 0 {
				l.tb.Fatalf("%s is shown as nothing", d.Delivery)
			}
			l.Tell(c.track, t.DeliveryConfirmed{Delivery: d.Delivery, Shown: ids[0]})
			ids = ids[1:]
		}
	}
	if len(ids) > 0 {
		l.tb.Fatalf("nothing is shown as %q", ids)
	}
}

// Answered lets one message of a track be written, and answered in a turn of its
// own, as a message with the id of that turn.
func (l *Life) Answered(track, message, turn string) {
	l.tb.Helper()
	l.Tell(track, t.MessageReceived{Message: message, Sender: Owner, Text: "text of " + message, Created: l.millis()})
	if tracks, err := l.Ledger.Tracks(l.tb.Context()); err != nil || slices.ContainsFunc(tracks, func(tr store.Track) bool {
		return tr.ID == track && tr.Data.Opening
	}) {
		l.must(err)
		l.Tell(track, t.ThreadOpened{Thread: "th_" + track})
	}
	l.Tell(track,
		t.TurnStartAccepted{Message: message, Turn: turn},
		t.TurnRunning{Turn: turn, Messages: []string{message}},
		t.TurnEnded{Turn: turn, Status: t.EndCompleted, Messages: []string{message}, Reply: "reply of " + turn},
	)
	l.Shown("om_shown_" + turn)
}

// millis is Now, a moment before it is journalled.
func (l *Life) millis() t.Millis { return t.Millis(l.Now.UnixMilli() - 100) }

// Sound is a conversation in which all goes as it should. In turn A a request is
// shown, decided by an admin and over, and holds a text meanwhile, which is steered
// into A then. In turn B a text is on its way as /stop comes, and goes back. At last
// /new opens another track.
func (l *Life) Sound() {
	l.tb.Helper()
	text := func(id, text string) t.Fact {
		return t.MessageReceived{Message: id, Sender: Owner, Text: text, Created: l.millis()}
	}
	l.Tell(First, text("om_1", "do it"))
	l.Tell(First,
		t.ThreadOpened{Thread: "th_1"},
		t.TurnStartAccepted{Message: "om_1", Turn: "A"},
		t.TurnRunning{Turn: "A", Messages: []string{"om_1"}},
		t.RequestOpened{Request: "r1", Kind: "approval", Turn: "A", Generation: "g1"},
		t.RequestVisible{Request: "r1", Shown: "om_2"},
	)
	l.Tell(First, text("om_3", "and this"))
	l.Shown("om_4")
	l.Tell(First,
		t.RequestAnswered{Request: "r1", By: Admin, Decision: "accept", Message: "om_2", Entitled: true},
		t.DecisionWritten{Request: "r1"},
		t.RequestResolved{Request: "r1"},
		t.SteerAccepted{Message: "om_3", Turn: "A"},
		t.TurnEnded{Turn: "A", Status: t.EndCompleted, Messages: []string{"om_1", "om_3"}, Reply: "done"},
	)
	l.Shown("om_5")
	l.Tell(First, text("om_6", "slow"))
	l.Tell(First, t.TurnStartAccepted{Message: "om_6", Turn: "B"}, t.TurnRunning{Turn: "B", Messages: []string{"om_6"}})
	l.Tell(First, text("om_7", "too late"))
	l.Tell(First, t.StopRequested{Message: "om_8", Sender: Owner, Created: l.millis()}, t.SteerWithdrawn{Message: "om_7", Turn: "B"})
	l.Shown("om_9")
	l.Tell(First, t.InterruptAccepted{Turn: "B"}, t.TurnEnded{Turn: "B", Status: t.EndInterrupted, Messages: []string{"om_6"}})
	l.Shown("om_10")
	l.Tell(First, t.NewRequested{Message: "om_11", Sender: Owner, Created: l.millis()})
	l.Shown("om_12")
}

// Books reads the ledger.
func (l *Life) Books() store.Books {
	l.tb.Helper()
	b, err := l.Ledger.Books(l.tb.Context())
	l.must(err)
	return b
}

func (l *Life) must(err error) {
	l.tb.Helper()
	if err != nil {
		l.tb.Fatal(err)
	}
}
