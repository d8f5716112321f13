package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"deskbridge/store"
	t "deskbridge/transitions"
)

// Phase is where a message is on its way when the bridge is killed. A conversation
// may be in several at once.
type Phase string

const (
	// Received: the platform has sent the message to this life of the bridge, and the
	// ledger does not have it.
	Received Phase = "received"
	// Committed: the ledger has the message, and no call with it has begun.
	Committed Phase = "committed"
	// Sent: a call with the message has begun, and the ledger has no answer.
	Sent Phase = "sent"
	// Running: a turn is in flight.
	Running Phase = "running"
	// Ended: a turn is over, and no attempt to deliver its outcome has begun.
	Ended Phase = "ended"
	// Delivering: an attempt to deliver has begun, and the ledger has no answer.
	Delivering Phase = "delivering"
)

// Phases lists the phases, in the order in which a message comes to them.
func Phases() []Phase { return []Phase{Received, Committed, Sent, Running, Ended, Delivering} }

// Event is a message that the platform has sent to the bridge.
type Event struct{ Message, Conversation string }

// Hit is something of a conversation that was in a phase when the bridge was killed: a
// message, a turn or a delivery.
type Hit struct {
	Conversation string
	Phase        Phase
	Of           string
}

// Table counts the kills by the phases that they hit: each conversation of a kill for
// itself, and once a phase. What was there in the same phase at the kill before is not
// counted again: a call that an earlier life left open would be hit by every kill until
// it is known what became of it.
type Table struct {
	hits map[Phase]int
	last []Hit
}

// Add counts one kill.
func (t *Table) Add(hits []Hit) {
	counted := map[Hit]bool{}
	for _, h := range hits {
		whole := Hit{Conversation: h.Conversation, Phase: h.Phase}
		if !slices.Contains(t.last, h) && !counted[whole] {
			counted[whole] = true
			if t.hits == nil {
				t.hits = map[Phase]int{}
			}
			t.hits[h.Phase]++
		}
	}
	t.last = hits
}

// Hits is how often a phase was hit.
func (t *Table) Hits(p Phase) int { return t.hits[p] }

// String is the table, a line a phase.
func (t *Table) String() string {
	var s strings.Builder
	for _, p := range Phases() {
		fmt.Fprintf(&s, "%-10s %d\n", p, t.hits[p])
	}
	return s.String()
}

// Struck are the hits of a kill: dir is the data folder that it left, and events are
// those that the platform has sent to the bridge that was killed. The ledger is read
// from a copy, so that it is the bridge's next life that recovers it.
func Struck(ctx context.Context, dir, copies string, events []Event) ([]Hit, error) {
	if err := duplicate(dir, copies); err != nil {
		return nil, err
	}
	l, err := store.Open(ctx, copies)
	if err != nil {
		return nil, err
	}
	hits, err := struck(ctx, l, events)
	return hits, errors.Join(err, l.Close())
}

// duplicate copies the files of a ledger that nobody has open.
func duplicate(from, to string) error {
	for _, name := range []string{"ledger.db", "ledger.db-wal"} {
		if err := duplicateFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return fmt.Errorf("crash: copy the ledger: %w", err)
		}
	}
	// It belongs to the copy that was there before.
	if err := os.Remove(filepath.Join(to, "ledger.db-shm")); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func duplicateFile(from, to string) error {
	src, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return os.WriteFile(to, nil, 0o600) // killed before there was one
	}
	if err != nil {
		return err
	}
	dst, err := os.Create(to)
	if err != nil {
		return errors.Join(err, src.Close())
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, src.Close(), dst.Close())
}

func struck(ctx context.Context, l *store.Ledger, events []Event) (hits []Hit, err error) {
	tx, err := l.Begin()
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	for _, e := range events {
		seen, err := tx.Seen(t.MessageReceived{Message: e.Message}.FactKey())
		if err != nil {
			return nil, err
		}
		if !seen {
			hits = append(hits, Hit{e.Conversation, Received, e.Message})
		}
	}
	outbox, err := l.Outbox()
	if err != nil {
		return nil, err
	}
	begun := map[string]bool{}
	for _, q := range outbox {
		begun[subject(q.Effect)] = q.Leased
	}
	tracks, err := l.Tracks(ctx)
	if err != nil {
		return nil, err
	}
	for i := range tracks {
		conversation, _ := t.SplitTrack(tracks[i].ID)
		inTrack(&tracks[i].Data, begun, func(p Phase, of string) { hits = append(hits, Hit{conversation, p, of}) })
	}
	return hits, nil
}

// subject is the message that a call hands to Codex, or the delivery that it makes.
func subject(e t.Effect) string {
	switch e := e.(type) {
	case t.StartTurn:
		return e.Message
	case t.SteerTurn:
		return e.Message
	case t.Deliver:
		return e.Delivery
	}
	return ""
}

// inTrack tells the phases of what a track remembers. An attempt has begun with the
// call of a message or delivery that is begun.
func inTrack(d *t.Data, begun map[string]bool, hit func(Phase, string)) {
	for _, m := range d.Messages {
		switch {
		case m.State == t.MessageKept || m.State == t.MessageHeld || m.State == t.MessageOffered && !begun[m.ID]:
			hit(Committed, m.ID)
		case m.State == t.MessageOffered:
			hit(Sent, m.ID)
		}
	}
	for _, turn := range d.Turns {
		if turn.State == t.TurnInFlight {
			hit(Running, turn.ID)
		}
	}
	for _, one := range d.Deliveries {
		switch {
		case begun[one.ID]:
			hit(Delivering, one.ID)
		case one.Kind == t.Outcome && one.State == t.DeliveryReady:
			hit(Ended, one.ID)
		}
	}
}
