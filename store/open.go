package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"

	"deskbridge/fsm/durable"
)

//go:embed migrations/*.sql
var migrations embed.FS

// fileName is the ledger's name within the data folder.
const fileName = "ledger.db"

// Ledger is an open ledger. Its write side is used from one goroutine; reads
// have connections of their own and never wait for a writer.
type Ledger struct {
	path   string
	engine conn // of the engine's transactions, with its statements
	stmt   statements
	write  *sql.DB // of all other writes
	read   *sql.DB
	reach  func(durable.Point)
}

// Open opens the ledger of a data folder, making or migrating it as needed.
func Open(ctx context.Context, dir string) (*Ledger, error) {
	return OpenReaching(ctx, dir, nil)
}

// OpenReaching is [Open], and calls reach at each of the [Points], unless it is nil.
func OpenReaching(ctx context.Context, dir string, reach func(durable.Point)) (*Ledger, error) {
	if reach == nil {
		reach = func(durable.Point) {}
	}
	l := &Ledger{path: filepath.Join(dir, fileName), reach: reach}
	if err := l.open(ctx); err != nil {
		return nil, errors.Join(wrap("open", l.path, err), l.Close())
	}
	return l, nil
}

// OpenReader opens the ledger of a data folder for reading, beside a daemon that
// writes it. A ledger that another version wrote is refused: reading migrates nothing.
func OpenReader(ctx context.Context, dir string) (*Ledger, error) {
	l := &Ledger{path: filepath.Join(dir, fileName)}
	if err := l.openReader(ctx); err != nil {
		return nil, errors.Join(wrap("open", l.path, err), l.Close())
	}
	return l, nil
}

func (l *Ledger) openReader(ctx context.Context) (err error) {
	if _, err := os.Stat(l.path); errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no ledger yet: deskbridge run makes it")
	}
	if l.read, err = sql.Open("sqlite3", dsn(l.path, "ro")); err != nil {
		return err
	}
	current, latest, err := versions(ctx, l.read)
	if err == nil && current < latest {
		err = fmt.Errorf("the ledger is of version %d, and this bridge reads version %d: let this bridge run once, which brings it forward", current, latest)
	}
	return err
}

// open looks at what is there before it opens anything for writing: what is refused
// is left as it is.
func (l *Ledger) open(ctx context.Context) (err error) {
	found, err := inspect(ctx, l.path)
	if err != nil {
		return err
	}
	if !found {
		if err := l.create(ctx); err != nil {
			return err
		}
	}
	if l.write, err = l.openWriter(ctx, l.path); err != nil {
		return err
	}
	if l.read, err = sql.Open("sqlite3", dsn(l.path, "ro")); err != nil {
		return err
	}
	if l.engine, err = connect(l.path); err != nil {
		return err
	}
	if err := assertDurable(l.engine.setting); err != nil {
		return err
	}
	return l.stmt.prepare(l.engine)
}

// create makes a new ledger, which has its name only once it is complete: a ledger
// without content is never one that was just begun.
func (l *Ledger) create(ctx context.Context) (err error) {
	fresh := l.path + ".new"
	defer func() { err = errors.Join(err, discard(fresh)) }()
	if err := discard(fresh); err != nil {
		return err
	}
	db, err := l.openWriter(ctx, fresh)
	if db != nil {
		err = errors.Join(err, db.Close()) // after which all is in the one file
	}
	if err != nil {
		return err
	}
	if err := os.Rename(fresh, l.path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(l.path))
}

// discard removes a database that nobody has open.
func discard(path string) error {
	var errs []error
	for _, file := range []string{path, path + "-journal", path + walSuffix, path + "-shm"} {
		errs = append(errs, ignoreMissing(os.Remove(file)))
	}
	return errors.Join(errs...)
}

// openWriter opens a database of the present version for writing. It returns what is
// to be closed even if it fails.
func (l *Ledger) openWriter(ctx context.Context, path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", dsn(path, "rwc"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	err = assertDurable(func(name string) (value string, err error) {
		err = db.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value)
		return value, err
	})
	if err != nil {
		return db, err
	}
	return db, l.migrate(ctx, db)
}

// How long a connection waits, in milliseconds, while another process has the ledger
// for itself. The writer's wait is one of the daemon's only loop, on which nothing else
// happens meanwhile: it outlasts a statement that somebody makes by hand, and whoever
// holds the ledger for longer is left to the engine, which tries again.
const (
	readerWait = "1000"
	writerWait = "100"
)

// dsn is the one place where connection settings are made.
func dsn(path, mode string) string {
	q := url.Values{
		"mode":          {mode},
		"_busy_timeout": {readerWait},
		"_foreign_keys": {"on"},
	}
	if mode != "ro" {
		q.Set("_busy_timeout", writerWait)
		q.Set("_txlock", "immediate")
		q.Set("_journal_mode", "WAL")
		q.Set("_synchronous", "FULL")
	}
	return (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: q.Encode()}).String()
}

// assertDurable checks that a commit will survive a power cut, by the settings of a
// connection.
func assertDurable(setting func(name string) (string, error)) error {
	mode, err := setting("journal_mode")
	if err != nil {
		return err
	}
	sync, err := setting("synchronous")
	if err != nil {
		return err
	}
	const full = "2"
	if mode != "wal" || sync != full {
		return fmt.Errorf("journal_mode is %s and synchronous %s, want wal and %s", mode, sync, full)
	}
	return nil
}

// migrate brings the schema forward; it never goes back.
func (l *Ledger) migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files)
	if err != nil {
		return err
	}
	for {
		if _, err := p.UpByOne(ctx); errors.Is(err, goose.ErrNoNextVersion) {
			return nil
		} else if err != nil {
			return err
		}
		l.reach(PointMigrated)
	}
}

// Close closes the ledger.
func (l *Ledger) Close() error {
	var errs []error
	errs = append(errs, l.stmt.close())
	if l.engine.SQLiteConn != nil {
		errs = append(errs, l.engine.Close())
	}
	for _, db := range []*sql.DB{l.read, l.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return wrap("close", l.path, errors.Join(errs...))
}
