package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"deskbridge/adapters/sandbox/appserver"
)

// simAsker is a client of the scripted app-server beside the bridge. It makes one
// call at a time.
type simAsker struct {
	world *World
	conn  *appserver.Conn
	// calls counts those made; answer is that to the last one, nil until it came.
	calls  int
	answer *simAnswer
}

type simAnswer struct {
	ID     int
	Result json.RawMessage
	Error  *struct{ Message string }
}

// askLimit is far more virtual time than an answer takes.
const askLimit = time.Minute

var errNoAnswer = errors.New("matrix: the scripted app-server does not answer")

// ask connects a client. Codex must run.
func (w *World) ask() (*simAsker, error) {
	a := &simAsker{world: w}
	if a.conn = w.Codex.Connect(a.take, func() {}); a.conn == nil {
		return nil, errNoAnswer
	}
	_, err := a.call("initialize", map[string]any{"clientInfo": map[string]string{"name": "audit", "version": "0"}})
	return a, err
}

// take notes the answer; what the server says of itself is of no interest.
func (a *simAsker) take(frame []byte) {
	var answer simAnswer
	if err := json.Unmarshal(frame, &answer); err == nil && answer.ID == a.calls {
		a.answer = &answer
	}
}

// call makes a call, and lets time pass until it is answered.
func (a *simAsker) call(method string, params any) (json.RawMessage, error) {
	a.calls++
	a.answer = nil
	frame, err := json.Marshal(map[string]any{"id": a.calls, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	a.conn.Receive(frame)
	switch {
	case !a.world.Time.AdvanceUntil(askLimit, func() bool { return a.answer != nil }):
		return nil, fmt.Errorf("%w: %s", errNoAnswer, method)
	case a.answer.Error != nil:
		return nil, errors.New(a.answer.Error.Message)
	}
	return a.answer.Result, nil
}
