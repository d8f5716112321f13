package store

import (
	"errors"
	"testing"
	"time"

	t "deskbridge/transitions"
)

// records are one of each kind of row.
var records = []t.Effect{
	t.RecordMessage{Message: t.Message{ID: "om_1", Sender: "ou_a", Text: "hello", Created: 7, State: t.MessageProven, Turn: "A", Said: "s"}},
	t.RecordTurn{Turn: t.Turn{ID: "A", State: t.TurnFailed, Start: "om_1", StopBy: "om_2", Said: "s"}},
	t.RecordDelivery{Delivery: t.Delivery{ID: "d", Kind: t.Outcome, State: t.DeliveryFailed, Turn: "A", ReplyTo: "om_1", Body: t.Body{Sentence: "s", Args: []string{"a"}}, Code: 7, Said: "s"}},
	t.RecordRequest{Request: t.Request{ID: "r", Kind: "k", Turn: "A", State: t.RequestEnded, Generation: "g", Shown: "om_9", Form: "text", By: "ou_a", Decision: "accept"}},
}

func TestBooksAreAllThatTheLedgerHolds(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	commit(tt, l, func(x *Tx) error {
		_, err := x.Enqueue(Queued{Instance: "oc_1/1", Step: 1, Effect: openThread})
		return errors.Join(err, x.Append(received("oc_1/1", 1, "om_1"), records))
	})
	b := must[Books](tt)(l.Books(tt.Context()))
	at := time.UnixMilli(noon.UnixMilli())
	all := contents(tt, l)
	want(tt, "books", b, Books{
		Journal: all.Journal, Tracks: all.Tracks, Outbox: all.Outbox,
		Messages:   []Row[t.Message]{{"oc_1/1", at, records[0].(t.RecordMessage).Message}},
		Turns:      []Row[t.Turn]{{"oc_1/1", at, records[1].(t.RecordTurn).Turn}},
		Deliveries: []Row[t.Delivery]{{"oc_1/1", at, records[2].(t.RecordDelivery).Delivery}},
		Requests:   []Row[t.Request]{{"oc_1/1", at, records[3].(t.RecordRequest).Request}},
	})
}

// TestBooksFitTogetherWhileTheLedgerIsWritten reads them while another goroutine
// commits: each commit has one entry, one message and one step more.
func TestBooksFitTogetherWhileTheLedgerIsWritten(tt *testing.T) {
	tt.Parallel()
	dir := tt.TempDir()
	l := open(tt, dir)
	commit(tt, l, func(x *Tx) error { return x.Append(numbered(1), recordOf(1)) })
	r := must[*Ledger](tt)(OpenReader(tt.Context(), dir))
	defer shut(tt, r)
	stop := write100(tt, l)
	for more := true; more; {
		more = !stop()
		b := must[Books](tt)(r.Books(tt.Context()))
		if n := len(b.Journal); n != len(b.Messages) || int64(n) != b.Tracks[0].Steps {
			tt.Fatalf("%d entries, %d messages, %d steps", n, len(b.Messages), b.Tracks[0].Steps)
		}
	}
}

func TestARowThatCannotBeReadIsNamed(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	if _, err := l.write.Exec(`INSERT INTO delivery (id, track, kind, state, reply_to, body, at) VALUES ('d', 't', 'k', 's', '', '{', 0)`); err != nil {
		tt.Fatal(err)
	}
	_, err := l.Books(tt.Context())
	sentence(tt, err, "store: read a row of t in "+l.path+": unexpected end of JSON input"+isRestore)
}
