package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// folder is a data folder whose name is short enough for a socket in it.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ctl-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// serve answers in a folder until the test ends.
func serve(t *testing.T, dir string, handlers map[string]Handler) *Server {
	t.Helper()
	s, err := Listen(dir, handlers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return s
}

type number struct{ N int }

// double is an operation.
func double(_ context.Context, params json.RawMessage) (any, error) {
	var p number
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	if p.N < 0 {
		return nil, fmt.Errorf("%d is too small", p.N)
	}
	return number{2 * p.N}, nil
}

func TestARequestIsAnswered(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	serve(t, dir, map[string]Handler{"double": double})
	for _, n := range []int{1, 21} {
		var got number
		if err := Call(t.Context(), dir, "double", number{n}, &got); err != nil || got.N != 2*n {
			t.Errorf("%d doubled is %d (%v)", n, got.N, err)
		}
	}
	for op, want := range map[string]string{
		"double": "-1 is too small",
		"treble": `the bridge that is running knows no operation "treble"; run the command of its version`,
	} {
		if err := Call(t.Context(), dir, op, number{-1}, &number{}); err == nil || err.Error() != want {
			t.Errorf("%s says %v", op, err)
		}
	}
}

func TestTheSocketIsForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	s := serve(t, dir, nil)
	path := filepath.Join(dir, fileName)
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the end the file is still there (%v)", err)
	}
}

// TestWhatACrashLeftIsReplaced puts in the socket's place what a crash leaves, and a
// link to a file of somebody, which must not be followed.
func TestWhatACrashLeftIsReplaced(t *testing.T) {
	t.Parallel()
	mine := filepath.Join(folder(t), "mine")
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, leave := range map[string]func(path string) error{
		"a socket": func(path string) error {
			fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			return errors.Join(err, syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}), syscall.Close(fd))
		},
		"a link to a file":   func(path string) error { return os.Symlink(mine, path) },
		"a link to nowhere":  func(path string) error { return os.Symlink(mine+"-not", path) },
		"nothing that is it": func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			if err := leave(filepath.Join(dir, fileName)); err != nil {
				t.Fatal(err)
			}
			serve(t, dir, map[string]Handler{"double": double})
			var got number
			if err := Call(t.Context(), dir, "double", number{4}, &got); err != nil || got.N != 8 {
				t.Errorf("%d, %v", got.N, err)
			}
		})
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("the file is %q (%v)", text, err)
	}
	if info, err := os.Stat(mine); err != nil || info.Mode() != 0o644 {
		t.Errorf("the file's mode is %v (%v)", info.Mode(), err)
	}
}

func TestSomebodysFileIsNotReplaced(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	path := filepath.Join(dir, fileName)
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(dir, nil); err == nil || err.Error() != "control: "+path+" is no socket; move it away, so that operators' commands can reach the bridge" {
		t.Errorf("Listen says %v", err)
	}
	if err := Call(t.Context(), dir, "double", nil, nil); err == nil || err.Error() != "control: "+path+" is no socket of a bridge; move it away and start the bridge again" {
		t.Errorf("Call says %v", err)
	}
	missing := filepath.Join(dir, "missing")
	if _, err := Listen(missing, nil); err == nil || err.Error() != "control: open the socket "+filepath.Join(missing, fileName)+": no such file or directory" {
		t.Errorf("Listen says %v", err)
	}
}

// TestALinkIsNotFollowedToABridge holds that a command asks the socket of its own folder
// and no other.
func TestALinkIsNotFollowedToABridge(t *testing.T) {
	t.Parallel()
	other, dir := folder(t), folder(t)
	serve(t, other, map[string]Handler{"double": double})
	if err := os.Symlink(filepath.Join(other, fileName), filepath.Join(dir, fileName)); err != nil {
		t.Fatal(err)
	}
	if err := Call(t.Context(), dir, "double", number{1}, &number{}); err == nil || !strings.Contains(err.Error(), "is no socket of a bridge") {
		t.Errorf("it says %v", err)
	}
}

func TestABridgeThatCannotBeAskedIsNamed(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	err := Call(t.Context(), dir, "double", nil, nil)
	if want := "control: the bridge that is running cannot be asked at " + filepath.Join(dir, fileName) +
		" (no such file or directory); it may be starting or stopping: try again, or stop it first"; err == nil || err.Error() != want {
		t.Errorf("it says %v", err)
	}
}

// TestTheEndOfTheBridgeEndsARequest closes the server while a request is under way, and
// while one is being written.
func TestTheEndOfTheBridgeEndsARequest(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	began := make(chan struct{})
	s := serve(t, dir, map[string]Handler{"wait": func(ctx context.Context, _ json.RawMessage) (any, error) {
		close(began)
		<-ctx.Done()
		return nil, errors.New("the bridge stops")
	}})
	half, err := net.Dial("unix", filepath.Join(dir, fileName))
	if err == nil {
		_, err = half.Write([]byte(`{"op":`))
	}
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan error, 1)
	go func() { said <- Call(context.Background(), dir, "wait", nil, nil) }()
	<-began
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-said; err == nil || err.Error() != "the bridge stops" {
		t.Errorf("the command is told %v", err)
	}
	if _, err := io.ReadAll(half); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("who was still writing is told %v", err)
	}
	if err := half.Close(); err != nil {
		t.Error(err)
	}
}

func TestACommandEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	began, end := make(chan struct{}), make(chan struct{})
	serve(t, dir, map[string]Handler{"wait": func(context.Context, json.RawMessage) (any, error) {
		close(began)
		<-end
		return nil, nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	said := make(chan error, 1)
	go func() { said <- Call(ctx, dir, "wait", nil, nil) }()
	<-began
	cancel()
	if err := <-said; !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
	close(end)
}

// TestWhatIsNoRequestIsNotAnswered writes noise, and more than a request may have.
func TestWhatIsNoRequestIsNotAnswered(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	serve(t, dir, map[string]Handler{"double": double})
	for _, text := range []string{"hello", `{"op":"` + strings.Repeat("x", longestRequest)} {
		conn, err := net.Dial("unix", filepath.Join(dir, fileName))
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.Write([]byte(text))
		said, reading := io.ReadAll(conn)
		if errors.Is(reading, syscall.ECONNRESET) {
			reading = nil // it was not read to its end
		}
		if err = errors.Join(err, reading, conn.Close()); err != nil || len(said) > 0 {
			t.Errorf("it says %q (%v)", said, err)
		}
	}
}
