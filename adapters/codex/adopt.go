package codex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// marker is the environment variable by which an app-server that a bridge has started
// is known. Its value is the socket.
const marker = "DESKBRIDGE_SOCKET"

// running is an app-server that a bridge has started.
type running struct {
	id     string // of the process that leads its session
	socket string
	home   string // its CODEX_HOME
	// child says that it speaks over pipes with the bridge that started it, and ends with
	// that; its socket only names the desk.
	child bool
}

// runningServers finds the app-servers that bridges of this user have started: each
// leads a session, says in its arguments where it listens, and carries the marker,
// which its agents' commands inherit, but not with those arguments. A process that ends
// meanwhile, or does not let itself be looked at, is none.
func runningServers() ([]running, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var all []running
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if r, ok := runningServer(pid); ok {
			all = append(all, r)
		}
	}
	return all, nil
}

func runningServer(pid int) (running, bool) {
	if session, err := getsid(pid); err != nil || session != pid {
		return running{}, false
	}
	id := identity(pid) // first: the rest is of this process, or of none
	args := strung(pid, "cmdline")
	at := slices.Index(args, "app-server")
	if id == "" || at < 0 {
		return running{}, false
	}
	env := strung(pid, "environ")
	socket := valueOf(env, marker)
	child := slices.Equal(args[at:], piped)
	if socket == "" || !child && !slices.Equal(args[at:], listening(socket)) || !alive(id) {
		return running{}, false
	}
	return running{id: id, socket: socket, home: homeIn(env), child: child}, true
}

// piped are the arguments of a server that is a child.
var piped = []string{"app-server", "--listen", "stdio://"}

// listening are the arguments of a server on a socket.
func listening(socket string) []string { return []string{"app-server", "--listen", "unix://" + socket} }

// strung reads a file of a process that holds strings, each with a zero behind it. For a
// moment in which a process becomes another program there are none, so that it is looked
// at again.
func strung(pid int, name string) []string {
	for range 10 {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
		if err != nil {
			return nil
		}
		if len(content) > 0 {
			return strings.Split(strings.TrimSuffix(string(content), "\x00"), "\x00")
		}
		time.Sleep(lookAgain / 10)
	}
	return nil
}

// getsid is the session of a process, which is named after the process that leads it.
func getsid(pid int) (int, error) {
	session, _, errno := syscall.RawSyscall(syscall.SYS_GETSID, uintptr(pid), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(session), nil
}

// valueOf is the value that a variable has for a program: its last one.
func valueOf(env []string, name string) string {
	value := ""
	for _, pair := range env {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// homeIn is Codex's state folder in an environment.
func homeIn(env []string) string {
	if home := valueOf(env, "CODEX_HOME"); home != "" {
		return home
	}
	return filepath.Join(valueOf(env, "HOME"), ".codex")
}

// unnoted finds a server on our socket that was started and not written down, for the
// bridge that started it was killed in between.
func (s *Server) unnoted() (id string, err error) {
	all, err := runningServers()
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if s.listensFor(r) {
			return r.id, nil
		}
	}
	return "", nil
}

// listensFor says that a server is the one on our socket.
func (s *Server) listensFor(r running) bool { return r.socket == s.Socket && !r.child }

// claimHome makes sure that no server that a bridge has started has Codex's state
// folder, but for one that is ours, and keeps other bridges from starting one there
// until the file is closed. Two servers on one folder do work, but a turn that runs in
// one reads as interrupted in the other. There is no file where there is no folder:
// Codex says itself what it makes of that.
func (s *Server) claimHome(ctx context.Context, ours func(running) bool) (io.Closer, error) {
	home := homeIn(s.environment())
	folder, err := os.Stat(home)
	if errors.Is(err, os.ErrNotExist) {
		return io.NopCloser(nil), nil
	}
	var claim *os.File
	if err == nil {
		claim, err = lockFile(ctx, filepath.Join(home, "deskbridge.lock"))
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &Trouble{
			Kind: CannotStart, Err: err,
			What:   "Codex's state folder " + home + " cannot be written",
			Remedy: "make it writable for the bridge, or name another one in [codex] home",
		}
	}
	all, err := runningServers()
	if err != nil {
		return nil, errors.Join(s.lockTrouble(err), claim.Close())
	}
	for _, r := range all {
		other, err := os.Stat(r.home)
		if err != nil || !os.SameFile(folder, other) || ours(r) {
			continue
		}
		pid, _ := pidOf(r.id)
		taken := &Trouble{
			Kind:   HomeTaken,
			What:   fmt.Sprintf("another Codex (process %d, of the desk with %s) has the state folder %s", pid, r.socket, home),
			Remedy: fmt.Sprintf("name another folder in [codex] home, or stop that desk and end its Codex with `kill %d`", pid),
		}
		return nil, errors.Join(taken, claim.Close())
	}
	return claim, nil
}
