package codexbin

import "fmt"

// Error says in one sentence why Codex could not be provided and what to do
// about it.
type Error struct {
	// Version is the Codex version that was asked for; empty where none was.
	Version string
	// Problem is what went wrong, without a final stop.
	Problem string
	// Remedy is what the reader can do, without a final stop.
	Remedy string
	// Err is the cause, if another error was.
	Err error
}

// Error is the sentence: "codex VERSION: PROBLEM: CAUSE (REMEDY)".
func (e *Error) Error() string {
	subject := "codex"
	if e.Version != "" {
		subject += " " + e.Version
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v (%s)", subject, e.Problem, e.Err, e.Remedy)
	}
	return fmt.Sprintf("%s: %s (%s)", subject, e.Problem, e.Remedy)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
