package store

import (
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"
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
	return &Error{Op: op, Path: path, Err: err, Hint: hint(err)}
}

func hint(err error) string {
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return ""
	}
	switch se.Code {
	case sqlite3.ErrFull:
		return "Free some space on that disk"
	case sqlite3.ErrReadonly, sqlite3.ErrCantOpen, sqlite3.ErrPerm:
		return "Make the folder writable for the user that runs the bridge"
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return "End the other program that has the ledger open"
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return "Restore the file from a backup, or move it away to begin a new ledger"
	}
	return ""
}
