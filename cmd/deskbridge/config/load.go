package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/pelletier/go-toml/v2"
)

// Error is one thing wrong with the configuration, in one sentence.
type Error struct {
	// Where is the file, with the line if it is known, or the environment
	// variable.
	Where string
	// Key is the key as section.key; empty where the file itself is at fault.
	Key     string
	Problem string
}

func (e *Error) Error() string {
	if e.Key == "" {
		return e.Where + ": " + e.Problem
	}
	return e.Where + ": " + e.Key + " " + e.Problem
}

// Load reads a file, then the environment given as os.Environ gives it, and
// checks the result.
func Load(path string, environ []string) (Config, error) {
	c := Default()
	text, err := os.ReadFile(path)
	if err != nil {
		return c, &Error{Where: path, Problem: fmt.Sprintf("cannot be read (%v); name the file with --config", errors.Unwrap(err))}
	}
	if err := decode(text, path, &c); err != nil {
		return c, err
	}
	o := origins{path: path, text: string(text), variables: map[string]string{}}
	if err := c.override(environ, o.variables); err != nil {
		return c, err
	}
	if err := c.resolve(o, environ); err != nil {
		return c, err
	}
	return c, c.check(o)
}

func decode(text []byte, where string, c *Config) error {
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(c)
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) {
		first := unknown.Errors[0]
		line, _ := first.Position()
		key := strings.Join(first.Key(), ".")
		return &Error{Where: at(where, line), Key: key, Problem: unknownKey(key)}
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, _ := wrong.Position()
		return misread(at(where, line), strings.Join(wrong.Key(), "."), wrong)
	}
	if errors.Is(err, errNoSpan) {
		return noSpan(origins{path: where, text: string(text)})
	}
	if err != nil {
		return &Error{Where: where, Problem: err.Error()}
	}
	return nil
}

// noSpan blames the time span that is none: the library does not say which.
func noSpan(o origins) error {
	for key, kind := range keys() {
		if kind == reflect.TypeFor[Duration]() && o.of(key) != o.path {
			return o.fault(key, "must be "+wanted(kind))
		}
	}
	return &Error{Where: o.path, Problem: errNoSpan.Error()}
}

// misread says what a value should have been, or what the file's syntax lacks.
func misread(where, key string, err error) error {
	if kind, ok := keys()[key]; ok {
		return &Error{Where: where, Key: key, Problem: "must be " + wanted(kind)}
	}
	if slices.Contains(sections(), key) {
		return &Error{Where: where, Key: key, Problem: "must be a section, written once as [" + key + "]"}
	}
	return &Error{Where: where, Problem: strings.TrimPrefix(err.Error(), "toml: ")}
}

func at(where string, line int) string { return fmt.Sprintf("%s:%d", where, line) }

// keys lists every key as section.key with its type.
func keys() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, section := range sectionFields() {
		for _, key := range reflect.VisibleFields(section.Type) {
			all[section.Tag.Get("toml")+"."+key.Tag.Get("toml")] = key.Type
		}
	}
	return all
}

func sectionFields() []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(reflect.TypeFor[Config]()), func(f reflect.StructField) bool {
		return f.Tag.Get("toml") == "-"
	})
}

func sections() []string {
	var all []string
	for _, section := range sectionFields() {
		all = append(all, section.Tag.Get("toml"))
	}
	return all
}

func wanted(kind reflect.Type) string {
	switch {
	case kind == reflect.TypeFor[Duration]():
		return `a time span such as "30s"`
	case kind.Kind() == reflect.Slice:
		return `a list of strings such as ["ou_1"]`
	}
	return "a string in quotes"
}

// unknownKey names the nearest key there is; for a section, the nearest section.
func unknownKey(key string) string {
	what, known := "key", []string{}
	for k := range keys() {
		known = append(known, k)
	}
	if !strings.Contains(key, ".") {
		what, known = "section", sections()
	}
	slices.Sort(known)
	nearest := slices.MinFunc(known, func(a, b string) int {
		return cmp.Compare(levenshtein.ComputeDistance(key, a), levenshtein.ComputeDistance(key, b))
	})
	return "is not a known " + what + "; the nearest is " + nearest
}

const envPrefix = "DESK_"

func envName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// override takes keys from environment variables, and notes which. A list is
// written with commas.
func (c *Config) override(environ []string, variables map[string]string) error {
	names := map[string]string{}
	for k := range keys() {
		names[envName(k)] = k
	}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, envPrefix) {
			continue
		}
		key, ok := names[name]
		if !ok {
			return &Error{Where: "environment variable " + name, Problem: "belongs to no key; unset it, or see docs/configuration.md for the names"}
		}
		if err := c.set(key, value); err != nil {
			return &Error{Where: "environment variable " + name, Key: key, Problem: "must be " + wanted(keys()[key])}
		}
		variables[key] = name
	}
	return nil
}

func (c *Config) set(key, value string) error {
	section, name, _ := strings.Cut(key, ".")
	field := tagged(tagged(reflect.ValueOf(c).Elem(), section), name)
	switch p := field.Addr().Interface().(type) {
	case *Duration:
		return p.UnmarshalText([]byte(value))
	case *[]string:
		*p = nil
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*p = append(*p, part)
			}
		}
	default:
		field.SetString(value)
	}
	return nil
}

func tagged(v reflect.Value, tag string) reflect.Value {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("toml") == tag {
			return v.Field(i)
		}
	}
	panic("config: no field is tagged " + tag)
}

// resolve fetches the secrets from where their references say they are, and makes
// the folders' names absolute: relative to the file they are written in.
func (c *Config) resolve(o origins, environ []string) error {
	dir := filepath.Dir(o.path)
	if name, ok := strings.CutPrefix(string(c.Codex.Token), "file:"); ok && name != "" {
		file, err := filepath.Abs(under(dir, name))
		if err != nil {
			return o.fault("codex.token", "names a file that cannot be found: "+err.Error())
		}
		c.TokenFile = file
	}
	for _, secret := range []struct {
		key   string
		value *Secret
	}{{"feishu.app_secret", &c.Feishu.AppSecret}, {"codex.token", &c.Codex.Token}} {
		ref := string(*secret.value)
		fetched, problem := fetch(ref, dir, environ)
		if problem != "" {
			return o.fault(secret.key, problem)
		}
		*secret.value = Secret(fetched)
		c.SecretVariables = append(c.SecretVariables, envName(secret.key))
		if name, ok := strings.CutPrefix(ref, "env:"); ok {
			c.SecretVariables = append(c.SecretVariables, name)
		}
	}
	folders := map[string][]*string{
		"desk.data": {&c.Desk.Data}, "codex.home": {&c.Codex.Home}, "codex.workdir": {&c.Codex.Workdir},
	}
	c.Codex.Roots = slices.Clone(c.Codex.Roots)
	for i := range c.Codex.Roots {
		folders["codex.roots"] = append(folders["codex.roots"], &c.Codex.Roots[i])
	}
	for key, named := range folders {
		for _, folder := range named {
			if *folder == "" {
				continue
			}
			abs, err := filepath.Abs(under(dir, *folder))
			if err != nil {
				return o.fault(key, "cannot be made absolute: "+err.Error())
			}
			*folder = abs
		}
	}
	return nil
}

// fetch reads a secret that is written as env:NAME or file:PATH; anything else
// is the secret itself.
func fetch(ref, dir string, environ []string) (secret, problem string) {
	if name, ok := strings.CutPrefix(ref, "env:"); ok {
		if name == "" {
			return "", "names no environment variable; write env:NAME"
		}
		for _, pair := range environ {
			if key, value, _ := strings.Cut(pair, "="); key == name && value != "" {
				return value, ""
			}
		}
		return "", "names the environment variable " + name + ", which is not set"
	}
	name, ok := strings.CutPrefix(ref, "file:")
	switch {
	case !ok:
		return ref, ""
	case name == "":
		return "", "names no file; write file:PATH"
	}
	b, err := os.ReadFile(under(dir, name))
	if err != nil {
		return "", "names the file " + name + ", which cannot be read: " + errors.Unwrap(err).Error()
	}
	if secret = strings.TrimSpace(string(b)); secret == "" {
		return "", "names the file " + name + ", which is empty"
	}
	return secret, ""
}

func under(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}
