package feishu

import (
	"errors"
	"fmt"
	"time"

	"deskbridge/adapters/sched"
	"deskbridge/transitions"
)

// uuidWindow is how long after a send that may have taken effect its repetition
// is safe: the platform recognises a uuid for an hour, counted by its own clock,
// and a request takes its time.
const uuidWindow = 55 * time.Minute

// DefaultReceipt is the emoji that says: received.
const DefaultReceipt = "OnIt"

// SenderOptions say how the bridge speaks.
type SenderOptions struct {
	Language transitions.Language
	// Receipt is the emoji_type of receipts; empty means [DefaultReceipt].
	Receipt string
	// Undecided, if set, is told why a delivery is declared unknown.
	Undecided func(delivery string, why error)
}

// Sender carries out the effects that concern a chat. Its methods must be called
// from functions that the scheduler runs.
type Sender struct {
	sched sched.Scheduler
	api   API
	opts  SenderOptions
}

// NewSender returns a sender.
func NewSender(s sched.Scheduler, api API, o SenderOptions) *Sender {
	if o.Receipt == "" {
		o.Receipt = DefaultReceipt
	}
	if o.Undecided == nil {
		o.Undecided = func(string, error) {}
	}
	return &Sender{sched: s, api: api, opts: o}
}

// Executes reports whether an effect is for the chat.
func (*Sender) Executes(e transitions.Effect) bool {
	switch e.(type) {
	case transitions.Deliver, transitions.ShowReceipt:
		return true
	}
	return false
}

// Execute makes one attempt at an effect and reports once, from a function that
// the scheduler runs. An effect that is not for the chat is a bug of the wiring.
func (s *Sender) Execute(e transitions.Effect, a transitions.Attempt, done func(transitions.Report)) {
	switch e := e.(type) {
	case transitions.Deliver:
		s.deliver(e, a, done)
	case transitions.ShowReceipt:
		s.showReceipt(e, a, done)
	default:
		panic(fmt.Sprintf("feishu: the effect %s is not for the chat", e.EffectName()))
	}
}

func (s *Sender) deliver(e transitions.Deliver, a transitions.Attempt, done func(transitions.Report)) {
	d := s.delivery(e, a)
	switch {
	case d.from > 0 && d.part(0).text == "":
		s.sched.Post(func() { s.unknown(d, errors.New("feishu: what is left of the text is not there any more"), done) })
	case a.Sent && s.stale(a):
		s.lookUp(d, transitions.Report{Again: &transitions.Again{
			Absent: true, Err: errors.New("feishu: the message is not in the chat; it is sent again"),
		}}, done)
	default:
		s.sendPart(d, 0, done)
	}
}

// stale says that the platform may have forgotten the uuid of what was sent first. A
// clock that was set back does not say how long ago that was.
func (s *Sender) stale(a transitions.Attempt) bool {
	age := s.sched.Now().Sub(a.First)
	return age >= uuidWindow || age < 0
}

// unknown reports that what became of a delivery cannot be told.
func (s *Sender) unknown(d delivery, why error, done func(transitions.Report)) {
	s.opts.Undecided(d.Delivery, why)
	done(transitions.Settled(transitions.DeliveryUnknown{Delivery: d.Delivery}))
}

func (s *Sender) lookUp(d delivery, absent transitions.Report, done func(transitions.Report)) {
	l := &lookup{sender: s, delivery: d, absent: absent, done: done}
	l.start()
}

// sendPart sends the next part within one of the limits.
func (s *Sender) sendPart(d delivery, limit int, done func(transitions.Report)) {
	p := d.part(limit)
	req := d.reply(p, limit)
	s.api.Do(req, func(r Response) {
		row := policyOf(Classify(req, r))
		if row.Delivery.Do == Shorten {
			if smaller, ok := d.shorter(limit); ok {
				s.sendPart(d, smaller, done)
				return
			}
		}
		switch step := row.Delivery; {
		case step.Do == Settle:
			done(d.stands(r.MessageID, p))
		case step.Do == Retry && d.attempt.Number < step.Tries:
			done(again(req, r, row))
		default:
			s.giveUp(d, row, refusedBy(d, req, r, step), done)
		}
	})
}

// giveUp makes a failure of a delivery, if it is proven that none of its attempts
// has taken effect.
func (s *Sender) giveUp(d delivery, row Row, refused transitions.DeliveryRefused, done func(transitions.Report)) {
	if report := transitions.Settled(refused); d.attempt.Sent || row.MayHave {
		s.lookUp(d, report, done)
	} else {
		done(report)
	}
}

func (s *Sender) showReceipt(e transitions.ShowReceipt, a transitions.Attempt, done func(transitions.Report)) {
	req := React{MessageID: e.Message, Emoji: s.opts.Receipt}
	s.api.Do(req, func(r Response) {
		row := policyOf(Classify(req, r))
		switch step := row.Receipt; {
		case step.Do == Settle:
			done(transitions.Settled(transitions.ReceiptShown{Message: e.Message, Reaction: r.ReactionID}))
		case step.Do == Retry && a.Number < step.Tries:
			done(again(req, r, row))
		default:
			done(transitions.Settled(transitions.EffectDropped{Effect: e.EffectName(), Subject: e.Message, Said: r.Error(req).Error()}))
		}
	})
}

func again(req Request, r Response, row Row) transitions.Report {
	return transitions.Report{Again: &transitions.Again{Sent: row.MayHave, After: r.RetryAfter, Err: r.Error(req)}}
}

// refusedBy is the failure that an answer makes of a delivery.
func refusedBy(d delivery, req Request, r Response, step Step) transitions.DeliveryRefused {
	said := refusal(r)
	if step.Do == Retry {
		said = fmt.Sprintf("given up after %d tries; the last: %s", d.attempt.Number, r.Error(req))
	}
	return transitions.DeliveryRefused{Delivery: d.Delivery, Code: r.Code, Said: said}
}

// refusal is the platform's words, or what stands for them.
func refusal(r Response) string {
	if r.Msg != "" {
		return r.Msg
	}
	return fmt.Sprintf("HTTP %d", r.HTTPStatus)
}
