package feishuws

import (
	"errors"
	"sync"
)

// State is what the long connection is in.
type State string

// The states.
const (
	// Connected: events arrive.
	Connected State = "connected"
	// Disconnected: it was lost, and is being opened again.
	Disconnected State = "disconnected"
	// Failing: it cannot be opened for now; tries go on.
	Failing State = "failing"
	// Refused: the platform does not want it, and will not until an operator
	// acts; tries go on, rarely.
	Refused State = "refused"
)

// Status is a change of the long connection, for an operator. It is no fact about
// any conversation.
type Status struct {
	State State
	// Err is why, without secrets; nil for [Connected], and for [Disconnected],
	// since the SDK does not tell.
	Err error
}

// statusKeeper tells each change once.
type statusKeeper struct {
	observe func(Status)
	redact  func(string) string

	mu   sync.Mutex
	last string
}

func (k *statusKeeper) tell(state State, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	told := string(state)
	if err != nil {
		// A new error: the old one may carry an address with its ticket.
		err = errors.New(k.redact(err.Error()))
		told += " " + err.Error()
	}
	if told == k.last {
		return
	}
	k.last = told
	k.observe(Status{State: state, Err: err})
}
