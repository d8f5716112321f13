package codex

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
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
