package appserver

import "time"

// Script is the model: it says what happens in a turn. It is asked when the
// turn has taken its first text in, and again whenever a further text was; the
// steps that were left of the last answer are then dropped. Without steps a
// turn ends at once, without a reply.
type Script func(Ask) []Step

// Ask is one question to the model.
type Ask struct {
	// Thread and Turn are ids.
	Thread, Turn string
	// Texts are the texts that the turn has taken in, in order; the parts of one
	// message are joined by a line break.
	Texts []string
}

// LastText is the text that was taken in last, empty if there is none.
func (a Ask) LastText() string {
	if len(a.Texts) == 0 {
		return ""
	}
	return a.Texts[len(a.Texts)-1]
}

// Echo answers "reply to: " and the last text, after 30 ms.
func Echo(a Ask) []Step {
	return []Step{Wait(30 * time.Millisecond), Say("reply to: " + a.LastText())}
}

// Phase says what an agent message is to its turn.
type Phase string

const (
	// FinalAnswer is the turn's answer.
	FinalAnswer Phase = "final_answer"
	// Commentary is said on the way there.
	Commentary Phase = "commentary"
	// NoPhase is the phase of models that name none; null on the wire.
	NoPhase Phase = ""
)

// Step is one thing that happens in a turn.
type Step interface {
	// play does it and lets the run go on, now or later.
	play(*run)
}

// Wait lets time pass.
func Wait(d time.Duration) Step { return wait(d) }

// Hold waits until [Server.Release] is called with the same name.
func Hold(name string) Step { return holding(name) }

// Say is an agent message of phase final_answer.
func Say(text string) Step { return Message(FinalAnswer, text) }

// Message is an agent message.
func Message(phase Phase, text string) Step { return message{phase, text} }

// Command runs a shell command that asks nobody, takes d, prints output and
// exits with 0. A text that is steered in meanwhile waits until it is done.
func Command(line, output string, d time.Duration) Step { return command{line, output, d} }

// Fail ends the turn as failed; the message is the turn's error as Codex words
// it, such as "stream disconnected before completion: boom".
func Fail(text string) Step { return failure(text) }

type (
	wait    time.Duration
	holding string
	message struct {
		phase Phase
		text  string
	}
	command struct {
		line, output string
		took         time.Duration
	}
	failure string
)

// hold is a run that waits for a release.
type hold struct {
	name string
	run  *run
}

func (w wait) play(r *run) { r.after(time.Duration(w), r.done) }

func (h holding) play(r *run) {
	held := &hold{name: string(h), run: r}
	r.server.held = append(r.server.held, held)
	r.stop = func() { r.server.forget(held) }
}

func (m message) play(r *run) {
	now := r.server.nowMs()
	item := agentMessage{
		Type: "agentMessage", ID: r.server.nextItem("msg"), Text: m.text,
		Phase: nullable(string(m.phase)), StartedAtMs: now,
	}
	r.itemStarted(item, now)
	item.CompletedAtMs = &now
	r.itemCompleted(item, now)
	r.done()
}

func (c command) play(r *run) {
	started := r.server.nowMs()
	item := newCommandExecution(r.server.nextItem("call"), c.line, r.thread.cwd, started)
	r.itemStarted(item, started)
	r.tool = true
	r.after(c.took, func() {
		r.tool = false
		now := r.server.nowMs()
		r.itemCompleted(item.ended(c.output, now), now)
		r.done()
	})
}

func (f failure) play(r *run) { r.fail(string(f)) }

// forget takes a hold out of the list.
func (s *Server) forget(held *hold) {
	for i, other := range s.held {
		if other == held {
			s.held = append(s.held[:i:i], s.held[i+1:]...)
			return
		}
	}
}
