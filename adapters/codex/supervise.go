package codex

import (
	"context"
	"errors"
	"fmt"
	"io"
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
)

// Server keeps one app-server listening on a unix socket. The server is detached:
// it has a session of its own and outlives the bridge, so that turns go on while
// the bridge is down, and the next run of the bridge adopts it.
//
// Beside the socket lies SOCKET.lock. Whoever starts a server holds it, so that
// two bridges do not start two servers, and writes into it which process was
// started. A process that is alive and does not listen is never ended from here,
// nor is a second one started beside it: the turns it may be working on would
// read as interrupted. One that was started and not written down, since its bridge was
// killed in between, is found by its arguments and adopted.
//
// Before one is started the program is asked for its version, and it must be the only
// one of all desks in its state folder. When a server falls over, the next dial starts
// another; how often that is tried, the client decides.
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

	// started, if set, is called when a process was started and is not noted yet.
	started func()
	probed  probed
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
	id := string(started)
	if !alive(id) {
		if id, err = s.unnoted(); err == nil && id != "" {
			err = note(lock, id)
		}
		if err != nil {
			return s.lockTrouble(err)
		}
	}
	if id != "" {
		if err := s.awaitAdopted(ctx, id); !errors.Is(err, errEnded) {
			return err
		}
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
	file, err := lockFile(ctx, path)
	if err != nil && ctx.Err() == nil {
		return nil, s.lockTrouble(err)
	}
	return file, err
}

// lockFile opens a file, making it where it is missing, and waits until its lock is
// ours.
func lockFile(ctx context.Context, path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	retry := time.NewTicker(lookAgain)
	defer retry.Stop()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(err, file.Close())
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

// errEnded says that a server ended while it was waited for.
var errEnded = errors.New("it ended")

// awaitAdopted waits for a server that was started before and does not listen.
func (s *Server) awaitAdopted(ctx context.Context, id string) error {
	err := s.await(ctx, func() error {
		if alive(id) {
			return nil
		}
		return errEnded
	})
	if err == nil || ctx.Err() != nil || errors.Is(err, errEnded) {
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
	found, err := s.Probe(ctx)
	if err == nil {
		err = found.unfit()
	}
	if err != nil {
		return err
	}
	home, err := s.claimHome(ctx, s.listensFor)
	if err != nil {
		return err
	}
	// Given up once the server can be found: before it listens, and after any return.
	defer func() { _ = home.Close() }()
	log, offset, err := s.openLog()
	if err != nil {
		return s.logTrouble(err)
	}
	command := exec.Command(found.Program, listening(s.Socket)...)
	command.Dir, command.Env = s.Workdir, append(s.environment(), marker+"="+s.Socket)
	command.Stdout, command.Stderr = log, log
	// A session of its own: no signal meant for the bridge reaches it.
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = command.Start()
	// The process has the file for itself; this end never wrote to it.
	_ = log.Close()
	if err != nil {
		return startTrouble(found.Program, err)
	}
	ended := make(chan struct{})
	go func() {
		// Reaped, so that no zombie stays. How it ended is in its log.
		_ = command.Wait()
		close(ended)
	}()
	if s.started != nil {
		s.started()
	}
	id := identity(command.Process.Pid)
	if err := note(lock, id); err != nil {
		return s.lockTrouble(err)
	}
	_ = home.Close()
	return s.awaitStarted(ctx, command.Process.Pid, ended, offset)
}

func (s *Server) logTrouble(err error) error {
	return &Trouble{
		Kind: CannotStart, Err: err,
		What:   "Codex's log cannot be written",
		Remedy: "make the folder of " + s.Log + " writable for the bridge",
	}
}

func startTrouble(program string, err error) error {
	return &Trouble{
		Kind: CannotStart, Err: err,
		What:   "Codex cannot be started",
		Remedy: "check that " + program + " runs on this machine and that its working folder exists",
	}
}

// awaitStarted waits for a server that was started just now.
func (s *Server) awaitStarted(ctx context.Context, pid int, ended <-chan struct{}, offset int64) error {
	err := s.await(ctx, func() error {
		select {
		case <-ended:
			return errEnded
		default:
			return nil
		}
	})
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.Is(err, errEnded):
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
		return "", s.missing(err)
	}
	return path, nil
}

func (s *Server) missing(err error) error {
	return &Trouble{
		Kind: BinaryMissing, Err: err,
		What:   fmt.Sprintf("the Codex program %q cannot be found", s.Command),
		Remedy: "install it with `npm install -g @openai/codex`, or set the path of the program",
	}
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

// note writes which process was started.
func note(lock *os.File, id string) error {
	if err := lock.Truncate(0); err != nil {
		return err
	}
	_, err := lock.WriteAt([]byte(id), 0)
	return err
}
