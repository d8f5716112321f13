package config

import (
	"regexp"
	"strings"
)

// origins tells where the values of a configuration were written.
type origins struct {
	path string
	text string
	// variables are the environment variables that set a key.
	variables map[string]string
}

var (
	sectionLine = regexp.MustCompile(`^\s*\[\s*([A-Za-z0-9_]+)\s*\]`)
	keyLine     = regexp.MustCompile(`^\s*([A-Za-z0-9_]+)\s*=`)
)

// fault is something wrong with a key's value.
func (o origins) fault(key, problem string) error {
	return &Error{Where: o.of(key), Key: key, Problem: problem}
}

// of is the environment variable that set the key, or else the file, with the
// line where it is plain to see.
func (o origins) of(key string) string {
	if name, ok := o.variables[key]; ok {
		return "environment variable " + name
	}
	section, line := "", 0
	for text := range strings.Lines(o.text) {
		line++
		if m := sectionLine.FindStringSubmatch(text); m != nil {
			section = m[1]
		}
		if m := keyLine.FindStringSubmatch(text); m != nil && section+"."+m[1] == key {
			return at(o.path, line)
		}
	}
	return o.path
}
