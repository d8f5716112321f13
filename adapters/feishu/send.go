package feishu

import (
	"fmt"
	"time"

	"deskbridge/adapters/sched"
	"deskbridge/transitions"
)

// uuidWindow is how long after a send that may have taken effect its repetition
// is safe: the platform recognises a uuid for an hour, counted by its own clock,
// and a request takes its time.
const uuidWindow = 55 * time.Minute

// receiptTries is how often a receipt is tried; it is a courtesy, and soon stale.
const receiptTries = 3

// DefaultReceipt is the emoji that says: received.
const DefaultReceipt = "OnIt"

// SenderOptions say how the bridge speaks.
type SenderOptions struct {
	Language transitions.Language
	// Receipt is the emoji_type of receipts; empty means [DefaultReceipt].
	Receipt string
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
	if a.Sent && s.stale(a) {
		s.sched.Post(func() { done(transitions.Settled(transitions.DeliveryUnknown{Delivery: e.Delivery})) })
		return
	}
	req := Reply{MessageID: e.ReplyTo, MsgType: msgText, Content: textContent(e.Body.Say(s.opts.Language)), UUID: e.UUID}
	s.api.Do(req, func(r Response) { done(s.delivered(e, a, req, r)) })
}

// delivered judges one answer.
func (s *Sender) delivered(e transitions.Deliver, a transitions.Attempt, req Reply, r Response) transitions.Report {
	switch class := Classify(req, r); {
	case class == Done:
		return transitions.Settled(transitions.DeliveryConfirmed{Delivery: e.Delivery, Shown: r.MessageID})
	case class == Refused && !a.Sent:
		return transitions.Settled(transitions.DeliveryRefused{Delivery: e.Delivery, Code: r.Code, Said: refusal(r)})
	case class == Refused || class == Ambiguous && s.stale(a):
		// That this attempt is refused says nothing about the one before.
		return transitions.Settled(transitions.DeliveryUnknown{Delivery: e.Delivery})
	default:
		return again(req, r, class)
	}
}

// stale says that the platform may have forgotten the uuid of what was sent first. Where
// that is still to come, the clock was set back, and nobody knows how long ago it was.
func (s *Sender) stale(a transitions.Attempt) bool {
	age := s.sched.Now().Sub(a.First)
	return age < 0 || age >= uuidWindow
}

func (s *Sender) showReceipt(e transitions.ShowReceipt, a transitions.Attempt, done func(transitions.Report)) {
	req := React{MessageID: e.Message, Emoji: s.opts.Receipt}
	s.api.Do(req, func(r Response) {
		switch class := Classify(req, r); class {
		case Done:
			done(transitions.Settled(transitions.ReceiptShown{Message: e.Message, Reaction: r.ReactionID}))
		case Later, Token, Credentials:
			if a.Number < receiptTries {
				done(again(req, r, class))
				return
			}
			fallthrough
		default:
			done(transitions.Settled(transitions.EffectDropped{Effect: e.EffectName(), Subject: e.Message, Said: r.Error(req).Error()}))
		}
	})
}

func again(req Request, r Response, class Class) transitions.Report {
	return transitions.Report{Again: &transitions.Again{
		Sent: class == Ambiguous, After: r.RetryAfter, Err: r.Error(req),
	}}
}

// refusal is the platform's words, or what stands for them.
func refusal(r Response) string {
	if r.Msg != "" {
		return r.Msg
	}
	return fmt.Sprintf("HTTP %d", r.HTTPStatus)
}
