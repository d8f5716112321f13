package fsm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// PathStep is one step of a journal, as a path is written to a file: a line of
// JSON for each.
type PathStep struct {
	// Track is the instance that stepped, and Step counts its steps.
	Track string `json:"track"`
	Step  int64  `json:"step"`
	// At is when the fact was journalled (RFC 3339).
	At time.Time `json:"at"`
	// Fact is the name of the fact's kind.
	Fact string `json:"fact"`
	From string `json:"from"`
	To   string `json:"to"`
	// Entry is the ID of the table entry that decided, and Why its reason; a
	// path without reasons takes them from the table.
	Entry string `json:"entry"`
	Why   string `json:"why,omitempty"`
}

// WritePath writes a path, a line for each step.
func WritePath(w io.Writer, path []PathStep) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for _, s := range path {
		if err := lines.Encode(s); err != nil {
			return fmt.Errorf("fsm: step %d of %s: %w", s.Step, s.Track, err)
		}
	}
	return nil
}

// longestStep bounds a line of a path.
const longestStep = 1 << 20

// ReadPath reads what [WritePath] wrote. Empty lines are skipped; anything else
// that is no step is an error that names its line.
func ReadPath(r io.Reader) ([]PathStep, error) {
	var path []PathStep
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestStep)
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var s PathStep
		if err := json.Unmarshal(line, &s); err != nil {
			return nil, fmt.Errorf("fsm: line %d of the path: %w", n, err)
		}
		if s.Track == "" || s.Fact == "" || s.From == "" || s.To == "" {
			return nil, fmt.Errorf("fsm: line %d of the path: %w", n, errNoStep)
		}
		path = append(path, s)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("fsm: line %d of the path: %w", n+1, err)
	}
	return path, nil
}

var errNoStep = errors.New("a step has a track, a fact, and where it led from and to")
