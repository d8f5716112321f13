package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"deskbridge/fsm"
	"github.com/google/go-cmp/cmp"
)

func TestTheJSONHasEveryCellOfEveryMachine(t *testing.T) {
	t.Parallel()
	var got struct {
		fsm.Outline
		Sentences []sentence
		Machines  map[string]fsm.Outline
	}
	if err := json.Unmarshal([]byte(printed(t, "-format", "json")), &got); err != nil {
		t.Fatal(err)
	}
	b := load()
	if diff := cmp.Diff(b.sentences, got.Sentences); diff != "" {
		t.Error(diff)
	}
	if len(got.Machines) != len(b.machines)-1 {
		t.Errorf("%d other machines, want %d", len(got.Machines), len(b.machines)-1)
	}
	got.Machines[got.Name] = got.Outline
	for _, want := range b.machines {
		o := got.Machines[want.Name]
		if diff := cmp.Diff(want, o); diff != "" {
			t.Error(diff)
		}
		cells := map[[2]string]bool{}
		for _, c := range o.Cells {
			cells[[2]string{c.State, c.Fact}] = true
			for _, row := range c.Rows {
				if row.ID == "" || row.Target == "" || row.Why == "" {
					t.Errorf("row %+v lacks something", row)
				}
			}
			if len(c.Rows) == 0 {
				t.Errorf("%s: cell %s × %s is empty", o.Name, c.State, c.Fact)
			}
		}
		if want := len(o.States) * len(o.Facts); len(cells) != want || len(o.Cells) != want {
			t.Errorf("%s: %d cells, %d of them different, want %d", o.Name, len(o.Cells), len(cells), want)
		}
	}
}

func TestTheMarkdownHasEveryReasonAndEverySentence(t *testing.T) {
	t.Parallel()
	text := printed(t, "-format", "md")
	b := load()
	lines := map[[3]string]bool{} // heading, first cell, last cell
	heading := ""
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "### ") {
			heading = line
		}
		if cells := strings.Split(strings.ReplaceAll(line, `\|`, "¦"), " | "); len(cells) > 1 {
			lines[[3]string{heading, cells[0], cells[len(cells)-1]}] = true
		}
	}
	for _, o := range b.machines {
		for _, c := range o.Cells {
			i := slices.IndexFunc(o.States, func(s fsm.OutlineState) bool { return s.Name == c.State })
			heading := "### " + o.Name + ": `" + c.State + "` " + o.States[i].Label
			for _, row := range c.Rows {
				why := strings.ReplaceAll(tableText(row.Why), `\|`, "¦") + " |"
				if !lines[[3]string{heading, "| `" + strings.TrimPrefix(row.ID, c.State+".") + "`", why}] {
					t.Errorf("%s: no line with %s and %q", o.Name, row.ID, row.Why)
				}
			}
		}
	}
	for _, s := range b.sentences {
		if !strings.Contains(text, "| `"+s.ID+"` | "+tableText(s.Chinese)+" | "+tableText(s.English)+" | ") {
			t.Errorf("no line for the sentence %s", s.ID)
		}
	}
}

// TestEveryLinkOfTheMarkdownLeadsSomewhere holds for links within the document:
// to an anchor, or to the heading of a machine.
func TestEveryLinkOfTheMarkdownLeadsSomewhere(t *testing.T) {
	t.Parallel()
	text := printed(t, "-format", "md")
	links := regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(text, -1)
	if len(links) == 0 {
		t.Fatal("there are none")
	}
	for _, link := range links {
		if !strings.Contains(text, `<a id="`+link[1]+`"></a>`) && !strings.Contains(text, "\n## "+link[1]+"\n") {
			t.Errorf("%s leads nowhere", link[0])
		}
	}
}

func TestASentenceNamesTheFactsThatEntitleIt(t *testing.T) {
	t.Parallel()
	b := toy()
	if diff := cmp.Diff([]string{"switch_pressed"}, b.factsIn("switch_pressed twice, no switch and switch_pressed_hard, then switch_pressed")); diff != "" {
		t.Error(diff)
	}
	if got := b.markFacts(b.sentences[0]); got != "`switch_pressed`, once" {
		t.Errorf("got %s", got)
	}
	for _, s := range load().sentences {
		if len(s.Facts) == 0 {
			t.Errorf("%s names no fact: %s", s.ID, s.Entitled)
		}
	}
}

func TestEveryPromiseNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	var numbers []string
	for _, p := range promises {
		if number := p.number[:1]; !slices.Contains(numbers, number) {
			numbers = append(numbers, number)
		}
		if len(p.heldBy) == 0 {
			t.Errorf("promise %s is held by no test", p.number)
		}
		for _, held := range p.heldBy {
			if !declares(t, filepath.Join(root, held.folder), held.name) {
				t.Errorf("promise %s: no func %s in %s", p.number, held.name, held.folder)
			}
		}
	}
	if got := strings.Join(numbers, ""); got != "123456789" {
		t.Errorf("the promises are those of the invariants %s", got)
	}
}

// declares says whether a test file of the folder has a test of that name.
func declares(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.Contains(get(t, file), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}

func TestTheDocumentListsStatesMovesAndPromises(t *testing.T) {
	t.Parallel()
	text := load().document()
	if !strings.Contains(text, load().machines[0].MarkdownMoves()) {
		t.Error("no table of the moves")
	}
	for _, s := range load().machines[0].States {
		if !strings.Contains(text, "| `"+s.Name+"` | "+s.Label+" | ") {
			t.Errorf("no line for %s", s.Name)
		}
	}
	for _, p := range promises {
		if !strings.Contains(text, "| "+p.number+" | "+p.sentence+" | "+p.tests()+" |\n") {
			t.Errorf("no line for promise %s", p.number)
		}
	}
}
