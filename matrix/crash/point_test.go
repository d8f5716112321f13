package crash_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"deskbridge/adapters/sandbox/appserver"
	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/cmd/deskbridge/daemon"
	"deskbridge/fsm/durable"
	"deskbridge/matrix"
	"deskbridge/matrix/crash"
	"deskbridge/store"
)

// child is the bridge that ends itself at the n-th time that it reaches a point.
func child(t *testing.T, d *matrix.Desk, name string, p durable.Point, n int, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := d.Other(self, name)
	cmd.Args = append(cmd.Args, args...)
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%s:%d", crash.Variable, p, n))
	return cmd
}

// ownTests are the points that the bridge does not come to while people write.
var ownTests = []durable.Point{store.PointMigrated, store.PointCutting, store.PointCut}

// scenario lets a bridge live until it has killed itself: a text, another into its
// turn, one that is stopped, one in another chat, and a /new.
func scenario(t *testing.T, d *matrix.Desk) {
	t.Helper()
	say := func(chat int, text string) func(*feishu.Platform) {
		return func(p *feishu.Platform) { d.SayIn(p, d.Chats[chat], text) }
	}
	shown := func(chat, messages int) func(*feishu.Platform) bool {
		return func(p *feishu.Platform) bool { return len(p.Messages(d.Chats[chat].ID)) >= messages }
	}
	reacted := func(chat, message int) func(*feishu.Platform) bool {
		return func(p *feishu.Platform) bool {
			all := p.Messages(d.Chats[chat].ID)
			return len(all) > message && len(all[message].Reactions) > 0
		}
	}
	for _, step := range []struct {
		once func(*feishu.Platform) bool
		do   func(*feishu.Platform)
	}{
		{shown(0, 0), say(0, "m1 60")},
		{reacted(0, 0), say(0, "m2 20")},
		{shown(0, 0), say(1, "m3 400")},
		{reacted(1, 0), say(1, "/stop")},
		{shown(0, 3), say(0, "m4 mute 10")},
		{shown(0, 5), say(0, "/new")},
		{shown(0, 7), say(0, "m5 10")},
		{shown(1, 3), say(1, "m6 10")},
		{shown(1, 5), func(*feishu.Platform) {}},
	} {
		if ended(t, d, step.once) {
			// People go on writing to a bridge that is not there.
			d.OnPlatform(step.do)
			return
		}
		d.OnPlatform(step.do)
	}
	// Everything was answered, and the bridge still lives.
	d.Terminate()
	t.Fatal("the bridge did not come to the point")
}

// ended waits until something holds of the platform, or the bridge has ended; it says
// which.
func ended(t *testing.T, d *matrix.Desk, cond func(*feishu.Platform) bool) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	gone := d.Ended()
	go func() {
		defer cancel()
		select {
		case <-gone:
		case <-ctx.Done():
		}
	}()
	return d.Platform.Wait(ctx, cond) != nil
}

// TestSIGKILLAtEveryNamedPoint kills a bridge that works, at the first, the second and
// a later time that it comes to each point, and the next one while it makes up for
// that.
func TestSIGKILLAtEveryNamedPoint(t *testing.T) {
	atEachPoint(t, func(t *testing.T, p durable.Point) {
		for _, n := range times(p) {
			d := scripted(t)
			d.LaunchAs(child(t, d, "run", p, n))
			scenario(t, d)
			d.AwaitKilled()
			settle(t, d)
		}
	})
}

// atEachPoint runs a test at each point that has none of its own.
func atEachPoint(t *testing.T, test func(*testing.T, durable.Point)) {
	t.Helper()
	t.Parallel()
	for _, p := range daemon.Points() {
		if slices.Contains(ownTests, p) {
			continue
		}
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			test(t, p)
		})
	}
}

// scripted is a desk of two chats with a scripted app-server.
func scripted(t *testing.T) *matrix.Desk {
	t.Helper()
	d := newDesk(t, matrix.Options{Chats: 2, Scripted: &appserver.Options{Script: crash.Script(func() {})}})
	crash.NewLoad(d, nil)
	return d
}

// times are the times at which a bridge is killed at a point: the first, the second, and
// later ones.
func times(p durable.Point) []int {
	if slices.Contains([]durable.Point{daemon.PointReceived, daemon.PointCalling, daemon.PointAnswered}, p) {
		return []int{1, 2, 3, 5, 8} // there are no more messages, or not many more calls
	}
	return []int{1, 2, 3, 5, 8, 13}
}

// TestSIGKILLWhileRecovering kills a bridge twice: in the middle of its work, and the
// next one when it has just begun to make up for that.
func TestSIGKILLWhileRecovering(t *testing.T) {
	atEachPoint(t, func(t *testing.T, p durable.Point) {
		d := scripted(t)
		d.LaunchAs(child(t, d, "run", durable.PointDispatched, 4))
		scenario(t, d)
		d.AwaitKilled()
		d.LaunchAs(child(t, d, "run", p, 1))
		<-d.Ended()
		d.AwaitKilled()
		settle(t, d)
	})
}

// TestSIGKILLAtANamedPointOfARealCodex does so beside a real Codex, at the points
// around what Codex is asked and says.
func TestSIGKILLAtANamedPointOfARealCodex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		point durable.Point
		n     int
	}{
		{daemon.PointAsking, 3}, {daemon.PointHeard, 4}, {durable.PointCommitted, 5},
		{durable.PointDispatched, 2}, {durable.PointReported, 3},
	} {
		t.Run(fmt.Sprintf("%s %d", c.point, c.n), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, matrix.Options{Chats: 2, Script: crash.ModelScript(func() {})})
			crash.NewLoad(d, nil)
			d.LaunchAs(child(t, d, "run", c.point, c.n))
			scenario(t, d)
			d.AwaitKilled()
			settle(t, d)
		})
	}
}

// TestSIGKILLBetweenMigrations kills a bridge after each migration of a new ledger.
func TestSIGKILLBetweenMigrations(t *testing.T) {
	t.Parallel()
	d := newDesk(t, matrix.Options{Scripted: &appserver.Options{}})
	crash.NewLoad(d, nil)
	for range 5 {
		d.LaunchAs(child(t, d, "run", store.PointMigrated, 1))
		<-d.Ended()
		d.AwaitKilled()
	}
	d.Start()
	d.Say("hello")
	d.Finish(`A: hello [OnIt]`, `Desk re "hello": reply to: hello`)
}
