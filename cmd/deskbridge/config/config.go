// Package config reads desk.toml: one file, every key also an environment
// variable DESK_SECTION_KEY, secrets by reference.
//
// What belongs here: the keys, their types and defaults, and one clear sentence
// for each way to get them wrong. What does not: anything that acts on them.
package config

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Config is desk.toml.
type Config struct {
	Desk   Desk   `toml:"desk"`
	Codex  Codex  `toml:"codex"`
	Feishu Feishu `toml:"feishu"`
	Limits Limits `toml:"limits"`

	// SecretVariables are the environment variables that hold secrets of the
	// bridge. They are not handed on to the app-server, whose agent could read them.
	SecretVariables []string `toml:"-"`
	// TokenFile is the file that codex.token names, if it names one.
	TokenFile string `toml:"-"`
}

// Desk is about this desk itself.
type Desk struct {
	// Name tells this desk from others in the log.
	Name string `toml:"name"`
	// Language of the bridge's own sentences: zh or en.
	Language string `toml:"language"`
	// Data is the folder of the ledger and the app-server's socket and log.
	Data string `toml:"data"`
}

// Codex is about the app-server. What is not set, Codex's own settings decide.
type Codex struct {
	Command   string `toml:"command"`
	Transport string `toml:"transport"`
	// Endpoint is the address of an app-server on the network, and Token what it
	// lets its clients in by.
	Endpoint string `toml:"endpoint"`
	Token    Secret `toml:"token"`
	Home     string `toml:"home"`
	Workdir  string `toml:"workdir"`
	// Roots are the folders whose threads a chat may go on with, beside Workdir.
	Roots          []string `toml:"roots"`
	ApprovalPolicy string   `toml:"approval_policy"`
	Sandbox        string   `toml:"sandbox"`
	Model          string   `toml:"model"`
}

// Feishu is about the app on the open platform, and about who is let in.
type Feishu struct {
	AppID     string   `toml:"app_id"`
	AppSecret Secret   `toml:"app_secret"`
	BaseURL   string   `toml:"base_url"`
	Users     []string `toml:"allow_users"`
	Chats     []string `toml:"allow_chats"`
	Admins    []string `toml:"admins"`
	GroupMode string   `toml:"group_mode"`
}

// Limits are the bridge's times.
type Limits struct {
	// Stale is how old a message may be when it is sent to Codex; the sender of an
	// older one is asked first.
	Stale Duration `toml:"stale"`
	// Unreachable is how long a message may be unsent before its sender is told that
	// it is kept.
	Unreachable Duration `toml:"unreachable"`
	// TurnIdle is after how long without a sign of life people are told of a task that
	// nothing is heard of it.
	TurnIdle Duration `toml:"turn_idle"`
	// Settle is how far apart two reads must be to prove that a turn never began.
	Settle Duration `toml:"settle"`
}

// Socket is where the desk's app-server listens.
func (c Config) Socket() string { return filepath.Join(c.Desk.Data, "codex.sock") }

// Token is the app-server's token as it is now: one in a file may have been changed
// since the file was read. Its error holds no part of it.
func (c Config) Token() (string, error) {
	if c.TokenFile == "" {
		return string(c.Codex.Token), nil
	}
	text, err := os.ReadFile(c.TokenFile)
	return strings.TrimSpace(string(text)), err
}

// Duration is a time span as Go writes it: "30s", "10m". It is a struct, so that
// a bare number in the file is no time span.
type Duration struct{ time.Duration }

// UnmarshalText reads a time span.
func (d *Duration) UnmarshalText(b []byte) (err error) {
	if d.Duration, err = time.ParseDuration(string(b)); err != nil {
		return errNoSpan
	}
	return nil
}

// errNoSpan says that a value is no time span; which key has it, the file tells.
var errNoSpan = errors.New(`not a time span such as "30s"`)

// Secret is a value that is never printed.
type Secret string

const hidden = "[secret]"

// String hides the value.
func (Secret) String() string { return hidden }

// GoString hides the value.
func (Secret) GoString() string { return hidden }

// MarshalText hides the value.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue hides the value from logs.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// Default is the configuration before any key is read.
func Default() Config {
	return Config{
		Desk:   Desk{Name: "desk", Language: "zh", Data: defaultData()},
		Codex:  Codex{Command: "codex", Transport: "unix"},
		Feishu: Feishu{BaseURL: "https://open.feishu.cn", GroupMode: "mention"},
		Limits: Limits{
			Stale: Duration{30 * time.Minute}, Unreachable: Duration{time.Minute}, TurnIdle: Duration{10 * time.Minute},
			Settle: Duration{5 * time.Second},
		},
	}
}

// defaultData is the user's state folder, as the XDG base directory
// specification places it.
func defaultData() string {
	base := os.Getenv("XDG_STATE_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "deskbridge-data" // beside where the bridge is started
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "deskbridge")
}
