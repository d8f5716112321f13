package explore

import (
	"fmt"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

// Options of a run.
type Options struct {
	// Step steps the track; nil means the program's own tables.
	Step Stepper
	Bounds
	// Workers is how many goroutines expand worlds; 0 means one.
	Workers int
	// MaxStates ends the run early; 0 means no bound.
	MaxStates int
}

// maxFair is how many moves a track may take to come to rest once nothing goes
// wrong any more.
const maxFair = 150

// Run explores everything that can happen within the bounds, up to the first
// violation, and tells which entries of the tables were taken.
func Run(opt Options) (explore.Report, Coverage) {
	if opt.Step == nil {
		opt.Step = Program()
	}
	coverage := Coverage{}
	report := explore.Run([]explore.World{newWorld(opt.Step, opt.Bounds)}, explore.Options{
		Workers: opt.Workers, MaxStates: opt.MaxStates, MaxFair: maxFair,
		Edge: func(_, to explore.World) { coverage.add(to.(*world)) },
	})
	return report, coverage
}

// Coverage counts how often each entry was taken, by machine and entry.
type Coverage map[Taken]int

func (c Coverage) add(w *world) {
	for i := range w.last {
		c[Taken{Machine: conversation, Entry: w.last[i].entry}]++
		for _, t := range w.last[i].small {
			c[t]++
		}
	}
}

// conversation is the name of the conversation's machine.
const conversation = "conversation"

// Row is an entry of a table, for a list of those that were never taken.
type Row struct {
	Taken
	// Ignored says that the fact changes nothing in that cell.
	Ignored bool
	Why     string
}

// Never lists the entries of all tables that were not taken, in declared order.
func (c Coverage) Never() (never []Row) {
	add := func(machine, entry string, ignored bool, why string) {
		if t := (Taken{Machine: machine, Entry: entry}); c[t] == 0 {
			never = append(never, Row{t, ignored, why})
		}
	}
	for _, e := range transitions.Conversation().Entries() {
		add(conversation, e.ID, e.Ignore, e.Why)
	}
	for _, e := range transitions.Messages().Entries() {
		add("message", e.ID, e.Ignore, e.Why)
	}
	for _, e := range transitions.Turns().Entries() {
		add("turn", e.ID, e.Ignore, e.Why)
	}
	for _, e := range transitions.Requests().Entries() {
		add("request", e.ID, e.Ignore, e.Why)
	}
	for _, e := range transitions.Deliveries().Entries() {
		add("delivery", e.ID, e.Ignore, e.Why)
	}
	return never
}

func (r Row) String() string { return fmt.Sprintf("%s %s (%s)", r.Machine, r.Entry, r.Why) }
