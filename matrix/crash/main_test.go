package crash_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"deskbridge/matrix"
	"deskbridge/matrix/crash"
)

// built is where the daemon is built, once a run, by the first test that needs it.
var built string

var buildProgram = sync.OnceValues(func() (string, error) {
	return matrix.Build(context.Background(), built)
})

// TestMain makes this very program the child that ends itself, where it is asked to
// be.
func TestMain(m *testing.M) {
	if at, is := os.LookupEnv(crash.Variable); is {
		os.Exit(crash.Child(at, os.Args[1:], os.Stderr))
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

// newDesk is a desk whose daemon does not run yet.
func newDesk(t *testing.T, o matrix.Options) *matrix.Desk {
	t.Helper()
	program, err := buildProgram()
	if err != nil {
		t.Fatal(err)
	}
	o.Program = program
	return matrix.NewDesk(t, o)
}
