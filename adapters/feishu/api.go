package feishu

import (
	"errors"
	"fmt"
	"time"

	"deskbridge/transitions"
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

// GetMessage asks for one message.
type GetMessage struct {
	MessageID string
}

// ListMessages asks for one page of the messages of a topic, if it names one, or of
// a chat, newest first. In a chat that is an ordinary group the messages of its
// topics are not listed, but for each topic's first.
type ListMessages struct {
	ChatID, ThreadID string
	// From and To bound when a chat's messages were created, to the second and both
	// inclusive. The platform has no bounds for a topic's.
	From, To time.Time
	// PageToken is that of the page before; empty: the first.
	PageToken string
}

// Op names the call.
func (Reply) Op() string { return "reply" }

// Op names the call.
func (React) Op() string { return "react" }

// Op names the call.
func (BotInfo) Op() string { return "bot info" }

// Op names the call.
func (GetMessage) Op() string { return "get message" }

// Op names the call.
func (ListMessages) Op() string { return "list messages" }

func (Reply) request()        {}
func (React) request()        {}
func (BotInfo) request()      {}
func (GetMessage) request()   {}
func (ListMessages) request() {}

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
	// Messages are those of a GetMessage or ListMessages.
	Messages []Listed
	// HasMore says that a ListMessages has another page, and PageToken which.
	HasMore   bool
	PageToken string
}

// Listed is a message as the platform tells it when it is asked for.
type Listed struct {
	MessageID, ChatID string
	// ThreadID is the topic that it is in; RootID and ParentID are what it replies
	// to: in a topic, both are the topic's first message. Empty: none.
	ThreadID, RootID, ParentID string
	// MsgType and Content are as in [Reply]; what was recalled has no content.
	MsgType, Content string
	// Created is by the platform's clock.
	Created transitions.Millis
	// Own says that the app of this API sent it.
	Own bool
	// Recalled says that somebody took it back.
	Recalled bool
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
