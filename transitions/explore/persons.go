package explore

import (
	"fmt"
	"slices"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

// personMoves are what persons can write. It goes to the newest track; a message
// may still come to the one that was the newest a moment ago.
func (w *world) personMoves() (moves []explore.Move) {
	if w.Left.Messages > 0 {
		id := fmt.Sprintf("m%d", w.made.Messages+1)
		moves = append(moves, w.move("somebody writes "+id, func(n *world) { n.write(n.newest(), id) }))
		if w.Left.Faults > 0 && len(w.Tracks) > 1 {
			moves = append(moves, w.move("somebody writes "+id+", which comes to the former track", func(n *world) {
				n.Left.Faults--
				n.write(n.newest()-1, id)
			}))
		}
	}
	if w.Left.Stops > 0 && w.made.Messages > 0 {
		id := fmt.Sprintf("s%d", w.made.Stops+1)
		moves = append(moves, w.move("somebody writes /stop "+id, func(n *world) {
			n.command(transitions.StopRequested{Message: id, Sender: admin, Created: n.now + 1, Entitled: true})
		}), w.move("somebody writes /new "+id, func(n *world) {
			n.command(transitions.NewRequested{Message: id, Sender: admin, Created: n.now + 1, Entitled: true})
		}))
	}
	return moves
}

func (w *world) write(tr int, id string, files ...transitions.File) {
	w.Left.Messages--
	w.made.Messages++
	w.now++
	w.Written = append(w.Written, written{ID: id, Later: true})
	w.tell(toTrack{tr, transitions.MessageReceived{Message: id, Sender: writer, Text: "text", Created: w.now, Files: files}})
}

func (w *world) command(f transitions.Fact) {
	w.Left.Stops--
	w.made.Stops++
	w.now++
	w.fence()
	w.tell(toTrack{w.newest(), f})
}

func (w *world) writtenAt(id string) int {
	return slices.IndexFunc(w.Written, func(m written) bool { return m.ID == id })
}

// bar notes what is in no turn and never to be sent afterwards.
func (w *world) bar(meant func(id string) bool) {
	inTurn := map[string]bool{}
	for i := range w.Threads {
		for j := range w.Threads[i].Turns {
			for _, id := range w.Threads[i].Turns[j].Items {
				inTurn[id] = true
			}
		}
	}
	for i := range w.Written {
		m := &w.Written[i]
		m.Fenced = m.Fenced || meant(m.ID) && !inTurn[m.ID]
	}
}

// fence notes what is true of messages and turns as a /stop or /new comes.
func (w *world) fence() {
	w.bar(func(string) bool { return true })
	w.stopTurns()
}

// fenceResume notes what is true of them as a /resume is carried out: what was written
// after it, whichever way it takes, is not behind it.
func (w *world) fenceResume() {
	w.bar(func(id string) bool { return !w.Written[w.writtenAt(id)].Later })
	w.stopTurns()
}

// stopTurns notes that the turns of the newest track are to stop.
func (w *world) stopTurns() {
	d := &w.Tracks[w.newest()].Data
	for k := range d.Turns {
		known := &d.Turns[k]
		if i := w.writtenAt(known.Start); i >= 0 {
			w.Written[i].Stopped = true
		}
		for i := range w.Threads {
			for j := range w.Threads[i].Turns {
				t := &w.Threads[i].Turns[j]
				t.MustStop = t.MustStop || t.ID == known.ID || known.ID == "" && slices.Contains(t.Starts, known.Start)
			}
		}
	}
}
