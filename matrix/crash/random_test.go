package crash_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/appserver"
	"deskbridge/matrix"
	"deskbridge/matrix/crash"
)

// seed is that of all chance here.
const seed = 1

// The scripted run, with a start of the bridge in a tenth of a second.
const (
	scriptedChats  = 20
	scriptedFacts  = 50 // the latest fact at which a life ends
	scriptedSettle = 50 // after so many kills all is let come to rest
)

// The real run.
const (
	realChats  = 6
	realFacts  = 60
	realSettle = 8
)

func TestSIGKILLAtRandomMoments(t *testing.T) {
	var load *crash.Load
	d := newDesk(t, matrix.Options{
		Chats: scriptedChats, Scripted: &appserver.Options{Script: crash.Script(func() { load.Asked() })},
	})
	load = crash.NewLoad(d, rand.New(rand.NewPCG(seed, 0)))
	r := newRun(t, d, load)
	for i := range scriptedKills {
		r.life(scriptedFacts, i%6 == 5)
		r.kill()
		if (i+1)%scriptedSettle == 0 {
			r.settle()
		}
	}
	r.hitEveryPhase()
}

// TestSIGKILLAtRandomMomentsOfARealCodex kills the bridge in two of three times, and in
// the third the app-server, with the bridge or alone.
func TestSIGKILLAtRandomMomentsOfARealCodex(t *testing.T) {
	var load *crash.Load
	d := newDesk(t, matrix.Options{
		Chats: realChats, Script: crash.ModelScript(func() { load.Asked() }),
	})
	load = crash.NewLoad(d, rand.New(rand.NewPCG(seed, 2)))
	r := newRun(t, d, load)
	for i := range realKills {
		server := i%3 == 2
		r.life(realFacts, server)
		if server {
			d.KillCodex()
		}
		if i%6 == 5 {
			r.goOn()
		} else {
			r.kill()
		}
		if (i+1)%realSettle == 0 {
			r.settle()
		}
	}
	t.Logf("kills of the bridge by phase, each conversation for itself:\n%s", &r.table)
}

// run is a desk whose bridge is killed again and again.
type run struct {
	t      *testing.T
	d      *matrix.Desk
	load   *crash.Load
	chance *rand.Rand
	table  crash.Table
	copies string // where the ledger is copied to
}

func newRun(t *testing.T, d *matrix.Desk, load *crash.Load) *run {
	t.Logf("seed %d", seed)
	return &run{t: t, d: d, load: load, chance: rand.New(rand.NewPCG(seed, 1)), copies: t.TempDir()}
}

// life lets the bridge live until the fact at which it is to be killed; see [crash.Load].
func (r *run) life(latest int, works bool) {
	r.t.Helper()
	due := r.load.Life(latest, works)
	r.d.Launch()
	select {
	case <-due:
	case <-r.d.Ended():
		r.t.Fatal("the bridge ended by itself")
	case <-time.After(time.Minute):
		r.t.Fatalf("nothing happens any more: %s; %s", r.load, open(r.t, r.d))
	}
	within(time.Duration(r.chance.IntN(800)) * time.Microsecond)
}

// kill ends the bridge, and people write to one that is not there.
func (r *run) kill() {
	r.t.Helper()
	r.d.Kill()
	hits, err := crash.Struck(r.t.Context(), r.d.Data, r.copies, r.load.Events())
	if err != nil {
		r.t.Fatal(err)
	}
	r.table.Add(hits)
	r.load.Rest()
}

// goOn lets a bridge that was not killed end, so that another may begin.
func (r *run) goOn() {
	r.t.Helper()
	r.load.Rest()
	r.d.Terminate()
}

func (r *run) settle() {
	r.t.Helper()
	messages, steps := settle(r.t, r.d)
	r.t.Logf("audited: %d messages, %d steps", messages, steps)
}

func (r *run) hitEveryPhase() {
	r.t.Helper()
	r.t.Logf("kills by phase, each conversation for itself:\n%s", &r.table)
	for _, p := range crash.Phases() {
		if hits := r.table.Hits(p); hits < leastHits {
			r.t.Errorf("only %d times was a conversation %s when the bridge was killed", hits, p)
		}
	}
}

// within lets a fraction of a millisecond pass, which no timer is fine enough for.
func within(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
		runtime.Gosched()
	}
}
