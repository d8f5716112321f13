package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// inspect looks at a ledger as it was left, and changes nothing of it. It reports
// whether there is one. What is damaged, or no ledger that this bridge can go on with,
// is an error.
//
// Every page is read and its structure checked, since SQLite itself looks at a page only
// when it needs it: a desk would acknowledge messages for weeks into a ledger that cannot
// be read back. It takes what reading the file takes: for 200 MB half a second if the
// system has it in memory, four if a slow disk has. PRAGMA integrity_check also compares
// the indexes with the tables, and takes up to seven times as long.
func inspect(ctx context.Context, path string) (found bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, inspectOrphan(path)
	case err != nil:
		return false, err
	case info.IsDir():
		return false, syscall.EISDIR
	case info.Size() == 0:
		return false, &Error{Op: "open", Path: path, Err: errors.New("the file is empty"), Hint: hintRestore}
	}
	if err := inspectWAL(path + walSuffix); err != nil {
		return false, err
	}
	if err := sound(ctx, path, "quick_check"); err != nil {
		return false, err
	}
	db, err := sql.Open("sqlite3", dsn(path, "ro"))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, _, err = versions(ctx, db)
	return err == nil, err
}

// inspectOrphan refuses to begin a ledger beside the log of one that is missing.
func inspectOrphan(path string) error {
	info, err := os.Stat(path + walSuffix)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err == nil {
		err = errors.New("the file is missing, and what was written to it last is still beside it, in its -wal file")
	}
	return &Error{Op: "open", Path: path, Err: err, Hint: "Put the file back, or move the -wal file away to begin a new ledger"}
}

// versions are the version of a ledger and the one that this bridge writes. A ledger
// of a newer one is refused: the schema never goes back.
func versions(ctx context.Context, db *sql.DB) (current, latest int64, err error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, 0, err
	}
	latest = int64(len(files))
	var known bool
	if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'goose_db_version')").Scan(&known); err != nil {
		return 0, 0, err
	}
	if !known {
		return 0, 0, errors.New("the file is a database, but no ledger of a bridge: name another folder in [desk] data, or move the file away")
	}
	if err := db.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version").Scan(&current); err != nil {
		return 0, 0, err
	}
	if current > latest {
		err = fmt.Errorf("the ledger is of version %d, this bridge knows up to %d: run the newer bridge that wrote it", current, latest)
	}
	return current, latest, err
}

// sound holds that a file is a whole database, as far as that check of SQLite's goes.
func sound(ctx context.Context, path, check string) (err error) {
	db, err := sql.Open("sqlite3", dsn(path, "ro"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var said string
	if err := db.QueryRowContext(ctx, "PRAGMA "+check+"(1)").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		said = strings.TrimPrefix(said, "*** in database main ***\n")
		return fmt.Errorf("%w (%s)", sqlite3.Error{Code: sqlite3.ErrCorrupt}, strings.ReplaceAll(said, "\n", " "))
	}
	return nil
}
