package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Request is one call of the model.
type Request struct {
	// Number counts the server's requests from 1.
	Number int
	// Thread and Turn are the ids of the thread and turn for which Codex calls,
	// empty where it does not say.
	Thread, Turn string
	// Texts are the texts that people sent in this thread so far, oldest first;
	// the parts of one message are joined by a line break. What Codex adds in a
	// person's name (its environment, its instructions) is left out.
	Texts []string
	// Outputs are the outputs of the tools that were called since the last of
	// Texts, oldest first.
	Outputs []string
	// Body is the request as it came.
	Body json.RawMessage
}

// LastText is the text that was sent last, empty if there is none.
func (r Request) LastText() string {
	if len(r.Texts) == 0 {
		return ""
	}
	return r.Texts[len(r.Texts)-1]
}

// wireRequest is the part of a Responses API request that is read.
type wireRequest struct {
	Input    []wireInput `json:"input"`
	Metadata struct {
		Thread string `json:"thread_id"`
		Turn   string `json:"turn_id"`
	} `json:"client_metadata"`
}

// wireInput is one element of the input: a message, a call or a call's output.
type wireInput struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content []wireText      `json:"content"`
	Output  json.RawMessage `json:"output"`
}

type wireText struct {
	Text string `json:"text"`
}

// parseRequest reads a request's body.
func parseRequest(number int, body []byte) (Request, error) {
	var wire wireRequest
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, fmt.Errorf("not a Responses API request: %w", err)
	}
	request := Request{
		Number: number,
		Thread: wire.Metadata.Thread,
		Turn:   wire.Metadata.Turn,
		Body:   body,
	}
	for _, input := range wire.Input {
		switch {
		case input.Type == "message" && input.Role == "user":
			if text := joined(input.Content); !injected(text) {
				request.Texts = append(request.Texts, text)
				request.Outputs = nil
			}
		case strings.HasSuffix(input.Type, "_call_output"):
			request.Outputs = append(request.Outputs, outputText(input.Output))
		}
	}
	return request, nil
}

func joined(parts []wireText) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.Text
	}
	return strings.Join(texts, "\n")
}

// injected reports whether Codex wrote the text, not a person: it opens such
// messages with a tag or a heading of its own.
func injected(text string) bool {
	for _, opening := range []string{
		"<environment_context>", "<user_instructions>", "<turn_aborted>", "# AGENTS.md instructions",
	} {
		if strings.HasPrefix(text, opening) {
			return true
		}
	}
	return false
}

// outputText is a tool's output: a plain string, or a list of text parts.
func outputText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []wireText
	if json.Unmarshal(raw, &parts) == nil {
		return joined(parts)
	}
	return string(raw)
}
