package explore

import (
	"fmt"
	"slices"

	"deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// change is what a step made of a track's data, and what it asks for.
type change struct {
	fact          transitions.Fact
	before, after *transitions.Data
	effects       []transitions.Effect
	problems      []string
}

// Agrees holds that the data after a step and the step's effects say the same: what
// has changed is on record, what counts as under way has been asked for, what waits
// is held by something, whoever is told so is told, and what is in doubt is read for.
// It holds whatever is told, in any order; what must hold only of a fact that is true,
// invariant.Proven says.
func Agrees(f transitions.Fact, before, after *transitions.Data, effects []transitions.Effect) []string {
	c := &change{fact: f, before: before, after: after, effects: effects}
	c.messages()
	c.told()
	c.turns()
	c.deliveries()
	c.requests()
	c.track()
	c.left()
	c.doubts()
	c.answered()
	c.takenBack()
	c.reopened()
	c.overdue()
	c.threads()
	return c.problems
}

func (c *change) fault(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// asks says that an effect of that kind is asked for.
func asks[E transitions.Effect](c *change, is func(E) bool) bool {
	_, ok := last(c, is)
	return ok
}

// last is the last effect of that kind.
func last[E transitions.Effect](c *change, is func(E) bool) (found E, ok bool) {
	for _, e := range slices.Backward(c.effects) {
		if of, fits := e.(E); fits && is(of) {
			return of, true
		}
	}
	return found, false
}

func one[T any](all []T, is func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true
	}
	return found, false
}

// messages: the row of a message says what is known of it; one that is offered is in
// a call, and one that is passed on is handed to somebody. What waits is held by
// something, and what is behind a fence is taken back if it is not sent.
func (c *change) messages() {
	row := func(id string) transitions.Message {
		r, _ := last(c, func(e transitions.RecordMessage) bool { return e.Message.ID == id })
		return r.Message
	}
	for _, m := range c.after.Messages {
		was, _ := one(c.before.Messages, func(o transitions.Message) bool { return o.ID == m.ID })
		recorded := row(m.ID)
		if changed := onRecord(was) != onRecord(m) || recorded.ID != ""; changed && onRecord(recorded) != onRecord(m) {
			c.fault("%s is %s, and its row says %q", m.ID, m.State, row(m.ID).State)
		}
		offered := m.State == transitions.MessageOffered && (was.State != m.State || was.Turn != m.Turn)
		if offered && !c.called(m.ID) {
			c.fault("%s counts as offered, and no call has it", m.ID)
		}
		if was.State == transitions.MessageOffered {
			c.goesOn(&m)
		}
		if waiting(&m) && invariant.HoldOf(c.after, &m) == "" {
			c.fault("%s waits, and nothing holds it", m.ID)
		}
	}
	for _, was := range c.before.Messages {
		if _, stays := one(c.after.Messages, func(m transitions.Message) bool { return m.ID == was.ID }); stays {
			continue
		}
		handed := asks(c, func(e transitions.HandOver) bool { return e.Message == was.ID })
		switch s := row(was.ID).State; {
		case s == transitions.MessageMoved && handed, s == transitions.MessageAnswered, over(s):
		default:
			c.fault("%s is forgotten, its row says %q, and it is handed on: %t", was.ID, s, handed)
		}
	}
	if f, ok := c.fact.(transitions.MessageReceived); ok {
		_, kept := one(c.after.Messages, func(m transitions.Message) bool { return m.ID == f.Message })
		on := asks(c, func(e transitions.HandOver) bool { return e.Message == f.Message })
		if s := row(f.Message).State; !kept && !on && !over(s) {
			c.fault("%s is received and not kept, and its row says %q", f.Message, s)
		}
	}
	c.withdrawn()
}

// told: whoever wrote gets a receipt, is told once what the message waits for, is asked
// if it grew old, and gets it back if it is not sent.
func (c *change) told() {
	says := func(id string, sentences ...transitions.SentenceID) bool {
		return asks(c, func(e transitions.Deliver) bool {
			return e.ReplyTo == id && slices.Contains(sentences, e.Body.Sentence)
		})
	}
	for _, m := range c.after.Messages {
		was, known := one(c.before.Messages, func(o transitions.Message) bool { return o.ID == m.ID })
		received, fresh := c.fact.(transitions.MessageReceived)
		fresh = fresh && received.Message == m.ID && !known
		if fresh && !asks(c, func(e transitions.ShowReceipt) bool { return e.Message == m.ID }) {
			c.fault("%s is kept, and its sender gets no receipt", m.ID)
		}
		for _, s := range m.Told {
			before := slices.Contains(was.Told, s) || fresh && slices.Contains(received.Told, s)
			if !before && !says(m.ID, s) {
				c.fault("the sender of %s counts as told %s, and is told nothing", m.ID, s)
			}
		}
		if word := invariant.HoldOf(c.after, &m).Sentence(); word != "" && !slices.Contains(m.Told, word) {
			c.fault("%s is held, and its sender is not told %s", m.ID, word)
		}
		if m.State == transitions.MessageAsked && was.State != m.State && !says(m.ID, transitions.SaidStale) && !c.onItsWay(m.ID, transitions.SaidStale) {
			c.fault("the sender of %s counts as asked whether it is wanted, and is not", m.ID)
		}
	}
	switch f := c.fact.(type) {
	case transitions.AttachmentsFailed:
		was, _ := one(c.before.Messages, func(m transitions.Message) bool { return m.ID == f.Message })
		if was.State == transitions.MessageFetching && !says(f.Message, transitions.SaidFilesLost) && !c.before.Superseded {
			c.fault("files of %s are lost, and its sender is not told", f.Message)
		}
	case transitions.ModelRequested:
		if !asks(c, func(e transitions.Deliver) bool { return e.ReplyTo == f.Message }) {
			c.fault("%s chooses a model, and is told nothing", f.Message)
		}
	}
	for _, e := range c.effects {
		r, ok := e.(transitions.RecordMessage)
		back := ok && (r.Message.State == transitions.MessageRefused || r.Message.State == transitions.MessageUnresolved)
		if back && !says(r.Message.ID, transitions.SaidNotSent, transitions.SaidRefused, transitions.SaidDismissed, transitions.SaidUnresolved) {
			c.fault("%s counts as given back, and its sender is told nothing", r.Message.ID)
		}
	}
}

// withdrawn: what may not be sent any more, for good or for now, is taken out of the
// outbox.
func (c *change) withdrawn() {
	if c.before.Superseded || asks(c, func(transitions.Withdraw) bool { return true }) {
		return
	}
	for _, m := range c.after.Messages {
		was, known := one(c.before.Messages, func(o transitions.Message) bool { return o.ID == m.ID })
		barred := m.Barred != was.Barred || len(c.after.Shut) > len(c.before.Shut)
		if known && m.State == transitions.MessageOffered && barred {
			c.fault("%s may not be sent any more, and is not taken back", m.ID)
		}
	}
}

// record is what a message's row says that can change.
type record struct {
	state           transitions.MessageState
	turn, said, bar string
	confirmed       bool
	files           string
}

func onRecord(m transitions.Message) record {
	r := record{state: m.State, turn: m.Turn, said: m.Said, bar: string(m.Barred), confirmed: m.Confirmed}
	if len(m.Files) > 0 {
		r.files = fmt.Sprint(m.Files)
	}
	return r
}

// goesOn: a message that no call has any more goes into the turn that runs, unless
// that turn takes no text, which its sender is told.
func (c *change) goesOn(m *transitions.Message) {
	var about string
	var deaf bool
	switch f := c.fact.(type) {
	case transitions.SteerAccepted:
		about = f.Message
	case transitions.SteerUnknown:
		about = f.Message
	case transitions.SteerWithdrawn:
		about = f.Message
	case transitions.SteerRefused:
		about, deaf = f.Message, f.Refusal == transitions.NotSteerable && slices.ContainsFunc(c.after.Turns, func(t transitions.Turn) bool { return t.ID == f.Turn })
	}
	s := transitions.Derive(c.after)
	takes := (s == transitions.Steerable || s == transitions.PendingVisibility) && len(c.after.Shut) == 0
	switch {
	case about != m.ID || !takes || !waiting(m):
	case !deaf:
		c.fault("%s waits, and a turn takes text", m.ID)
	case !slices.Contains(m.Told, transitions.SaidDeaf):
		c.fault("%s waits for a turn that takes no text, and its sender is not told", m.ID)
	}
}

// called says that a call with the message is asked for.
func (c *change) called(id string) bool {
	return asks(c, func(e transitions.StartTurn) bool { return e.Message == id }) ||
		asks(c, func(e transitions.SteerTurn) bool { return e.Message == id })
}

// turns: the row of a turn says what is known of it; one that counts as being
// interrupted runs, and somebody is asked to.
func (c *change) turns() {
	row := func(id string) transitions.Turn {
		r, _ := last(c, func(e transitions.RecordTurn) bool { return e.Turn.ID == id })
		return r.Turn
	}
	for _, t := range c.after.Turns {
		was, _ := one(c.before.Turns, func(o transitions.Turn) bool { return o.ID == t.ID })
		if t.ID != "" && was.State != t.State && row(t.ID).State != t.State {
			c.fault("%s is %s, and its row says %q", t.ID, t.State, row(t.ID).State)
		}
		if t.Interrupting && !was.Interrupting && !asks(c, func(e transitions.InterruptTurn) bool { return e.Turn == t.ID }) {
			c.fault("%s counts as being interrupted, and nobody is asked to", t.ID)
		}
	}
	if f, ends := c.fact.(transitions.TurnEnded); ends && c.before.Thread != "" && !slices.Contains(c.before.Closed, f.Turn) {
		if s := row(f.Turn).State; s == "" || open(s) {
			c.fault("%s is over, and its row says %q", f.Turn, s)
		}
	}
	underWay := slices.ContainsFunc(c.before.Turns, func(t transitions.Turn) bool { return t.ID == "" && !t.Lost })
	if _, lost := c.fact.(transitions.ThreadLost); lost && !underWay && len(c.after.Turns) > 0 {
		c.fault("the thread is lost, and turns of it are not")
	}
	for _, was := range c.before.Turns {
		_, stays := one(c.after.Turns, func(t transitions.Turn) bool { return t.ID == was.ID })
		if s := row(was.ID).State; was.ID != "" && !stays && (s == "" || open(s)) {
			c.fault("%s is forgotten, and its row says %q", was.ID, s)
		}
	}
}

// deliveries: the row of a delivery says what became of it, if anything did; a new one
// is sent, and so is one that is to be sent again.
func (c *change) deliveries() {
	row := func(id string) transitions.Delivery {
		r, _ := last(c, func(e transitions.RecordDelivery) bool { return e.Delivery.ID == id })
		return r.Delivery
	}
	for _, d := range c.after.Deliveries {
		was, known := one(c.before.Deliveries, func(o transitions.Delivery) bool { return o.ID == d.ID })
		if was.State != d.State && row(d.ID).State != d.State {
			c.fault("%s is %s, and its row says %q", d.ID, d.State, row(d.ID).State)
		}
		if was.Sent != d.Sent && row(d.ID).Sent != d.Sent {
			c.fault("%s stands in the chat up to %d, and its row does not say so", d.ID, d.Sent)
		}
		if known && was.State != d.State && !c.concerns(&was) {
			c.fault("%s is %s, and was %s, and nobody said anything of it", d.ID, d.State, was.State)
		}
		ready := !known || was.State != d.State && d.State == transitions.DeliveryReady
		if ready && !asks(c, func(e transitions.Deliver) bool { return e.Delivery == d.ID }) {
			c.fault("%s is to be said, and nobody is asked to", d.ID)
		}
	}
	for _, was := range c.before.Deliveries {
		_, stays := one(c.after.Deliveries, func(d transitions.Delivery) bool { return d.ID == was.ID })
		if s := row(was.ID).State; !stays && (s == "" || s == transitions.DeliveryReady) {
			c.fault("%s is forgotten, and its row says %q", was.ID, s)
		}
	}
}

// concerns says that the fact is about the delivery.
func (c *change) concerns(d *transitions.Delivery) bool {
	switch f := c.fact.(type) {
	case transitions.DeliveryConfirmed:
		return f.Delivery == d.ID
	case transitions.DeliveryRefused:
		return f.Delivery == d.ID
	case transitions.DeliveryUnknown:
		return f.Delivery == d.ID
	case transitions.ChatReopened, transitions.MessageReceived:
		return d.State == transitions.DeliveryFailed
	}
	return false
}

// requests: the row of a request says what is known of it; a new one is shown, a
// decision goes to Codex, and a request is over only by what ends it.
func (c *change) requests() {
	row := func(id string) transitions.Request {
		r, _ := last(c, func(e transitions.RecordRequest) bool { return e.Request.ID == id })
		return r.Request
	}
	closed := func(id string) bool {
		return asks(c, func(e transitions.CloseRequest) bool { return e.Request == id })
	}
	for _, r := range c.after.Requests {
		was, known := one(c.before.Requests, func(o transitions.Request) bool { return o.ID == r.ID })
		if was != r && row(r.ID) != r {
			c.fault("request %s is %s, and its row says %q", r.ID, r.State, row(r.ID).State)
		}
		if !known && r.State == transitions.RequestHidden && !asks(c, func(e transitions.ShowRequest) bool { return e.Request == r.ID }) {
			c.fault("request %s is new, and nobody is asked to show it", r.ID)
		}
		if r.State != transitions.RequestDecided {
			continue
		}
		if was.State != r.State && !asks(c, func(e transitions.AnswerRequest) bool { return e.Request == r.ID && e.Decision == r.Decision }) {
			c.fault("request %s is decided, and Codex is not told", r.ID)
		}
		if f, ok := c.fact.(transitions.RequestVisible); ok && f.Request == r.ID && !closed(r.ID) {
			c.fault("the card of %s comes after the decision, and is not closed", r.ID)
		}
	}
	for _, was := range c.before.Requests {
		if _, stays := one(c.after.Requests, func(r transitions.Request) bool { return r.ID == was.ID }); stays {
			continue
		}
		if s := row(was.ID).State; s != transitions.RequestEnded && s != transitions.RequestDead || !c.ends(was) {
			c.fault("request %s is forgotten, and its row says %q", was.ID, s)
		}
		seen := was.Shown != "" || was.State == transitions.RequestDecided // its card may be on its way
		if seen && !closed(was.ID) {
			c.fault("request %s is over, and its card is not closed", was.ID)
		}
	}
}

// ends says that the fact ends the request, or that its turn is over.
func (c *change) ends(r transitions.Request) bool {
	switch f := c.fact.(type) {
	case transitions.RequestResolved:
		return f.Request == r.ID
	case transitions.ReplayOverdue:
		return f.Request == r.ID
	case transitions.GenerationChanged:
		return f.Generation != r.Generation
	}
	_, runs := one(c.after.Turns, func(t transitions.Turn) bool { return t.ID == r.Turn })
	return !runs
}

// track: a thread that is waited for has been asked for, one that is bound is on
// record, and a track that is left has a next one.
func (c *change) track() {
	if c.after.Opening && !c.before.Opening && !asks(c, func(transitions.OpenThread) bool { return true }) {
		c.fault("a thread is waited for, and nobody is asked for one")
	}
	if c.after.Thread != c.before.Thread && !asks(c, func(e transitions.RecordThread) bool { return e.Thread == c.after.Thread }) {
		c.fault("the track is bound to %s, and that is not on record", c.after.Thread)
	}
	if c.after.Superseded && !c.before.Superseded && !asks(c, func(transitions.OpenTrack) bool { return true }) {
		c.fault("the track is left, and there is no next one")
	}
}

// left: a track that is left starts and steers nothing, shows nobody a request, and
// pushes no outcome; one that nobody hears of declines what it is asked.
func (c *change) left() {
	_, closed := c.fact.(transitions.ChatClosed)
	if closed && len(c.after.Shut) > len(c.before.Shut) || c.after.Superseded && !c.before.Superseded {
		for _, r := range c.after.Requests {
			if r.State != transitions.RequestDecided && (!closed || c.ours(r.Turn)) {
				c.fault("nobody answers request %s any more, and it is not declined", r.ID)
			}
		}
	}
	if !c.after.Superseded {
		return
	}
	for _, e := range c.effects {
		switch e := e.(type) {
		case transitions.StartTurn, transitions.SteerTurn, transitions.ShowRequest:
			c.fault("the track is left, and asks for %s", e.EffectName())
		case transitions.Deliver:
			_, again := one(c.before.Deliveries, func(d transitions.Delivery) bool { return d.ID == e.Delivery })
			if c.before.Superseded && e.Kind == transitions.Outcome && !again {
				c.fault("the track is left, and pushes %s", e.Delivery)
			}
		}
	}
}

// ours says that the turn was asked for here, or has a message of ours.
func (c *change) ours(turn string) bool {
	t, _ := one(c.after.Turns, func(t transitions.Turn) bool { return t.ID == turn })
	return t.Start != "" || slices.ContainsFunc(c.after.Messages, func(m transitions.Message) bool {
		return m.State == transitions.MessageProven && m.Turn == turn
	})
}

// doubts: what is new in doubt, and what only a read can settle, is read for at
// once.
func (c *change) doubts() {
	c.replays()
	if asks(c, func(transitions.Pull) bool { return true }) {
		return
	}
	if about, hinted := c.hint(); hinted {
		c.fault("%s, and nothing is read", about)
	}
	for _, m := range c.after.Messages {
		was, _ := one(c.before.Messages, func(o transitions.Message) bool { return o.ID == m.ID })
		if m.State == transitions.MessageUncertain && was.State != m.State {
			c.fault("whether %s was taken in is in doubt, and nothing is read", m.ID)
		}
	}
	for _, t := range c.after.Turns {
		was, known := one(c.before.Turns, func(o transitions.Turn) bool { return o.ID == t.ID && o.Start == t.Start })
		switch {
		case !known:
		case t.Missing != 0 && was.Missing == 0:
			c.fault("turn %q may be gone, and nothing is read", t.ID)
		case t.State == transitions.TurnUnknown && was.State != t.State:
			c.fault("whether %s is over is in doubt, and nothing is read", t.ID)
		case was.Interrupting && !t.Interrupting && t.State == transitions.TurnInFlight:
			c.fault("whether %s is interrupted is in doubt, and nothing is read", t.ID)
		}
	}
}

// onItsWay says that a sentence about the message was to be said before, and is not
// settled.
func (c *change) onItsWay(message string, sentence transitions.SentenceID) bool {
	_, ok := one(c.before.Deliveries, func(d transitions.Delivery) bool {
		return d.ReplyTo == message && d.Body.Sentence == sentence && d.State == transitions.DeliveryReady
	})
	return ok
}

// says says that the sentence is to be said, to whomever.
func (c *change) says(sentence transitions.SentenceID) bool {
	return asks(c, func(e transitions.Deliver) bool { return e.Body.Sentence == sentence })
}

// answered: a start that is answered is not waited for; what goes to another thread is
// told; and the outcome of a turn that is over and had text of ours is on record.
func (c *change) answered() {
	var about string
	var named bool
	switch f := c.fact.(type) {
	case transitions.TurnStartAccepted:
		about, named = f.Message, f.Turn != ""
	case transitions.TurnStartRefused:
		about = f.Message
	case transitions.TurnStartWithdrawn:
		about = f.Message
	}
	for _, t := range c.after.Turns {
		again := asks(c, func(e transitions.StartTurn) bool { return e.Message == about })
		if t.ID == "" && t.Start == about && about != "" && (!t.Lost || named) && !again {
			c.fault("the start with %s is answered, and waited for", about)
		}
	}
	_, passes := c.fact.(transitions.MessageReceived)
	if handed := asks(c, func(transitions.HandOver) bool { return true }); handed && !passes && !c.says(transitions.SaidNewThread) && !c.says(transitions.SaidResumed) && !c.knowsNewThread() {
		c.fault("text goes to another thread, and nobody is told")
	}
	for _, m := range c.before.Messages {
		was, open := one(c.before.Turns, func(t transitions.Turn) bool { return t.ID == m.Turn && t.ID != "" })
		_, stays := one(c.after.Turns, func(t transitions.Turn) bool { return t.ID == was.ID })
		if m.State != transitions.MessageProven || !open || stays {
			continue
		}
		if !asks(c, func(e transitions.RecordDelivery) bool { return e.Delivery.Turn == was.ID }) {
			c.fault("%s is over with %s in it, and its outcome is not on record", was.ID, m.ID)
		}
	}
}

// knowsNewThread says that word of another thread is on its way already.
func (c *change) knowsNewThread() bool {
	_, ok := one(c.before.Deliveries, func(d transitions.Delivery) bool { return d.Body.Sentence == transitions.SaidNewThread })
	return ok
}

// takenBack: what is taken back and has not come yet is remembered.
func (c *change) takenBack() {
	if c.before.Superseded {
		return
	}
	switch f := c.fact.(type) {
	case transitions.MessageRecalled:
		_, known := one(c.before.Messages, func(m transitions.Message) bool { return m.ID == f.Message })
		if !known && !slices.Contains(c.after.Recalled, f.Message) {
			c.fault("%s is taken back before it comes, and that is forgotten", f.Message)
		}
	case transitions.SenderDismissed:
		if !slices.Contains(c.after.Dismissed, f.Sender) {
			c.fault("%s is dismissed, and that is forgotten", f.Sender)
		}
	}
}

// reopened: in a chat that is open again, questions are asked again, what was refused
// is sent again, and turns that nobody has interrupted go on.
func (c *change) reopened() {
	_, reopened := c.fact.(transitions.ChatReopened)
	if !reopened || !c.before.Superseded && !slices.Contains(c.before.Shut, transitions.ClosedByChat) {
		return
	}
	for _, m := range c.after.Messages {
		asked := asks(c, func(e transitions.Deliver) bool { return e.ReplyTo == m.ID && e.Body.Sentence == transitions.SaidStale })
		if m.State == transitions.MessageAsked && m.Question == "" && !asked && !c.onItsWay(m.ID, transitions.SaidStale) {
			c.fault("the chat is open again, and the sender of %s is not asked", m.ID)
		}
	}
	for _, d := range c.after.Deliveries {
		if d.State == transitions.DeliveryFailed {
			c.fault("the chat is open again, and %s is not sent", d.ID)
		}
	}
	for _, t := range c.after.Turns {
		if t.Cut && !t.Interrupting && !c.before.Superseded {
			c.fault("the chat is open again, and turn %q is to end all the same", t.ID)
		}
	}
}

// overdue: a turn that must end and is silent is interrupted again, and a flag that
// nothing explains is told.
func (c *change) overdue() {
	switch f := c.fact.(type) {
	case transitions.TurnSilent:
		t, runs := one(c.before.Turns, func(t transitions.Turn) bool { return t.ID == f.Turn && t.State == transitions.TurnInFlight })
		if must := t.StopBy != "" || t.Cut; runs && must && !asks(c, func(e transitions.InterruptTurn) bool { return e.Turn == f.Turn }) {
			c.fault("%s is silent and must end, and is not interrupted again", f.Turn)
		}
	case transitions.WaitingOverdue:
		t, runs := one(c.before.Turns, func(t transitions.Turn) bool { return t.ID == f.Turn })
		alone := runs && c.before.Waiting && len(c.before.Requests) == 0 && !c.before.Superseded
		_, onItsWay := one(c.before.Deliveries, func(d transitions.Delivery) bool {
			return d.ID == "notice:"+f.Turn+":"+string(transitions.SaidWaiting)
		})
		if alone && c.ours(f.Turn) && !t.ToldWaiting && !onItsWay && !c.says(transitions.SaidWaiting) {
			c.fault("nobody knows what %s waits for, and that is not told", f.Turn)
		}
	}
}

// hint is what a fact hints at and does not say.
func (c *change) hint() (about string, ok bool) {
	turns := len(c.before.Turns) > 0
	switch f := c.fact.(type) {
	case transitions.GenerationChanged:
		return "another process answers", turns
	case transitions.ThreadResumed:
		return "others may have used the thread", turns || !c.before.Superseded
	case transitions.ThreadStatusChanged:
		active := f.Status == transitions.StatusActive
		return "the thread is " + string(f.Status) + ", and a turn is not known to be so", active != turns && (turns || !c.before.Superseded)
	case transitions.BridgeStarted:
		return "the bridge was away", turns
	case transitions.PullImpossible:
		return "the thread could not be read", turns
	case transitions.TurnSilent:
		_, open := one(c.before.Turns, func(t transitions.Turn) bool { return t.ID == f.Turn })
		return f.Turn + " is silent", open
	}
	return "", false
}

// replays: once a thread is resumed, every request has to be sent again; one that was
// is open.
func (c *change) replays() {
	if f, again := c.fact.(transitions.RequestOpened); again && !slices.Contains(c.before.Closed, f.Turn) {
		r, _ := one(c.after.Requests, func(r transitions.Request) bool { return r.ID == f.Request })
		if r.Unreplayed != "" {
			c.fault("request %s was sent again, and does not count as such", f.Request)
		}
	}
	f, resumed := c.fact.(transitions.ThreadResumed)
	if !resumed || len(c.before.Turns) == 0 {
		return
	}
	for _, r := range c.after.Requests {
		if r.Unreplayed != f.Connection {
			c.fault("the thread is resumed, and request %s need not be sent again", r.ID)
		}
	}
}
