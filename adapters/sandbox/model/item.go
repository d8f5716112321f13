package model

import (
	"encoding/json"
	"fmt"
)

// Item is one output item of a reply; see [Message], [Exec], [Ask] and the
// other constructors.
type Item struct {
	kind  string         // "message" or "function_call"
	field map[string]any // everything but the id, which the server gives
}

// Phase says what a message is to the turn.
type Phase string

const (
	// FinalAnswer is the turn's answer.
	FinalAnswer Phase = "final_answer"
	// Commentary is said on the way there. The turn goes on after it only if a
	// tool call follows in the same reply.
	Commentary Phase = "commentary"
	// Unknown is the phase of models that do not say.
	Unknown Phase = ""
)

// Message is text to the person.
func Message(phase Phase, text string) Item {
	field := map[string]any{
		"role":    "assistant",
		"content": []map[string]any{{"type": "output_text", "text": text}},
	}
	if phase != Unknown {
		field["phase"] = string(phase)
	}
	return Item{kind: "message", field: field}
}

// Exec runs a shell command within the sandbox, without asking.
func Exec(cmd string) Item {
	return call("exec_command", map[string]any{"cmd": cmd})
}

// ExecAsking runs a shell command outside of the sandbox, for which Codex asks
// its client (item/commandExecution/requestApproval) under the approval policy
// "on-request".
func ExecAsking(cmd, justification string) Item {
	return call("exec_command", map[string]any{
		"cmd":                 cmd,
		"sandbox_permissions": "require_escalated",
		"justification":       justification,
	})
}

// AddFile creates a file of one line of text, for which Codex asks its client
// (item/fileChange/requestApproval) where the sandbox is read-only.
func AddFile(path, line string) Item {
	patch := fmt.Sprintf("*** Begin Patch\n*** Add File: %s\n+%s\n*** End Patch", path, line)
	return Exec("apply_patch <<'EOF'\n" + patch + "\nEOF")
}

// Question is one question with options to choose from.
type Question struct {
	ID       string   `json:"id"`
	Header   string   `json:"header"`
	Question string   `json:"question"`
	Options  []Option `json:"options"`
}

// Option is one offered answer.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// Ask puts questions to the person (item/tool/requestUserInput). Codex offers
// the tool in turns of the collaboration mode "plan" only.
func Ask(questions ...Question) Item {
	return call("request_user_input", map[string]any{"questions": questions})
}

// CallMCP calls a tool of an MCP server that Codex is configured with.
func CallMCP(server, tool string, arguments map[string]any) Item {
	item := call(tool, arguments)
	item.field["namespace"] = "mcp__" + server
	return item
}

// call is a function call. Its arguments travel as a string of JSON.
func call(name string, arguments map[string]any) Item {
	if arguments == nil {
		arguments = map[string]any{}
	}
	encoded, err := json.Marshal(arguments)
	if err != nil {
		panic(fmt.Sprintf("model: arguments of %s are not JSON: %v", name, err))
	}
	return Item{kind: "function_call", field: map[string]any{"name": name, "arguments": string(encoded)}}
}

// wire is the item as it is sent, with an id that is unique to the server.
func (i Item) wire(serial int) map[string]any {
	sent := map[string]any{"type": i.kind}
	for name, value := range i.field {
		sent[name] = value
	}
	if i.kind == "message" {
		sent["id"] = fmt.Sprintf("msg_%d", serial)
	} else {
		sent["call_id"] = fmt.Sprintf("call_%d", serial)
	}
	return sent
}
