package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// crashed makes the folder of a bridge that died after n commits: the first half of
// them is in the ledger's file, the rest in the log.
func crashed(tt *testing.T, n int64) (dir string) {
	tt.Helper()
	l := open(tt, tt.TempDir())
	for i := int64(1); i <= n; i++ {
		commit(tt, l, func(x *Tx) error { return x.Append(numbered(i), recordOf(i)) })
		if i == n/2 {
			if _, err := l.write.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
				tt.Fatal(err)
			}
		}
	}
	dir = tt.TempDir()
	for _, suffix := range []string{"", walSuffix, "-shm"} {
		write(tt, filepath.Join(dir, fileName+suffix), must[[]byte](tt)(os.ReadFile(l.path+suffix)))
	}
	return dir
}

// files are the bytes of a folder's files, but for the index of the log, which SQLite
// makes anew at any time.
func files(tt *testing.T, dir string) map[string]string {
	tt.Helper()
	all := map[string]string{}
	for _, e := range must[[]fs.DirEntry](tt)(os.ReadDir(dir)) {
		if strings.HasSuffix(e.Name(), "-shm") {
			continue
		}
		if b := must[[]byte](tt)(os.ReadFile(filepath.Join(dir, e.Name()))); len(b) > 0 {
			all[e.Name()] = string(b)
		}
	}
	return all
}

// scribble writes noise over a part of some bytes.
func scribble(b []byte, from, to int) []byte {
	b = bytes.Clone(b)
	for i := from; i < to; i++ {
		b[i] = byte(i*7 + 3)
	}
	return b
}

const (
	page      = 4096
	logged    = page + frameHeaderSize // a frame of the log
	isRestore = ". Move it away, with the -wal and -shm files beside it, and put a backup in its place, or begin a new ledger without one"
	isLogged  = "messages that were committed are in it, and it is damaged. Put a backup in place of the ledger and move this file away, or move only this file away to go on without what it holds"
)

// TestADamagedLedgerIsRefusedAndLeftAsItIs damages what a crash left, and what an
// orderly end left. Damage in a page that opening has no use for went unnoticed.
func TestADamagedLedgerIsRefusedAndLeftAsItIs(tt *testing.T) {
	tt.Parallel()
	orderly := func(tt *testing.T) string {
		dir := crashed(tt, 40)
		shut(tt, must[*Ledger](tt)(Open(tt.Context(), dir)))
		return dir
	}
	afterCrash := func(tt *testing.T) string { return crashed(tt, 40) }
	for name, c := range map[string]struct {
		folder func(*testing.T) string
		file   string
		damage func([]byte) []byte
		said   string
	}{
		"cut to nothing":         {orderly, "", func([]byte) []byte { return nil }, "the file is empty" + isRestore},
		"cut within the header":  {orderly, "", func(b []byte) []byte { return b[:60] }, isRestore},
		"cut at a page":          {orderly, "", func(b []byte) []byte { return b[:len(b)-page] }, isRestore},
		"cut within a page":      {orderly, "", func(b []byte) []byte { return b[:len(b)-page/2] }, isRestore},
		"noise in the header":    {orderly, "", func(b []byte) []byte { return scribble(b, 0, 100) }, "file is not a database" + isRestore},
		"noise in a middle page": {orderly, "", func(b []byte) []byte { return scribble(b, len(b)/page/2*page, (len(b)/page/2+1)*page) }, isRestore},
		"noise in the last page": {orderly, "", func(b []byte) []byte { return scribble(b, len(b)-page, len(b)) }, isRestore},
		"noise, after a crash":   {afterCrash, "", func(b []byte) []byte { return scribble(b, 2*page, len(b)) }, isRestore},
		"log, in the header":     {afterCrash, walSuffix, func(b []byte) []byte { return scribble(b, 0, 8) }, isLogged},
		"log, in the first frame": {afterCrash, walSuffix, func(b []byte) []byte {
			return scribble(b, walHeaderSize+50, walHeaderSize+60)
		}, isLogged},
		"log, in the middle": {afterCrash, walSuffix, func(b []byte) []byte { return scribble(b, len(b)/2, len(b)/2+3*logged) }, isLogged},
		"log alone": {func(tt *testing.T) string {
			dir := crashed(tt, 40)
			remove(tt, filepath.Join(dir, fileName))
			return dir
		}, walSuffix, bytes.Clone, "the file is missing, and what was written to it last is still beside it, in its -wal file. Put the file back, or move the -wal file away to begin a new ledger"},
	} {
		tt.Run(name, func(tt *testing.T) {
			tt.Parallel()
			dir := c.folder(tt)
			path := filepath.Join(dir, fileName+c.file)
			write(tt, path, c.damage(must[[]byte](tt)(os.ReadFile(path))))
			before := files(tt, dir)
			for range 2 { // a second try is not told anything else
				_, err := Open(tt.Context(), dir)
				if err == nil {
					tt.Fatal("it was opened")
				}
				if name == "log alone" {
					path = filepath.Join(dir, fileName)
				}
				if said := err.Error(); !strings.Contains(said, path+": ") || !strings.HasSuffix(said, c.said) || strings.Contains(said, "\n") {
					tt.Errorf("it says %q", said)
				}
				want(tt, "the files", files(tt, dir), before)
			}
		})
	}
}

// TestWhatAPowerCutLeavesOfTheLogIsTaken holds that all commits that can be read in the
// log are there, and that the ledger goes on.
func TestWhatAPowerCutLeavesOfTheLogIsTaken(tt *testing.T) {
	tt.Parallel()
	for name, c := range map[string]struct {
		file    string
		damage  func([]byte) []byte
		commits int64 // that are there for certain
	}{
		"nothing is missing":            {walSuffix, bytes.Clone, 40},
		"noise in the last frame":       {walSuffix, func(b []byte) []byte { return scribble(b, len(b)-100, len(b)) }, 39},
		"noise over the last commit":    {walSuffix, func(b []byte) []byte { return scribble(b, len(b)-3*logged, len(b)) }, 38},
		"cut within the last frame":     {walSuffix, func(b []byte) []byte { return b[:len(b)-page/2] }, 39},
		"cut at the last frame":         {walSuffix, func(b []byte) []byte { return b[:len(b)-logged] }, 39},
		"cut to the header":             {walSuffix, func(b []byte) []byte { return b[:walHeaderSize] }, 20},
		"cut within the header":         {walSuffix, func(b []byte) []byte { return b[:10] }, 20},
		"noise behind":                  {walSuffix, func(b []byte) []byte { return append(b, scribble(make([]byte, 3*logged), 0, 3*logged)...) }, 40},
		"noise in the index of the log": {"-shm", func(b []byte) []byte { return scribble(b, 0, len(b)) }, 40},
		"no index of the log":           {"-shm", func([]byte) []byte { return nil }, 40},
	} {
		tt.Run(name, func(tt *testing.T) {
			tt.Parallel()
			dir := crashed(tt, 40)
			path := filepath.Join(dir, fileName+c.file)
			write(tt, path, c.damage(must[[]byte](tt)(os.ReadFile(path))))
			l := open(tt, dir)
			b := must[Books](tt)(l.Books(tt.Context()))
			n := int64(len(b.Journal))
			if n < c.commits || n != int64(len(b.Messages)) || n != b.Tracks[0].Steps {
				tt.Errorf("%d entries, %d messages, %d steps", n, len(b.Messages), b.Tracks[0].Steps)
			}
			commit(tt, l, func(x *Tx) error { return x.Append(numbered(n+1), recordOf(n+1)) })
			want(tt, "entries then", len(must[[]JournalEntry](tt)(l.Journal(tt.Context()))), int(n+1))
		})
	}
}

// TestABeginningThatWasCutShortIsBegunAnew leaves what a crash, or a full disk, leaves
// of a ledger that was being made.
func TestABeginningThatWasCutShortIsBegunAnew(tt *testing.T) {
	tt.Parallel()
	dir := tt.TempDir()
	for _, suffix := range []string{"", walSuffix, "-shm", "-journal"} {
		write(tt, filepath.Join(dir, fileName+".new"+suffix), []byte("half of it"))
	}
	want(tt, "tracks", len(must[[]Track](tt)(open(tt, dir).Tracks(tt.Context()))), 0)
	want(tt, "left over", len(must[[]string](tt)(filepath.Glob(filepath.Join(dir, "*.new*")))), 0)
}

// seized runs another process that has the ledger of a folder for itself.
func seized(tt *testing.T, dir, by string) (release func()) {
	tt.Helper()
	var cmd *exec.Cmd
	cmd, in := holding(tt, seizeEnv+"="+filepath.Join(dir, fileName), seizeBy+"="+by)
	return func() {
		tt.Helper()
		if err := in.Close(); err != nil {
			tt.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			tt.Error(err)
		}
	}
}

const isHeld = "database is locked. End the other program that has the ledger open"

func TestALedgerThatAnotherProgramHoldsTakesNothingUntilItIsFree(tt *testing.T) {
	tt.Parallel()
	dir := tt.TempDir()
	l := open(tt, dir)
	commit(tt, l, func(x *Tx) error { return x.Append(numbered(1), recordOf(1)) })
	release := seized(tt, dir, "BEGIN EXCLUSIVE")
	_, err := l.Begin()
	sentence(tt, err, "store: write to "+filepath.Join(dir, fileName)+": "+isHeld)
	_, err = l.Prune(tt.Context(), Cut{})
	sentence(tt, err, "store: prune "+filepath.Join(dir, fileName)+": "+isHeld)
	// Who only reads waits for nobody, and neither does a bridge that starts.
	want(tt, "entries", len(must[[]JournalEntry](tt)(l.Journal(tt.Context()))), 1)
	shut(tt, must[*Ledger](tt)(Open(tt.Context(), dir)))
	release()
	commit(tt, l, func(x *Tx) error { return x.Append(numbered(2), recordOf(2)) })
	want(tt, "entries then", len(must[[]JournalEntry](tt)(l.Journal(tt.Context()))), 2)
}

func TestALedgerThatAnotherProgramHasForItselfIsNotOpened(tt *testing.T) {
	tt.Parallel()
	dir := tt.TempDir()
	shut(tt, open(tt, dir))
	release := seized(tt, dir, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
	_, err := Open(tt.Context(), dir)
	sentence(tt, err, "store: open "+filepath.Join(dir, fileName)+": "+isHeld)
	_, err = OpenReader(tt.Context(), dir)
	sentence(tt, err, "store: open "+filepath.Join(dir, fileName)+": "+isHeld)
	release()
	open(tt, dir)
}

// TestWhatDoesNotFitIsRefusedWhole lets a file be as big as it is, as a full disk does.
func TestWhatDoesNotFitIsRefusedWhole(tt *testing.T) {
	tt.Parallel()
	dir := tt.TempDir()
	l := open(tt, dir)
	commit(tt, l, func(x *Tx) error { return x.Append(numbered(1), recordOf(1)) })
	before := contents(tt, l)
	limit := func(pages string) {
		if _, err := l.engine.setting("max_page_count = " + pages); err != nil {
			tt.Fatal(err)
		}
	}
	limit("1") // which is no less than there are
	big := numbered(2)
	big.Result.Data.Thread = strings.Repeat("x", 20*page)
	x := begin(tt, l)
	err := x.Append(big, recordOf(2))
	sentence(tt, err, "store: write to "+filepath.Join(dir, fileName)+": database or disk is full. Free some space on that disk")
	x.Rollback()
	want(tt, "contents", contents(tt, l), before)
	limit("1000000")
	commit(tt, l, func(x *Tx) error { return x.Append(big, recordOf(2)) })
	want(tt, "entries", len(contents(tt, l).Journal), 2)
}

// TestATrackStepOrCallThatCannotBeReadIsNamed spoils the text of rows, which no check of the file's
// pages can see.
func TestATrackStepOrCallThatCannotBeReadIsNamed(tt *testing.T) {
	tt.Parallel()
	dir := tt.TempDir()
	l := open(tt, dir)
	commit(tt, l, func(x *Tx) error {
		_, err := x.Enqueue(Queued{Instance: "oc_1/1", Step: 1, Effect: openThread})
		return errors.Join(err, x.Append(numbered(1), recordOf(1)))
	})
	for _, s := range []string{
		`UPDATE track SET data = '{"track":"oc_1/1"'`,
		`UPDATE journal SET body = '{"message":7}'`,
		`UPDATE outbox SET body = 'noise!'`,
	} {
		if _, err := l.write.Exec(s); err != nil {
			tt.Fatal(err)
		}
	}
	x := begin(tt, l)
	defer x.Rollback()
	_, loading := x.Load("oc_1/1")
	_, tracks := l.Tracks(tt.Context())
	_, journal := l.Journal(tt.Context())
	_, outbox := l.Outbox()
	for _, c := range []struct {
		err   error
		doing string
	}{
		{loading, "read track oc_1/1 of"},
		{tracks, "read track oc_1/1 of"},
		{journal, "read step 1 of oc_1/1 in"},
		{outbox, "read call 1 of oc_1/1 in"},
	} {
		var e *Error
		if !errors.As(c.err, &e) || e.Op != c.doing || e.Path != l.path || ". "+e.Hint != isRestore {
			tt.Errorf("%v, and it was to %s", c.err, c.doing)
		}
	}
}
