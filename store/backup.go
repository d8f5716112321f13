package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup copies the ledger, as of one commit, to a new file and returns its size.
// The daemon may go on writing. A file that is there already is never touched.
//
// The copy is made by VACUUM INTO and not by SQLite's backup API. Both read what
// is committed; but the API begins anew whenever another process has written
// meanwhile, which under load is for ever, and it takes over the pages that are
// free, with what was pruned still in them. VACUUM INTO reads within one
// transaction, which holds up no writer, and writes a file without its like.
// It does not wait for the disk, so that is done here, and the file has its name
// only once it is complete and known to be sound.
func (l *Ledger) Backup(ctx context.Context, file string) (size int64, err error) {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = errExists
		}
		return 0, &Error{Op: "back up to", Path: file, Err: err, Hint: "Name a file that is not there yet"}
	}
	folder := filepath.Dir(file)
	partial, err := os.CreateTemp(folder, "."+filepath.Base(file)+"-*.partial") // made with mode 0600
	if err != nil {
		return 0, &Error{Op: "back up to", Path: file, Err: errors.Unwrap(err), Hint: "Name a file in a folder that is there and can be written"}
	}
	defer func() { err = errors.Join(err, ignoreMissing(os.Remove(partial.Name()))) }()
	defer func() { err = errors.Join(err, partial.Close()) }()
	if _, err := l.read.ExecContext(ctx, "VACUUM INTO ?", partial.Name()); err != nil {
		return 0, wrap("back up to", file, err)
	}
	if err := sound(ctx, partial.Name(), "integrity_check"); err != nil {
		return 0, wrap("check the backup for", file, err)
	}
	// The handle is of the same file that SQLite has written.
	info, err := partial.Stat()
	if err = errors.Join(err, partial.Sync()); err != nil {
		return 0, wrap("back up to", file, err)
	}
	if err := publish(partial.Name(), file); err != nil {
		return 0, wrap("back up to", file, err)
	}
	return info.Size(), wrap("back up to", file, syncFolder(folder))
}

var errExists = errors.New("the file is there already")

// publish gives a file its name, unless another has it.
func publish(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(from, to) // a file system without links
}

// syncFolder makes a file's name durable.
func syncFolder(dir string) (err error) {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.Sync()
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
