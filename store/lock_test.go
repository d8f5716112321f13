package store

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// daemon runs this test program as another process that holds a folder's lock.
func daemon(t *testing.T, dir string) (*exec.Cmd, io.WriteCloser) {
	t.Helper()
	return holding(t, holdEnv+"="+dir)
}

// holding runs this test program with variables that say what it is to hold.
func holding(t *testing.T, env ...string) (*exec.Cmd, io.WriteCloser) {
	t.Helper()
	cmd := exec.Command(must[string](t)(os.Executable()))
	cmd.Env = append(os.Environ(), env...)
	in := must[io.WriteCloser](t)(cmd.StdinPipe())
	out := must[io.ReadCloser](t)(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "held\n" {
		t.Fatalf("the other process says %q, %v", line, errors.Join(err, cmd.Wait()))
	}
	return cmd, in
}

func TestAFolderHasOneDaemon(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "on the way")
	cmd, in := daemon(t, dir)
	_, err := LockDir(dir)
	var held *HeldError
	if !errors.As(err, &held) {
		t.Fatalf("the second lock gives %v, want a HeldError", err)
	}
	want(t, "holder", *held, HeldError{Dir: dir, PID: cmd.Process.Pid})

	if err := errors.Join(in.Close(), cmd.Wait()); err != nil { // it unlocks and ends
		t.Fatal(err)
	}
	lock := must[*Lock](t)(LockDir(dir))
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
	again := must[*Lock](t)(LockDir(dir))
	if err := again.Unlock(); err != nil {
		t.Error(err)
	}
}

func TestALockEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, _ := daemon(t, dir)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the killed process ended with %v", err)
	}
	lock := must[*Lock](t)(LockDir(dir))
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
}

func TestTwoLocksOfOneProcessExcludeEachOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock := must[*Lock](t)(LockDir(dir))
	_, err := LockDir(dir)
	var held *HeldError
	if !errors.As(err, &held) || held.PID != os.Getpid() {
		t.Errorf("the second lock gives %v, want a HeldError that names this process", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
}

func TestAHolderThatHasNotWrittenItsPIDYet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock := must[*Lock](t)(LockDir(dir))
	for _, body := range []string{"", "12", "what"} {
		write(t, filepath.Join(dir, "lock"), []byte(body))
		_, err := LockDir(dir)
		var held *HeldError
		if !errors.As(err, &held) || strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%q in the lock gives %v, want a HeldError in one line", body, err)
		}
	}
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
}

func TestAFolderThatCannotBeLockedSaysWhy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), nil)
	mkdir(t, filepath.Join(dir, "lock"))
	for _, c := range []struct{ dir, said string }{
		{filepath.Join(dir, "file"), "make folder " + filepath.Join(dir, "file") + ": not a directory. Let [desk] data name a folder"},
		{filepath.Join(dir, "file", "below"), "make folder " + filepath.Join(dir, "file", "below") + ": not a directory. Let [desk] data name a folder"},
		{dir, "lock " + filepath.Join(dir, "lock") + ": is a directory. Move the folder of that name away"},
	} {
		_, err := LockDir(c.dir)
		sentence(t, err, "store: "+c.said)
	}
}
