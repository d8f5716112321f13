package main

import (
	"fmt"
	"slices"
	"strings"

	"deskbridge/fsm"
)

// Sizes of the timeline, in pixels.
const (
	lanePitch = 30
	stepPitch = 34
)

// pathView is the path of a journal, track by track.
type pathView struct{ Tracks []trackView }

// trackView is the path of one track: a lane for each state that it was in, and
// its steps from left to right.
type trackView struct {
	Name          string
	Lanes         []laneView
	Steps         []stepView
	Line          string // points of the line from state to state
	Width, Height int
}

type laneView struct {
	fsm.OutlineState
	Y int
}

// stepView is one step. Known says that the table has its entry.
type stepView struct {
	fsm.PathStep
	Clock        string
	X, FromY, Y  int
	Moves, Known bool
}

func viewPath(o fsm.Outline, path []fsm.PathStep) *pathView {
	whys := map[string]string{}
	for _, c := range o.Cells {
		for _, row := range c.Rows {
			whys[row.ID] = row.Why
		}
	}
	v := &pathView{}
	for len(path) > 0 {
		name := path[0].Track
		ofTrack := func(s fsm.PathStep) bool { return s.Track == name }
		var steps []fsm.PathStep
		for _, s := range path {
			if ofTrack(s) {
				steps = append(steps, s)
			}
		}
		v.Tracks = append(v.Tracks, viewTrack(o, name, steps, whys))
		path = slices.DeleteFunc(slices.Clone(path), ofTrack)
	}
	return v
}

func viewTrack(o fsm.Outline, name string, steps []fsm.PathStep, whys map[string]string) trackView {
	t := trackView{Name: name}
	lane := map[string]int{}
	for _, s := range lanesOf(o, steps) {
		lane[s.Name] = len(t.Lanes)*lanePitch + lanePitch/2
		t.Lanes = append(t.Lanes, laneView{s, lane[s.Name]})
	}
	points := []string{fmt.Sprintf("0,%d", lane[steps[0].From])}
	for i, s := range steps {
		why, known := whys[s.Entry]
		if s.Why == "" {
			s.Why = why
		}
		x := (i + 1) * stepPitch
		t.Steps = append(t.Steps, stepView{
			PathStep: s, Clock: s.At.UTC().Format("2006-01-02 15:04:05.000"),
			X: x, FromY: lane[s.From], Y: lane[s.To], Moves: s.From != s.To, Known: known,
		})
		points = append(points, fmt.Sprintf("%d,%d", x-stepPitch/2, lane[s.From]), fmt.Sprintf("%d,%d", x, lane[s.To]))
	}
	t.Line = strings.Join(points, " ")
	t.Width = (len(steps) + 1) * stepPitch
	t.Height = len(t.Lanes) * lanePitch
	return t
}

// lanesOf lists the states that the steps pass, in declared order, and after
// them those that are declared no more.
func lanesOf(o fsm.Outline, steps []fsm.PathStep) []fsm.OutlineState {
	passed := func(name string) bool {
		return slices.ContainsFunc(steps, func(s fsm.PathStep) bool { return s.From == name || s.To == name })
	}
	var lanes []fsm.OutlineState
	for _, s := range o.States {
		if passed(s.Name) {
			lanes = append(lanes, s)
		}
	}
	for _, step := range steps {
		for _, name := range []string{step.From, step.To} {
			if !slices.ContainsFunc(lanes, func(s fsm.OutlineState) bool { return s.Name == name }) {
				lanes = append(lanes, fsm.OutlineState{Name: name})
			}
		}
	}
	return lanes
}
