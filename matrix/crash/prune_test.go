package crash_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/appserver"
	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/fsm/durable"
	"deskbridge/matrix"
	"deskbridge/matrix/crash"
	"deskbridge/store"
)

const (
	month = 30 * 24 * time.Hour
	// kept is the age below which nothing is pruned here.
	kept = 20 * 24 * time.Hour
	// pruned is how many conversations are pruned.
	pruned = 4
)

// output runs an operator's command that must succeed, and returns what it prints.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", cmd.Args[1:], err, out)
	}
	return string(out)
}

// old is a desk on which one message of each conversation was answered, long ago.
func old(t *testing.T) (d *matrix.Desk, events []string) {
	t.Helper()
	d = newDesk(t, matrix.Options{Chats: pruned, Scripted: &appserver.Options{}})
	crash.NewLoad(d, nil)
	d.Start()
	answered(t, d, "hello")
	d.Terminate()
	db, err := sql.Open("sqlite3", filepath.Join(d.Data, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"journal", "message", "turn", "delivery"} {
		_, e := db.Exec("UPDATE "+table+" SET at = at - ?", month.Milliseconds())
		err = errors.Join(err, e)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	d.OnPlatform(func(p *feishu.Platform) {
		for _, e := range p.Events() {
			events = append(events, e.ID)
		}
	})
	return d, events
}

// answered lets everybody write, and waits for the answers.
func answered(t *testing.T, d *matrix.Desk, text string) {
	t.Helper()
	d.OnPlatform(func(p *feishu.Platform) {
		for _, c := range d.Chats {
			d.SayIn(p, c, text)
		}
	})
	d.AwaitPlatform("all are answered", func(p *feishu.Platform) bool {
		for _, c := range d.Chats {
			all := p.Messages(c.ID)
			if last := all[len(all)-1]; last.Text() != "reply to: "+text {
				return false
			}
		}
		return true
	})
}

// prune is the operator's command, by the daemon where one runs.
func prune(d *matrix.Desk) *exec.Cmd {
	cmd := d.Operator("prune")
	cmd.Args = append(cmd.Args, "--older-than", kept.String())
	return cmd
}

// finish holds that the ledger is sound after a prune was killed, that a second one
// does the rest, and that nothing of what was pruned is taken again. The daemon does
// not run. Left is how many conversations the second one has to prune.
func finish(t *testing.T, d *matrix.Desk, events []string, left int) {
	t.Helper()
	sound := fmt.Sprintf("sound: conversations %d, ", pruned)
	rest := fmt.Sprintf("messages %d, turns %[1]d, deliveries %[1]d, requests 0\n", left)
	if said := output(t, d.Operator("audit")); !strings.HasPrefix(said, sound) || !strings.HasSuffix(said, rest) {
		t.Errorf("after the kill: %s", said)
	}
	if said := output(t, prune(d)); !strings.HasPrefix(said, fmt.Sprintf("removed: conversations %d, ", left)) || !strings.HasSuffix(said, rest) {
		t.Errorf("the second prune: %s", said)
	}
	nothing := sound + "steps 0, messages 0, turns 0, deliveries 0, requests 0\n"
	if said := output(t, d.Operator("audit")); said != nothing {
		t.Errorf("after the second prune: %s", said)
	}
	// The platform brings everything again, and people go on: only what is new is taken.
	d.Start()
	d.OnPlatform(func(p *feishu.Platform) {
		for _, e := range events {
			p.Redeliver(e)
		}
	})
	answered(t, d, "again")
	d.Terminate()
	said := output(t, d.Operator("audit"))
	if want := fmt.Sprintf("messages %d, turns %[1]d, deliveries %[1]d, requests 0\n", pruned); !strings.HasPrefix(said, sound) || !strings.HasSuffix(said, want) {
		t.Errorf("at the end: %s", said)
	}
	d.OnPlatform(func(p *feishu.Platform) {
		for _, c := range d.Chats {
			if n := len(p.Messages(c.ID)); n != 4 {
				t.Errorf("%s has %d messages", c.ID, n)
			}
		}
	})
}

// moments of a prune: where it is killed, and how many conversations are left.
var moments = []struct {
	point   durable.Point
	n, left int
}{
	{store.PointCutting, 1, pruned},
	{store.PointCutting, 3, pruned - 2},
	{store.PointCut, 1, pruned - 1},
	{store.PointCut, 3, pruned - 3},
	{store.PointCut, pruned, 0},
}

// TestSIGKILLInsideAPruneOfARunningBridge kills the bridge while it prunes for an
// operator's command, within a conversation's transaction and between two of them.
func TestSIGKILLInsideAPruneOfARunningBridge(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		t.Run(fmt.Sprintf("%s %d", m.point, m.n), func(t *testing.T) {
			t.Parallel()
			d, events := old(t)
			d.LaunchAs(child(t, d, "run", m.point, m.n))
			d.AwaitPlatform("the bridge is there", func(p *feishu.Platform) bool { return p.Connections() == 1 })
			out, err := prune(d).CombinedOutput()
			if want := " stopped before it answered; whether it did what was asked is not known: ask again\n"; err == nil || !strings.HasSuffix(string(out), want) {
				t.Errorf("the command whose bridge is killed says %q (%v)", out, err)
			}
			d.AwaitKilled()
			finish(t, d, events, m.left)
		})
	}
}

// TestSIGKILLInsideAPruneWithoutABridge kills the command that prunes by itself.
func TestSIGKILLInsideAPruneWithoutABridge(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		t.Run(fmt.Sprintf("%s %d", m.point, m.n), func(t *testing.T) {
			t.Parallel()
			d, events := old(t)
			d.LaunchAs(child(t, d, "prune", m.point, m.n, kept.String()))
			<-d.Ended()
			d.AwaitKilled()
			finish(t, d, events, m.left)
		})
	}
}
