package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// Lock is the right to be the one daemon of a data folder.
type Lock struct{ file *flock.Flock }

// HeldError says that another daemon has the data folder.
type HeldError struct {
	Dir string
	// PID of the daemon that has it; 0 if it has not written it down yet.
	PID int
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("store: the data folder %s belongs to a bridge that is running (pid %d). Stop that one first, or name another folder in [desk] data", e.Dir, e.PID)
}

// LockDir makes the folder if need be, and takes its lock. The lock ends with
// the process, however that ends.
func LockDir(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, wrap("make folder", dir, err)
	}
	path := filepath.Join(dir, "lock")
	f := flock.New(path, flock.SetPermissions(0o600))
	ok, err := f.TryLock()
	if err != nil {
		return nil, wrap("lock", path, err)
	}
	if !ok {
		return nil, holder(dir, path)
	}
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, errors.Join(wrap("write", path, err), f.Close())
	}
	return &Lock{file: f}, nil
}

func holder(dir, path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return wrap("read", path, err)
	}
	// A number that is not there yet reads as 0.
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return &HeldError{Dir: dir, PID: pid}
}

// Unlock gives the folder free.
func (l *Lock) Unlock() error { return l.file.Close() }
