package model

import (
	"fmt"
	"net/http"
)

// Reply is what the model answers to one request: its items, or a failure.
type Reply struct {
	// Items are sent in order. None is a reply without content.
	Items []Item
	// Gate, if set, holds the reply back until it is opened.
	Gate *Gate
	// Failure, if set, is what happens instead of the items.
	Failure *Failure
}

// Say is a reply of one final answer.
func Say(text string) Reply { return Reply{Items: []Item{Message(FinalAnswer, text)}} }

// Do is a reply of the given items.
func Do(items ...Item) Reply { return Reply{Items: items} }

// Held is the same reply behind a gate.
func (r Reply) Held(gate *Gate) Reply {
	r.Gate = gate
	return r
}

// Failure is a way not to answer.
type Failure struct {
	kind    failureKind
	message string
	status  int
}

type failureKind int

const (
	failResponse failureKind = iota // response.failed inside the stream
	failStatus                      // an HTTP error status
	failHangUp                      // the stream breaks off
)

// Fail is the model's own failure, a response.failed event. Codex reports it as
// "stream disconnected before completion: MESSAGE".
func Fail(message string) Reply {
	return Reply{Failure: &Failure{kind: failResponse, message: message}}
}

// Refuse is an HTTP status of 400 or above in place of a stream. Other values
// are answered as 500.
func Refuse(status int) Reply {
	if status < 400 || status > 599 {
		status = http.StatusInternalServerError
	}
	return Reply{Failure: &Failure{kind: failStatus, status: status,
		message: fmt.Sprintf("the script refuses with %d", status)}}
}

// HangUp breaks the connection off in the middle of the stream.
func HangUp() Reply { return Reply{Failure: &Failure{kind: failHangUp}} }
