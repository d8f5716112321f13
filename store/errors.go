package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"deskbridge/fsm/durable"
)

// Error is a failure of the ledger.
type Error struct {
	// Op is what was being done.
	Op string
	// Path is the file or folder concerned.
	Path string
	Err  error
	// Hint is what the operator can do; empty where nothing is known to help.
	Hint string
}

// Is tells failures that are about one row from those of the whole ledger: the
// former are [durable.ErrUnfit].
func (e *Error) Is(target error) bool {
	var row *rowError
	var se sqlite3.Error
	return target == durable.ErrUnfit &&
		(errors.As(e.Err, &row) || errors.As(e.Err, &se) && (se.Code == sqlite3.ErrConstraint || se.Code == sqlite3.ErrTooBig))
}

// rowError is a failure to read or write what one row says.
type rowError struct{ error }

func (e *rowError) Unwrap() error { return e.error }

// unfit marks an error as one of a row.
func unfit(err error) error {
	if err == nil {
		return nil
	}
	return &rowError{err}
}

func (e *Error) Error() string {
	s := fmt.Sprintf("store: %s %s: %v", e.Op, e.Path, e.Err)
	if e.Hint != "" {
		s += ". " + e.Hint
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// wrap says what was being done to which file, and what helps.
func wrap(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var said *Error
	if errors.As(err, &said) {
		return err // with a file of its own
	}
	e := &Error{Op: op, Path: path, Err: err, Hint: hint(err)}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		e.Err = pe.Err // it would only repeat the path
	}
	return e
}

func hint(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return hintRestore
	}
	var se sqlite3.Error
	isSQLite := errors.As(err, &se)
	errno := se.SystemErrno
	if !isSQLite && !errors.As(err, &errno) {
		return ""
	}
	switch errno {
	case syscall.EISDIR:
		return "Move the folder of that name away"
	case syscall.ENOTDIR, syscall.ENOENT, syscall.EEXIST:
		return "Let [desk] data name a folder"
	case syscall.ENOSPC:
		return hintFull
	case syscall.EDQUOT, syscall.EFBIG:
		return "Raise the quota or the file size limit of the user that runs the bridge, or free some of it"
	case syscall.EACCES, syscall.EPERM, syscall.EROFS:
		return hintWritable
	}
	if !isSQLite {
		return ""
	}
	switch se.Code {
	case sqlite3.ErrFull:
		return hintFull
	case sqlite3.ErrReadonly, sqlite3.ErrCantOpen, sqlite3.ErrPerm:
		return hintWritable
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return "End the other program that has the ledger open"
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return hintRestore
	}
	return ""
}

const (
	hintFull     = "Free some space on that disk"
	hintWritable = "Make the folder writable for the user that runs the bridge"
	// What was left of a log would be played into the file that takes its place.
	hintRestore = "Move it away, with the -wal and -shm files beside it, and put a backup in its place, or begin a new ledger without one"
)
