package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sched"
	"deskbridge/fsm/durable/durabletest"
	t "deskbridge/transitions"
)

// TestTheLedgerConforms holds the ledger to the contract of the engine, and ends
// the bridge at each of its crash points.
func TestTheLedgerConforms(tt *testing.T) {
	tt.Parallel()
	empty := emptyLedger(tt)
	durabletest.Run(tt, durabletest.Subject[t.State, t.Data, t.Fact, t.Effect]{
		New:   func(tt *testing.T) place { return newFolder(tt, empty) },
		Clock: func(at time.Time) durabletest.Clock { return sched.NewVirtual(at) },
		Dialect: durabletest.Dialect[t.State, t.Data, t.Fact, t.Effect]{
			States:     map[durabletest.State]t.State{durabletest.Fresh: t.Idle, durabletest.Told: t.Steerable},
			Data:       func(d durabletest.Data) t.Data { return t.Data{Closed: d.Story} },
			ReadData:   func(d t.Data) durabletest.Data { return durabletest.Data{Story: d.Closed} },
			Fact:       sayFact,
			ReadFact:   readFact,
			Effect:     sayEffect,
			ReadEffect: readEffect,
		},
	})
}

type place = durabletest.Place[t.State, t.Data, t.Fact, t.Effect]

// folder is a data folder. What a process leaves there that dies is what is in its
// files at that moment, which are copied then.
type folder struct {
	ctx   context.Context
	root  string
	now   string
	lives int
}

// emptyLedger makes a ledger to begin with, so that not each has to be migrated.
func emptyLedger(tt *testing.T) (dir string) {
	tt.Helper()
	dir = tt.TempDir()
	shut(tt, must[*Ledger](tt)(Open(tt.Context(), dir)))
	return dir
}

// newFolder makes a folder with the ledger of another.
func newFolder(tt *testing.T, like string) *folder {
	tt.Helper()
	f := &folder{ctx: tt.Context(), root: tt.TempDir()}
	if err := f.become(like); err != nil {
		tt.Fatal(err)
	}
	return f
}

// become takes the files of a folder. The one that the processes of SQLite share is
// as good as memory, and is not among them.
func (f *folder) become(dir string) error {
	f.lives++
	f.now = filepath.Join(f.root, "life", strings.Repeat("i", f.lives))
	if err := os.MkdirAll(f.now, 0o700); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(filepath.Join(dir, fileName+suffix))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err = errors.Join(err, os.WriteFile(filepath.Join(f.now, fileName+suffix), data, 0o600)); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) Crash() error { return f.become(f.now) }

func (f *folder) Open() (durabletest.Ledger[t.State, t.Data, t.Fact, t.Effect], error) {
	l, err := Open(f.ctx, f.now)
	if err != nil {
		return nil, err
	}
	return conforming{l, f.ctx}, nil
}

// conforming is the ledger with what the suite looks at.
type conforming struct {
	*Ledger
	ctx context.Context
}

func (c conforming) Journal() (lines []durabletest.Line[t.Fact], err error) {
	entries, err := c.Ledger.Journal(c.ctx)
	for _, e := range entries {
		lines = append(lines, durabletest.Line[t.Fact]{Instance: e.Track, Step: e.Step, Fact: e.Fact})
	}
	return lines, err
}

func (c conforming) Records() (ids []string, err error) {
	err = c.scan(c.ctx, c.read, `SELECT id FROM message`, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

func (c conforming) Spoil(track string) error {
	_, err := c.write.ExecContext(c.ctx, `UPDATE track SET data = '{' WHERE id = ?`, track)
	return err
}

// The suite's facts and effects are said as JSON in the text of ours. What is unfit
// has a member that is not to be encoded, or is a record without a row.

type unencodableFact struct {
	t.MessageReceived
	Unencodable func()
}

type unencodableEffect struct {
	t.Deliver
	Unencodable func()
}

func sayFact(f durabletest.Fact) t.Fact {
	said := t.MessageReceived{Message: f.Key, Text: inJSON(f)}
	if f.Unfit {
		return unencodableFact{MessageReceived: said}
	}
	return said
}

func readFact(f t.Fact) (read durabletest.Fact) {
	return outOfJSON[durabletest.Fact](f.(t.MessageReceived).Text)
}

func sayEffect(e durabletest.Effect) t.Effect {
	switch {
	case e.Kind == durabletest.Record && e.Unfit:
		return t.Pull{}
	case e.Kind == durabletest.Record:
		return t.RecordMessage{Message: t.Message{ID: e.Name}}
	case e.Unfit:
		return unencodableEffect{}
	}
	return t.Deliver{Delivery: e.Name, Body: t.Body{Text: inJSON(e)}}
}

func readEffect(e t.Effect) durabletest.Effect {
	return outOfJSON[durabletest.Effect](e.(t.Deliver).Body.Text)
}

func inJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the suite's values have nothing but strings, flags and numbers
	}
	return string(b)
}

func outOfJSON[T any](text string) (v T) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err) // inJSON wrote it
	}
	return v
}
