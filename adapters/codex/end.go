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

// End ends the server that was started on the socket, and returns once it is
// gone. A running bridge would start another one. Turns that it is working on
// read as interrupted afterwards.
func (s *Server) End(ctx context.Context) error {
	lock, err := os.Open(s.Socket + ".lock")
	if errors.Is(err, fs.ErrNotExist) {
		return nil // none was ever started
	}
	if err != nil {
		return s.lockTrouble(err)
	}
	defer func() { _ = lock.Close() }() // only read
	started, err := io.ReadAll(io.LimitReader(lock, 256))
	if err != nil {
		return s.lockTrouble(err)
	}
	id := string(started)
	pid, ok := pidOf(id)
	if !ok || !alive(id) {
		return nil
	}
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
