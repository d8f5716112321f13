package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// fileName is the socket's name within the data folder. It is no longer than that of
// the app-server's, whose length the configuration checks.
const fileName = "ctl.sock"

const (
	// longestRequest bounds what is read of a request, in bytes.
	longestRequest = 64 << 10
	// requestLimit is how long a request may take to be written, or an answer to be
	// read.
	requestLimit = 10 * time.Second
	// acceptPause is how long a failure to accept is let pass.
	acceptPause = 100 * time.Millisecond
)

// Handler carries an operation out. What it returns is sent as JSON.
type Handler func(ctx context.Context, params json.RawMessage) (any, error)

type request struct {
	Op     string          `json:"op"`
	Params json.RawMessage `json:"params,omitempty"`
}

type answer struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// Server answers operators' commands.
type Server struct {
	listener net.Listener
	handlers map[string]Handler
	ctx      context.Context
	cancel   context.CancelFunc
	serving  sync.WaitGroup
}

// Listen opens the socket of a data folder and serves until [Server.Close]. The caller
// must have the folder's lock: a socket that is there is then one that a crash left,
// and is replaced.
func Listen(dir string, handlers map[string]Handler) (*Server, error) {
	path := filepath.Join(dir, fileName)
	if err := clear(path); err != nil {
		return nil, err
	}
	// The mode of a socket that is not bound yet is that of its file, so that there is
	// no moment at which others could connect. Binding follows no symbolic link.
	restricted := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		controlling := c.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), 0o600) })
		return errors.Join(controlling, err)
	}}
	ctx, cancel := context.WithCancel(context.Background())
	listener, err := restricted.Listen(ctx, "unix", path)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("control: open the socket %s: %w", path, cause(err))
	}
	s := &Server{listener: listener, handlers: handlers, ctx: ctx, cancel: cancel}
	s.serving.Go(s.accept)
	return s, nil
}

// clear takes away what a crash left: a socket, or a link in its place. Anything else
// is somebody's file.
func clear(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode().Type() != fs.ModeSocket && info.Mode().Type() != fs.ModeSymlink {
		return fmt.Errorf("control: %s is no socket; move it away, so that operators' commands can reach the bridge", path)
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("control: take away the former socket %s: %w", path, cause(err))
	}
	return nil
}

// Close takes no more requests, ends those under way and waits for them. The socket's
// file goes with it.
func (s *Server) Close() error {
	s.cancel()
	err := s.listener.Close()
	s.serving.Wait()
	return err
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			// Such as too many open files, which passes.
			select {
			case <-s.ctx.Done():
				return
			case <-time.After(acceptPause):
				continue
			}
		}
		s.serving.Go(func() { s.serve(conn) })
	}
}

// serve answers one request. What cannot be written is for nobody: the command at the
// other end is gone.
func (s *Server) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(s.ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })()
	var asked request
	if err := conn.SetReadDeadline(time.Now().Add(requestLimit)); err != nil || s.ctx.Err() != nil {
		return
	}
	if err := json.NewDecoder(io.LimitReader(conn, longestRequest)).Decode(&asked); err != nil {
		return
	}
	given := s.answer(asked)
	if err := conn.SetWriteDeadline(time.Now().Add(requestLimit)); err == nil {
		_ = json.NewEncoder(conn).Encode(given)
	}
}

func (s *Server) answer(asked request) answer {
	handler, ok := s.handlers[asked.Op]
	if !ok {
		return answer{Error: fmt.Sprintf("the bridge that is running knows no operation %q; run the command of its version", asked.Op)}
	}
	result, err := handler(s.ctx, asked.Params)
	if err != nil {
		return answer{Error: err.Error()}
	}
	body, err := json.Marshal(result)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Result: body}
}

// cause leaves out what an error repeats about its file.
func cause(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}
