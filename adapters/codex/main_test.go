package codex

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// The test binary plays the app-server of testdata/bin/listens, too.
func TestMain(m *testing.M) {
	if os.Getenv("DESK_TEST_SERVER") != "" {
		listen(os.Args[len(os.Args)-1])
		return
	}
	binary, err := os.Executable()
	if err == nil {
		err = os.Setenv("DESK_TEST_BINARY", binary)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// listen accepts connections at a unix:// address until the process is killed.
func listen(address string) {
	listener, err := net.Listen("unix", strings.TrimPrefix(address, "unix://"))
	for err == nil {
		_, err = listener.Accept()
	}
	fmt.Fprintln(os.Stderr, "Error:", err)
	os.Exit(1)
}
