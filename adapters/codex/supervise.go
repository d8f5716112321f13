package codex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// defaultStartLimit is how long a server may take until it listens.
	defaultStartLimit = 30 * time.Second
	// lookAgain is the time between two looks at the socket or the lock. Codex
	// says nowhere that it listens.
	lookAgain = 50 * time.Millisecond
	// maxLog is the size beyond which the log is put aside when a server is
	// started, in bytes. One older log is kept.
	maxLog = 8 << 20
	// maxTail is how much of the log is searched for the reason of an exit.
	maxTail = 16 << 10
)

// Server keeps one app-server listening on a unix socket. The server is detached:
// it has a session of its own and outlives the bridge, so that turns go on while
// the bridge is down, and the next run of the bridge adopts it.
//
// Beside the socket lies SOCKET.lock. Whoever starts a server holds it, so that
// two bridges do not start two servers, and writes into it which process was
// started. A process that is alive and does not listen is never ended from here,
// nor is a second one started beside it: the turns it may be working on would
// read as interrupted.
type Server struct {
	// Command is the codex program: a path, or a name to be found on PATH.
	Command string
	// Socket is the path of the socket, at most 107 bytes long.
	Socket string
	// Home is Codex's state folder (CODEX_HOME). Empty: its own default, or what
	// the environment says, which is handed on.
	Home string
	// Without names environment variables that the process does not inherit: the
	// bridge's secrets are not for the agent.
	Without []string
	// Workdir is the folder in which the process works. Empty: the bridge's.
	Workdir string
	// Log is the file that takes what the process writes.
	Log string
	// StartLimit is how long it may take until it listens (30 s).
	StartLimit time.Duration
}

// Ensure returns once a server listens on the socket, after starting one if need
// be. Its error is a [*Trouble], or that of the context. It may be called from
// any goroutine, and by several processes at once.
func (s *Server) Ensure(ctx context.Context) error {
	if err := checkSocketPath(s.Socket); err != nil {
		return err
	}
	lock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	// Closing gives the lock up. Nothing was buffered that could be lost.
	defer func() { _ = lock.Close() }()
	if s.listens(ctx) {
		return nil
	}
	started, err := io.ReadAll(io.LimitReader(lock, 256))
	if err != nil {
		return s.lockTrouble(err)
	}
	if id := string(started); alive(id) {
		return s.awaitAdopted(ctx, id)
	}
	return s.start(ctx, lock)
}

// listens reports whether somebody accepts a connection.
func (s *Server) listens(ctx context.Context) bool {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", s.Socket)
	if err != nil {
		return false
	}
	// The look is all that was wanted.
	_ = conn.Close()
	return true
}

// lock opens the lock file and waits until it is ours.
func (s *Server) lock(ctx context.Context) (*os.File, error) {
	path := s.Socket + ".lock"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, s.lockTrouble(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, s.lockTrouble(err)
	}
	retry := time.NewTicker(lookAgain)
	defer retry.Stop()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(s.lockTrouble(err), file.Close())
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		}
	}
}

func (s *Server) lockTrouble(err error) error {
	return &Trouble{
		Kind: SocketUnusable, Err: err,
		What:   "the folder of Codex's socket, " + filepath.Dir(s.Socket) + ", cannot be written",
		Remedy: "make it writable for the bridge, or set another path",
	}
}

// awaitAdopted waits for a server that was started before and does not listen.
func (s *Server) awaitAdopted(ctx context.Context, id string) error {
	err := s.await(ctx, func() error {
		if alive(id) {
			return nil
		}
		return errors.New("it ended")
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	pid, _ := pidOf(id)
	return &Trouble{
		Kind: NotAnswering, Err: err,
		What:   fmt.Sprintf("Codex's app-server (process %d) does not listen on %s", pid, s.Socket),
		Remedy: fmt.Sprintf("if it stays so, end it with `kill %d`; the bridge then starts a new one", pid),
	}
}

// start starts a server, notes it in the lock file, and waits until it listens.
func (s *Server) start(ctx context.Context, lock *os.File) error {
	program, err := s.program()
	if err != nil {
		return err
	}
	log, offset, err := s.openLog()
	if err != nil {
		return &Trouble{
			Kind: CannotStart, Err: err,
			What:   "Codex's log cannot be written",
			Remedy: "make the folder of " + s.Log + " writable for the bridge",
		}
	}
	command := exec.Command(program, "app-server", "--listen", "unix://"+s.Socket)
	command.Dir, command.Env = s.Workdir, s.environment()
	command.Stdout, command.Stderr = log, log
	// A session of its own: no signal meant for the bridge reaches it.
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = command.Start()
	// The process has the file for itself; this end never wrote to it.
	_ = log.Close()
	if err != nil {
		return &Trouble{
			Kind: CannotStart, Err: err,
			What:   "Codex cannot be started",
			Remedy: "check that " + program + " runs on this machine and that its working folder exists",
		}
	}
	ended := make(chan struct{})
	go func() {
		// Reaped, so that no zombie stays. How it ended is in its log.
		_ = command.Wait()
		close(ended)
	}()
	id := identity(command.Process.Pid)
	if err := note(lock, id); err != nil {
		return s.lockTrouble(err)
	}
	return s.awaitStarted(ctx, command.Process.Pid, ended, offset)
}

// awaitStarted waits for a server that was started just now.
func (s *Server) awaitStarted(ctx context.Context, pid int, ended <-chan struct{}, offset int64) error {
	exited := errors.New("it ended")
	err := s.await(ctx, func() error {
		select {
		case <-ended:
			return exited
		default:
			return nil
		}
	})
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.Is(err, exited):
		return &Trouble{
			Kind:   ExitedAtOnce,
			What:   "Codex ended as soon as it was started: " + lastWords(s.Log, offset),
			Remedy: "see " + s.Log + ", and run `codex` by hand to check its configuration",
		}
	default:
		return &Trouble{
			Kind: NotAnswering, Err: err,
			What:   fmt.Sprintf("Codex was started (process %d) and does not listen on %s", pid, s.Socket),
			Remedy: "see " + s.Log,
		}
	}
}

// await waits until the socket answers, the process is gone, or time is up.
func (s *Server) await(ctx context.Context, gone func() error) error {
	limit := s.StartLimit
	if limit == 0 {
		limit = defaultStartLimit
	}
	deadline, stop := context.WithTimeout(ctx, limit)
	defer stop()
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for {
		if s.listens(deadline) {
			return nil
		}
		if err := gone(); err != nil {
			return err
		}
		select {
		case <-look.C:
		case <-deadline.Done():
			return deadline.Err()
		}
	}
}

// program finds the command. A relative path is the bridge's, not that of the
// folder in which the process works.
func (s *Server) program() (string, error) {
	path, err := exec.LookPath(s.Command)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", &Trouble{
			Kind: BinaryMissing, Err: err,
			What:   fmt.Sprintf("the Codex program %q cannot be found", s.Command),
			Remedy: "install it with `npm install -g @openai/codex`, or set the path of the program",
		}
	}
	return path, nil
}

// environment is the bridge's, less its secrets, with the state folder if one is
// set.
func (s *Server) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(s.Without, name)
	})
	if s.Home != "" {
		env = append(env, "CODEX_HOME="+s.Home)
	}
	return env
}

// openLog opens the log for appending, after putting one aside that has grown
// large, and tells how long it is.
func (s *Server) openLog() (log *os.File, size int64, err error) {
	if err := os.MkdirAll(filepath.Dir(s.Log), 0o700); err != nil {
		return nil, 0, err
	}
	info, err := os.Stat(s.Log)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, 0, err
	case info.Size() > maxLog:
		if err := os.Rename(s.Log, s.Log+".old"); err != nil {
			return nil, 0, err
		}
	default:
		size = info.Size()
	}
	log, err = os.OpenFile(s.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	return log, size, err
}

// note writes which process was started.
func note(lock *os.File, id string) error {
	if err := lock.Truncate(0); err != nil {
		return err
	}
	_, err := lock.WriteAt([]byte(id), 0)
	return err
}

// lastWords is the line of the log, from offset on, that says best why the
// process ended: the last error, or the last line that is not of a stack trace.
func lastWords(path string, offset int64) string {
	const none = "it said nothing"
	log, err := os.Open(path)
	if err != nil {
		return none
	}
	defer func() { _ = log.Close() }() // only read
	if info, err := log.Stat(); err == nil {
		offset = max(offset, info.Size()-maxTail)
	}
	tail, err := io.ReadAll(io.NewSectionReader(log, offset, maxTail))
	if err != nil {
		return none
	}
	return reasonIn(string(tail), none)
}

// reasonIn finds the line in what a process wrote.
func reasonIn(text, none string) string {
	text, _, _ = strings.Cut(text, "\nStack backtrace:")
	last := none
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Error: ") {
			return strings.TrimPrefix(line, "Error: ")
		}
		if line != "" {
			last = line
		}
	}
	return last
}
