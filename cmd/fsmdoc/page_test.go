package main

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"deskbridge/fsm"
	"github.com/google/go-cmp/cmp"
)

// TestThePageNeedsNothingElse holds that nothing in the page is fetched: the
// only address in it is the name of the SVG language.
func TestThePageNeedsNothingElse(t *testing.T) {
	t.Parallel()
	text := printed(t, "-format", "html")
	if found := regexp.MustCompile(`(?i)\b(src|href|action)\s*=|@import|url\((?:[^#)][^)]*)\)|fetch\(|XMLHttpRequest`).FindAllString(text, -1); len(found) > 0 {
		t.Errorf("the page refers to something: %q", found)
	}
	for _, address := range regexp.MustCompile(`[a-z]+://[^\s"']+`).FindAllString(text, -1) {
		if address != "http://www.w3.org/2000/svg" {
			t.Errorf("the page has the address %s", address)
		}
	}
}

func TestThePageHasEveryMachineRowAndSentence(t *testing.T) {
	t.Parallel()
	text := printed(t, "-format", "html")
	b := load()
	for _, o := range b.machines {
		_, section, found := strings.Cut(text, `<section id="`+o.Name+`"`)
		section, _, _ = strings.Cut(section, "</section>")
		if !found || !strings.Contains(section, "<svg ") {
			t.Fatalf("no section with a picture for %s", o.Name)
		}
		for _, c := range o.Cells {
			if !strings.Contains(section, `data-state="`+c.State+`" data-fact="`+c.Fact+`">`+c.Mark()+"<") {
				t.Errorf("%s: no mark for %s × %s", o.Name, c.State, c.Fact)
			}
			for _, row := range c.Rows {
				_, after, found := strings.Cut(section, `<tr data-row="`+row.ID+`"`)
				line, _, _ := strings.Cut(after, "</tr>")
				if !found || !strings.Contains(html.UnescapeString(line), "<p>"+row.Why+"</p>") {
					t.Errorf("%s: no line with %s and its reason", o.Name, row.ID)
				}
			}
		}
	}
	for _, s := range b.sentences {
		if !strings.Contains(html.UnescapeString(text), `<td lang="zh-CN">`+s.Chinese+`</td><td lang="en">`+s.English+`</td>`) {
			t.Errorf("no line for the sentence %s", s.ID)
		}
	}
}

func TestThePageQuotesWhatItShows(t *testing.T) {
	t.Parallel()
	text, err := toy().page([]fsm.PathStep{{Track: "<track>1", Step: 1, Fact: "<i>", From: "off", To: "on", Entry: "</script>", Why: "<u>"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{"<the>", "<up>", "<track>1", "<i>", "<u>", `"</script>"`} {
		if strings.Contains(text, raw) {
			t.Errorf("%s stands in the page unquoted", raw)
		}
	}
}

func steps() []fsm.PathStep {
	at := time.UnixMilli(90_500).UTC()
	return []fsm.PathStep{
		{Track: "hall", Step: 1, At: at, Fact: "switch_pressed", From: "off", To: "on", Entry: "off.switch_pressed.1"},
		{Track: "attic", Step: 1, At: at, Fact: "switch_pressed", From: "off", To: "off", Entry: "off.switch_pressed.7", Why: "There was no power."},
		{Track: "hall", Step: 2, At: at, Fact: "switch_pressed", From: "on", To: "broken", Entry: "on.switch_pressed.1", Why: "As it was."},
	}
}

func TestAPathHasALaneForEachStateAndANumberForEachStep(t *testing.T) {
	t.Parallel()
	b, path := toy(), steps()
	off, on := b.machines[0].States[0], b.machines[0].States[1]
	hall := []fsm.PathStep{path[0], path[2]}
	hall[0].Why = `It "lights" <up>.`
	want := &pathView{Tracks: []trackView{
		{
			Name:  "hall",
			Lanes: []laneView{{off, 15}, {on, 45}, {fsm.OutlineState{Name: "broken"}, 75}},
			Steps: []stepView{
				{PathStep: hall[0], Clock: "1970-01-01 00:01:30.500", X: 204, FromY: 15, Y: 45, Moves: true, Known: true},
				{PathStep: hall[1], Clock: "1970-01-01 00:01:30.500", X: 238, FromY: 45, Y: 75, Moves: true, Known: true},
			},
			Line:  "170,15 187,15 204,45 221,45 238,75",
			Width: 272, Height: 90, LaneEnd: 264,
		},
		{
			Name:  "attic",
			Lanes: []laneView{{off, 15}},
			Steps: []stepView{{PathStep: path[1], Clock: "1970-01-01 00:01:30.500", X: 204, FromY: 15, Y: 15}},
			Line:  "170,15 187,15 204,15",
			Width: 238, Height: 30, LaneEnd: 230,
		},
	}}
	if diff := cmp.Diff(want, viewPath(b.machines[0], path)); diff != "" {
		t.Error(diff)
	}
	text, err := b.page(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`<option>hall</option><option>attic</option>`,
		`<li data-step="2" data-row="on.switch_pressed.1" data-from="on" data-to="broken" data-fact="switch_pressed">`,
		`class="step strange" data-step="1"`,
		`No longer in the table: off.switch_pressed.7`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in the page", part)
		}
	}
}

func TestAJournalIsDrawnIntoThePage(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "journal.jsonl")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := fsm.WritePath(file, steps()); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if text := printed(t, "-format", "html", "-journal", name); !strings.Contains(text, `<div class="track" data-track="attic">`) {
		t.Error("the path is not in the page")
	}
	if text := printed(t, "-format", "html"); strings.Contains(text, `class="path"`) {
		t.Error("a page without a journal has a path")
	}
}
