package codex

import (
	"strings"

	"deskbridge/transitions"
)

// input is one part of what a person sends, as Codex takes it: UserInput in the
// bindings that the app-server generates.
type input struct {
	Type string `json:"type"` // text or localImage
	// Text and TextElements are those of a text; an empty list says that nothing in
	// it is to be shown in another way.
	Text         string     `json:"text,omitempty"`
	TextElements []struct{} `json:"text_elements,omitzero"`
	// Path is that of an image.
	Path string `json:"path,omitempty"`
}

// inputsOf are a person's text and files. An image is looked at; of any other file
// the text says where it lies, and of one that is lost, that it is.
func inputsOf(text string, files []transitions.File) []input {
	var images []input
	lines := []string{text}
	for _, f := range files {
		switch {
		case f.Lost != "":
			lines = append(lines, "[attachment "+f.Name+" could not be fetched: "+f.Lost+"]")
		case f.Image:
			images = append(images, input{Type: "localImage", Path: f.Path})
		default:
			lines = append(lines, "[attachment "+f.Name+": "+f.Path+"]")
		}
	}
	said := input{Type: "text", Text: strings.Join(lines, "\n"), TextElements: []struct{}{}}
	return append([]input{said}, images...)
}
