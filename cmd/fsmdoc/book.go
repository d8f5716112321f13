package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"deskbridge/fsm"
	"deskbridge/transitions"
)

// book is everything that the documents tell of.
type book struct {
	machines  []fsm.Outline // the conversation first
	sentences []sentence
}

// sentence is an entry of the catalogue. Facts are those that Entitled names.
type sentence struct {
	ID       string   `json:"id"`
	Chinese  string   `json:"zh"`
	English  string   `json:"en"`
	Entitled string   `json:"entitled"`
	Facts    []string `json:"facts"`
}

func load() book {
	b := book{machines: []fsm.Outline{
		transitions.Conversation().Outline(),
		transitions.Messages().Outline(),
		transitions.Turns().Outline(),
		transitions.Requests().Outline(),
		transitions.Deliveries().Outline(),
	}}
	for _, o := range b.machines {
		for i := range o.States {
			o.States[i].Label = stateLabels[o.Name][o.States[i].Name]
		}
	}
	for _, s := range transitions.Sentences() {
		b.sentences = append(b.sentences, sentence{
			ID: string(s.ID), Chinese: s.Chinese, English: s.English, Entitled: s.Entitled,
			Facts: b.factsIn(s.Entitled),
		})
	}
	return b
}

var word = regexp.MustCompile(`[a-z]+(_[a-z]+)*`)

// factsIn lists the conversation's facts that a text names, in its order.
func (b book) factsIn(text string) []string {
	facts := []string{}
	for _, name := range word.FindAllString(text, -1) {
		declared := slices.ContainsFunc(b.machines[0].Facts, func(t fsm.OutlineTerm) bool { return t.Name == name })
		if declared && !slices.Contains(facts, name) {
			facts = append(facts, name)
		}
	}
	return facts
}

func (b book) machine(name string) (fsm.Outline, error) {
	var names []string
	for _, o := range b.machines {
		if o.Name == name {
			return o, nil
		}
		names = append(names, o.Name)
	}
	return fsm.Outline{}, fmt.Errorf("no machine is called %q; there are %s", name, strings.Join(names, ", "))
}

// print writes one format to standard output.
func (b book) print(out io.Writer, opt options) error {
	var path []fsm.PathStep
	if opt.journal != "" {
		if opt.format != "html" {
			return fmt.Errorf("-journal is drawn by -format html alone")
		}
		var err error
		if path, err = readJournal(opt.journal); err != nil {
			return err
		}
	}
	text, err := b.render(opt.format, opt.machine, path)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}

func readJournal(name string) ([]fsm.PathStep, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	path, err := fsm.ReadPath(file)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil && len(path) == 0 {
		err = errors.New("there is no step in it")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return path, nil
}

func (b book) render(format, machine string, path []fsm.PathStep) (string, error) {
	switch format {
	case "md", "html", "json":
		if machine != "" {
			return "", fmt.Errorf("-format %s shows all machines", format)
		}
	case "", "mermaid", "dot", "svg":
		if machine == "" {
			machine = b.machines[0].Name
		}
	default:
		return "", fmt.Errorf("no format is called %q; there are mermaid, dot, svg, md, html, json", format)
	}
	switch format {
	case "md":
		return b.markdown(), nil
	case "html":
		return b.page(path)
	case "json":
		return b.json()
	}
	o, err := b.machine(machine)
	if err != nil {
		return "", err
	}
	switch format {
	case "dot":
		return o.DOT(), nil
	case "svg":
		return o.SVG(), nil
	}
	return o.Mermaid(), nil
}

// json has the conversation at the top level, and the other machines by name.
func (b book) json() (string, error) {
	document := struct {
		fsm.Outline
		Sentences []sentence             `json:"sentences"`
		Machines  map[string]fsm.Outline `json:"machines"`
	}{b.machines[0], b.sentences, map[string]fsm.Outline{}}
	for _, o := range b.machines[1:] {
		document.Machines[o.Name] = o
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(document)
	return text.String(), err
}

// markdown has every cell of every machine, and the catalogue.
func (b book) markdown() string {
	var text strings.Builder
	text.WriteString("# The machines, cell by cell\n\n" + generated + "\n")
	for _, o := range b.machines {
		fmt.Fprintf(&text, "[%s](#%s) · ", o.Name, o.Name)
	}
	text.WriteString("[sentences](#sentences)\n\n")
	for _, o := range b.machines {
		text.WriteString(o.Markdown())
	}
	text.WriteString("## sentences\n\nAll that the bridge itself says in a chat; `{1}` stands for the first argument.\n\n")
	text.WriteString("| sentence | 中文 | English | said only after |\n|---|---|---|---|\n")
	for _, s := range b.sentences {
		fmt.Fprintf(&text, "| `%s` | %s | %s | %s |\n", s.ID, tableText(s.Chinese), tableText(s.English), tableText(b.markFacts(s)))
	}
	return text.String()
}

// generated says where the text comes from.
const generated = "Written by `go run ./cmd/fsmdoc` from the declarations in `transitions`; do not edit.\n"

// markFacts writes a sentence's entitlement with its facts as code.
func (b book) markFacts(s sentence) string {
	return word.ReplaceAllStringFunc(s.Entitled, func(name string) string {
		if slices.Contains(s.Facts, name) {
			return "`" + name + "`"
		}
		return name
	})
}

// tableText keeps text within one cell of a Markdown table.
func tableText(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}
