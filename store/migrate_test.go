package store

import (
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"deskbridge/fsm/durable"
	t "deskbridge/transitions"
)

// atVersion makes a ledger as an older bridge left it.
func atVersion(tt *testing.T, dir string, version int64, statements ...string) {
	tt.Helper()
	db := must[*sql.DB](tt)(sql.Open("sqlite3", dsn(filepath.Join(dir, fileName), "rwc")))
	files := must[fs.FS](tt)(fs.Sub(migrations, "migrations"))
	p := must[*goose.Provider](tt)(goose.NewProvider(goose.DialectSQLite3, db, files))
	_, err := p.UpTo(tt.Context(), version)
	for _, s := range statements {
		_, e := db.Exec(s)
		err = errors.Join(err, e)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		tt.Fatal(err)
	}
}

// migrated are the ledgers that the migrations find, one for each version from 1 on
// that there was before the present one. Each is written in the words of its version.
var migrated = []struct {
	// story names the ledger, after what is at stake.
	story string
	// statements wrote it, besides those of [ordinary].
	statements []string
	// holds is what must be so of it as the present bridge reads it.
	holds func(*testing.T, *Ledger)
}{
	{
		story: "no request was ever known",
		holds: func(tt *testing.T, l *Ledger) {
			want(tt, "requests", len(must[Books](tt)(l.Books(tt.Context())).Requests), 0)
			request := t.Request{ID: "r1", Kind: "approval", Turn: "turn_1", State: t.RequestShown, Generation: "g", Shown: "om_3", Form: "card"}
			commit(tt, l, func(x *Tx) error {
				return x.Append(stepped("oc_9/1", 3, t.BridgeStarted{}), []t.Effect{t.RecordRequest{Request: request}})
			})
			want(tt, "the request", must[Books](tt)(l.Books(tt.Context())).Requests[0].Of, request)
		},
	},
	{
		// A message is behind a /stop, and another quotes the very words of the old form.
		story: "a fence survives the new vocabulary",
		statements: []string{
			`INSERT INTO track VALUES ('oc_1/1', 'idle', '{"track":"oc_1/1","messages":[
				{"id":"om_1","sender":"ou_a","text":"t","created":1,"state":"accepted","fenced":true},
				{"id":"om_2","sender":"ou_a","text":"\"fenced\":true","created":2,"state":"accepted"}]}', 2, 'th')`,
			`INSERT INTO journal VALUES (11, 'oc_1/1', 1, 'receipt_dropped', NULL, '{"message":"om_1","said":"no"}', 1, 'idle', 'idle', 'e')`,
			`INSERT INTO journal VALUES (12, 'oc_1/1', 2, 'waiting_changed', NULL, '{"waiting":true}', 1, 'idle', 'idle', 'e')`,
			`INSERT INTO request VALUES ('r1', 'oc_1/1', 'approval', 'turn_1', 'visible', 'g', 'om_3', '', '', 1)`,
		},
		holds: func(tt *testing.T, l *Ledger) {
			b := must[Books](tt)(l.Books(tt.Context()))
			var bars []t.Bar
			for _, m := range b.Tracks[0].Data.Messages {
				bars = append(bars, m.Barred)
			}
			want(tt, "bars", bars, []t.Bar{t.BarFence, ""})
			want(tt, "the other's text", b.Tracks[0].Data.Messages[1].Text, `"fenced":true`)
			var facts []t.Fact
			for _, e := range b.Journal {
				if e.Track == "oc_1/1" {
					facts = append(facts, e.Fact)
				}
			}
			want(tt, "facts", facts, []t.Fact{
				t.EffectDropped{Effect: "show_receipt", Subject: "om_1", Said: "no"},
				t.ThreadStatusChanged{Status: t.StatusActive, Waiting: true},
			})
			want(tt, "the request", b.Requests[0].Of, t.Request{
				ID: "r1", Kind: "approval", Turn: "turn_1", State: t.RequestShown, Generation: "g", Shown: "om_3",
			})
		},
	},
	{
		story: "nothing was ever pruned",
		holds: func(tt *testing.T, l *Ledger) {
			want(tt, "starts", len(must[Books](tt)(l.Books(tt.Context())).Starts), 0)
			x := begin(tt, l)
			defer x.Rollback()
			want(tt, "a message that was received", must[bool](tt)(x.Seen("message:om_8")), true)
			want(tt, "another", must[bool](tt)(x.Seen("message:om_9")), false)
		},
	},
	{
		story: "nothing was sent in parts",
		holds: func(tt *testing.T, l *Ledger) {
			first := time.UnixMilli(6)
			want(tt, "how far the call is done", must[Books](tt)(l.Books(tt.Context())).Outbox[0].Attempt, durable.Attempt{Number: 2, First: first})
			shown := t.Delivery{ID: "outcome:turn_8", State: t.DeliveryReady, Sent: 3}
			commit(tt, l, func(x *Tx) error {
				return errors.Join(
					x.Append(stepped("oc_9/1", 3, t.BridgeStarted{}), []t.Effect{t.RecordDelivery{Delivery: shown}}),
					x.Lease(41, durable.Attempt{Number: 1, First: first, Done: 3}),
				)
			})
			b := must[Books](tt)(l.Books(tt.Context()))
			want(tt, "how far it is done now", b.Outbox[0].Attempt, durable.Attempt{Number: 1, First: first, Done: 3})
			want(tt, "how much stands in the chat", b.Deliveries[0].Of.Sent, 3)
		},
	},
}

// ordinary wrote what any version of the ledger can hold, in words that have not changed:
// a message was received, and is on its way to Codex.
var ordinary = []string{
	`INSERT INTO journal VALUES (1, 'oc_9/1', 1, 'message_received', 'message:om_8', '{"message":"om_8","sender":"ou_a","text":"t","created":5}', 7, 'idle', 'idle', 'e')`,
	`INSERT INTO journal VALUES (2, 'oc_9/1', 2, 'thread_opened', NULL, '{"thread":"th_9"}', 8, 'idle', 'recovery_pending', 'e')`,
	`INSERT INTO track VALUES ('oc_9/1', 'recovery_pending', '{"track":"oc_9/1","thread":"th_9"}', 2, 'th_9')`,
	`INSERT INTO message VALUES ('om_8', 'oc_9/1', 'ou_a', 't', 5, 'offered', '', '', 8)`,
	`INSERT INTO turn VALUES ('turn_9', 'oc_9/1', 'running', 'om_8', '', '', 8)`,
	`INSERT INTO delivery VALUES ('outcome:turn_8', 'oc_9/1', 'outcome', 'confirmed', 'turn_8', 'om_7', '{"text":"done"}', 'om_70', 0, '', 8)`,
	`INSERT INTO outbox VALUES (41, 'oc_9/1', 2, 'open_thread', '{}', 1, 2, 6)`,
}

// TestEachMigrationTakesTheLedgerOfTheVersionBefore opens a ledger of each version. A
// migration that is added needs a ledger of the version before it.
func TestEachMigrationTakesTheLedgerOfTheVersionBefore(tt *testing.T) {
	tt.Parallel()
	latest := len(must[[]string](tt)(fs.Glob(migrations, "migrations/*.sql")))
	want(tt, "versions that there are ledgers of", len(migrated), latest-1)
	for i, c := range migrated {
		tt.Run(c.story, func(tt *testing.T) {
			tt.Parallel()
			dir := tt.TempDir()
			atVersion(tt, dir, int64(i+1), append(c.statements, ordinary...)...)
			l := open(tt, dir)
			var version int
			if err := l.read.QueryRow("SELECT max(version_id) FROM goose_db_version").Scan(&version); err != nil {
				tt.Fatal(err)
			}
			want(tt, "version", version, latest)
			ordinaryIsThere(tt, l)
			c.holds(tt, l)
		})
	}
}

// TestTheFirstMigrationMakesALedger holds that it needs nothing that is there before, and
// leaves nothing else in the folder.
func TestTheFirstMigrationMakesALedger(tt *testing.T) {
	tt.Parallel()
	dir := tt.TempDir()
	shut(tt, must[*Ledger](tt)(Open(tt.Context(), dir)))
	want(tt, "files", must[[]string](tt)(filepath.Glob(filepath.Join(dir, "*"))), []string{filepath.Join(dir, fileName)})
	want(tt, "books", must[Books](tt)(open(tt, dir).Books(tt.Context())), Books{})
}

// ordinaryIsThere holds that all is there that [ordinary] wrote, and as it was.
func ordinaryIsThere(tt *testing.T, l *Ledger) {
	tt.Helper()
	b := must[Books](tt)(l.Books(tt.Context()))
	of := func(track string) bool { return track == "oc_9/1" }
	var got []any
	for _, e := range b.Journal {
		if of(e.Track) {
			got = append(got, e.Fact)
		}
	}
	for _, tr := range b.Tracks {
		if of(tr.ID) {
			got = append(got, tr.State, tr.Steps, tr.Data.Thread)
		}
	}
	for _, m := range b.Messages {
		got = append(got, m.Of)
	}
	for _, o := range b.Turns {
		got = append(got, o.Of)
	}
	for _, d := range b.Deliveries {
		got = append(got, d.Of)
	}
	for _, q := range b.Outbox {
		got = append(got, q.ID, q.Effect, q.Leased, q.Attempt.Number, q.Attempt.First.UnixMilli())
	}
	want(tt, "what was there before", got, []any{
		t.MessageReceived{Message: "om_8", Sender: "ou_a", Text: "t", Created: 5},
		t.ThreadOpened{Thread: "th_9"},
		t.RecoveryPending, int64(2), "th_9",
		t.Message{ID: "om_8", Sender: "ou_a", Text: "t", Created: 5, State: t.MessageOffered},
		t.Turn{ID: "turn_9", State: t.TurnInFlight, Start: "om_8"},
		t.Delivery{ID: "outcome:turn_8", Kind: t.Outcome, State: t.DeliveryShown, Turn: "turn_8", ReplyTo: "om_7", Body: t.Body{Text: "done"}, Shown: "om_70"},
		int64(41), openThread, true, 2, int64(6),
	})
}
