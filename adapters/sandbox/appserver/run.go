package appserver

import (
	"slices"
	"strings"
	"time"
)

// run is the turn in flight of a thread.
type run struct {
	server *Server
	thread *thread
	turn   *turn
	// begun is set at turn/started: the turn is stored and can be interrupted.
	begun bool
	// taken is set once the first input is in.
	taken bool
	// pending are accepted inputs that no item carries yet.
	pending []input
	texts   []string
	steps   []Step
	// tool is set while a step runs that a steer does not cancel.
	tool bool
	// stop takes back what the run waits for.
	stop func()
}

// input is one accepted message.
type input struct {
	clientID *string
	content  []userInput
}

// start accepts the thread's next turn.
func (t *thread) start(first input) *run {
	r := &run{
		server: t.server, thread: t,
		turn: &turn{id: t.server.nextID(), status: inProgress},
		stop: func() {},
	}
	if len(first.content) > 0 {
		r.pending = []input{first}
	}
	t.run = r
	t.stage = max(t.stage, stageBegun)
	r.after(t.server.options.Begin, r.begin)
	return r
}

// begin is the moment the turn is stored and announced.
func (r *run) begin() {
	t := r.thread
	r.begun, t.failed = true, false
	r.turn.startedAt = r.server.nowMs()
	r.turn.ordinal = len(t.turns) + 1
	t.turns = append(t.turns, r.turn)
	t.stage = stageStored
	t.recencyAt = r.turn.startedAt
	t.touch()
	t.statusChanged()
	t.notify("turn/started", turnParams{t.id, r.turn.wire(viewNotLoaded)})
	r.after(r.server.options.Take, func() {
		// One input makes the turn; what was steered in since comes after it.
		first := min(len(r.pending), 1)
		r.take(r.pending[:first])
		r.pending = r.pending[first:]
		r.taken = true
		r.ask()
	})
}

// turnParams are the parameters of turn/started and turn/completed.
type turnParams struct {
	ThreadID string   `json:"threadId"`
	Turn     turnWire `json:"turn"`
}

// steer accepts a further input. A model that is at work is cancelled; a tool
// is not.
func (r *run) steer(in input) {
	r.pending = append(r.pending, in)
	if r.taken && !r.tool {
		r.takePending()
	}
}

// takePending drops the steps, takes the pending inputs in and asks again.
func (r *run) takePending() {
	r.stop()
	r.after(r.server.options.Take, func() {
		r.take(r.pending)
		r.pending = nil
		r.ask()
	})
}

// take makes inputs userMessage items.
func (r *run) take(inputs []input) {
	for _, in := range inputs {
		now := r.server.nowMs()
		item := userMessage{
			Type: "userMessage", ID: r.server.nextID(), ClientID: in.clientID,
			Content: in.content, StartedAtMs: now,
		}
		r.itemStarted(item, now)
		item.CompletedAtMs = &now
		r.itemCompleted(item, now)
		text := joined(in.content)
		r.texts = append(r.texts, text)
		if r.thread.preview == "" {
			r.thread.preview = text
		}
	}
}

// joined are the texts of a message's parts.
func joined(content []userInput) string {
	var texts []string
	for _, part := range content {
		if part.raw == nil {
			texts = append(texts, part.text)
		}
	}
	return strings.Join(texts, "\n")
}

// ask asks the script, unless there is more to tell it.
func (r *run) ask() {
	if len(r.pending) > 0 {
		r.takePending()
		return
	}
	r.steps = r.server.options.Script(Ask{
		Thread: r.thread.id, Turn: r.turn.id, Texts: slices.Clone(r.texts),
	})
	r.next()
}

// done ends a step.
func (r *run) done() {
	r.stop = func() {}
	if len(r.pending) > 0 {
		r.takePending()
		return
	}
	r.next()
}

// next plays the next step, or completes the turn.
func (r *run) next() {
	if len(r.steps) == 0 {
		r.finish(completed)
		r.announceEnd()
		return
	}
	step := r.steps[0]
	r.steps = r.steps[1:]
	step.play(r)
}

// after goes on later, unless the run is stopped.
func (r *run) after(d time.Duration, f func()) { r.stop = r.server.sched.After(d, f) }

// interrupt ends the turn on request; what was accepted but not taken in is
// gone.
func (r *run) interrupt() {
	r.stop()
	r.finish(interrupted)
	r.announceEnd()
}

// fail ends the turn with an error of the model.
func (r *run) fail(text string) {
	r.turn.problem = &turnError{Message: text, CodexErrorInfo: "other"}
	r.thread.failed = true
	r.finish(failed)
	r.thread.statusChanged()
	r.thread.notify("error", struct {
		Error     *turnError `json:"error"`
		WillRetry bool       `json:"willRetry"`
		ThreadID  string     `json:"threadId"`
		TurnID    string     `json:"turnId"`
	}{r.turn.problem, false, r.thread.id, r.turn.id})
	r.thread.notify("turn/completed", turnParams{r.thread.id, r.turn.ended()})
}

// finish stores how the turn ended.
func (r *run) finish(status string) {
	t := r.thread
	r.turn.status = status
	r.turn.completedAt = r.server.nowMs()
	t.run = nil
	t.touch()
	if status == completed && t.read == "" {
		t.read = r.server.nextID()
	}
}

// announceEnd tells of an end without an error.
func (r *run) announceEnd() {
	r.thread.statusChanged()
	r.thread.notify("turn/completed", turnParams{r.thread.id, r.turn.ended()})
}

// lose ends the run with its process: a stored turn reads as interrupted, but
// without a time.
func (r *run) lose() {
	r.stop()
	r.thread.run = nil
	if r.begun {
		r.turn.status = interrupted
	}
}

// itemParams are the parameters of item/started.
type itemParams struct {
	Item        any    `json:"item"`
	ThreadID    string `json:"threadId"`
	TurnID      string `json:"turnId"`
	StartedAtMs int64  `json:"startedAtMs"`
}

// itemStarted announces an item.
func (r *run) itemStarted(item any, atMs int64) {
	r.thread.notify("item/started", itemParams{item, r.thread.id, r.turn.id, atMs})
}

// itemCompleted stores an item and announces its end.
func (r *run) itemCompleted(item any, atMs int64) {
	r.turn.items = append(r.turn.items, item)
	r.thread.notify("item/completed", struct {
		Item              any    `json:"item"`
		ThreadID          string `json:"threadId"`
		TurnID            string `json:"turnId"`
		ContentTokenCount *int   `json:"contentTokenCount"`
		CompletedAtMs     int64  `json:"completedAtMs"`
	}{item, r.thread.id, r.turn.id, nil, atMs})
}
