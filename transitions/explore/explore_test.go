package explore

import (
	"flag"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"deskbridge/transitions"
)

// worlds are those that are explored unless a flag asks for others.
var worlds = []Bounds{
	{Messages: 1, Stops: 1, Requests: 1, Faults: 1, Oddities: 1},
	{Messages: 2, Requests: 1, Faults: 1, Oddities: 1},
	{Messages: 2, Stops: 1, Requests: 1, Faults: 1},
	{Messages: 3, Requests: 2, Faults: 2},
}

// largeWorlds take minutes each.
var largeWorlds = []Bounds{
	{Messages: 3, Stops: 1, Faults: 1},
	{Messages: 2, Stops: 1, Oddities: 2},
	{Messages: 2, Stops: 1, Faults: 2},
	{Messages: 2, Stops: 1, Faults: 1, Oddities: 1},
	{Messages: 2, Stops: 1, Requests: 2, Faults: 1},
	{Messages: 1, Stops: 1, Requests: 1, Faults: 2, Oddities: 1},
	{Messages: 2, Stops: 1, Requests: 1, Faults: 2},
	{Messages: 3, Stops: 1, Faults: 2},
}

var (
	wanted    Bounds
	oneWorld  = flag.Bool("explore.one", false, "explore the one world that the other flags describe")
	large     = flag.Bool("explore.large", false, "explore the large worlds")
	maxStates = flag.Int("explore.states", 0, "at how many states to end; 0: when all are seen")
)

func init() {
	flag.IntVar(&wanted.Messages, "explore.messages", 3, "with -explore.one: how many messages persons write")
	flag.IntVar(&wanted.Stops, "explore.stops", 1, "with -explore.one: how many times persons write /stop or /new")
	flag.IntVar(&wanted.Requests, "explore.requests", 2, "with -explore.one: how often a turn asks a person")
	flag.IntVar(&wanted.Oddities, "explore.oddities", 0, "with -explore.one: how much else happens")
	flag.IntVar(&wanted.Faults, "explore.faults", 2, "with -explore.one: how much is out of the ordinary")
}

// TestExplore holds the invariants in every state of the worlds within the bounds.
func TestExplore(t *testing.T) {
	// Most of what is made is thrown away at once.
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	all := worlds
	switch {
	case *oneWorld:
		all = []Bounds{wanted}
	case *large:
		all = largeWorlds
	}
	taken := Coverage{}
	for _, bounds := range all {
		begin := time.Now()
		report, coverage := Run(Options{Bounds: bounds, MaxStates: *maxStates, Workers: runtime.GOMAXPROCS(0)})
		t.Logf("%+v: %d states, %d edges, depth %d, %s", bounds, report.States, report.Edges, report.Depth, time.Since(begin).Round(time.Millisecond))
		if !report.Complete {
			t.Log("not all of them")
		}
		if v := report.Violation; v != nil {
			t.Fatalf("%s\nafter %d moves:\n%s", strings.Join(v.Problems, "\n"), v.Moves, strings.Join(v.Story, "\n"))
		}
		for entry, n := range coverage {
			taken[entry] += n
		}
	}
	for _, row := range taken.Never() {
		if !row.Ignored {
			t.Logf("never taken: %s", row)
		}
	}
}

// TestLaws holds the laws of the small machines.
func TestLaws(t *testing.T) {
	for _, broken := range Laws(transitions.Standard()) {
		t.Error(broken)
	}
}
