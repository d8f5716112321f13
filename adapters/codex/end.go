package codex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// End ends the server that was started on the socket, and returns once it is gone. A
// running bridge would start another one. Codex lets the turns that it works on finish
// first; it takes no longer than ctx lets it.
func (s *Server) End(ctx context.Context) error {
	id, err := s.leader()
	if err != nil || id == "" {
		return err
	}
	return end(ctx, id)
}

// Replace is [Server.End], provided that the process of a generation is the server that
// was started, or one of its: another one's is not ended.
func (s *Server) Replace(ctx context.Context, generation string) error {
	id, err := s.leader()
	if err != nil {
		return err
	}
	leader, _ := pidOf(id)
	pid, _ := pidOf(generation)
	if session, err := getsid(pid); id == "" || !alive(generation) || err != nil || session != leader {
		return errors.New("codex: it was not started by a bridge")
	}
	return end(ctx, id)
}

// leader is the identity of the server that was started on the socket and runs, or
// empty.
func (s *Server) leader() (string, error) {
	lock, err := os.Open(s.Socket + ".lock")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // none was ever started
	}
	if err != nil {
		return "", s.lockTrouble(err)
	}
	defer func() { _ = lock.Close() }() // only read
	noted, err := io.ReadAll(io.LimitReader(lock, 256))
	if err != nil {
		return "", s.lockTrouble(err)
	}
	if id := string(noted); alive(id) {
		return id, nil
	}
	return s.unnoted()
}

// end asks a process to end and waits until it has.
func end(ctx context.Context, id string) error {
	pid, _ := pidOf(id)
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("codex: end process %d: %w", pid, err)
	}
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for alive(id) {
		select {
		case <-look.C:
		case <-ctx.Done():
			return fmt.Errorf("codex: process %d does not end: %w", pid, ctx.Err())
		}
	}
	return nil
}
