package store

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// holdEnv makes the test program a daemon that takes the lock of a folder and
// keeps it until its input ends or it is killed.
const holdEnv = "STORE_TEST_HOLD"

// seizeEnv makes the test program a process that has a ledger for itself until its
// input ends or it is killed; seizeBy are the statements by which it has.
const (
	seizeEnv = "STORE_TEST_SEIZE"
	seizeBy  = "STORE_TEST_SEIZE_BY"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdEnv); dir != "" {
		os.Exit(hold(dir))
	}
	if file := os.Getenv(seizeEnv); file != "" {
		os.Exit(seize(file, os.Getenv(seizeBy)))
	}
	goleak.VerifyTestMain(m)
}

func hold(dir string) int {
	lock, err := LockDir(dir)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("held")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return 1
	}
	if err := lock.Unlock(); err != nil {
		return 1
	}
	return 0
}

func seize(file, by string) int {
	db, err := sql.Open("sqlite3", file)
	if err == nil {
		db.SetMaxOpenConns(1)
		_, err = db.Exec(by)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("held")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil || db.Close() != nil {
		return 1
	}
	return 0
}

// open opens the ledger of a folder until the test ends.
func open(t testing.TB, dir string) *Ledger {
	t.Helper()
	l, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, l) })
	return l
}

func shut(t testing.TB, l *Ledger) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func must[T any](t testing.TB) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func want(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
