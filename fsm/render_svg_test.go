package fsm_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"deskbridge/fsm"
	"github.com/google/go-cmp/cmp"
)

func TestDOTHasTheSameArrows(t *testing.T) {
	t.Parallel()
	d := turnstile()
	d.States[0].Doc = `Nobody "gets" through \ at all.`
	want := `digraph turnstile {
    rankdir=LR
    node [shape=box, style=rounded, fontname=Courier]
    edge [fontname=Courier, fontsize=10]
    _start [shape=point, label=""]
    _start -> "locked"
    "locked" [tooltip="Nobody \"gets\" through \\ at all.", peripheries=2]
    "unlocked" [tooltip="One person gets through."]
    "locked" -> "unlocked" [label="coin", tooltip="locked → unlocked\ncoin", labeltooltip="locked → unlocked\ncoin"]
    "unlocked" -> "locked" [label="push", tooltip="unlocked → locked\npush", labeltooltip="unlocked → locked\npush"]
}
`
	if diff := cmp.Diff(want, fsm.MustNew(d).Outline().DOT()); diff != "" {
		t.Error(diff)
	}
}

func TestThePictureIsWellFormedAndAlwaysTheSame(t *testing.T) {
	t.Parallel()
	d := turnstile()
	d.States[0].Doc = `Nobody <gets> "through" & out.`
	o := fsm.MustNew(d).Outline()
	o.States[0].Label = "锁着"
	picture := o.SVG()
	for range 5 {
		if again := o.SVG(); again != picture {
			t.Fatal(cmp.Diff(picture, again))
		}
	}
	for dec := xml.NewDecoder(strings.NewReader(picture)); ; {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range []string{
		`data-state="locked"><title>Nobody &lt;gets&gt; &#34;through&#34; &amp; out.</title>`,
		`data-from="locked" data-to="unlocked" data-facts="coin"><title>locked → unlocked` + "\ncoin</title>",
		`>锁着</text>`,
	} {
		if !strings.Contains(picture, part) {
			t.Errorf("no %s in\n%s", part, picture)
		}
	}
}

// TestLabelsAreReadable holds, for machines with up to ten states and up to six
// arrows out of each, that no label covers a state or another label.
func TestLabelsAreReadable(t *testing.T) {
	t.Parallel()
	for states := 1; states <= 10; states++ {
		t.Run(strconv.Itoa(states), func(t *testing.T) {
			t.Parallel()
			o := dense(states, 3)
			picture := o.SVG()
			nodes := boxes(t, picture, `data-state=`)
			labels := boxes(t, picture, `<rect [^>]*rx="4"`)
			if len(nodes) != states || len(labels) != len(o.Arrows()) {
				t.Fatalf("%d states and %d labels for %d arrows", len(nodes), len(labels), len(o.Arrows()))
			}
			for i, l := range labels {
				for _, n := range nodes {
					if l.meets(n) {
						t.Errorf("label %v covers state %v", l, n)
					}
				}
				for _, other := range labels[:i] {
					if l.meets(other) {
						t.Errorf("label %v covers label %v", l, other)
					}
				}
			}
		})
	}
}

func TestAManyFactedArrowIsShortenedInThePictureAndWholeInItsTitle(t *testing.T) {
	t.Parallel()
	picture := dense(2, 3).SVG()
	for _, part := range []string{">fact_number_1 +2</text>", "\nfact_number_1\nfact_number_2\nfact_number_3</title>"} {
		if !strings.Contains(picture, part) {
			t.Errorf("no %q in\n%s", part, picture)
		}
	}
}

// TestALabelStaysWithinItsState holds for a label that is wider than the name.
func TestALabelStaysWithinItsState(t *testing.T) {
	t.Parallel()
	o := dense(1, 1)
	o.States[0].Label = strings.Repeat("字", 20)
	if got := boxes(t, o.SVG(), "data-state=")[0].w; got < 20*12 {
		t.Errorf("twenty signs of 12 pixels in a state of %d", got)
	}
}

// dense is a machine in which arrows lead between any two states, or to the next
// four where there are more than seven, but not out of the last one, each with
// that many facts.
func dense(states, facts int) fsm.Outline {
	o := fsm.Outline{Name: "dense", Doc: "Everything leads everywhere.", Initial: "state_number_0"}
	name := func(i int) string { return fmt.Sprintf("state_number_%d", i) }
	for i := range states {
		o.States = append(o.States, fsm.OutlineState{Name: name(i), Doc: "A state."})
		for j := range states {
			near := states <= 7 || (j-i+states)%states <= 4
			for f := 1; i != j && near && (i < states-1 || states == 2) && f <= facts; f++ {
				o.Cells = append(o.Cells, fsm.OutlineCell{State: name(i), Fact: fmt.Sprintf("fact_number_%d", f), Rows: []fsm.OutlineRow{{Target: name(j)}}})
			}
		}
	}
	return o
}

type rectangle struct{ x, y, w, h int }

func (a rectangle) meets(b rectangle) bool {
	return a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h
}

// boxes reads the first rectangle of each line that matches.
func boxes(t *testing.T, picture, pattern string) []rectangle {
	t.Helper()
	line := regexp.MustCompile(pattern)
	sizes := regexp.MustCompile(`<rect x="(-?\d+)" y="(-?\d+)" width="(\d+)" height="(\d+)"`)
	var list []rectangle
	for _, text := range strings.Split(picture, "\n") {
		if !line.MatchString(text) {
			continue
		}
		found := sizes.FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("no rectangle in %s", text)
		}
		var n [4]int
		for i := range n {
			value, err := strconv.Atoi(found[i+1])
			if err != nil {
				t.Fatal(err)
			}
			n[i] = value
		}
		list = append(list, rectangle{n[0], n[1], n[2], n[3]})
	}
	return list
}
