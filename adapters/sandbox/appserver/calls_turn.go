package appserver

import "encoding/json"

// inputParams are what turn/start and turn/steer have in common.
type inputParams struct {
	ThreadID            string
	ExpectedTurnID      string
	ClientUserMessageID *string
	Input               []json.RawMessage
}

// content reads the parts of a message.
func (p inputParams) content() ([]userInput, *rpcError) {
	var content []userInput
	for _, raw := range p.Input {
		var part struct {
			Type string
			Text *string
		}
		if problem := decode(raw, &part, "type"); problem != nil {
			return nil, problem
		}
		switch part.Type {
		case "text":
			if part.Text == nil {
				return nil, invalid("Invalid request: missing field `text`")
			}
			content = append(content, userInput{text: *part.Text})
		case "image", "localImage", "audio", "localAudio", "skill", "mention":
			content = append(content, userInput{raw: raw})
		default:
			return nil, invalid("Invalid request: unknown variant `%s`, expected one of `text`, `image`, "+
				"`localImage`, `audio`, `localAudio`, `skill`, `mention`", part.Type)
		}
	}
	return content, nil
}

// turnStart starts a turn, or adds to the one in flight. An idle thread takes an
// empty input, a turn in flight does not.
func (c *Conn) turnStart(params json.RawMessage) (answer, *rpcError) {
	var in inputParams
	if problem := decode(params, &in, "threadId", "input"); problem != nil {
		return answer{}, problem
	}
	content, problem := in.content()
	if problem != nil {
		return answer{}, problem
	}
	t, problem := c.loaded(in.ThreadID)
	if problem != nil {
		return answer{}, problem
	}
	message := input{in.ClientUserMessageID, content}
	switch {
	case t.run == nil:
		t.start(message)
	case len(content) == 0:
		return answer{}, &rpcError{codeInternal, "failed to submit turn input: EmptyInput"}
	default:
		t.run.steer(message)
	}
	return answer{value: struct {
		Turn turnWire `json:"turn"`
	}{t.run.turn.accepted()}}, nil
}

// turnSteer adds to the turn in flight.
func (c *Conn) turnSteer(params json.RawMessage) (answer, *rpcError) {
	var in inputParams
	if problem := decode(params, &in, "threadId", "input", "expectedTurnId"); problem != nil {
		return answer{}, problem
	}
	content, problem := in.content()
	if problem != nil {
		return answer{}, problem
	}
	t, problem := c.loaded(in.ThreadID)
	if problem != nil {
		return answer{}, problem
	}
	switch {
	case t.run == nil:
		return answer{}, invalid("no active turn to steer")
	case t.run.turn.id != in.ExpectedTurnID:
		return answer{}, invalid("expected active turn id `%s` but found `%s`", in.ExpectedTurnID, t.run.turn.id)
	case len(content) == 0:
		return answer{}, invalid("input must not be empty")
	}
	t.run.steer(input{in.ClientUserMessageID, content})
	return answer{value: struct {
		TurnID string `json:"turnId"`
	}{t.run.turn.id}}, nil
}

// turnInterrupt ends the turn in flight. A turn that was accepted but has not
// begun is not one yet: it goes on.
func (c *Conn) turnInterrupt(params json.RawMessage) (answer, *rpcError) {
	var in struct{ ThreadID, TurnID string }
	if problem := decode(params, &in, "threadId", "turnId"); problem != nil {
		return answer{}, problem
	}
	t, problem := c.loaded(in.ThreadID)
	if problem != nil {
		return answer{}, problem
	}
	switch {
	case t.run == nil || !t.run.begun:
		return answer{}, invalid("no active turn to interrupt")
	case t.run.turn.id != in.TurnID:
		return answer{}, invalid("expected active turn id %s but found %s", in.TurnID, t.run.turn.id)
	}
	return answer{value: struct{}{}, then: t.run.interrupt}, nil
}
