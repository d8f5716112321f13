package codex

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// endless is a stream on which a message of some bytes always waits, until there were
// enough.
type endless struct{ size, left, reads int }

func (e *endless) read() (message, error) {
	if e.left == 0 {
		return message{}, io.EOF
	}
	e.left--
	e.reads++
	return message{frame: make([]byte, e.size), size: int64(e.size)}, nil
}

func (e *endless) write([]byte, time.Time) error { return nil }
func (e *endless) hangUp()                       {}
func (e *endless) why(err error) error           { return err }
func (e *endless) release()                      {}
func (e *endless) generation() string            { return "" }

// TestTheServerWaitsWhileTooMuchIsUnread holds what a scheduler that stands still may
// cost: so many bytes, or one message.
func TestTheServerWaitsWhileTooMuchIsUnread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ size, waiting int }{
		{1 << 20, 15}, {0, maxUnread / unreadCost}, {maxFrame, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &endless{size: c.size, left: c.waiting + 5}
			all := s.left
			var posted []func()
			frames := 0
			h := Handler{Frame: func([]byte) { frames++ }}
			ended := make(chan error, 1)
			go func() { ended <- readAll(t.Context(), func(f func()) { posted = append(posted, f) }, h, s) }()
			synctest.Wait()
			// One more is read, and waits for its place.
			if len(posted) != c.waiting || s.reads != c.waiting+1 {
				t.Errorf("of %d bytes each, %d are unread and %d read, want %d and one more", c.size, len(posted), s.reads, c.waiting)
			}
			for len(posted) > 0 {
				next := posted
				posted = nil
				for _, f := range next {
					f()
				}
				synctest.Wait()
			}
			if err := <-ended; !errors.Is(err, io.EOF) || frames != all {
				t.Errorf("%d of %d frames came, then %v", frames, all, err)
			}
		})
	}
}

func TestAReaderThatWaitsIsGivenUpWithTheConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- readAll(ctx, func(func()) {}, Handler{}, &endless{size: maxUnread, left: 2}) }()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("ended by %v", err)
		}
	})
}

// TestTheLargestMessageIsKeptAndALargerOneIsNot holds the bound for both ways in which
// messages end.
func TestTheLargestMessageIsKeptAndALargerOneIsNot(t *testing.T) {
	t.Parallel()
	text := make([]byte, maxFrame+1)
	for i := range text {
		text[i] = 'x'
	}
	for size, cut := range map[int]bool{maxFrame: false, maxFrame + 1: true} {
		whole := bytes.NewReader(text[:size])
		line := &child{lines: bufio.NewReader(io.MultiReader(bytes.NewReader(text[:size]), strings.NewReader("\n")))}
		for name, read := range map[string]func() (message, error){
			"to the end": func() (message, error) { return readMessage(whole) }, "a line": line.read,
		} {
			want := size
			if cut {
				want = headSize
			}
			m, err := read()
			if err != nil || m.cut != cut || len(m.frame) != want || m.size != int64(size) {
				t.Errorf("%s, of %d bytes: %d bytes, cut %v, said to be %d, %v", name, size, len(m.frame), m.cut, m.size, err)
			}
		}
	}
}

// TestAMessageThatBreaksOffIsNone holds it for a message within and one beyond what is
// kept.
func TestAMessageThatBreaksOffIsNone(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, size := range []int{0, 10, maxFrame + 10} {
		r := io.MultiReader(bytes.NewReader(make([]byte, size)), failing{broken})
		if m, err := readMessage(r); !errors.Is(err, broken) || m.frame != nil {
			t.Errorf("after %d bytes: %d bytes, %v", size, len(m.frame), err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
