package store

import (
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	t "deskbridge/transitions"
	"github.com/pressly/goose/v3"
)

// atVersion makes a ledger as an older bridge left it.
func atVersion(tt *testing.T, dir string, version int64, statements ...string) {
	tt.Helper()
	db := must[*sql.DB](tt)(sql.Open("sqlite3", filepath.Join(dir, fileName)))
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

// TestAFenceSurvivesTheNewVocabulary opens a ledger of version 2, in which a message
// is behind a /stop and another one quotes the very words of the old form.
func TestAFenceSurvivesTheNewVocabulary(tt *testing.T) {
	tt.Parallel()
	dir := tt.TempDir()
	atVersion(tt, dir, 2,
		`INSERT INTO track VALUES ('oc_1/1', 'idle', '{"track":"oc_1/1","messages":[
			{"id":"om_1","sender":"ou_a","text":"t","created":1,"state":"accepted","fenced":true},
			{"id":"om_2","sender":"ou_a","text":"\"fenced\":true","created":2,"state":"accepted"}]}', 2, 'th')`,
		`INSERT INTO journal VALUES (1, 'oc_1/1', 1, 'receipt_dropped', NULL, '{"message":"om_1","said":"no"}', 1, 'idle', 'idle', 'e')`,
		`INSERT INTO journal VALUES (2, 'oc_1/1', 2, 'waiting_changed', NULL, '{"waiting":true}', 1, 'idle', 'idle', 'e')`,
	)
	l := open(tt, dir)
	tracks := must[[]Track](tt)(l.Tracks(tt.Context()))
	var bars []t.Bar
	for _, m := range tracks[0].Data.Messages {
		bars = append(bars, m.Barred)
	}
	want(tt, "bars", bars, []t.Bar{t.BarFence, ""})
	want(tt, "the other's text", tracks[0].Data.Messages[1].Text, `"fenced":true`)
	var facts []t.Fact
	for _, e := range must[[]JournalEntry](tt)(l.Journal(tt.Context())) {
		facts = append(facts, e.Fact)
	}
	want(tt, "facts", facts, []t.Fact{
		t.EffectDropped{Effect: "show_receipt", Subject: "om_1", Said: "no"},
		t.ThreadStatusChanged{Status: t.StatusActive, Waiting: true},
	})
}

// TestALedgerThatWasNeverPrunedGoesOn opens one of version 3, in which a message was
// received.
func TestALedgerThatWasNeverPrunedGoesOn(tt *testing.T) {
	tt.Parallel()
	dir := tt.TempDir()
	atVersion(tt, dir, 3,
		`INSERT INTO track VALUES ('oc_1/1', 'idle', '{"track":"oc_1/1"}', 1, 'th')`,
		`INSERT INTO journal VALUES (1, 'oc_1/1', 1, 'message_received', 'message:om_1', '{"message":"om_1"}', 1, 'idle', 'idle', 'e')`,
	)
	l := open(tt, dir)
	b := must[Books](tt)(l.Books(tt.Context()))
	want(tt, "entries and starts", []int{len(b.Journal), len(b.Starts)}, []int{1, 0})
	x := begin(tt, l)
	defer x.Rollback()
	want(tt, "a message that was received", must[bool](tt)(x.Seen("message:om_1")), true)
	want(tt, "another", must[bool](tt)(x.Seen("message:om_2")), false)
}
