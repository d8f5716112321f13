package matrix_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/matrix"
)

// operator is an operator's command with arguments.
func operator(d *matrix.Desk, name string, args ...string) *exec.Cmd {
	cmd := d.Operator(name)
	cmd.Args = append(cmd.Args, args...)
	return cmd
}

// works runs an operator's command that must succeed, and returns what it prints.
func works(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	code, stdout, stderr := run(t, cmd)
	if code != 0 || stderr != "" {
		t.Fatalf("%q: exit code %d, stderr %q, stdout %q", cmd.Args[1:], code, stderr, stdout)
	}
	return stdout
}

// age makes all that a ledger holds older, whether or not a daemon writes to it.
func age(t *testing.T, d *matrix.Desk, by time.Duration) {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(d.Data, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"journal", "message", "turn", "delivery", "request"} {
		_, e := db.Exec("UPDATE "+table+" SET at = at - ?", by.Milliseconds())
		err = errors.Join(err, e)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

const month = 30 * 24 * time.Hour

// restored is a command on the ledger of a backup in a folder of its own.
func restored(t *testing.T, d *matrix.Desk, backup, name string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	if err := os.Rename(backup, filepath.Join(dir, "ledger.db")); err != nil {
		t.Fatal(err)
	}
	cmd := d.Operator(name)
	cmd.Env = append(cmd.Env, "DESK_DESK_DATA="+dir)
	return cmd
}

// look runs the commands that only read, on a desk on which "hello" was answered, and
// holds what they print.
func look(t *testing.T, d *matrix.Desk, message string) {
	t.Helper()
	sound := works(t, d.Operator("audit"))
	if !strings.HasPrefix(sound, "sound: conversations 1, ") || !strings.HasSuffix(sound, ", messages 1, turns 1, deliveries 1, requests 0\n") {
		t.Errorf("audit: %s", sound)
	}
	told := works(t, operator(d, "trace", message))
	stages := []string{
		"message " + message + " in conversation", "received: " + message + " from " + d.User, "sent: Codex answered to " + message,
		"message " + message + " is proven", "ended: turn ", "is persisted, ready to be sent", "shown: outcome:", "message " + message + " is answered",
	}
	for rest := told; len(stages) > 0; stages = stages[1:] {
		var found bool
		if _, rest, found = strings.Cut(rest, stages[0]); !found {
			t.Errorf("trace does not say, or not in its place, %q:\n%s", stages[0], told)
			break
		}
	}
	steps := 0
	for _, withText := range []bool{false, true} {
		args := map[bool][]string{true: {"--with-text"}}[withText]
		kinds := map[string]int{}
		text := works(t, operator(d, "export", args...))
		for line := range strings.Lines(text) {
			var l struct{ Kind string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			kinds[l.Kind]++
		}
		if strings.Contains(text, `"hello"`) != withText || strings.Contains(text, d.App.Secret) {
			t.Errorf("with text: %t, exported: %s", withText, text)
		}
		steps = kinds["journal"]
		same(t, "exported", map[string]int{"track": 1, "message": 1, "turn": 1, "delivery": 1, "journal": steps}, kinds)
	}
	same(t, "lines of the journal", steps, strings.Count(works(t, d.Operator("journal")), "\n"))

	backup := filepath.Join(t.TempDir(), "desk.db")
	works(t, operator(d, "backup", backup))
	if info, err := os.Stat(backup); err != nil || info.Mode() != 0o600 {
		t.Errorf("the backup is %v (%v)", info, err)
	}
	same(t, "the audit of the backup", sound, works(t, restored(t, d, backup, "audit")))
}

// control is the file of the daemon's control socket.
func control(d *matrix.Desk) (fs.FileMode, error) {
	info, err := os.Lstat(filepath.Join(d.Data, "ctl.sock"))
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

func TestOperatorsCommandsWorkBesideTheBridgeAndWithoutIt(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	first := d.Say("hello")
	chat := []string{`A: hello [OnIt]`, `Desk re "hello": reply to: hello`}
	d.AwaitChat(chat...)
	d.Terminate() // which writes down what is under way
	look(t, d, first)

	d.Start()
	look(t, d, first)
	if mode, err := control(d); err != nil || mode != fs.ModeSocket|0o600 {
		t.Errorf("the control socket is %v (%v)", mode, err)
	}
	const nothing = "removed: conversations 0, journal entries 0, messages 0, turns 0, deliveries 0, requests 0\n"
	same(t, "pruned of what is young", nothing, works(t, operator(d, "prune", "--older-than", "720h")))

	age(t, d, month+time.Hour)
	planned := works(t, operator(d, "prune", "--older-than", "720h", "--dry-run"))
	removed := works(t, operator(d, "prune", "--older-than", "720h"))
	d.AwaitLog("the ledger was pruned", "conversations=1")
	same(t, "what was planned", strings.Replace(planned, "would remove", "removed", 1), removed)
	if !strings.HasSuffix(removed, ", messages 1, turns 1, deliveries 1, requests 0\n") || strings.Count(removed, "\n") != 1 {
		t.Errorf("pruned: %s", removed)
	}
	same(t, "audit", "sound: conversations 1, steps 0, messages 0, turns 0, deliveries 0, requests 0\n", works(t, d.Operator("audit")))
	code, stdout, stderr := run(t, operator(d, "trace", first))
	same(t, "trace of what was pruned", []any{1, "", fmt.Sprintf("deskbridge: the ledger knows no %q: it was looked for among the ids of messages "+
		"(a person's, and the bridge's own in the chat), turns, requests and deliveries; what was pruned is not found any more\n", first)}, []any{code, stdout, stderr})

	// The conversation goes on in its thread; what Feishu brings again is not taken.
	d.OnPlatform(func(p *feishu.Platform) { p.Redeliver(p.EventsOf(first)[0]) })
	second := d.Say("again")
	chat = append(chat, `A: again [OnIt]`, `Desk re "again": reply to: again`)
	d.AwaitChat(chat...)
	d.Terminate()
	d.AwaitChat(chat...)
	same(t, "the model's requests", []string{"hello: answered", "again: answered"}, d.Requests())
	same(t, "threads", d.Model.Records()[0].Thread, d.Model.Records()[1].Thread)
	if told := works(t, operator(d, "trace", second)); !strings.HasSuffix(told, "older steps of this conversation were pruned\n") {
		t.Errorf("trace: %s", told)
	}
	if _, err := control(d); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the control socket of a bridge that has ended is there (%v)", err)
	}
}

func TestOperatorsCommandsWorkAfterACrash(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	first := d.Say("hello")
	chat := []string{`A: hello [OnIt]`, `Desk re "hello": reply to: hello`}
	d.AwaitChat(chat...)
	d.Terminate()
	d.Start()
	d.Kill()
	if mode, err := control(d); err != nil || mode.Type() != fs.ModeSocket {
		t.Errorf("the crash left no socket: %v (%v)", mode, err)
	}
	look(t, d, first)
	age(t, d, month+time.Hour)
	if removed := works(t, operator(d, "prune", "--older-than", "720h")); !strings.Contains(removed, "conversations 1, ") {
		t.Errorf("pruned: %s", removed)
	}
	d.Start()
	age(t, d, month)
	works(t, operator(d, "prune", "--older-than", "720h"))
	d.AwaitLog("the ledger was pruned")
	d.AwaitChat(chat...)
	d.Terminate()
}

// TestWhatWasPrunedIsNotTakenAgain prunes more turns than a track remembers. Codex
// tells their ends again upon the next connection.
func TestWhatWasPrunedIsNotTakenAgain(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	var chat []string
	say := func(text string) {
		d.Say(text)
		chat = append(chat, fmt.Sprintf(`A: %s [OnIt]`, text), fmt.Sprintf(`Desk re "%[1]s": reply to: %[1]s`, text))
		d.AwaitChat(chat...)
	}
	const turns = 18
	for i := range turns {
		say(fmt.Sprint("message ", i+1))
	}
	d.Terminate()
	age(t, d, month+time.Hour)
	if removed := works(t, operator(d, "prune", "--older-than", "720h")); !strings.Contains(removed, fmt.Sprintf(" messages %d, turns %[1]d, deliveries %[1]d,", turns)) {
		t.Fatalf("pruned: %s", removed)
	}
	d.Start()
	say("the next")
	d.Terminate()
	d.AwaitChat(chat...)
	sound := works(t, d.Operator("audit"))
	if !strings.Contains(sound, " messages 1, turns 1, deliveries 1,") {
		t.Errorf("audit: %s", sound)
	}
}
