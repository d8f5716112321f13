package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTheEnvironmentOverridesTheFile(t *testing.T) {
	t.Parallel()
	got, err := Load(write(t, least+"model = \"from the file\"\n"), []string{
		"PATH=/bin", "DESK_CODEX_MODEL=from the environment", "DESK_DESK_LANGUAGE=en", "DESK_LIMITS_SETTLE=2s",
		"DESK_FEISHU_APP_ID=cli_2", "DESK_FEISHU_BASE_URL=http://127.0.0.1:9/?a=b",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Codex.Model != "from the environment" || got.Desk.Language != "en" || got.Limits.Settle.Duration != 2*time.Second ||
		got.Feishu.AppID != "cli_2" || got.Feishu.BaseURL != "http://127.0.0.1:9/?a=b" {
		t.Errorf("%+v", got)
	}
	if got.Feishu.AppSecret != "hush" {
		t.Error("what is not overridden is not the file's")
	}
}

// TestEveryKeyHasItsVariable holds it for each key of each section.
func TestEveryKeyHasItsVariable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	values := map[string]string{
		"desk.language": "en", "codex.transport": "unix", "codex.workdir": dir, "codex.home": dir, "codex.roots": dir, "desk.data": dir,
		"feishu.base_url": "http://127.0.0.1:9", "feishu.group_mode": "all", "limits.stale": "1h", "limits.unreachable": "2m", "limits.settle": "7s", "limits.turn_idle": "3m",
		"codex.approval_policy": "never", "codex.endpoint": "ws://127.0.0.1:9", "codex.sandbox": "read-only",
	}
	for key, kind := range keys() {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			value := values[key]
			if value == "" {
				value = "value"
			}
			text := least
			if key == "codex.endpoint" || key == "codex.token" {
				text += "transport = \"ws\"\nendpoint = \"ws://127.0.0.1:1\"\n"
			}
			c, err := Load(write(t, text), []string{envName(key) + "=" + value})
			if err != nil {
				t.Fatal(err)
			}
			want := Default()
			if err := want.set(key, value); err != nil {
				t.Fatal(err)
			}
			if got := fieldOf(&c, key); !reflect.DeepEqual(got, fieldOf(&want, key)) {
				t.Errorf("%s (%s) is %v", key, kind, got)
			}
		})
	}
	if n := len(keys()); n < 20 {
		t.Errorf("only %d keys are known", n)
	}
}

func fieldOf(c *Config, key string) any {
	section, name, _ := strings.Cut(key, ".")
	return tagged(tagged(reflect.ValueOf(c).Elem(), section), name).Interface()
}

func TestAListInTheEnvironmentIsWrittenWithCommas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value string
		want        []string
	}{
		{"one", "ou_a", []string{"ou_a"}},
		{"several, with spaces", " ou_a, ou_b ,ou_c", []string{"ou_a", "ou_b", "ou_c"}},
		{"empty parts are nothing", "ou_a,,ou_b,", []string{"ou_a", "ou_b"}},
		{"empty takes the file's away", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := write(t, "[codex]\nworkdir = \".\"\n[feishu]\napp_id = \"cli_1\"\napp_secret = \"hush\"\nadmins = [\"ou_file\"]")
			got, err := Load(path, []string{"DESK_FEISHU_ADMINS=" + c.value})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Feishu.Admins); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAMistakeInTheEnvironmentNamesTheVariable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, pair, want string }{
		{"a variable of no key", "DESK_CODEX_MODLE=m", "environment variable DESK_CODEX_MODLE: belongs to no key; unset it, or see docs/configuration.md for the names"},
		{"no time span", "DESK_LIMITS_SETTLE=5", `environment variable DESK_LIMITS_SETTLE: limits.settle must be a time span such as "30s"`},
		{"an empty time span", "DESK_LIMITS_SETTLE=", `environment variable DESK_LIMITS_SETTLE: limits.settle must be a time span such as "30s"`},
		{"a time span of nothing", "DESK_LIMITS_SETTLE=0s", `environment variable DESK_LIMITS_SETTLE: limits.settle must be at least 1s`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(write(t, least), []string{c.pair})
			refused(t, err, c.want)
		})
	}
}

func TestASecretIsFetchedFromWhereItIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	elsewhere := filepath.Join(dir, "secret")
	if err := os.WriteFile(elsewhere, []byte("  from the other file \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, ref, want string }{
		{"written into the file", "hush", "hush"},
		{"a variable", "env:APP_SECRET", "from=the environment"},
		{"a file beside this one", "file:secret", "from the file"},
		{"a file anywhere", "file:" + elsewhere, "from the other file"},
	} {
		for _, how := range []string{"in the file", "in the environment"} {
			t.Run(c.name+", named "+how, func(t *testing.T) {
				t.Parallel()
				text, environ := least, []string{"APP_SECRET_2=x", "APP_SECRET=from=the environment"}
				if how == "in the file" {
					text = "[codex]\nworkdir = \".\"\n[feishu]\napp_id = \"cli_1\"\napp_secret = \"" + c.ref + "\"\n"
				} else {
					environ = append(environ, "DESK_FEISHU_APP_SECRET="+c.ref)
				}
				path := write(t, text)
				if err := os.WriteFile(filepath.Join(filepath.Dir(path), "secret"), []byte("from the file\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				got, err := Load(path, environ)
				if err != nil {
					t.Fatal(err)
				}
				if string(got.Feishu.AppSecret) != c.want {
					t.Error("another secret was fetched")
				}
			})
		}
	}
}

// TestFoldersAreRelativeToTheFile holds that where the bridge is started does
// not matter.
func TestFoldersAreRelativeToTheFile(t *testing.T) {
	t.Parallel()
	path := write(t, least+"home = \"../home\"\n[desk]\ndata = \"a/../state\"\n")
	got, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(path)
	want := []string{dir, filepath.Join(filepath.Dir(dir), "home"), filepath.Join(dir, "state")}
	if diff := cmp.Diff(want, []string{got.Codex.Workdir, got.Codex.Home, got.Desk.Data}); diff != "" {
		t.Error(diff)
	}
}

func TestTheLedgerLivesInTheUsersStateFolder(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/srv/state")
	if got := Default().Desk.Data; got != "/srv/state/deskbridge" {
		t.Errorf("got %s", got)
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "/home/desk")
	if got := Default().Desk.Data; got != "/home/desk/.local/state/deskbridge" {
		t.Errorf("got %s", got)
	}
	t.Setenv("HOME", "")
	if got := Default().Desk.Data; got != "deskbridge-data" {
		t.Errorf("got %s", got)
	}
}
