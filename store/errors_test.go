package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/mattn/go-sqlite3"
)

func TestEachFailureHasItsHint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		hint string
	}{
		{sqlite3.Error{Code: sqlite3.ErrFull}, "Free some space"},
		{sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.ENOSPC}, "Free some space"},
		{sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EFBIG}, "file size limit"},
		{sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EDQUOT}, "quota"},
		{sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EROFS}, "writable"},
		{sqlite3.Error{Code: sqlite3.ErrReadonly}, "writable"},
		{sqlite3.Error{Code: sqlite3.ErrCantOpen, SystemErrno: syscall.EACCES}, "writable"},
		{sqlite3.Error{Code: sqlite3.ErrBusy}, "End the other program"},
		{sqlite3.Error{Code: sqlite3.ErrLocked}, "End the other program"},
		{sqlite3.Error{Code: sqlite3.ErrCorrupt}, "put a backup in its place"},
		{sqlite3.Error{Code: sqlite3.ErrNotADB}, "put a backup in its place"},
		{fmt.Errorf("begin: %w", sqlite3.Error{Code: sqlite3.ErrBusy}), "End the other program"},
		{&fs.PathError{Op: "open", Path: "/x", Err: syscall.EROFS}, "writable"},
		{&fs.PathError{Op: "mkdir", Path: "/x", Err: syscall.ENOTDIR}, "name a folder"},
		{syscall.EIO, ""},
		{sqlite3.Error{Code: sqlite3.ErrInternal}, ""},
		{errors.New("something else"), ""},
	} {
		err := wrap("write to", "/data/ledger.db", c.err)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, c.hint) || (c.hint == "") != (e.Hint == "") {
			t.Errorf("%v gives %v, want the hint %q", c.err, err, c.hint)
		}
		if !strings.HasPrefix(err.Error(), "store: write to /data/ledger.db: ") {
			t.Errorf("%q does not say what was done to which file", err)
		}
	}
}

func TestNoErrorIsNoError(t *testing.T) {
	t.Parallel()
	if err := wrap("read", "/x", nil); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestAPathIsSaidOnce(t *testing.T) {
	t.Parallel()
	cause := &fs.PathError{Op: "open", Path: "/data/lock", Err: syscall.EISDIR}
	err := wrap("lock", "/data/lock", cause)
	want(t, "error", err.Error(), "store: lock /data/lock: is a directory. Move the folder of that name away")
	if !errors.Is(err, syscall.EISDIR) {
		t.Error("the cause is gone")
	}
}
