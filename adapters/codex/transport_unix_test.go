package codex

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhyADialFailsIsSaid(t *testing.T) {
	t.Parallel()
	post := loop(t).Post
	kinds := map[TroubleKind]string{}
	fails := func(d *UnixDialer) {
		t.Helper()
		d.Post = post
		l := dial(t, d)
		err := <-l.closed
		var trouble *Trouble
		if !errors.As(err, &trouble) || len(l.opened) != 0 {
			t.Errorf("%v, want a trouble", err)
			return
		}
		kinds[trouble.Kind] += d.Socket[strings.LastIndex(d.Socket, "/")+1:]
	}
	dir := shortFolder(t)
	fails(&UnixDialer{Socket: filepath.Join(dir, "none")})
	fails(&UnixDialer{Socket: filepath.Join(dir, strings.Repeat("l", maxSocketPath))})
	mute, err := net.Listen("unix", filepath.Join(dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	go func() {
		// What hangs up at once is no app-server.
		if conn, err := mute.Accept(); err == nil {
			_ = conn.Close()
		}
	}()
	fails(&UnixDialer{Socket: filepath.Join(dir, "other")})
	fails(&UnixDialer{Socket: filepath.Join(dir, "ensured"), Ensure: func(context.Context) error {
		return &Trouble{Kind: BinaryMissing}
	}})
	want := map[TroubleKind]string{
		NotAnswering: "noneother", SocketUnusable: strings.Repeat("l", maxSocketPath), BinaryMissing: "ensured",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("troubles (-want +got):\n%s", diff)
	}
}

func TestCancellingEndsADialThatWaits(t *testing.T) {
	t.Parallel()
	ensuring := make(chan struct{})
	l := dial(t, &UnixDialer{
		Socket: filepath.Join(shortFolder(t), "none"), Post: loop(t).Post,
		Ensure: func(ctx context.Context) error {
			close(ensuring)
			<-ctx.Done()
			return ctx.Err()
		},
	})
	<-ensuring
	l.cancel()
	if err := <-l.closed; !errors.Is(err, context.Canceled) {
		t.Errorf("closed by %v", err)
	}
}
