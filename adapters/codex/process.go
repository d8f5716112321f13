package codex

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// identity names the process with the given id, "PID-STARTED-BOOT": started is
// its start time in clock ticks since the machine was started, and boot names
// that start, so that no other process ever has the same. It is empty if there
// is no such process, or it has ended and only its parent has not noticed.
func identity(pid int) string {
	if pid <= 0 {
		return ""
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The command's name, in parentheses, may hold anything.
	_, rest, _ := cutLast(string(stat), ")")
	fields := strings.Fields(rest)
	const state, started = 0, 19 // fields 3 and 22 of proc_pid_stat(5)
	if len(fields) <= started || strings.ContainsAny(fields[state], "ZX") {
		return ""
	}
	return fmt.Sprintf("%d-%s-%s", pid, fields[started], boot())
}

// peerOf is the process at the other end of a connection to a unix socket: the one that
// began to listen there.
func peerOf(conn *net.UnixConn) (pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var credentials *syscall.Ucred
	var asking error
	err = raw.Control(func(fd uintptr) {
		credentials, asking = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err = errors.Join(err, asking); err != nil {
		return 0, err
	}
	return int(credentials.Pid), nil
}

// Listener is the id of the process that listens on a unix socket.
func Listener(ctx context.Context, socket string) (pid int, err error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return peerOf(conn.(*net.UnixConn))
}

// boot names the start of the machine.
var boot = sync.OnceValue(func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "unknown"
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(id)), "-")
	return name
})

// pidOf is the process id in an identity, if it is one.
func pidOf(identity string) (int, bool) {
	digits, _, _ := strings.Cut(identity, "-")
	pid, err := strconv.Atoi(digits)
	return pid, err == nil && pid > 0
}

// alive reports whether the process with that identity runs.
func alive(id string) bool {
	pid, ok := pidOf(id)
	return ok && identity(pid) == id
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
