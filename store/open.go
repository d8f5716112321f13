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

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// fileName is the ledger's name within the data folder.
const fileName = "ledger.db"

// Ledger is an open ledger. Its write side is used from one goroutine; reads
// have connections of their own and never wait for a writer.
type Ledger struct {
	path  string
	write *sql.DB
	read  *sql.DB
	stmt  statements
}

// Open opens the ledger of a data folder, making or migrating it as needed.
func Open(ctx context.Context, dir string) (*Ledger, error) {
	l := &Ledger{path: filepath.Join(dir, fileName)}
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
	var current int64
	if err := l.read.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version").Scan(&current); err != nil {
		return err
	}
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	if latest := int64(len(files)); current != latest {
		return fmt.Errorf("the ledger is of version %d, and this bridge reads version %d: use the bridge that wrote it, or let this one run once", current, latest)
	}
	return nil
}

func (l *Ledger) open(ctx context.Context) (err error) {
	if l.write, err = sql.Open("sqlite3", dsn(l.path, "rwc")); err != nil {
		return err
	}
	l.write.SetMaxOpenConns(1)
	if err := assertDurable(ctx, l.write); err != nil {
		return err
	}
	if err := migrate(ctx, l.write); err != nil {
		return err
	}
	if l.read, err = sql.Open("sqlite3", dsn(l.path, "ro")); err != nil {
		return err
	}
	return l.stmt.prepare(ctx, l.write)
}

// dsn is the one place where connection settings are made.
func dsn(path, mode string) string {
	q := url.Values{
		"mode":          {mode},
		"_busy_timeout": {"5000"},
		"_foreign_keys": {"on"},
	}
	if mode != "ro" {
		q.Set("_txlock", "immediate")
		q.Set("_journal_mode", "WAL")
		q.Set("_synchronous", "FULL")
	}
	return (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: q.Encode()}).String()
}

// assertDurable checks that a commit will survive a power cut.
func assertDurable(ctx context.Context, db *sql.DB) error {
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	var sync int
	if err := db.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&sync); err != nil {
		return err
	}
	const full = 2
	if mode != "wal" || sync != full {
		return fmt.Errorf("journal_mode is %s and synchronous %d, want wal and %d", mode, sync, full)
	}
	return nil
}

// migrate brings the schema forward; it never goes back.
func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files)
	if err != nil {
		return err
	}
	current, latest, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > latest {
		return fmt.Errorf("the ledger is of version %d, this bridge knows up to %d: run the newer bridge that wrote it", current, latest)
	}
	_, err = p.Up(ctx)
	return err
}

// Close closes the ledger.
func (l *Ledger) Close() error {
	var errs []error
	errs = append(errs, l.stmt.close())
	for _, db := range []*sql.DB{l.read, l.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return wrap("close", l.path, errors.Join(errs...))
}
