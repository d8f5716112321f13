package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// targets are the places that generated text goes to; empty ones are left out.
type targets struct{ out, doc, into string }

// standard is where -check looks when it isn't told.
var standard = targets{out: "golden/machine", doc: "docs/machine.md", into: "README.md"}

// The marks between which a file holds the diagram.
const (
	begin = "<!-- fsmdoc: begin -->\n"
	end   = "<!-- fsmdoc: end -->\n"
)

// output is a file and what it should hold.
type output struct{ path, text string }

// outputs lists what belongs into the targets.
func (b book) outputs(t targets) ([]output, error) {
	var list []output
	if t.out != "" {
		golden, err := b.golden()
		if err != nil {
			return nil, err
		}
		for _, o := range golden {
			list = append(list, output{filepath.Join(t.out, o.path), o.text})
		}
	}
	if t.doc != "" {
		list = append(list, output{t.doc, b.document()})
	}
	if t.into != "" {
		old, err := os.ReadFile(t.into)
		if err != nil {
			return nil, err
		}
		text, err := replace(string(old), b.block())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.into, err)
		}
		list = append(list, output{t.into, text})
	}
	return list, nil
}

// golden lists the golden set.
func (b book) golden() ([]output, error) {
	first := b.machines[0]
	list := []output{{first.Name + ".dot", first.DOT()}, {first.Name + ".svg", first.SVG()}}
	for _, o := range b.machines {
		list = append(list, output{o.Name + ".mmd", o.Mermaid()})
	}
	for _, format := range []string{"md", "html", "json"} {
		text, err := b.render(format, "", nil)
		if err != nil {
			return nil, err
		}
		list = append(list, output{"machine." + format, text})
	}
	return list, nil
}

// block is what the marked block of a file holds.
func (b book) block() string { return "```mermaid\n" + b.machines[0].Mermaid() + "```\n" }

// write brings the targets up to date, and leaves alone what is.
func (b book) write(t targets) error {
	list, err := b.outputs(t)
	if err != nil {
		return err
	}
	for _, o := range list {
		if old, err := os.ReadFile(o.path); err == nil && string(old) == o.text {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(o.path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(o.path, []byte(o.text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error that shows how each stale file differs.
func (b book) check(t targets) error {
	if t == (targets{}) {
		t = standard
	}
	list, err := b.outputs(t)
	if err != nil {
		return err
	}
	var stale []string
	for _, o := range list {
		old, err := os.ReadFile(o.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			stale = append(stale, o.path+" is missing\n")
		case err != nil:
			return err
		case string(old) != o.text:
			stale = append(stale, o.path+" (- as it is, + as it should be):\n"+diff(string(old), o.text))
		}
	}
	strangers, err := strangersIn(t.out, list)
	if err != nil {
		return err
	}
	if stale = append(stale, strangers...); len(stale) == 0 {
		return nil
	}
	return errors.New("stale; run `make generate`\n" + strings.Join(stale, ""))
}

// strangersIn tells of files in the golden folder that nothing generates.
func strangersIn(folder string, list []output) ([]string, error) {
	if folder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var strangers []string
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if !slices.ContainsFunc(list, func(o output) bool { return o.path == path }) {
			strangers = append(strangers, path+" is generated no more: remove it\n")
		}
	}
	return strangers, nil
}

// replace puts the block between the marks.
func replace(text, block string) (string, error) {
	head, rest, ok := strings.Cut(text, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("no block between %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return head + begin + block + end + tail, nil
}
