package appserver

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// methodList are the methods that the real server knows, in the order in which
// it lists them when it is asked for another.
//
//go:embed methods.txt
var methodList string

// call is what carries a method out.
type call func(*Conn, json.RawMessage) (answer, *rpcError)

// calls are the methods that are modelled.
var calls = map[string]call{
	"thread/start":       (*Conn).threadStart,
	"thread/resume":      (*Conn).threadResume,
	"thread/read":        (*Conn).threadRead,
	"thread/turns/list":  (*Conn).threadTurnsList,
	"thread/list":        (*Conn).threadList,
	"thread/loaded/list": (*Conn).threadLoadedList,
	"thread/unsubscribe": (*Conn).threadUnsubscribe,

	"thread/inject_items": (*Conn).threadInjectItems,
	"turn/start":          (*Conn).turnStart,
	"turn/steer":          (*Conn).turnSteer,
	"turn/interrupt":      (*Conn).turnInterrupt,
}

// dispatch carries a call out.
func (c *Conn) dispatch(frame callFrame) (answer, *rpcError) {
	if frame.Method == "initialize" {
		return c.initialize(frame.Params)
	}
	known := strings.Fields(methodList)
	if !slices.Contains(known, frame.Method) {
		return answer{}, invalid("Invalid request: unknown variant `%s`, expected one of `%s`",
			frame.Method, strings.Join(known, "`, `"))
	}
	if !c.initialized {
		return answer{}, invalid("Not initialized")
	}
	run, ok := calls[frame.Method]
	if !ok {
		return answer{}, &rpcError{codeInternal, "the scripted app-server does not model " + frame.Method}
	}
	return run(c, frame.Params)
}

// initialize is the handshake.
func (c *Conn) initialize(params json.RawMessage) (answer, *rpcError) {
	var in struct {
		ClientInfo struct{ Name, Version string }
	}
	if problem := decode(params, &in, "clientInfo"); problem != nil {
		return answer{}, problem
	}
	if c.initialized {
		return answer{}, invalid("Already initialized")
	}
	c.initialized, c.client = true, in.ClientInfo.Name
	return answer{value: struct {
		UserAgent      string `json:"userAgent"`
		CodexHome      string `json:"codexHome"`
		PlatformFamily string `json:"platformFamily"`
		PlatformOs     string `json:"platformOs"`
	}{
		in.ClientInfo.Name + "/" + Version + " (scripted) (" + in.ClientInfo.Name + "; " + in.ClientInfo.Version + ")",
		c.server.options.Home, "unix", "linux",
	}}, nil
}
