package explore

import (
	"fmt"
	"slices"
	"strings"

	"deskbridge/fsm/explore"
	"deskbridge/transitions"
)

// Who decides: who wrote the messages, somebody who may decide anyway, and
// somebody who may not.
const (
	writer   = "ou_a"
	admin    = "ou_admin"
	stranger = "ou_b"
)

// request is a request at Codex, and its card.
type request struct {
	ID, Turn, Generation string
	// Open says that Codex waits for an answer, Told that the bridge was told.
	Open, Told bool
	// Answers are the decisions that came, in order.
	Answers []string
	// Card says that a card stands in the chat, Closed that it says that the
	// request is over.
	Card, Closed bool
	// Entitled says that whoever decided here was allowed to.
	Entitled bool
}

func (w *world) request(id string) *request {
	for i := range w.Requests {
		if w.Requests[i].ID == id {
			return &w.Requests[i]
		}
	}
	return nil
}

// asks says that the turn waits for an answer.
func (w *world) asks(turn string) bool {
	return slices.ContainsFunc(w.Requests, func(r request) bool { return r.Open && r.Turn == turn })
}

// waits says that the track's thread does.
func (w *world) waits(tr int) bool {
	return slices.ContainsFunc(w.Requests, func(r request) bool { return r.Open && w.home(r.Turn) == tr })
}

// requestMoves are what can become of the requests of a track, but for what the
// chat does.
func (w *world) requestMoves(tr int) (moves []explore.Move) {
	if t := w.bound(tr).active(); t != nil && w.Left.Requests > 0 && t.begun() && !w.Down {
		moves = append(moves, w.askMoves(t.ID)...)
	}
	for i := range w.Requests {
		r := w.Requests[i]
		if w.home(r.Turn) != tr {
			continue
		}
		switch {
		case r.Open && !r.Told && !w.Down:
			moves = append(moves, w.arriveMove(r.ID))
		case r.Open && w.Left.Faults > 0:
			moves = append(moves, w.move("another client answers "+r.ID, func(n *world) {
				n.Left.Faults--
				n.resolve(r.ID)
			}))
		}
	}
	for i := range w.Tracks[tr].Data.Requests {
		if r := &w.Tracks[tr].Data.Requests[i]; r.State == transitions.RequestShown {
			moves = append(moves, w.clickMoves(tr, r)...)
		}
	}
	return moves
}

// askMoves let the running turn ask a person. The thread's flag comes before the
// request.
func (w *world) askMoves(turn string) (moves []explore.Move) {
	ask := func(name string, faults int, told bool) explore.Move {
		return w.move(name, func(n *world) {
			n.Left.Requests--
			n.Left.Faults -= faults
			n.made.Requests++
			r := request{ID: fmt.Sprintf("r%d", n.made.Requests), Turn: turn, Generation: n.Link.Generation, Open: true}
			n.Requests = append(n.Requests, r)
			n.say(turn, transitions.ThreadStatusChanged{Status: transitions.StatusActive, Waiting: true})
			if told {
				n.arrive(r.ID)
			}
		})
	}
	moves = append(moves, ask(turn+" asks a person", 0, true))
	if w.Left.Faults > 0 {
		moves = append(moves, ask(turn+" asks a person; its request is late", 1, false))
	}
	return moves
}

func (w *world) arriveMove(id string) explore.Move {
	return w.move("request "+id+" arrives", func(n *world) { n.arrive(id) })
}

func (w *world) arrive(id string) {
	r := w.request(id)
	r.Told = true
	w.say(r.Turn, transitions.RequestOpened{Request: r.ID, Kind: "approval", Turn: r.Turn, Generation: r.Generation})
}

// resolve ends a request at Codex, which says so.
func (w *world) resolve(id string) {
	r := w.request(id)
	r.Open = false
	w.say(r.Turn, transitions.RequestResolved{Request: id})
	if !w.waits(w.home(r.Turn)) {
		w.say(r.Turn, transitions.ThreadStatusChanged{Status: transitions.StatusActive})
	}
}

// endRequests ends what a turn asks, as the turn ends.
func (w *world) endRequests(turn string) {
	for i := range w.Requests {
		if r := &w.Requests[i]; r.Open && r.Turn == turn {
			w.resolve(r.ID)
		}
	}
}

// clickMoves are the decisions on a visible request.
func (w *world) clickMoves(tr int, r *transitions.Request) []explore.Move {
	by := writer
	if !w.wroteTo(r.Turn) {
		by = admin
	}
	moves := []explore.Move{w.clickMove(tr, r.ID, by, "accept")}
	if w.Left.Faults > 0 {
		moves = append(moves, w.move(by+" cancels "+r.ID, func(n *world) {
			n.Left.Faults--
			n.click(tr, r.ID, by, "cancel")
		}))
	}
	return moves
}

func (w *world) clickMove(tr int, id, by, decision string) explore.Move {
	return w.move(by+" decides on "+id, func(n *world) { n.click(tr, id, by, decision) })
}

// click decides by the card of that request: the decision says so.
func (w *world) click(tr int, id, by, decision string) {
	w.tell(toTrack{tr, clickOn(id, by, decision)})
	d := &w.Tracks[tr].Data
	for i := range d.Requests {
		r := &d.Requests[i]
		started := slices.ContainsFunc(d.Turns, func(t transitions.Turn) bool { return t.ID == r.Turn && t.Start != "" })
		if r.ID == id && r.State == transitions.RequestShown && by == writer && started {
			w.fault("%s wrote what started %s, and may not decide on %s", by, r.Turn, id)
		}
	}
}

func clickOn(id, by, decision string) transitions.Fact {
	return transitions.RequestAnswered{
		Request: id, By: by, Decision: decision + " " + id, Message: clicked + id, Entitled: by == admin,
	}
}

// clicked begins the name of the message that a click counts as.
const clicked = "click on "

// cardOf is the request whose card a decision was made with.
func cardOf(decision string) string {
	_, id, _ := strings.Cut(decision, " ")
	return id
}

// wroteTo says that the writer asked for the turn, or that text of theirs is an item
// of it.
func (w *world) wroteTo(id string) bool {
	for i := range w.Threads {
		for _, t := range w.Threads[i].Turns {
			if t.ID == id {
				return len(t.Items)+len(t.Starts) > 0
			}
		}
	}
	return false
}

// status is what Codex says of a track's thread.
func (w *world) status(tr int) transitions.Fact {
	if w.bound(tr).active() == nil {
		return transitions.ThreadStatusChanged{Status: transitions.StatusIdle}
	}
	return transitions.ThreadStatusChanged{Status: transitions.StatusActive, Waiting: w.waits(tr)}
}

// serveDecision lets Codex take an answer; one to a request that is over is
// ignored.
func (w *world) serveDecision(e transitions.AnswerRequest) {
	r := w.request(e.Request)
	if r == nil {
		return
	}
	r.Answers = with(r.Answers, e.Decision)
	if !r.Open {
		return
	}
	turn := r.Turn
	w.resolve(r.ID)
	if strings.HasPrefix(e.Decision, "cancel") {
		if tr := w.home(turn); tr >= 0 {
			if t := w.bound(tr).active(); t != nil && t.ID == turn {
				w.end(t, transitions.EndInterrupted, false)
			}
		}
	}
}

// replay is what a new connection brings about requests: those that are open are
// sent again; the others are not, and after a while that is known.
func (w *world) replay() {
	for tr := range w.Tracks {
		if th := w.bound(tr); th != nil {
			w.word = append(w.word, to(tr, transitions.ThreadResumed{Thread: th.ID, Connection: w.Link.Connection}, w.status(tr))...)
		}
	}
	for i := range w.Requests {
		if r := &w.Requests[i]; r.Open {
			w.arrive(r.ID)
		}
	}
	for tr := range w.Tracks {
		for i := range w.Tracks[tr].Data.Requests {
			id := w.Tracks[tr].Data.Requests[i].ID
			if r := w.request(id); w.bound(tr) != nil && (r == nil || !r.Open) {
				w.word = append(w.word, toTrack{tr, transitions.ReplayOverdue{Request: id, Connection: w.Link.Connection}})
			}
		}
	}
}

// noteDecision keeps what the ledger does not say about requests: whether whoever decided
// was allowed to.
func (w *world) noteDecision(row *transitions.Request) {
	if r := w.request(row.ID); r != nil && row.By != "" {
		r.Entitled = row.By == admin || row.By == writer && w.wroteTo(row.Turn)
	}
}
