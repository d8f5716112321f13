package codex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// maxLog is the size beyond which the log is put aside, in bytes. One older log is
	// kept.
	maxLog = 8 << 20
	// logLook is the time between two looks at its size.
	logLook = time.Minute
	// maxTail is how much of the log is searched for the reason of an exit.
	maxTail = 16 << 10
)

// KeepLog bounds the log, whichever server writes it, until ctx ends. What goes wrong is
// said once until it changes.
func (s *Server) KeepLog(ctx context.Context, log *slog.Logger) {
	look := time.NewTicker(logLook)
	defer look.Stop()
	said := ""
	for {
		if err := s.trimLog(); err == nil {
			said = ""
		} else if err.Error() != said {
			said = err.Error()
			log.Warn("the log of Codex grows and cannot be put aside", "err", err)
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// trimLog puts aside the end of a log that has grown large, and empties it. The server
// keeps its file, to which it appends, so that it goes on at the beginning; a line that
// it writes between the copy and the emptying is lost.
func (s *Server) trimLog() (err error) {
	log, err := os.OpenFile(s.Log, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	info, err := log.Stat()
	if err != nil || info.Size() <= maxLog {
		return err
	}
	old, err := os.OpenFile(s.Log+".old", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = log.Seek(-maxLog, io.SeekEnd); err == nil {
		_, err = io.Copy(old, log)
	}
	if err = errors.Join(err, old.Close()); err != nil {
		return fmt.Errorf("codex: put %s aside: %w", s.Log, err)
	}
	return log.Truncate(0)
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
