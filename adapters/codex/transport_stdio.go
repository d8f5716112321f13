package codex

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// defaultPatience is how long a child may take to end after its input has, and
	// again after it was asked to, before it is killed.
	defaultPatience = 3 * time.Second
	// lineBuffer is how much is read from a child at a time, in bytes.
	lineBuffer = 64 << 10
)

// StdioDialer starts an app-server as a child process and speaks with it over its
// standard input and output: one JSON message a line. The server lives as long as
// the connection, and so do its turns: whoever closes the connection, or ends the
// bridge, interrupts them. One child runs at a time; the next one is started once
// the last is gone, since both would work on the same threads.
type StdioDialer struct {
	server   *Server
	post     func(func())
	free     chan struct{} // holds a token while there is no child
	closed   atomic.Bool
	running  atomic.Pointer[child]
	patience time.Duration
}

var _ Dialer = (*StdioDialer)(nil)

// NewStdioDialer returns a dialer of children that are started as the server says,
// whose socket does not matter. Post runs a function in the scheduler, from any
// goroutine.
func NewStdioDialer(server *Server, post func(func())) *StdioDialer {
	d := &StdioDialer{server: server, post: post, free: make(chan struct{}, 1), patience: defaultPatience}
	d.free <- struct{}{}
	return d
}

// Dial implements [Dialer]. The goroutines it starts end once the child has: soon
// after the dial is cancelled, or a few seconds later where the child does not end
// by itself.
func (d *StdioDialer) Dial(h Handler) (cancel func()) { return dialStream(d.post, h, d.open) }

// errClosed says that no child is started any more.
var errClosed = errors.New("codex: the bridge ends, and starts no app-server")

// Close ends the child that runs, and returns once it is gone. No other is started
// from now on.
func (d *StdioDialer) Close(ctx context.Context) error {
	d.closed.Store(true)
	if c := d.running.Load(); c != nil {
		c.hangUp()
	}
	select {
	case <-d.free:
		d.free <- struct{}{}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("codex: the app-server has not ended: %w", ctx.Err())
	}
}

// open starts a child.
func (d *StdioDialer) open(ctx context.Context) (stream, error) {
	select {
	case <-d.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c, err := (*child)(nil), errClosed
	if !d.closed.Load() {
		c, err = d.start(ctx)
	}
	if err != nil {
		d.free <- struct{}{}
		return nil, err
	}
	d.running.Store(c)
	if d.closed.Load() {
		c.hangUp()
	}
	return c, nil
}

func (d *StdioDialer) start(ctx context.Context) (*child, error) {
	program, err := d.server.program()
	if err != nil {
		return nil, err
	}
	// A child of ours is gone before the next one is started; one of a former life of the
	// bridge may still be ending.
	home, err := d.server.claimHome(ctx, func(running) bool { return false })
	if err != nil {
		return nil, err
	}
	defer func() { _ = home.Close() }() // given up once the child can be found
	log, offset, err := d.server.openLog()
	if err != nil {
		return nil, d.server.logTrouble(err)
	}
	c := &child{dialer: d, logged: offset, ended: make(chan struct{})}
	command := exec.Command(program, piped...)
	command.Dir, command.Env = d.server.Workdir, append(d.server.environment(), marker+"="+d.server.Socket)
	command.Stderr = log
	// A session of its own: no signal meant for the bridge reaches it, and its
	// helpers can be ended with it.
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = c.start(command)
	// The process has the file for itself; this end never wrote to it.
	_ = log.Close()
	if err != nil {
		return nil, startTrouble(program, err)
	}
	return c, nil
}

// child is a running app-server, and the connection to it.
type child struct {
	dialer *StdioDialer
	pid    int
	id     string
	logged int64 // length of the log before it
	in     *os.File
	out    *os.File
	lines  *bufio.Reader
	spoke  atomic.Bool // it has said something

	ended chan struct{} // closed once it is reaped
	exit  error         // how it ended; set before ended is closed
}

var _ stream = (*child)(nil)

// start starts the command with pipes of our own, whose ends here have deadlines.
func (c *child) start(command *exec.Cmd) error {
	input, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, output, err := os.Pipe()
	if err != nil {
		return errors.Join(err, input.Close(), in.Close())
	}
	command.Stdin, command.Stdout = input, output
	err = command.Start()
	// Its ends are its own now.
	err = errors.Join(err, input.Close(), output.Close())
	if err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	c.pid, c.in, c.out = command.Process.Pid, in, out
	c.id = identity(c.pid)
	c.lines = bufio.NewReaderSize(out, lineBuffer)
	go func() {
		c.exit = command.Wait()
		// A helper that outlives it would keep its output open, and use its threads.
		c.signal(syscall.SIGKILL)
		_ = c.out.SetReadDeadline(time.Now().Add(c.dialer.patience))
		close(c.ended)
	}()
	return nil
}

// read returns the next line. What comes before the end without a line's end is no
// message.
func (c *child) read() (message, error) {
	var m message
	for {
		part, err := c.lines.ReadSlice('\n')
		m.size += int64(len(part))
		switch {
		case m.cut:
		case m.size > maxFrame+1: // with the line's end
			m.frame, m.cut = bytes.Clone(append(m.frame, part...)[:headSize]), true
		default:
			m.frame = append(m.frame, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return message{}, err
		default:
			c.spoke.Store(true)
			m.size--
			if !m.cut {
				m.frame = m.frame[:m.size]
			}
			return m, nil
		}
	}
}

func (c *child) write(frame []byte, by time.Time) error {
	if err := c.in.SetWriteDeadline(by); err != nil {
		return err
	}
	_, err := c.in.Write(append(frame, '\n'))
	return err
}

// hangUp ends the child's input, on which it ends by itself.
func (c *child) hangUp() {
	// Closed once already is closed as well; a read that waits is given up.
	_ = c.in.Close()
	_ = c.out.SetReadDeadline(time.Now())
}

// why waits a little for the end of a child whose output has ended, to say how it
// ended.
func (c *child) why(err error) error {
	patience := time.NewTimer(c.dialer.patience)
	defer patience.Stop()
	select {
	case <-c.ended:
	case <-patience.C:
		return err
	}
	words := lastWords(c.dialer.server.Log, c.logged)
	if !c.spoke.Load() {
		return &Trouble{
			Kind: ExitedAtOnce, Err: c.exit,
			What:   "Codex ended as soon as it was started: " + words,
			Remedy: "see " + c.dialer.server.Log + ", and run `codex` by hand to check its configuration",
		}
	}
	return fmt.Errorf("codex: the app-server ended (%v): %s", c.exit, words)
}

// release ends the child, kindly at first, and its helpers with it.
func (c *child) release() {
	c.hangUp()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		c.drain()
	}()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if c.endsSoon() {
			break
		}
		c.signal(signal)
	}
	<-c.ended
	_ = c.out.Close()
	<-drained
	c.dialer.free <- struct{}{}
}

// drain takes what the child still says, so that it never waits for a reader.
func (c *child) drain() {
	for {
		_ = c.out.SetReadDeadline(time.Time{})
		// A last hangUp may still be on its way.
		if _, err := io.Copy(io.Discard, c.out); !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}

func (c *child) endsSoon() bool {
	patience := time.NewTimer(c.dialer.patience)
	defer patience.Stop()
	select {
	case <-c.ended:
		return true
	case <-patience.C:
		return false
	}
}

// signal sends a signal to the child's group. That there is none any more is what
// is wanted.
func (c *child) signal(signal syscall.Signal) { _ = syscall.Kill(-c.pid, signal) }

func (c *child) generation() string { return c.id }
