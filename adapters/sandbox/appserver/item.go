package appserver

import "encoding/json"

// The items of a turn, as they travel and as they are stored. Times are in
// milliseconds of Unix time.

type userMessage struct {
	Type          string      `json:"type"`
	ID            string      `json:"id"`
	ClientID      *string     `json:"clientId"`
	Content       []userInput `json:"content"`
	StartedAtMs   int64       `json:"startedAtMs"`
	CompletedAtMs *int64      `json:"completedAtMs"`
}

// userInput is one part of a message: text, or something that is kept as it
// came.
type userInput struct {
	text string
	raw  json.RawMessage // nil for text
}

// MarshalJSON writes the part as the server stores it.
func (u userInput) MarshalJSON() ([]byte, error) {
	if u.raw != nil {
		return u.raw, nil
	}
	return json.Marshal(struct {
		Type         string `json:"type"`
		Text         string `json:"text"`
		TextElements []any  `json:"text_elements"`
	}{"text", u.text, []any{}})
}

type agentMessage struct {
	Type           string  `json:"type"`
	Moderation     *string `json:"moderation"`
	ID             string  `json:"id"`
	Text           string  `json:"text"`
	Phase          *string `json:"phase"`
	MemoryCitation *string `json:"memoryCitation"`
	Delivery       *string `json:"delivery"`
	Questions      *string `json:"questions"`
	StartedAtMs    int64   `json:"startedAtMs"`
	CompletedAtMs  *int64  `json:"completedAtMs"`
}

type commandExecution struct {
	Type             string          `json:"type"`
	ID               string          `json:"id"`
	PluginID         *string         `json:"pluginId"`
	ScriptPath       *string         `json:"scriptPath"`
	Command          string          `json:"command"`
	Cwd              string          `json:"cwd"`
	ProcessID        string          `json:"processId"`
	Source           string          `json:"source"`
	Status           string          `json:"status"`
	CommandActions   []commandAction `json:"commandActions"`
	AggregatedOutput *string         `json:"aggregatedOutput"`
	ExitCode         *int            `json:"exitCode"`
	DurationMs       *int64          `json:"durationMs"`
	StartedAtMs      int64           `json:"startedAtMs"`
	CompletedAtMs    *int64          `json:"completedAtMs"`
}

type commandAction struct {
	Type    string `json:"type"`
	Command string `json:"command"`
}

func newCommandExecution(id, line, cwd string, startedAtMs int64) commandExecution {
	return commandExecution{
		Type: "commandExecution", ID: id, Command: "/bin/bash -lc " + line, Cwd: cwd,
		ProcessID: "1", Source: "unifiedExecStartup", Status: "inProgress",
		CommandActions: []commandAction{{Type: "unknown", Command: line}},
		StartedAtMs:    startedAtMs,
	}
}

// ended is the command once it exited with 0.
func (c commandExecution) ended(output string, atMs int64) commandExecution {
	exit, took := 0, atMs-c.StartedAtMs
	c.Status, c.AggregatedOutput, c.ExitCode = "completed", nullable(output), &exit
	c.DurationMs, c.CompletedAtMs = &took, &atMs
	return c
}

// nullable is null on the wire where the text is empty.
func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
