package codex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

// The tests in this file hold for every transport; what is one's own is tested
// beside it.

// echo sends every message back, marked.
func echo(p peer) {
	for {
		text, err := p.hear()
		if err != nil || p.say(text+"!") != nil {
			return
		}
	}
}

func TestFramesArriveInOrderBothWays(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c carrier) {
		const frames = 2000
		l := dial(t, c.serve(t, echo)(loop(t).Post))
		conn := <-l.opened
		for i := range frames {
			conn.Send(fmt.Append(nil, i))
		}
		for i := range frames {
			if got, want := <-l.frames, fmt.Sprint(i, "!"); got != want {
				t.Fatalf("frame %q, want %q", got, want)
			}
		}
	})
}

func TestAFrameOfSomeMegabytesArrivesBothWays(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c carrier) {
		l := dial(t, c.serve(t, echo)(loop(t).Post))
		conn := <-l.opened
		text := strings.Repeat("0123456789abcdef", 5<<16)
		conn.Send([]byte(text))
		if got := <-l.frames; got != text+"!" {
			t.Errorf("a frame of %d bytes came back as %d others", len(text), len(got))
		}
	})
}

// TestATooLargeFrameIsCutAndTheConnectionGoesOn: the connection was lost with it, and
// with it whatever else was under way on it.
func TestATooLargeFrameIsCutAndTheConnectionGoesOn(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c carrier) {
		said := make(chan error, 2)
		l := dial(t, c.serve(t, func(p peer) {
			for _, size := range []int{maxFrame + 1, 3} {
				said <- p.say(strings.Repeat("x", size))
			}
			_, _ = p.hear() // until the test ends
		})(loop(t).Post))
		<-l.opened
		for range cap(said) {
			if err := <-said; err != nil {
				t.Fatal(err)
			}
		}
		want := cutMessage{strings.Repeat("x", headSize), maxFrame + 1}
		if diff := cmp.Diff(want, <-l.cuts); diff != "" {
			t.Errorf("cut (-want +got):\n%s", diff)
		}
		if got := <-l.frames; got != "xxx" {
			t.Errorf("then %q", got)
		}
	})
}

func TestClosingOrCancellingEndsTheConnection(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c carrier) {
		gone := make(chan error, 1)
		dialer := c.serve(t, func(p peer) {
			_, err := p.hear()
			gone <- err
		})
		for _, end := range []func(Conn, dialed){
			func(c Conn, _ dialed) { c.Close() },
			func(_ Conn, l dialed) { l.cancel() },
		} {
			l := dial(t, dialer(loop(t).Post))
			end(<-l.opened, l)
			if err := <-gone; err == nil {
				t.Error("the server still reads")
			}
			if err := <-l.closed; !errors.Is(err, context.Canceled) {
				t.Errorf("closed by %v", err)
			}
		}
	})
}

func TestAServerThatHangsUpIsToldAfterWhatItSaid(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c carrier) {
		l := dial(t, c.serve(t, func(p peer) {
			if err := p.say("bye"); err != nil {
				t.Error(err)
			}
			p.hangUp()
		})(loop(t).Post))
		<-l.opened
		if err := <-l.closed; err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("closed by %v", err)
		}
		if len(l.frames) != 1 || <-l.frames != "bye" {
			t.Error("what it said last is lost")
		}
	})
}

func TestHalfAFrameIsNone(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c carrier) {
		l := dial(t, c.serve(t, func(p peer) {
			if err := p.tear(`{"id":1,"result":{}}`); err != nil {
				t.Error(err)
			}
			p.hangUp()
		})(loop(t).Post))
		<-l.opened
		if err := <-l.closed; err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("closed by %v", err)
		}
		if len(l.frames)+len(l.cuts) != 0 {
			t.Errorf("%q is taken for a frame", <-l.frames)
		}
	})
}

func TestAGenerationIsThatOfTheProcessWhereItCanBeTold(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c carrier) {
		dialer := c.serve(t, echo)
		var got []string
		for range 2 {
			l := dial(t, dialer(loop(t).Post))
			conn := <-l.opened
			got = append(got, conn.Generation())
			conn.Close()
			<-l.closed
		}
		self := identity(os.Getpid())
		want := map[string]bool{
			"unix":  got[0] == self && got[1] == self,
			"ws":    got[0] == "" && got[1] == "",
			"stdio": got[0] != "" && got[1] != "" && got[0] != got[1] && got[0] != self,
		}
		if !want[c.name] {
			t.Errorf("generations %q of this process, %q", got, self)
		}
	})
}

// TestDeltasCostAStalledSchedulerNothing: what a turn says piece by piece filled the
// bridge's queue, so that the server had to wait with what matters.
func TestDeltasCostAStalledSchedulerNothing(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c carrier) {
		const deltas, every = 6000, 100 // of 8 KB: three times what may be unread
		said := make(chan error, 1)
		dialer := c.serve(t, func(p peer) {
			var err error
			for i := range deltas {
				if err == nil {
					err = p.say(`{"method":"item/agentMessage/delta","params":{"delta":"` + strings.Repeat("d", 8<<10) + `"}}`)
				}
				if err == nil && i%every == every-1 {
					err = p.say(fmt.Sprintf(`{"method":"item/commandExecution/requestApproval","id":%d}`, i/every))
				}
			}
			said <- err
			_, _ = p.hear() // until the test ends
		})
		scheduler := loop(t)
		client := New(Options{Scheduler: scheduler, Dialer: dialer(scheduler.Post), Emit: discard, RunID: "run"})
		stalled, stall := make(chan struct{}), make(chan struct{})
		l := dial(t, skipping{client.Dialer, client.skipDelta})
		<-l.opened
		scheduler.Post(func() {
			close(stalled)
			<-stall
		})
		<-stalled
		err := <-said // with the scheduler standing still
		close(stall)
		if err != nil {
			t.Fatal(err)
		}
		for i := range deltas / every {
			if got, want := <-l.frames, fmt.Sprintf(`{"method":"item/commandExecution/requestApproval","id":%d}`, i); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
		}
		if got := client.Status().Counts.Skipped; got != deltas {
			t.Errorf("%d are counted as skipped, want %d", got, deltas)
		}
	})
}

// skipping is a dialer whose messages are skipped as the function wants it.
type skipping struct {
	Dialer
	skip func([]byte) bool
}

func (s skipping) Dial(h Handler) func() {
	h.Skip = s.skip
	return s.Dialer.Dial(h)
}

func discard(string, []transitions.Fact) {}
