package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mattn/go-sqlite3"
)

// settings reads the settings that a commit's durability hangs on.
func settings(t *testing.T, of func(name string) (string, error)) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, name := range []string{"journal_mode", "synchronous", "foreign_keys", "busy_timeout"} {
		value, err := of(name)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = value
	}
	return got
}

func TestCommitsAreDurableOnEveryConnection(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	const full = "2"
	durable := map[string]string{"journal_mode": "wal", "synchronous": full, "foreign_keys": "1", "busy_timeout": "100"}
	ofPool := func(name string) (value string, err error) {
		err = l.write.QueryRow("PRAGMA " + name).Scan(&value)
		return value, err
	}
	want(t, "settings of the engine's", settings(t, l.engine.setting), durable)
	want(t, "settings", settings(t, ofPool), durable)
	// The pool opens another connection when it has closed the last.
	l.write.SetMaxIdleConns(0)
	want(t, "closed connections", l.write.Stats().MaxIdleClosed, int64(1))
	want(t, "settings after a reconnect", settings(t, ofPool), durable)
}

func TestTheReadSideCannotWrite(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	_, err := l.read.Exec("DELETE FROM journal")
	var se sqlite3.Error
	if !errors.As(err, &se) || se.Code != sqlite3.ErrReadonly {
		t.Errorf("writing on the read side gives %v, want a refusal", err)
	}
}

// The name of a folder is a path, whatever it looks like to a URL.
func TestTheLedgerIsInTheFolderWhateverItIsCalled(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"plain", "a b", "100%41", "%", "what?mode=memory", "a#b", "数据 目录", "a&b=c+d;e", `'"`, "a:b@c", `back\slash`, "file:x", "-",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), name)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			l, err := Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			commit(t, l, func(x *Tx) error { return x.Append(received("oc_1/1", 1, "om_1"), nil) })
			shut(t, l)
			if _, err := os.Stat(filepath.Join(dir, "ledger.db")); err != nil {
				t.Error(err)
			}
			above := must[[]os.DirEntry](t)(os.ReadDir(filepath.Dir(dir)))
			want(t, "entries beside the folder", len(above), 1)
			want(t, "tracks after reopening", len(must[[]Track](t)(open(t, dir).Tracks(t.Context()))), 1)
		})
	}
}

func TestARelativeFolderIsOfTheWorkingDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("data", 0o700); err != nil {
		t.Fatal(err)
	}
	open(t, "data")
	if _, err := os.Stat(filepath.Join("data", "ledger.db")); err != nil {
		t.Error(err)
	}
}

func TestReopeningKeepsEverything(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, dir)
	commit(t, l, func(x *Tx) error {
		_, err := x.Enqueue(Queued{Instance: "oc_1/1", Step: 1, Effect: openThread})
		return errors.Join(err, x.Append(received("oc_1/1", 1, "om_1"), nil))
	})
	before := contents(t, l)
	shut(t, l)
	want(t, "contents after reopening", contents(t, open(t, dir)), before)
	if len(before.Journal) != 1 || len(before.Outbox) != 1 || len(before.Tracks) != 1 {
		t.Errorf("%+v: want one of each", before)
	}
}

func TestMigrationsAreNumberedAndForwardOnly(t *testing.T) {
	t.Parallel()
	files := must[[]string](t)(fs.Glob(migrations, "migrations/*"))
	if len(files) == 0 {
		t.Fatal("no migration is embedded")
	}
	for i, file := range files {
		body := must[[]byte](t)(migrations.ReadFile(file))
		if !strings.HasPrefix(filepath.Base(file), fmt.Sprintf("%05d_", i+1)) {
			t.Errorf("%s is not number %d", file, i+1)
		}
		if !bytes.HasPrefix(body, []byte("-- +goose Up\n")) || bytes.Contains(body, []byte("+goose Down")) {
			t.Errorf("%s goes another way than up", file)
		}
	}
}

func TestALedgerOfANewerVersionIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, dir)
	if _, err := l.write.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)"); err != nil {
		t.Fatal(err)
	}
	shut(t, l)
	for name, open := range map[string]func(context.Context, string) (*Ledger, error){"writer": Open, "reader": OpenReader} {
		t.Run(name, func(t *testing.T) {
			_, err := open(t.Context(), dir)
			sentence(t, err, "store: open "+filepath.Join(dir, "ledger.db")+
				": the ledger is of version 99, this bridge knows up to 5: run the newer bridge that wrote it")
		})
	}
}

// sentence holds that an error is one line for the operator.
func sentence(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	want(t, "error", err.Error(), text)
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%T is no *Error", err)
	}
}

func TestWhatIsNoLedgerIsRefusedWithAHint(t *testing.T) {
	t.Parallel()
	const (
		restore = ". Move it away, with the -wal and -shm files beside it, and put a backup in its place, or begin a new ledger without one"
		folder  = ". Let [desk] data name a folder"
	)
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i*7 + 3)
		}
		return b
	}
	for name, c := range map[string]struct {
		// make prepares the data folder; damaged changes the bytes of a ledger.
		make    func(t *testing.T, dir string)
		damaged func([]byte) []byte
		said    string
	}{
		"noise":             {damaged: func([]byte) []byte { return noise(9000) }, said: "file is not a database" + restore},
		"another kind":      {damaged: func([]byte) []byte { return []byte("hello") }, said: "file is not a database" + restore},
		"noise in the body": {damaged: func(b []byte) []byte { return append(b[:120], noise(len(b)-120)...) }, said: "database disk image is malformed" + restore},
		"cut off":           {damaged: func(b []byte) []byte { return b[:len(b)/2] }, said: "database disk image is malformed" + restore},
		"a folder": {make: func(t *testing.T, dir string) { mkdir(t, filepath.Join(dir, "ledger.db")) },
			said: "is a directory. Move the folder of that name away"},
		"no folder": {make: func(t *testing.T, dir string) { remove(t, dir) },
			said: "unable to open database file: no such file or directory" + folder},
		"a file in place of the folder": {make: func(t *testing.T, dir string) {
			remove(t, dir)
			write(t, dir, nil)
		}, said: "not a directory" + folder},
		"tables of something else": {make: func(t *testing.T, dir string) {
			db := must[*sql.DB](t)(sql.Open("sqlite3", filepath.Join(dir, "ledger.db")))
			_, err := db.Exec("CREATE TABLE journal (words TEXT)")
			if err = errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
		}, said: "the file is a database, but no ledger of a bridge: name another folder in [desk] data, or move the file away"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			mkdir(t, dir)
			path := filepath.Join(dir, "ledger.db")
			if c.damaged != nil {
				l, err := Open(t.Context(), dir)
				if err != nil {
					t.Fatal(err)
				}
				shut(t, l)
				write(t, path, c.damaged(must[[]byte](t)(os.ReadFile(path))))
			} else {
				c.make(t, dir)
			}
			_, err := Open(t.Context(), dir)
			sentence(t, err, "store: open "+path+": "+c.said)
		})
	}
}

func TestOpeningEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("Open says %v, want that it was cancelled", err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, body []byte) {
	t.Helper()
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAReaderReadsBesideTheWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, dir)
	commit(t, l, func(x *Tx) error { return x.Append(received("oc_1/1", 1, "om_1"), nil) })
	r := must[*Ledger](t)(OpenReader(t.Context(), dir))
	commit(t, l, func(x *Tx) error { return x.Append(received("oc_1/1", 2, "om_2"), nil) })
	if got := must[[]JournalEntry](t)(r.Journal(t.Context())); len(got) != 2 {
		t.Errorf("%d entries", len(got))
	}
	shut(t, r)
}

func TestAReaderRefusesWhatItWouldHaveToMigrate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	_, err := OpenReader(t.Context(), dir)
	sentence(t, err, "store: open "+path+": there is no ledger yet: deskbridge run makes it")
	atVersion(t, dir, 2)
	_, err = OpenReader(t.Context(), dir)
	sentence(t, err, "store: open "+path+
		": the ledger is of version 2, and this bridge reads version 5: let this bridge run once, which brings it forward")
}
