package matrix_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"deskbridge/matrix"
)

// built is where the daemon is built, once a run, by the first test that needs it.
var built string

var buildProgram = sync.OnceValues(func() (string, error) {
	return matrix.Build(context.Background(), built)
})

func TestMain(m *testing.M) {
	if file := os.Getenv(seizeEnv); file != "" {
		if err := seize(file, os.Getenv(seizeBy)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if path := os.Getenv(mountsEnv); path != "" { // and what runs this process has built it
		buildProgram = func() (string, error) { return path, nil }
		goleak.VerifyTestMain(m)
	}
	var err error
	if built, err = os.MkdirTemp("", "deskbridge-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(built); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
		os.Exit(code)
	}))
}

// program is the daemon.
func program(tb testing.TB) string {
	tb.Helper()
	path, err := buildProgram()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// newDesk is a desk whose daemon does not run yet.
func newDesk(tb testing.TB, o matrix.Options) *matrix.Desk {
	tb.Helper()
	o.Program = program(tb)
	return matrix.NewDesk(tb, o)
}

// startDesk is a desk that is ready to be spoken to.
func startDesk(tb testing.TB, o matrix.Options) *matrix.Desk {
	tb.Helper()
	d := newDesk(tb, o)
	d.Start()
	return d
}
