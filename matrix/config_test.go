package matrix_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/matrix"
)

// run runs a command to its end and returns the exit code and what it said.
func run(t *testing.T, cmd *exec.Cmd) (code int, stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), problems.String()
}

func TestAWrongConfigurationIsOneLineThatSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const good = `[feishu]
app_id = "cli_a"
app_secret = "env:APP_SECRET"

[codex]
workdir = "."
`
	for _, c := range []struct {
		name, text, want string
		env              []string
	}{{
		name: "unknown key",
		text: good + `aproval_policy = "never"`,
		want: "FILE:7: codex.aproval_policy is not a known key; the nearest is codex.approval_policy",
	}, {
		name: "wrong type",
		text: good + `command = 7`,
		want: "FILE:7: codex.command must be a string in quotes",
	}, {
		name: "wrong type of a list",
		text: strings.Replace(good, "\n\n", "\nallow_users = \"ou_a\"\n\n", 1),
		want: `FILE:4: feishu.allow_users must be a list of strings such as ["ou_1"]`,
	}, {
		name: "wrong time span",
		text: good + "[limits]\nsettle = \"soon\"",
		want: `FILE:8: limits.settle must be a time span such as "30s"`,
	}, {
		name: "missing secret",
		text: strings.Replace(good, `app_secret = "env:APP_SECRET"`, "", 1),
		want: `FILE: feishu.app_secret is missing; write where it is: "env:NAME" or "file:PATH"`,
	}, {
		name: "secret that is not set",
		text: good,
		want: "FILE:3: feishu.app_secret names the environment variable APP_SECRET, which is not set",
	}, {
		name: "unknown environment variable",
		text: good,
		env:  []string{"DESK_CODEX_MODLE=x"},
		want: "environment variable DESK_CODEX_MODLE: belongs to no key; unset it, or see docs/configuration.md for the names",
	}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "desk.toml")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(program(t), "run", "--config", file)
			cmd.Dir, cmd.Env = dir, append([]string{"HOME=" + dir}, c.env...)
			code, stdout, stderr := run(t, cmd)
			same(t, "exit code", 2, code)
			same(t, "stdout", "", stdout)
			same(t, "stderr", "deskbridge: "+strings.Replace(c.want, "FILE", file, 1)+"\n", stderr)
		})
	}
}

func TestASecondDaemonOnTheSameDataIsRefused(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	code, stdout, stderr := run(t, d.Command())
	same(t, "exit code", 1, code)
	same(t, "stdout", "", stdout)
	same(t, "stderr", fmt.Sprintf("deskbridge: store: the data folder %s belongs to a bridge that is running (pid %d). "+
		"Stop that one first, or name another folder in [desk] data\n", d.Data, d.PID()), stderr)
	documented(t, d, fmt.Sprintf("store: the data folder %s belongs to a bridge that is running (pid 4711). "+
		"Stop that one first, or name another folder in [desk] data", d.Data))
	// The first is none the worse for it.
	d.Say("hello")
	d.Finish(`A: hello [OnIt]`, `Desk re "hello": reply to: hello`)
}

func TestWithoutCodexMessagesAreKeptUntilItAppears(t *testing.T) {
	real, err := matrix.Codex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "codex")
	d := startDesk(t, matrix.Options{Codex: missing})
	d.AwaitLog("Codex cannot be reached; messages are kept", missing, "cannot be found", "npm install -g @openai/codex")
	id := d.Say("hello")
	d.AwaitChat(`A: hello [OnIt]`)
	d.AwaitPlatform("the message is acknowledged", func(p *feishu.Platform) bool {
		return p.Events()[0].MessageID == id && p.Events()[0].Acknowledged
	})
	if err := os.Symlink(real, missing); err != nil {
		t.Fatal(err)
	}
	d.AwaitLog("Codex can be reached")
	d.Finish(`A: hello [OnIt]`, `Desk re "hello": reply to: hello`)
}

func TestAnAppThatFeishuDoesNotKnowWorksOnceItDoes(t *testing.T) {
	d := newDesk(t, matrix.Options{Unregistered: true})
	d.Launch()
	d.AwaitLog("Feishu does not know the app", "check feishu.app_id")
	d.AwaitLog("Feishu refuses to send its events", "check [feishu] app_id and app_secret")
	d.Register()
	d.AwaitPlatform("the daemon connects", func(p *feishu.Platform) bool { return p.Connections() == 1 })
	d.AwaitLog("Feishu accepts the app's credentials again")
	d.AwaitLog("Feishu's events arrive")
	d.Say("hello")
	d.Finish(`A: hello [OnIt]`, `Desk re "hello": reply to: hello`)
}

func TestAWrongSecretIsNamedAndNeverWritten(t *testing.T) {
	d := newDesk(t, matrix.Options{})
	right := d.App.Secret
	d.App.Secret = "another-one"
	d.Launch()
	d.AwaitLog("Feishu does not accept the app's secret", "feishu.app_secret")
	d.AwaitLog("Feishu refuses to send its events", "check [feishu] app_id and app_secret")
	if log := d.Log(); strings.Contains(log, d.App.Secret) {
		t.Errorf("the log holds the secret:\n%s", log)
	}
	d.Terminate()
	d.App.Secret = right
	d.Start()
	d.Say("hello")
	d.Finish(`A: hello [OnIt]`, `Desk re "hello": reply to: hello`)
}
