package codex

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/appserver"

	"go.uber.org/goleak"
)

// The test binary plays app-servers, too, those of testdata/bin.
func TestMain(m *testing.M) {
	if value := os.Getenv(killedBridge); value != "" && os.Getenv("DESK_TEST_SERVER") == "" {
		startAndDie(value)
	}
	switch os.Getenv("DESK_TEST_SERVER") {
	case "":
	case "relay":
		relay()
		return
	case "scripted":
		os.Exit(appserver.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, appserver.Options{}))
	default:
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
	for gate := os.Getenv("DESK_TEST_GO"); gate != ""; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(gate); err == nil {
			break
		}
	}
	listener, err := net.Listen("unix", strings.TrimPrefix(address, "unix://"))
	for err == nil {
		_, err = listener.Accept()
	}
	fmt.Fprintln(os.Stderr, "Error:", err)
	os.Exit(1)
}

// relay carries its standard streams to the socket "peer" of its working folder and
// back, until either side has ended.
func relay() {
	conn, err := net.Dial("unix", "peer")
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
	ended := make(chan struct{}, 2)
	for _, way := range []struct {
		to   io.Writer
		from io.Reader
	}{{conn, os.Stdin}, {os.Stdout, conn}} {
		go func() {
			// Whatever ended it, it has ended.
			_, _ = io.Copy(way.to, way.from)
			ended <- struct{}{}
		}()
	}
	<-ended
}
