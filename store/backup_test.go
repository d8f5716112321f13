package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mattn/go-sqlite3"

	t "deskbridge/transitions"
)

// numbered is a track's step on its message of the same number; recordOf is the row
// that goes with it.
func numbered(n int64) Entry { return received("oc_1/1", n, fmt.Sprint("om_", n)) }

func recordOf(n int64) []t.Effect {
	return []t.Effect{t.RecordMessage{Message: t.Message{ID: fmt.Sprint("om_", n), State: t.MessageKept}}}
}

// write100 commits a hundred steps beside the test, which ends after them. Stop says
// whether they are over.
func write100(tt *testing.T, l *Ledger) (stopped func() bool) {
	tt.Helper()
	over := make(chan error, 1)
	go func() {
		for n := int64(2); n <= 101; n++ {
			x, err := l.Begin()
			if err == nil {
				err = x.Append(numbered(n), recordOf(n))
			}
			if err == nil {
				err = x.Commit()
			}
			if err != nil {
				over <- err
				return
			}
		}
		over <- nil
	}()
	var ended bool
	tt.Cleanup(func() {
		if !ended {
			<-over
		}
	})
	return func() bool {
		select {
		case err := <-over:
			ended = true
			if err != nil {
				tt.Fatal(err)
			}
		default:
		}
		return ended
	}
}

// TestABackupIsTheLedgerOfOneMoment backs up again and again while another goroutine
// commits. Each file opens as a ledger, and its rows fit its journal.
func TestABackupIsTheLedgerOfOneMoment(tt *testing.T) {
	tt.Parallel()
	dir := tt.TempDir()
	l := open(tt, dir)
	commit(tt, l, func(x *Tx) error { return x.Append(numbered(1), recordOf(1)) })
	r := must[*Ledger](tt)(OpenReader(tt.Context(), dir))
	defer shut(tt, r)
	stopped := write100(tt, l)
	var last Books
	for more := true; more; {
		more = !stopped()
		copied := filepath.Join(tt.TempDir(), fileName)
		size := must[int64](tt)(r.Backup(tt.Context(), copied))
		info := must[os.FileInfo](tt)(os.Stat(copied))
		if info.Size() != size || info.Mode() != 0o600 {
			tt.Errorf("%d bytes, mode %v, said to be %d", info.Size(), info.Mode(), size)
		}
		backup := must[*Ledger](tt)(OpenReader(tt.Context(), filepath.Dir(copied)))
		last = must[Books](tt)(backup.Books(tt.Context()))
		shut(tt, backup)
		if n := len(last.Journal); n != len(last.Messages) || int64(n) != last.Tracks[0].Steps {
			tt.Fatalf("%d entries, %d messages, %d steps", n, len(last.Messages), last.Tracks[0].Steps)
		}
	}
	want(tt, "the last backup", last, must[Books](tt)(l.Books(tt.Context())))
}

// TestABackupGoesOnAsTheLedger opens one for writing, as a desk that is restored does.
func TestABackupGoesOnAsTheLedger(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	commit(tt, l, func(x *Tx) error { return x.Append(numbered(1), recordOf(1)) })
	dir := tt.TempDir()
	must[int64](tt)(l.Backup(tt.Context(), filepath.Join(dir, fileName)))
	restored := open(tt, dir)
	commit(tt, restored, func(x *Tx) error {
		want(tt, "a message that is brought again", must[bool](tt)(x.Seen("message:om_1")), true)
		return x.Append(numbered(2), recordOf(2))
	})
	want(tt, "entries", len(contents(tt, restored).Journal), 2)
}

func TestABackupTouchesNoFileThatIsThere(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	dir := tt.TempDir()
	there, link := filepath.Join(dir, "there"), filepath.Join(dir, "link")
	write(tt, there, []byte("mine"))
	if err := os.Symlink(filepath.Join(dir, "nowhere"), link); err != nil {
		tt.Fatal(err)
	}
	for _, file := range []string{there, link} {
		_, err := l.Backup(tt.Context(), file)
		sentence(tt, err, "store: back up to "+file+": the file is there already. Name a file that is not there yet")
	}
	missing := filepath.Join(dir, "missing", "file")
	_, err := l.Backup(tt.Context(), missing)
	sentence(tt, err, "store: back up to "+missing+": no such file or directory. Name a file in a folder that is there and can be written")
	want(tt, "the file", string(must[[]byte](tt)(os.ReadFile(there))), "mine")
	want(tt, "files", len(must[[]os.DirEntry](tt)(os.ReadDir(dir))), 2)
}

// TestABackupThatFailsLeavesNoFile backs up a ledger whose last page is noise.
func TestABackupThatFailsLeavesNoFile(tt *testing.T) {
	tt.Parallel()
	dir := tt.TempDir()
	l := must[*Ledger](tt)(Open(tt.Context(), dir))
	for n := range int64(30) {
		commit(tt, l, func(x *Tx) error { return x.Append(numbered(n+1), recordOf(n+1)) })
	}
	shut(tt, l)
	path := filepath.Join(dir, fileName)
	body := must[[]byte](tt)(os.ReadFile(path))
	for i := len(body) - 4096; i < len(body); i++ {
		body[i] = byte(i*7 + 3)
	}
	write(tt, path, body)
	r := must[*Ledger](tt)(OpenReader(tt.Context(), dir))
	defer shut(tt, r)
	to := filepath.Join(tt.TempDir(), "backup.db")
	_, err := r.Backup(tt.Context(), to)
	if err == nil || !strings.HasSuffix(err.Error(), hint(sqlite3.Error{Code: sqlite3.ErrCorrupt})) {
		tt.Errorf("it says %v", err)
	}
	want(tt, "files", len(must[[]os.DirEntry](tt)(os.ReadDir(filepath.Dir(to)))), 0)
}
