package appserver

import (
	"encoding/json"
	"fmt"
)

// Error codes of the protocol.
const (
	codeInvalid     = -32600 // nearly every refusal
	codeUnsupported = -32601
	codeInternal    = -32603
)

// callFrame is what a client sends: a call (ID and Method), a notification
// (Method), or the answer to a request of the server (ID).
type callFrame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type resultFrame struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result"`
}

type errorFrame struct {
	Error *rpcError       `json:"error"`
	ID    json.RawMessage `json:"id"`
}

type notificationFrame struct {
	Method      string `json:"method"`
	Params      any    `json:"params"`
	EmittedAtMs int64  `json:"emittedAtMs"`
}

// rpcError is the refusal of a call.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

// invalid is a refusal with the code that nearly all have.
func invalid(format string, args ...any) *rpcError {
	return &rpcError{Code: codeInvalid, Message: fmt.Sprintf(format, args...)}
}

// decode reads a call's parameters into out, after it has found the required
// members. Where several things are wrong, the real server may name another.
func decode(params json.RawMessage, out any, required ...string) *rpcError {
	if params == nil {
		return invalid("Invalid request: missing field `params`")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(params, &members); err != nil {
		return invalid("Invalid request: %v", err)
	}
	for _, name := range required {
		if _, ok := members[name]; !ok {
			return invalid("Invalid request: missing field `%s`", name)
		}
	}
	if err := json.Unmarshal(params, out); err != nil {
		return invalid("Invalid request: %v", err)
	}
	return nil
}

// mustEncode encodes what this package built itself.
func mustEncode(frame any) []byte {
	encoded, err := json.Marshal(frame)
	if err != nil {
		panic(fmt.Sprintf("appserver: frame is not JSON: %v", err))
	}
	return encoded
}
