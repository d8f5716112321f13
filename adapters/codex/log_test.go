package codex

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// TestALogThatGrowsWhileTheServerRunsIsBounded: it was put aside at a start only.
func TestALogThatGrowsWhileTheServerRunsIsBounded(t *testing.T) {
	t.Parallel()
	s := &Server{Log: filepath.Join(shortFolder(t), "log", "codex.log")}
	if err := s.trimLog(); err != nil {
		t.Errorf("there is no log: %v", err)
	}
	log, _, err := s.openLog() // as the server has it
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	write := func(b []byte) {
		t.Helper()
		if _, err := log.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	trimmed := func(size, old int64) {
		t.Helper()
		if err := s.trimLog(); err != nil {
			t.Fatal(err)
		}
		var oldSize int64
		info, err := os.Stat(s.Log)
		if err != nil {
			t.Fatal(err)
		}
		if aside, err := os.Stat(s.Log + ".old"); err == nil {
			oldSize = aside.Size()
		}
		if info.Size() != size || oldSize != old {
			t.Errorf("%d bytes and %d aside, want %d and %d", info.Size(), oldSize, size, old)
		}
	}
	write(make([]byte, maxLog))
	trimmed(maxLog, 0)
	write(bytes.Repeat([]byte("x"), maxLog+5))
	trimmed(0, maxLog)
	write([]byte("next\n"))
	trimmed(5, maxLog)
	if text, err := os.ReadFile(s.Log); err != nil || string(text) != "next\n" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := os.ReadFile(s.Log + ".old"); err != nil || bytes.Trim(text, "x") != nil && len(bytes.Trim(text, "x")) > 0 {
		t.Errorf("the newest part is not what was put aside: %v", err)
	}
}

func TestALogThatCannotBePutAsideIsSaid(t *testing.T) {
	t.Parallel()
	s := &Server{Log: shortFolder(t)} // a folder
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out bytes.Buffer
	s.KeepLog(ctx, slog.New(slog.NewTextHandler(&out, nil)))
	if !bytes.Contains(out.Bytes(), []byte("the log of Codex grows and cannot be put aside")) {
		t.Errorf("said %q", &out)
	}
}
