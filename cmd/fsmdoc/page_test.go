package main

import (
	"bytes"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"deskbridge/fsm"
	"github.com/google/go-cmp/cmp"
)

var madePage = sync.OnceValues(func() (string, error) {
	var out bytes.Buffer
	err := run([]string{"-format", "html"}, &out)
	return out.String(), err
})

// wholePage is the page of the real machines, made once.
func wholePage(t *testing.T) string {
	t.Helper()
	text, err := madePage()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestThePageNeedsNothingElse holds that nothing in the page is fetched: the
// only address in it is the name of the SVG language.
func TestThePageNeedsNothingElse(t *testing.T) {
	t.Parallel()
	text := wholePage(t)
	lower := strings.ToLower(text)
	for _, fetches := range []string{`src\s*=`, `href\s*=`, `action\s*=`, `@import`, `url\([^#)]`, `fetch\(`, `xmlhttprequest`} {
		if found := regexp.MustCompile(fetches).FindString(lower); found != "" {
			t.Errorf("the page refers to something: %q", found)
		}
	}
	for _, address := range regexp.MustCompile(`://[^\s"']+`).FindAllString(text, -1) {
		if address != "://www.w3.org/2000/svg" {
			t.Errorf("the page has the address %s", address)
		}
	}
}

func TestThePageHasEveryMachineRowAndSentence(t *testing.T) {
	t.Parallel()
	text := wholePage(t)
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
				{PathStep: hall[0], Clock: "1970-01-01 00:01:30.500", X: 34, FromY: 15, Y: 45, Moves: true, Known: true},
				{PathStep: hall[1], Clock: "1970-01-01 00:01:30.500", X: 68, FromY: 45, Y: 75, Moves: true, Known: true},
			},
			Line:  "0,15 17,15 34,45 51,45 68,75",
			Width: 102, Height: 90,
		},
		{
			Name:  "attic",
			Lanes: []laneView{{off, 15}},
			Steps: []stepView{{PathStep: path[1], Clock: "1970-01-01 00:01:30.500", X: 34, FromY: 15, Y: 15}},
			Line:  "0,15 17,15 34,15",
			Width: 68, Height: 30,
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
	var with, without bytes.Buffer
	if err := toy().print(&with, options{format: "html", journal: name}); err != nil {
		t.Fatal(err)
	}
	if err := toy().print(&without, options{format: "html"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(with.String(), `<div class="track" data-track="attic">`) {
		t.Error("the path is not in the page")
	}
	if strings.Contains(without.String(), `class="path"`) {
		t.Error("a page without a journal has a path")
	}
}
