package feishu

import (
	"errors"
	"fmt"
	"time"
)

// API is the platform's HTTP API, as far as the bridge calls it. Do must be
// called from a function that the scheduler runs; done is called once, later,
// from another such function.
type API interface {
	Do(req Request, done func(Response))
}

// Request is one call.
type Request interface {
	// Op names the call in errors and logs.
	Op() string
	request()
}

// Reply answers a message with another.
type Reply struct {
	// MessageID is what is replied to.
	MessageID string
	// MsgType and Content are the platform's: Content is JSON, its shape depends
	// on the type.
	MsgType, Content string
	// UUID makes a repetition harmless for an hour; at most 50 characters.
	UUID string
	// InThread opens a topic under the message. A reply to a message that is in
	// a topic stays in it anyway.
	InThread bool
}

// React puts an emoji on a message.
type React struct {
	MessageID string
	// Emoji is the platform's emoji_type: OnIt, THUMBSUP, ….
	Emoji string
}

// BotInfo asks who the app's bot is.
type BotInfo struct{}

// Op names the call.
func (Reply) Op() string { return "reply" }

// Op names the call.
func (React) Op() string { return "react" }

// Op names the call.
func (BotInfo) Op() string { return "bot info" }

func (Reply) request()   {}
func (React) request()   {}
func (BotInfo) request() {}

// Response is what became of a call.
type Response struct {
	// Code and Msg are the platform's verdict: 0 is success. HTTPStatus is 0 if no
	// answer came.
	Code       int
	Msg        string
	HTTPStatus int
	// RetryAfter is how long the platform asks to wait; 0 if it does not say.
	RetryAfter time.Duration
	// Sent says that the request may have reached the platform. It counts where
	// there is no verdict.
	Sent bool
	// Err is why there is no verdict: no connection, no time, no JSON.
	Err error

	MessageID  string // of a Reply: the new message
	ReactionID string // of a React
	Bot        Bot    // of a BotInfo
}

// Bot is the identity of the app's bot.
type Bot struct {
	OpenID string
	Name   string
}

// Error makes an error of a response that is no success.
func (r Response) Error(req Request) error {
	if cause := (*CallError)(nil); errors.As(r.Err, &cause) {
		return r.Err // another call that this one depends on
	}
	return &CallError{Op: req.Op(), Code: r.Code, Msg: r.Msg, HTTPStatus: r.HTTPStatus, Err: r.Err}
}

// CallError is a call that did not succeed.
type CallError struct {
	Op         string
	Code       int    // the platform's; 0 if it gave none
	Msg        string // the platform's words
	HTTPStatus int    // 0 if no answer came
	Err        error
}

// Error is one line: "feishu OP: CODE MSG (HTTP STATUS): CAUSE".
func (e *CallError) Error() string {
	s := "feishu " + e.Op + ":"
	if e.Code != 0 {
		s += fmt.Sprintf(" %d %s", e.Code, e.Msg)
	}
	if e.HTTPStatus != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.HTTPStatus)
	}
	switch {
	case e.Err != nil:
		s += " " + e.Err.Error()
	case e.Code == 0:
		s += " the answer lacks what was asked for"
	}
	return s
}

// Unwrap returns the cause.
func (e *CallError) Unwrap() error { return e.Err }
