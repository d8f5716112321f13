package explore

import (
	"slices"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// settle is how far apart two reads are that prove an absence.
const settle transitions.Millis = 30

// world is one state of a conversation and of all around it.
type world struct {
	step Stepper
	// odds says that oddities can happen in it.
	odds bool
	life
	// now counts only by how long ago a turn was missing, and by what came first.
	now  transitions.Millis
	made serials
	// word is what Codex says by itself in the course of a move.
	word []toTrack

	broken []string
	last   []happened
}

// life is what decides on the future of a world.
type life struct {
	// Tracks are the conversation's, oldest first. One that is superseded, and of
	// which nothing is left, is forgotten.
	Tracks []track
	// Ended are the turns whose end is in the journal, which takes it once.
	Ended  []string
	Ledger invariant.Ledger
	Calls  []call

	Threads []thread
	// Pipe are calls on a connection that has ended, which the server may still
	// read until the settle time has passed.
	Pipe     []transitions.Effect
	Requests []request
	// Link is the connection; Down says that there is none just now, and Renewed
	// that the server is another process than the one before.
	Link          transitions.Link
	Down, Renewed bool
	// Late is a snapshot that was read and not told yet, of the track LateTo.
	Late   []transitions.Fact
	LateTo int

	Written []written
	// Chat lists the deliveries that stand in it, sorted.
	Chat []string
	// ChatShut says that the chat takes nothing.
	ChatShut bool
	// Once are the keys of the deadlines that have passed: each does so once.
	Once []string
	Left Bounds
	// Broken says that a rule was broken on the way here.
	Broken bool
}

// track is a track as the engine keeps it.
type track struct {
	State transitions.State
	Data  transitions.Data
}

// toTrack is a fact and the track that it is told to.
type toTrack struct {
	track int
	fact  transitions.Fact
}

// newest is the index of the track that takes what is written.
func (w *world) newest() int { return len(w.Tracks) - 1 }

// bound is the thread of a track; nil if it has none, or none any more.
func (w *world) bound(tr int) *thread { return w.thread(w.Tracks[tr].Data.Thread) }

// home is the track that is bound to the thread of a turn; -1 if none is.
func (w *world) home(id string) int {
	for tr := range w.Tracks {
		th := w.bound(tr)
		if th != nil && slices.ContainsFunc(th.Turns, func(t turn) bool { return t.ID == id }) {
			return tr
		}
	}
	return -1
}

// serials count what was made, for names.
type serials struct{ Messages, Stops, Threads, Turns, Requests, Links int }

// written is a message from a person, and what is true of it.
type written struct {
	ID string
	// Fenced says that a /stop came after it and found it in no turn, or that it was
	// taken back.
	Fenced bool
	// Later says that it was written after the /resume that came last.
	Later bool
	// Stopped says that a /stop was recorded for the turn that it asked for.
	Stopped bool
	// Behind says that it was sent although it was fenced.
	Behind bool
}

// call is an effect in the outbox.
type call struct {
	Track  int
	Effect transitions.Effect
	// Sent says that it has left, or may have.
	Sent bool
	// Slow says that other things may happen before it is carried out.
	Slow bool
	// Answer is the other side's, not read yet; nil: it has not got the call.
	Answer transitions.Fact
}

// thread is a Codex thread.
type thread struct {
	ID   string
	Gone bool
	// Stored says that it has had a turn that is forgotten by now.
	Stored bool
	Turns  []turn
}

// turn is a turn at Codex.
type turn struct {
	ID     string
	Status string // inProgress, or how it ended
	Reply  string
	// Items are our messages that are items of it; Pending those that were
	// accepted and that no item carries yet; Starts those whose turn/start was
	// answered with it. None is changed in place.
	Items, Pending, Starts []string
	// Seen says how many of the items the bridge was told of.
	Seen int
	// Foreign says that another client started it.
	Foreign bool
	// Deaf says that it takes no text, as a review does.
	Deaf bool
	// MustStop says that a /stop was recorded for it: without faults, it ends only
	// if it is interrupted.
	MustStop bool
	// Gone says that the server has lost it.
	Gone bool
}

const inProgress = "inProgress"

// happened is one step of the last move.
type happened struct {
	fact    transitions.Fact
	track   string
	entry   string
	small   []Taken
	state   transitions.State
	effects []transitions.Effect
}

// newWorld is the beginning: an empty track.
func newWorld(step Stepper, bounds Bounds) *world {
	return &world{
		step: step, odds: bounds.Oddities > 0,
		life: life{Tracks: []track{newTrack(transitions.FirstTrack("oc"))}, Left: bounds, Link: transitions.Link{Connection: "c0", Generation: "g0"}},
		now:  1000,
	}
}

func newTrack(id string) track {
	return track{State: transitions.Idle, Data: transitions.Data{Track: id}}
}

// move makes a move of what happens to a copy of the world.
func (w *world) move(name string, happen func(*world)) explore.Move {
	return explore.Move{Name: name, Next: func() explore.World {
		next := w.clone()
		next.survive(func() {
			happen(next)
			next.hear()
		})
		next.archive()
		next.life.Broken = len(next.broken) > 0
		return next
	}}
}

func (w *world) clone() *world {
	next := *w
	next.broken, next.last, next.word = nil, nil, nil
	next.Tracks = slices.Clone(w.Tracks)
	next.Calls = slices.Clone(w.Calls)
	next.Threads = slices.Clone(w.Threads)
	for i := range next.Threads {
		next.Threads[i].Turns = slices.Clone(w.Threads[i].Turns)
	}
	next.Written = slices.Clone(w.Written)
	next.Requests = slices.Clone(w.Requests)
	return &next
}

// hear tells what Codex said by itself, if there is a connection.
func (w *world) hear() {
	for len(w.word) > 0 {
		said := w.word
		w.word = nil
		if !w.Down {
			w.tell(said...)
		}
	}
}

// say lets Codex say something of itself about a turn.
func (w *world) say(turn string, facts ...transitions.Fact) {
	if tr := w.home(turn); tr >= 0 {
		w.word = append(w.word, to(tr, facts...)...)
	}
}

func to(tr int, facts ...transitions.Fact) (all []toTrack) {
	for _, f := range facts {
		all = append(all, toTrack{tr, f})
	}
	return all
}
