package main

import (
	_ "embed" // for the parts of the page
	"html/template"
	"strings"

	"deskbridge/fsm"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"wrap": wrap}).Parse(pageHTML))

// wrap lets a name break after its underscores.
func wrap(name string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(name), "_", "_<wbr>"))
}

// machineView is a machine as the page shows it.
type machineView struct {
	fsm.Outline
	Label   string
	Picture template.HTML
	Matrix  []factView
	Rows    []rowView
	Path    *pathView // of the conversation, if a journal is given
}

// factView is a line of the matrix.
type factView struct {
	fsm.OutlineTerm
	Marks []markView
}

type markView struct{ State, Mark string }

// rowView is a row of the table.
type rowView struct {
	fsm.OutlineRow
	State, Fact string
	Moves       bool
}

// page is one self-contained HTML page.
func (b book) page(path []fsm.PathStep) (string, error) {
	view := struct {
		CSS       template.CSS
		JS        template.JS
		Machines  []machineView
		Sentences []sentence
	}{CSS: template.CSS(pageCSS), JS: template.JS(pageJS), Sentences: b.sentences}
	for _, o := range b.machines {
		view.Machines = append(view.Machines, viewMachine(o))
	}
	if len(path) > 0 {
		view.Machines[0].Path = viewPath(b.machines[0], path)
	}
	var text strings.Builder
	err := pageTemplate.Execute(&text, view)
	return text.String(), err
}

func viewMachine(o fsm.Outline) machineView {
	// The picture is our own and escapes what it quotes.
	v := machineView{Outline: o, Label: machineLabels[o.Name], Picture: template.HTML(o.SVG())}
	marks := map[[2]string]string{}
	for _, c := range o.Cells {
		marks[[2]string{c.State, c.Fact}] = c.Mark()
		for _, row := range c.Rows {
			v.Rows = append(v.Rows, rowView{row, c.State, c.Fact, row.Target != c.State})
		}
	}
	for _, f := range o.Facts {
		line := factView{OutlineTerm: f}
		for _, s := range o.States {
			line.Marks = append(line.Marks, markView{s.Name, marks[[2]string{s.Name, f.Name}]})
		}
		v.Matrix = append(v.Matrix, line)
	}
	return v
}
