package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// least is a file with all that has no default, and nothing else.
const least = `[feishu]
app_id = "cli_1"
app_secret = "hush"
[codex]
workdir = "."
`

// write makes a desk.toml in a folder of its own and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "desk.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheLeastFileIsEnough(t *testing.T) {
	t.Parallel()
	path := write(t, least)
	got, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Desk:   Desk{Name: "desk", Language: "zh", Data: Default().Desk.Data},
		Codex:  Codex{Command: "codex", Transport: "unix", Workdir: filepath.Dir(path)},
		Feishu: Feishu{AppID: "cli_1", AppSecret: "hush", BaseURL: "https://open.feishu.cn", GroupMode: "mention"},
		Limits: Limits{Stale: Duration{30 * time.Minute}, Unreachable: Duration{time.Minute}, TurnIdle: Duration{10 * time.Minute}, Settle: Duration{5 * time.Second}},

		SecretVariables: []string{"DESK_FEISHU_APP_SECRET", "DESK_CODEX_TOKEN"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryKeyOfTheFileIsRead(t *testing.T) {
	t.Parallel()
	path := write(t, `
[desk]
name = "lab"
language = "en"
data = "state"
[codex]
command = "/opt/codex"
transport = "unix"
home = "/srv/codex"
workdir = "work"
roots = ["work", "/"]
approval_policy = "on-request"
sandbox = "read-only"
model = "m"
[feishu]
app_id = "cli_1"
app_secret = "hush"
base_url = "http://127.0.0.1:9"
allow_users = ["ou_a", "ou_b"]
allow_chats = ["oc_1"]
admins = ["ou_c"]
group_mode = "all"
[limits]
stale = "2h"
unreachable = "3m"
turn_idle = "20m"
settle = "1m30s"
`)
	dir := filepath.Dir(path)
	if err := os.Mkdir(filepath.Join(dir, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Desk: Desk{Name: "lab", Language: "en", Data: filepath.Join(dir, "state")},
		Codex: Codex{
			Command: "/opt/codex", Transport: "unix", Home: "/srv/codex", Workdir: filepath.Join(dir, "work"),
			Roots:          []string{filepath.Join(dir, "work"), "/"},
			ApprovalPolicy: "on-request", Sandbox: "read-only", Model: "m",
		},
		Feishu: Feishu{
			AppID: "cli_1", AppSecret: "hush", BaseURL: "http://127.0.0.1:9", GroupMode: "all",
			Users: []string{"ou_a", "ou_b"}, Chats: []string{"oc_1"}, Admins: []string{"ou_c"},
		},
		Limits: Limits{Stale: Duration{2 * time.Hour}, Unreachable: Duration{3 * time.Minute}, TurnIdle: Duration{20 * time.Minute}, Settle: Duration{90 * time.Second}},

		SecretVariables: []string{"DESK_FEISHU_APP_SECRET", "DESK_CODEX_TOKEN"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnAppServerOnTheNetworkIsNamedWithItsToken(t *testing.T) {
	t.Parallel()
	path := write(t, least+"transport = \"ws\"\nendpoint = \"wss://codex.example.com/desk\"\ntoken = \"env:TOKEN\"\n")
	got, err := Load(path, []string{"TOKEN=hush-hush"})
	if err != nil {
		t.Fatal(err)
	}
	token, err := got.Token()
	if got.Codex.Endpoint != "wss://codex.example.com/desk" || token != "hush-hush" || err != nil {
		t.Errorf("endpoint %s, %v", got.Codex.Endpoint, err)
	}
	want := []string{"DESK_FEISHU_APP_SECRET", "DESK_CODEX_TOKEN", "TOKEN"}
	if diff := cmp.Diff(want, got.SecretVariables); diff != "" {
		t.Errorf("variables that the agent must not see (-want +got):\n%s", diff)
	}
}

// TestATokenInAFileIsReadWhenItIsAskedFor: it was read once, at the start.
func TestATokenInAFileIsReadWhenItIsAskedFor(t *testing.T) {
	t.Parallel()
	path := write(t, least+"transport = \"ws\"\nendpoint = \"ws://127.0.0.1:4500\"\ntoken = \"file:token\"\n")
	file := filepath.Join(filepath.Dir(path), "token")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("first\n")
	c, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"first", "second"} {
		put(want + "\n")
		if got, err := c.Token(); got != want || err != nil {
			t.Errorf("another token than the %s, %v", want, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Token(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestEveryMistakeIsOneLineThatHelps holds, for each way to get the file wrong,
// the whole sentence: where, which key, and what would be right.
func TestEveryMistakeIsOneLineThatHelps(t *testing.T) {
	t.Parallel()
	feishu := func(lines string) string {
		return "[codex]\nworkdir = \".\"\n[feishu]\napp_id = \"cli_1\"\n" + lines
	}
	for _, c := range []struct{ name, text, want string }{
		{"a key that is not known", least + `modell = "m"`, `desk.toml:6: codex.modell is not a known key; the nearest is codex.model`},
		{"a key in the wrong section", least + "[desk]\napp_id = \"x\"", `desk.toml:7: desk.app_id is not a known key; the nearest is feishu.app_id`},
		{"a number for a string", least + "model = 3", `desk.toml:6: codex.model must be a string in quotes`},
		{"a truth value for a string", least + "[desk]\ndata = true", `desk.toml:7: desk.data must be a string in quotes`},
		{"a list for a secret", feishu(`app_secret = ["hush"]`), `desk.toml:5: feishu.app_secret must be a string in quotes`},
		{"a string for a list", feishu(`admins = "ou_a"`), `desk.toml:5: feishu.admins must be a list of strings such as ["ou_1"]`},
		{"a number in a list", feishu(`admins = ["ou_a", 1]`), `desk.toml:5: feishu.admins must be a list of strings such as ["ou_1"]`},
		{"a time span without a unit", least + "[limits]\nsettle = \"5\"", `desk.toml:7: limits.settle must be a time span such as "30s"`},
		{"a time span below zero", least + "[limits]\nsettle = \"-5s\"", `desk.toml:7: limits.settle must be at least 1s`},
		{"a time span that is a number", least + "[limits]\nsettle = 5", `desk.toml:7: limits.settle must be a time span such as "30s"`},
		{"a sandbox that is not there", least + `sandbox = "read_only"`, `desk.toml:6: codex.sandbox must be read-only or workspace-write or danger-full-access, not read_only`},
		{"a policy that is not there", least + `approval_policy = "always"`, `desk.toml:6: codex.approval_policy must be untrusted or on-request or never, not always`},
		{"a folder too deep for a socket", least + "[desk]\ndata = \"/" + strings.Repeat("d", 120) + "\"", `desk.toml:7: desk.data is too long: the app-server's socket in it may have 107 bytes, not 132`},
		{"a key without a value", least + "model =\n", `desk.toml:6: unexpected character U+000A at start of value`},
		{"a key twice", least + `workdir = "x"`, `desk.toml:6: key workdir is already defined`},
		{"a section twice", least + "[feishu]", `desk.toml:6: feishu must be a section, written once as [feishu]`},
		{"a file that is not text", "\xff\xfe", `desk.toml:1: invalid character at start of key: U+00FF 'ÿ'`},
		{"no app id", "[codex]\nworkdir = \".\"", `desk.toml: feishu.app_id is missing; it stands on the app's page of the Feishu developer console, as cli_…`},
		{"no secret", feishu(""), `desk.toml: feishu.app_secret is missing; write where it is: "env:NAME" or "file:PATH"`},
		{"no folder to work in", "[feishu]\napp_id = \"cli_1\"\napp_secret = \"hush\"", `desk.toml: codex.workdir is missing; it is the folder that Codex works in`},
		{"a folder that does not exist", strings.Replace(least, `"."`, `"/no/such"`, 1), `desk.toml:5: codex.workdir is no folder: /no/such`},
		{"a root that does not exist", strings.Replace(least, `workdir = "."`, "workdir = \".\"\nroots = [\"/no/such\"]", 1), `desk.toml:6: codex.roots names what is no folder: /no/such`},
		{"a folder that is a file", strings.Replace(least, `"."`, `"desk.toml"`, 1), `desk.toml:5: codex.workdir is no folder: DIR/desk.toml`},
		{"a language that is not spoken", least + "[desk]\nlanguage = \"fr\"", `desk.toml:7: desk.language must be zh or en, not fr`},
		{"a transport that is not there", least + `transport = "pigeon"`, `desk.toml:6: codex.transport must be unix or ws or stdio, not pigeon`},
		{"no endpoint", least + `transport = "ws"`, `desk.toml: codex.endpoint is missing; with transport ws it is where the app-server listens, such as ws://127.0.0.1:4500`},
		{"an endpoint without a scheme", least + "transport = \"ws\"\nendpoint = \"127.0.0.1:4500\"", `desk.toml:7: codex.endpoint ` + endpointHelp},
		{"an endpoint of another kind", least + "transport = \"ws\"\nendpoint = \"http://127.0.0.1:4500\"", `desk.toml:7: codex.endpoint ` + endpointHelp},
		{"an endpoint without a host", least + "transport = \"ws\"\nendpoint = \"ws:///codex\"", `desk.toml:7: codex.endpoint ` + endpointHelp},
		{"an endpoint with a password", least + "transport = \"ws\"\nendpoint = \"ws://a:hush@127.0.0.1:4500\"", `desk.toml:7: codex.endpoint ` + endpointHelp},
		{"an endpoint with a token", least + "transport = \"ws\"\nendpoint = \"ws://127.0.0.1:4500/?token=hush\"", `desk.toml:7: codex.endpoint ` + endpointHelp},
		{"an endpoint of no network", least + `endpoint = "ws://127.0.0.1:4500"`, `desk.toml:6: codex.endpoint is for transport ws only, and the transport is unix`},
		{"a token for a child", least + "transport = \"stdio\"\ntoken = \"hush\"", `desk.toml:7: codex.token is for transport ws only, and the transport is stdio`},
		{"a token in a file that does not exist", least + `token = "file:nope"`, `desk.toml:6: codex.token names the file nope, which cannot be read: no such file or directory`},
		{"a token that is none", least + `token = "file:"`, `desk.toml:6: codex.token names no file; write file:PATH`},
		{"a group mode that is not there", feishu("app_secret = \"hush\"\ngroup_mode = \"some\""), `desk.toml:6: feishu.group_mode must be mention or all, not some`},
		{"an address without a scheme", feishu("app_secret = \"hush\"\nbase_url = \"open.feishu.cn\""), `desk.toml:6: feishu.base_url must be an address such as https://open.feishu.cn`},
		{"an address of another kind", feishu("app_secret = \"hush\"\nbase_url = \"ftp://open.feishu.cn\""), `desk.toml:6: feishu.base_url must be an address such as https://open.feishu.cn`},
		{"an address that is none", feishu("app_secret = \"hush\"\nbase_url = \"https://open.feishu.cn:x\""), `desk.toml:6: feishu.base_url must be an address such as https://open.feishu.cn`},
		{"a secret in a variable that is not set", feishu(`app_secret = "env:NOPE"`), `desk.toml:5: feishu.app_secret names the environment variable NOPE, which is not set`},
		{"a secret in a variable that is empty", feishu(`app_secret = "env:EMPTY"`), `desk.toml:5: feishu.app_secret names the environment variable EMPTY, which is not set`},
		{"a secret in a file that does not exist", feishu(`app_secret = "file:nope"`), `desk.toml:5: feishu.app_secret names the file nope, which cannot be read: no such file or directory`},
		{"a secret in a file that is a folder", feishu(`app_secret = "file:."`), `desk.toml:5: feishu.app_secret names the file ., which cannot be read: is a directory`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := write(t, c.text)
			_, err := Load(path, []string{"EMPTY="})
			refused(t, err, strings.ReplaceAll(filepath.Dir(path)+"/"+c.want, "DIR", filepath.Dir(path)))
		})
	}
}

const endpointHelp = `must be an address such as ws://127.0.0.1:4500 or wss://codex.example.com, without a name, a password or a query`

// refused holds that the error is an [Error] with that text, in one line.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	var wrong *Error
	if !errors.As(err, &wrong) {
		t.Fatalf("not refused, or otherwise: %v", err)
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than a line: %q", err)
	}
}

func TestAFileThatCannotBeReadSaysHowToNameIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Load(filepath.Join(dir, "desk.toml"), nil)
	refused(t, err, dir+"/desk.toml: cannot be read (no such file or directory); name the file with --config")
	_, err = Load(dir, nil)
	refused(t, err, dir+": cannot be read (is a directory); name the file with --config")
}
