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
	if err := c.override(environ); err != nil {
		return c, err
	}
	if err := c.resolve(path, environ); err != nil {
		return c, err
	}
	return c, c.check(path)
}

func decode(text []byte, where string, c *Config) error {
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(c)
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) {
		first := unknown.Errors[0]
		line, _ := first.Position()
		return &Error{Where: at(where, line), Key: strings.Join(first.Key(), "."), Problem: unknownKey(strings.Join(first.Key(), "."))}
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, _ := wrong.Position()
		key := strings.Join(wrong.Key(), ".")
		if kind, ok := keys()[key]; ok {
			return &Error{Where: at(where, line), Key: key, Problem: "must be " + wanted(kind)}
		}
		return &Error{Where: at(where, line), Problem: strings.TrimPrefix(wrong.Error(), "toml: ")}
	}
	if err != nil {
		return &Error{Where: where, Problem: err.Error()}
	}
	return nil
}

func at(where string, line int) string { return fmt.Sprintf("%s:%d", where, line) }

// keys lists every key as section.key with its type.
func keys() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, section := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		for _, key := range reflect.VisibleFields(section.Type) {
			all[section.Tag.Get("toml")+"."+key.Tag.Get("toml")] = key.Type
		}
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

func unknownKey(key string) string {
	known := make([]string, 0)
	for k := range keys() {
		known = append(known, k)
	}
	slices.Sort(known)
	nearest := slices.MinFunc(known, func(a, b string) int {
		return cmp.Compare(levenshtein.ComputeDistance(key, a), levenshtein.ComputeDistance(key, b))
	})
	return "is not a known key; the nearest is " + nearest
}

const envPrefix = "DESK_"

func envName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// override takes keys from environment variables. A list is written with commas.
func (c *Config) override(environ []string) error {
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

// resolve fetches the secret from where the file says it is, and makes the
// folders' names absolute: relative to the file they are written in.
func (c *Config) resolve(path string, environ []string) error {
	const key = "feishu.app_secret"
	ref := string(c.Feishu.AppSecret)
	if name, ok := strings.CutPrefix(ref, "env:"); ok {
		i := slices.IndexFunc(environ, func(p string) bool { return strings.HasPrefix(p, name+"=") })
		if i < 0 || environ[i] == name+"=" {
			return &Error{Where: path, Key: key, Problem: "names the environment variable " + name + ", which is not set"}
		}
		c.Feishu.AppSecret = Secret(strings.TrimPrefix(environ[i], name+"="))
	}
	if name, ok := strings.CutPrefix(ref, "file:"); ok {
		b, err := os.ReadFile(under(filepath.Dir(path), name))
		if err != nil {
			return &Error{Where: path, Key: key, Problem: "names the file " + name + ", which cannot be read: " + errors.Unwrap(err).Error()}
		}
		c.Feishu.AppSecret = Secret(strings.TrimSpace(string(b)))
	}
	for _, dir := range []*string{&c.Desk.Data, &c.Codex.Home, &c.Codex.Workdir} {
		if *dir != "" {
			abs, err := filepath.Abs(under(filepath.Dir(path), *dir))
			if err != nil {
				return &Error{Where: path, Problem: err.Error()}
			}
			*dir = abs
		}
	}
	return nil
}

func under(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}
