package explore

import (
	"fmt"
	"slices"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

// faultMoves are what can go wrong with the bridge, the server and what is between
// them.
func (w *world) faultMoves() (moves []explore.Move) {
	if w.Down {
		moves = append(moves, w.reconnectMove())
	}
	if len(w.Pipe) > 0 {
		moves = append(moves, w.move("the server reads what was left on the old connection", (*world).readPipe))
	}
	if w.Left.Faults == 0 {
		return moves
	}
	fault := func(name string, happen func(*world)) {
		moves = append(moves, w.move(name, func(n *world) {
			n.Left.Faults--
			happen(n)
		}))
	}
	onTheWire := w.first(func(c *call) bool { return toCodex(c.Effect) && c.Answer == nil }) >= 0
	for _, left := range []bool{false, true} {
		if left && !onTheWire {
			break
		}
		how := ""
		if left {
			how = "; what was sent is left in the pipe"
		}
		if !w.Down {
			fault("the connection ends, and comes back"+how, func(n *world) {
				n.disconnect(left)
				n.connect()
			})
		}
		if !w.Down && w.Left.Faults > 1 {
			fault("the connection ends, and stays away for a while"+how, func(n *world) {
				n.Left.Faults--
				n.disconnect(left)
			})
		}
		fault("the bridge dies and starts again"+how, func(n *world) { n.crash(left) })
	}
	if w.Down || len(w.Threads) == 0 {
		return moves
	}
	running := false
	for tr := range w.Tracks {
		th := w.bound(tr)
		running = running || th.active() != nil
		if th != nil && th.active() == nil && (len(th.Turns) > 0 || th.Stored) {
			fault(th.ID+" is lost for good", func(n *world) { n.lose(n.bound(tr)) })
		}
	}
	fault("the server dies, and its turns read as interrupted", func(n *world) { n.kill(false) })
	if running {
		fault("the server dies, and its turns leave no trace", func(n *world) { n.kill(true) })
	}
	return moves
}

func (w *world) reconnectMove() explore.Move {
	return w.move("the bridge connects again", (*world).connect)
}

func (w *world) connect() {
	w.Down = false
	if w.Renewed {
		w.Renewed = false
		for tr := range w.Tracks {
			w.word = append(w.word, toTrack{tr, transitions.GenerationChanged{Generation: w.Link.Generation}})
		}
	}
	w.replay()
	w.dispatch()
}

// newLink begins another connection. What was sent on the old one and not read yet
// is left in the pipe, or lost.
func (w *world) newLink(left bool) {
	w.made.Links++
	w.Link.Connection = fmt.Sprintf("c%d", w.made.Links)
	w.Late, w.LateTo = nil, 0
	for i := range w.Calls {
		if c := &w.Calls[i]; left && c.Sent && c.Answer == nil && toCodex(c.Effect) {
			w.Pipe = append(slices.Clip(w.Pipe), c.Effect)
		}
	}
}

// disconnect ends the connection: no answer comes any more.
func (w *world) disconnect(left bool) {
	old := w.Link
	w.newLink(left)
	w.Down = true
	w.loseAnswers(func(e transitions.Effect) transitions.Fact {
		if start, ok := e.(transitions.StartTurn); ok {
			return transitions.TurnStartUnknown{Message: start.Message, Link: old}
		}
		return transitions.Handle(e).IfLost
	})
}

// crash ends the bridge and starts it again: what was sent may have taken effect,
// and nobody remembers on which connection.
func (w *world) crash(left bool) {
	w.newLink(left)
	w.Down = true
	w.loseAnswers(func(e transitions.Effect) transitions.Fact { return transitions.Handle(e).IfLost })
	for tr := range w.Tracks {
		w.tell(toTrack{tr, transitions.BridgeStarted{}})
	}
	w.connect()
}

// loseAnswers ends the calls under way with what is to be said of them, and puts
// those back of which nothing is.
func (w *world) loseAnswers(lost func(transitions.Effect) transitions.Fact) {
	var facts []toTrack
	w.Calls = slices.DeleteFunc(w.Calls, func(c call) bool {
		if !c.Sent || !toCodex(c.Effect) {
			return false
		}
		f := lost(c.Effect)
		if f == nil {
			return false
		}
		facts = append(facts, toTrack{c.Track, f})
		return true
	})
	for i := range w.Calls {
		if toCodex(w.Calls[i].Effect) {
			w.Calls[i].Sent, w.Calls[i].Answer = false, nil
		}
	}
	w.tell(facts...)
}

// kill ends the server process and starts another: a turn that runs reads as
// interrupted or leaves no trace, and a thread without a turn is gone.
func (w *world) kill(traceless bool) {
	for i := range w.Threads {
		th := &w.Threads[i]
		if t := th.active(); t != nil && traceless {
			w.loseTurn(t)
		} else if t != nil {
			w.end(t, transitions.EndInterrupted, false)
		}
		if !th.Stored && !slices.ContainsFunc(th.Turns, func(t turn) bool { return !t.Gone }) {
			th.Gone = true
		}
	}
	for i := range w.Requests {
		w.Requests[i].Open = false
	}
	w.word = nil // nobody says it any more
	w.disconnect(false)
	w.Pipe = nil
	w.Link.Generation, w.Renewed = fmt.Sprintf("g%d", w.made.Links), true
	w.connect()
}

// lose makes a thread and its turns disappear. What was read before is still told.
func (w *world) lose(th *thread) {
	for _, f := range w.Late {
		w.see(f)
	}
	for j := range th.Turns {
		w.loseTurn(&th.Turns[j])
	}
	th.Gone = true
}

// loseTurn makes a turn disappear. What the bridge had not seen in it never was, unless
// it was seen at work.
func (w *world) loseTurn(t *turn) {
	if t.Status == inProgress {
		t.Status = string(transitions.EndInterrupted)
	}
	t.Gone, t.Pending = true, nil
	if !slices.ContainsFunc(w.Requests, func(r request) bool { return r.Turn == t.ID && r.Told }) {
		t.Items = t.Items[:t.Seen]
	}
}
