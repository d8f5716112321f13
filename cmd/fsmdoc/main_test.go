package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"deskbridge/fsm"
	"deskbridge/transitions"
	"github.com/google/go-cmp/cmp"
)

func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(args, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWithoutArgumentsTheConversationIsPrintedAsMermaid(t *testing.T) {
	t.Parallel()
	want := transitions.Conversation().Mermaid()
	for _, args := range [][]string{nil, {"-format", "mermaid"}, {"-machine", "conversation"}} {
		if diff := cmp.Diff(want, printed(t, args...)); diff != "" {
			t.Errorf("%v: %s", args, diff)
		}
	}
}

func TestAMachineIsPrintedByName(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(transitions.Turns().Mermaid(), printed(t, "-machine", "turn")); diff != "" {
		t.Error(diff)
	}
	for _, o := range load().machines {
		for format, want := range map[string]string{"dot": "digraph " + o.Name + " {", "svg": `aria-label="` + o.Name + ":"} {
			if text := printed(t, "-format", format, "-machine", o.Name); !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}

func TestEveryMistakeIsOneSentence(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(filepath.Dir(bad), "empty.jsonl")
	if err := os.WriteFile(empty, []byte("\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{`no format is called "pdf"`, []string{"-format", "pdf"}},
		{`no machine is called "engine"`, []string{"-machine", "engine"}},
		{"shows all machines", []string{"-format", "md", "-machine", "turn"}},
		{"-format html alone", []string{"-journal", bad}},
		{"bad.jsonl: fsm: line 1", []string{"-format", "html", "-journal", bad}},
		{"no such file", []string{"-format", "html", "-journal", bad + "x"}},
		{"empty.jsonl: there is no step in it", []string{"-format", "html", "-journal", empty}},
		{"not defined: -colour", []string{"-colour"}},
		{"use one or the other", []string{"-format", "md", "-check"}},
		{`"extra" is no flag`, []string{"extra"}},
		{"no such file", []string{"-into", bad + "x"}},
		{"no block between", []string{"-into", bad}},
	} {
		var out bytes.Buffer
		err := run(c.args, &out)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.args, err, c.want)
		}
		if out.Len() > 0 {
			t.Errorf("%v: printed %s", c.args, &out)
		}
	}
}

func TestHelpIsNoMistake(t *testing.T) {
	t.Parallel()
	text := printed(t, "-h")
	for _, name := range []string{"-format", "-machine", "-journal", "-out", "-doc", "-into", "-check"} {
		if !strings.Contains(text, "\n  "+name+"\n") && !strings.Contains(text, "\n  "+name+" string\n") {
			t.Errorf("no %s in\n%s", name, text)
		}
	}
}

func TestEveryMachineAndStateHasItsChineseName(t *testing.T) {
	t.Parallel()
	for _, o := range load().machines {
		if machineLabels[o.Name] == "" {
			t.Errorf("machine %s has none", o.Name)
		}
		for _, s := range o.States {
			if s.Label == "" {
				t.Errorf("state %s of %s has none", s.Name, o.Name)
			}
		}
		declared := func(name string) bool {
			for _, s := range o.States {
				if s.Name == name {
					return true
				}
			}
			return false
		}
		for name := range stateLabels[o.Name] {
			if !declared(name) {
				t.Errorf("%s has no state %s", o.Name, name)
			}
		}
	}
}

// toy is a book small enough to be read whole.
func toy() book {
	return book{
		machines: []fsm.Outline{{
			Name: "lamp", Doc: "A lamp.", Initial: "off",
			States:  []fsm.OutlineState{{Name: "off", Doc: "Dark.", Settled: true, Label: "关"}, {Name: "on", Doc: "Bright."}},
			Facts:   []fsm.OutlineTerm{{Name: "switch_pressed", Doc: "Somebody pressed <the> switch."}},
			Effects: []fsm.OutlineTerm{{Name: "click", Doc: "A sound."}},
			Guards:  []fsm.OutlineTerm{{Name: "powered", Doc: "There is power."}},
			Actions: []fsm.OutlineAction{{Name: "sound", Doc: "It clicks.", Emits: []string{"click"}}},
			Cells: []fsm.OutlineCell{
				{State: "off", Fact: "switch_pressed", Rows: []fsm.OutlineRow{{
					ID: "off.switch_pressed.1", Guards: []string{"powered"}, Target: "on", Actions: []string{"sound"}, Effects: []string{"click"}, Why: "It \"lights\" <up>."}}},
				{State: "on", Fact: "switch_pressed", Rows: []fsm.OutlineRow{{
					ID: "on.switch_pressed.1", Guards: []string{}, Target: "on", Actions: []string{}, Effects: []string{}, Ignore: true, Why: "It stays on."}}},
			},
		}},
		sentences: []sentence{{ID: "lit", Chinese: "灯亮了。", English: "The lamp is on.", Entitled: "switch_pressed, once", Facts: []string{"switch_pressed"}}},
	}
}
