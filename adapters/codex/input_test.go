package codex

import (
	"encoding/json"
	"testing"

	"deskbridge/transitions"
	"github.com/google/go-cmp/cmp"
)

// TestInputsAreWhatCodexTakes holds the JSON against UserInput of the bindings that
// codex 0.171.0 generates.
func TestInputsAreWhatCodexTakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		text  string
		files []transitions.File
		want  string
	}{
		{"text", "hello", nil, `[{"type":"text","text":"hello","text_elements":[]}]`},
		{"an image", "look", []transitions.File{{Name: "a.png", Image: true, Path: "d/a.png"}},
			`[{"type":"text","text":"look","text_elements":[]},{"type":"localImage","path":"d/a.png"}]`},
		{"a file", "read", []transitions.File{{Name: "a.txt", Path: "d/a.txt"}},
			`[{"type":"text","text":"read\n[attachment a.txt: d/a.txt]","text_elements":[]}]`},
		{"a lost file", "read", []transitions.File{{Name: "a.txt", Lost: "too big"}},
			`[{"type":"text","text":"read\n[attachment a.txt could not be fetched: too big]","text_elements":[]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(inputsOf(c.text, c.files))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
