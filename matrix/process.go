package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// Process is a running program whose output can be waited for. Its methods may be
// called from any goroutine.
type Process struct {
	// Stdout and Stderr are what it has written.
	Stdout, Stderr *Output

	cmd   *exec.Cmd
	ended chan struct{}
	err   error // of Wait; set before ended is closed
}

// Launch starts a command, whose outputs must not be set.
func Launch(cmd *exec.Cmd) (*Process, error) {
	p := &Process{Stdout: newOutput(), Stderr: newOutput(), cmd: cmd, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.Stdout, p.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.ended)
		p.err = cmd.Wait()
	}()
	return p, nil
}

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal. A process that has ended already is no error.
func (p *Process) Signal(sig os.Signal) error {
	if err := p.cmd.Process.Signal(sig); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// Wait waits for the end and returns the exit code, -1 where a signal was the end.
func (p *Process) Wait(ctx context.Context) (int, error) {
	select {
	case <-p.ended:
	case <-ctx.Done():
		return 0, fmt.Errorf("matrix: process %d does not end: %w", p.PID(), ctx.Err())
	}
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) {
		return 0, p.err
	}
	return p.cmd.ProcessState.ExitCode(), nil
}

// AwaitLine waits until the output holds a whole line that contains all texts, and
// returns the first such line.
func (p *Process) AwaitLine(ctx context.Context, out *Output, texts ...string) (string, error) {
	for {
		// Taken before the output is looked at, so that nothing is missed.
		changed, ended := out.changes(), p.hasEnded()
		if line, ok := out.line(texts); ok {
			return line, nil
		}
		if ended {
			return "", fmt.Errorf("matrix: process %d ended without a line about %q", p.PID(), texts)
		}
		select {
		case <-changed:
		case <-p.ended:
		case <-ctx.Done():
			return "", fmt.Errorf("matrix: no line about %q: %w", texts, ctx.Err())
		}
	}
}

// Ended is closed once the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Output collects what a process writes.
type Output struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{}
}

func newOutput() *Output { return &Output{changed: make(chan struct{})} }

// Write takes what the process has written.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(b)
	close(o.changed)
	o.changed = make(chan struct{})
	return len(b), nil
}

// String is all of it so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (o *Output) changes() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.changed
}

func (o *Output) line(texts []string) (string, bool) {
	for line := range strings.Lines(o.String()) {
		whole := strings.HasSuffix(line, "\n")
		for _, text := range texts {
			whole = whole && strings.Contains(line, text)
		}
		if whole {
			return strings.TrimSuffix(line, "\n"), true
		}
	}
	return "", false
}
