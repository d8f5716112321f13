package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"deskbridge/fsm"
	"deskbridge/fsm/durable"
	t "deskbridge/transitions"
)

var openThread = t.OpenThread{}

var noon = time.Date(2026, 1, 2, 12, 0, 0, int(789*time.Millisecond), time.Local)

// received is a step on a message, as the engine would hand it in.
func received(track string, step int64, message string) Entry {
	fact := t.MessageReceived{Message: message, Sender: "ou_a", Text: "hello " + message, Created: 7}
	data := t.Data{Track: track, Messages: []t.Message{{ID: message, State: t.MessageKept}}}
	return Entry{
		Instance: track, Fact: fact, Key: fact.FactKey(), At: noon, From: t.Idle, Steps: step,
		Result: fsm.Result[t.State, t.Data, t.Effect]{State: t.Idle, Data: data, Entry: "idle.message_received.1"},
	}
}

// stepped is a step on a fact without a key.
func stepped(track string, step int64, fact t.Fact) Entry {
	e := received(track, step, "om_x")
	e.Fact, e.Key = fact, fact.FactKey()
	return e
}

func begin(tt testing.TB, l *Ledger) *Tx {
	tt.Helper()
	return must[durable.Tx[t.State, t.Data, t.Fact, t.Effect]](tt)(l.Begin()).(*Tx)
}

// commit fills one transaction and commits it.
func commit(tt testing.TB, l *Ledger, fill func(*Tx) error) {
	tt.Helper()
	x := begin(tt, l)
	defer x.Rollback()
	if err := errors.Join(fill(x), x.Commit()); err != nil {
		tt.Fatal(err)
	}
}

// everything is what a reader sees.
type everything struct {
	Journal []JournalEntry
	Tracks  []Track
	Outbox  []Queued
	Rows    map[string][]string
}

func contents(tt testing.TB, l *Ledger) everything {
	tt.Helper()
	ctx := context.Background()
	e := everything{
		Journal: must[[]JournalEntry](tt)(l.Journal(ctx)),
		Tracks:  must[[]Track](tt)(l.Tracks(ctx)),
		Outbox:  must[[]Queued](tt)(l.Outbox()),
		Rows:    map[string][]string{},
	}
	for _, table := range []string{"message", "turn", "delivery", "track"} {
		e.Rows[table] = rows(tt, l, table)
	}
	return e
}

// rows reads a table: one line a row, of its columns in order.
func rows(tt testing.TB, l *Ledger, table string) []string {
	tt.Helper()
	lines := []string{}
	err := l.scan(context.Background(), l.read, "SELECT * FROM "+table+" ORDER BY id", func(r *sql.Rows) error {
		columns, err := r.Columns()
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		if err = errors.Join(err, r.Scan(values...)); err != nil {
			return err
		}
		var cells []string
		for i, v := range values {
			cells = append(cells, columns[i]+"="+v.(*sql.NullString).String)
		}
		lines = append(lines, strings.Join(cells, " "))
		return nil
	})
	if err != nil {
		tt.Fatal(err)
	}
	return lines
}

func TestACommitShowsAllAtOnce(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	before := contents(tt, l)
	x := begin(tt, l)
	e := received("oc_1/1", 1, "om_1")
	records := []t.Effect{
		t.RecordMessage{Message: t.Message{ID: "om_1", Sender: "ou_a", Text: "hello", Created: 7, State: t.MessageKept}},
	}
	id, err := x.Enqueue(Queued{Instance: "oc_1/1", Step: 1, Effect: openThread})
	if err = errors.Join(err, x.Append(e, records)); err != nil {
		tt.Fatal(err)
	}
	want(tt, "contents before the commit", contents(tt, l), before)
	if err := x.Commit(); err != nil {
		tt.Fatal(err)
	}
	x.Rollback() // does nothing
	want(tt, "contents after the commit", contents(tt, l), everything{
		Journal: []JournalEntry{{
			Track: "oc_1/1", Step: 1, Fact: e.Fact, At: noon,
			From: t.Idle, To: t.Idle, Entry: "idle.message_received.1",
		}},
		Tracks: []Track{{ID: "oc_1/1", Snapshot: Snapshot{State: t.Idle, Data: e.Result.Data, Steps: 1}}},
		Outbox: []Queued{{ID: id, Instance: "oc_1/1", Effect: openThread, Step: 1}},
		Rows: map[string][]string{
			"message":  {fmt.Sprintf("id=om_1 track=oc_1/1 sender=ou_a text=hello created=7 state=received turn= said= at=%d", noon.UnixMilli())},
			"turn":     {},
			"delivery": {},
			"track":    {`id=oc_1/1 state=idle data={"track":"oc_1/1","messages":[{"id":"om_1","sender":"","text":"","created":0,"state":"received"}]} steps=1 thread=`},
		},
	})
}

func TestARollbackLeavesNothing(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	commit(tt, l, func(x *Tx) error {
		_, err := x.Enqueue(Queued{Instance: "oc_1/1", Step: 1, Effect: openThread})
		return errors.Join(err, x.Append(received("oc_1/1", 1, "om_1"), nil))
	})
	before := contents(tt, l)
	x := begin(tt, l)
	_, err := x.Enqueue(Queued{Instance: "oc_1/1", Step: 2, Effect: t.Deliver{Delivery: "d"}})
	err = errors.Join(err,
		x.Append(received("oc_1/1", 2, "om_2"), []t.Effect{t.RecordThread{Thread: "th"}}),
		x.Append(received("oc_2/1", 1, "om_3"), []t.Effect{t.RecordTurn{Turn: t.Turn{ID: "turn"}}}),
		x.Lease(1, durable.Attempt{Number: 1, First: noon}), x.Settle(1))
	if err != nil {
		tt.Fatal(err)
	}
	x.Rollback()
	x.Rollback() // twice is once
	want(tt, "contents", contents(tt, l), before)
	commit(tt, l, func(x *Tx) error { return x.Append(received("oc_1/1", 2, "om_2"), nil) })
}

func TestSeenKnowsWhatIsInTheJournal(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	e := received("oc_1/1", 1, "om_1")
	seen := func(x *Tx) bool { return must[bool](tt)(x.Seen(e.Key)) }
	x := begin(tt, l)
	want(tt, "before", seen(x), false)
	if err := x.Append(e, nil); err != nil {
		tt.Fatal(err)
	}
	want(tt, "within its transaction", seen(x), true)
	x.Rollback()
	commit(tt, l, func(x *Tx) error {
		want(tt, "after a rollback", seen(x), false)
		return x.Append(e, nil)
	})
	x = begin(tt, l)
	defer x.Rollback()
	want(tt, "after a commit", seen(x), true)
}

// The schema itself refuses what the engine must never do.
func TestTheSchemaRefusesADoubledStep(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	commit(tt, l, func(x *Tx) error {
		// Facts without a key all count.
		return errors.Join(
			x.Append(received("oc_1/1", 1, "om_1"), nil),
			x.Append(stepped("oc_1/1", 2, t.ThreadOpened{Thread: "a"}), nil),
			x.Append(stepped("oc_1/1", 3, t.ThreadOpened{Thread: "a"}), nil))
	})
	for name, e := range map[string]Entry{
		"the key of another step": received("oc_2/1", 1, "om_1"),
		"the number of a step":    received("oc_1/1", 3, "om_2"),
	} {
		x := begin(tt, l)
		if err := x.Append(e, nil); err == nil {
			tt.Errorf("%s is taken twice", name)
		}
		x.Rollback()
	}
	want(tt, "journal", len(contents(tt, l).Journal), 3)
}

func TestLoad(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	e := received("oc_1/1", 4, "om_1")
	e.Result.State = t.RecoveryPending
	commit(tt, l, func(x *Tx) error { return x.Append(e, nil) })
	x := begin(tt, l)
	defer x.Rollback()
	want(tt, "a known track", must[Snapshot](tt)(x.Load("oc_1/1")), Snapshot{State: t.RecoveryPending, Data: e.Result.Data, Steps: 4})
	want(tt, "an unknown track", must[Snapshot](tt)(x.Load("oc_2/1")), Snapshot{State: t.Idle, Data: t.Data{Track: "oc_2/1"}})
}

func TestATrackThatCannotBeReadIsNamed(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	if _, err := l.write.Exec(`INSERT INTO track (id, state, data, steps) VALUES ('oc_1/1', 'idle', '{', 1)`); err != nil {
		tt.Fatal(err)
	}
	x := begin(tt, l)
	defer x.Rollback()
	_, err := x.Load("oc_1/1")
	sentence(tt, err, "store: read track oc_1/1 of "+l.path+": unexpected end of JSON input"+isRestore)
}

func TestRowsAreWrittenAsTheRecordsSay(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	at := fmt.Sprint(noon.UnixMilli())
	for i, c := range []struct {
		record t.Effect
		table  string
		row    string
	}{
		{t.RecordMessage{Message: t.Message{ID: "om", Sender: "ou_a", Text: "你好\x00\nthere", Created: 7, State: t.MessageKept}},
			"message", "id=om track=T sender=ou_a text=你好\x00\nthere created=7 state=received turn= said= at=" + at},
		{t.RecordMessage{Message: t.Message{ID: "om", Sender: "x", Text: "x", Created: 8, State: t.MessageProven, Turn: "tu", Said: "no"}},
			"message", "id=om track=T sender=ou_a text=你好\x00\nthere created=7 state=proven turn=tu said=no at=" + at},
		{t.RecordTurn{Turn: t.Turn{ID: "tu", State: t.TurnInFlight, Start: "om"}},
			"turn", "id=tu track=T state=running start=om stop_by= said= at=" + at},
		{t.RecordTurn{Turn: t.Turn{ID: "tu", State: t.TurnInterrupted, Start: "om", StopBy: "om_2", Said: "why"}},
			"turn", "id=tu track=T state=interrupted start=om stop_by=om_2 said=why at=" + at},
		{t.RecordDelivery{Delivery: t.Delivery{ID: "d", Kind: t.Outcome, State: t.DeliveryReady, Turn: "tu", ReplyTo: "om", Body: t.Body{Text: "reply"}}},
			"delivery", `id=d track=T kind=outcome state=ready turn=tu reply_to=om body={"text":"reply"} shown= code=0 said= at=` + at + " sent=0"},
		{t.RecordDelivery{Delivery: t.Delivery{ID: "d", Kind: t.Outcome, State: t.DeliveryFailed, Turn: "tu", ReplyTo: "om", Body: t.Body{Text: "x"}, Sent: 3, Code: 230001, Said: "no"}},
			"delivery", `id=d track=T kind=outcome state=refused turn=tu reply_to=om body={"text":"reply"} shown= code=230001 said=no at=` + at + " sent=3"},
		{t.RecordDelivery{Delivery: t.Delivery{ID: "d", Kind: t.Outcome, State: t.DeliveryShown, Sent: 3, Shown: "om_9"}},
			"delivery", `id=d track=T kind=outcome state=confirmed turn=tu reply_to=om body={"text":"reply"} shown=om_9 code=0 said= at=` + at + " sent=3"},
	} {
		commit(tt, l, func(x *Tx) error {
			return x.Append(stepped("T", int64(i+1), t.InterruptAccepted{}), []t.Effect{c.record})
		})
		want(tt, fmt.Sprintf("%s after record %d", c.table, i), rows(tt, l, c.table), []string{c.row})
	}
}

func TestTheThreadOfATrackStaysUntilARecordChangesIt(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	thread := func() string {
		line := rows(tt, l, "track")[0]
		return line[strings.LastIndex(line, "thread="):]
	}
	for i, c := range []struct {
		records []t.Effect
		want    string
	}{
		{nil, "thread="},
		{[]t.Effect{t.RecordThread{Thread: "a"}}, "thread=a"},
		{nil, "thread=a"},
		{[]t.Effect{t.RecordThread{}}, "thread="},
	} {
		commit(tt, l, func(x *Tx) error { return x.Append(stepped("T", int64(i+1), t.InterruptAccepted{}), c.records) })
		want(tt, fmt.Sprint("thread after step ", i+1), thread(), c.want)
	}
}

func TestARecordWithoutARowIsRefused(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	x := begin(tt, l)
	defer x.Rollback()
	err := x.Append(received("T", 1, "om_1"), []t.Effect{t.Pull{}})
	if err == nil || !strings.Contains(err.Error(), "no row for record pull") {
		tt.Errorf("got %v", err)
	}
}

// A disk that is full for a while costs the transaction, and nothing else.
func TestTheLedgerGoesOnAfterAFullDisk(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	limit := func(pages string) {
		if _, err := l.engine.setting("max_page_count = " + pages); err != nil {
			tt.Fatal(err)
		}
	}
	large := received("oc_1/1", 1, "om_1")
	large.Fact = t.MessageReceived{Message: "om_1", Text: strings.Repeat("x", 1<<20)}
	limit("1") // not less than there are
	x := begin(tt, l)
	err := x.Append(large, nil)
	x.Rollback()
	sentence(tt, err, "store: write to "+l.path+": database or disk is full. Free some space on that disk")
	limit("1000000")
	commit(tt, l, func(x *Tx) error { return x.Append(large, nil) })
	want(tt, "journal", len(contents(tt, l).Journal), 1)
}
