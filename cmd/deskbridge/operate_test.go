package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/store"
	"deskbridge/store/storetest"
	"deskbridge/transitions"
)

// desk is a data folder with a configuration, and no daemon.
type desk struct {
	t *testing.T
	*storetest.Life
	config string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	d := desk{t: t, Life: storetest.New(t), config: filepath.Join(t.TempDir(), "desk.toml")}
	text := "[desk]\ndata = '" + d.Dir + "'\n[codex]\nworkdir = '.'\n[feishu]\napp_id = 'cli_a'\napp_secret = 'a secret'\n"
	if err := os.WriteFile(d.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// operate runs an operator's command and returns its exit code and what it printed.
func (d desk) operate(args ...string) (code int, out string) {
	d.t.Helper()
	var text bytes.Buffer
	cmd := root()
	cmd.SetArgs(append(args, "--config", d.config))
	cmd.SetOut(&text)
	cmd.SetErr(&text)
	if err := cmd.ExecuteContext(d.t.Context()); err != nil {
		text.WriteString("deskbridge: " + err.Error() + "\n")
		return exitCode(err), text.String()
	}
	return 0, text.String()
}

var update = flag.Bool("update", false, "rewrite the examples of docs/operating.md")

const document = "../../docs/operating.md"

// example is a command of the document with what it prints.
var example = regexp.MustCompile(`(?m)^    \$ deskbridge (.*)\n(?:    [^$\n].*\n)*`)

// TestTheOperatorsCommandsPrintWhatTheirDocumentShows runs each command of
// docs/operating.md on one ledger, in order, and holds the document to what they print.
// The ledger has a conversation that is settled, and one whose last answer Feishu
// refused.
func TestTheOperatorsCommandsPrintWhatTheirDocumentShows(t *testing.T) {
	d := newDesk(t)
	d.Answered("oc_1/1", "om_1", "turn_A")
	d.Tell("oc_2/1",
		transitions.MessageReceived{Message: "om_2", Sender: storetest.Owner, Text: "write a novel", Created: transitions.Millis(d.Now.UnixMilli() - 100)},
		transitions.ThreadOpened{Thread: "th_2"},
		transitions.TurnStartAccepted{Message: "om_2", Turn: "turn_B"},
		transitions.TurnEnded{Turn: "turn_B", Status: transitions.EndCompleted, Messages: []string{"om_2"}, Reply: strings.Repeat("x", 200000)},
		transitions.DeliveryRefused{Delivery: "outcome:turn_B", Code: 230028, Said: "content stopped by data loss prevention"},
		transitions.DeliveryConfirmed{Delivery: "notice:turn_B:outcome_not_posted", Shown: "om_notice"},
	)
	d.Settle()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "desk.db")
	used := map[string]bool{}
	printed := example.ReplaceAllStringFunc(string(text), func(shown string) string {
		call := example.FindStringSubmatch(shown)[1]
		args := strings.Fields(strings.ReplaceAll(call, "/backup/desk.db", backup))
		used[args[0]] = true
		_, out := d.operate(args...)
		out = strings.TrimSuffix(strings.ReplaceAll(out, backup, "/backup/desk.db"), "\n")
		return "    $ deskbridge " + call + "\n    " + strings.ReplaceAll(out, "\n", "\n    ") + "\n"
	})
	if *update {
		if err := os.WriteFile(document, []byte(printed), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(sizeless(string(text)), sizeless(printed)); diff != "" {
		t.Errorf("if what is printed is right, run the test with -update (-document +printed):\n%s", diff)
	}
	for _, name := range []string{"audit", "backup", "export", "journal", "policy", "prune", "trace"} {
		if !used[name] {
			t.Errorf("docs/operating.md shows no deskbridge %s", name)
		}
	}
}

// sizeless leaves out the size of a file, which is SQLite's business.
func sizeless(text string) string {
	return regexp.MustCompile(`\d+ bytes`).ReplaceAllString(text, "N bytes")
}

// TestWrongCallsAreOneSentence holds exit code and words of each way to call a command
// wrongly, and of what cannot be done.
func TestWrongCallsAreOneSentence(t *testing.T) {
	d := newDesk(t)
	d.Sound()
	for _, c := range []struct {
		call string
		code int
		says string
	}{
		{"trace", 2, "deskbridge trace needs one argument, an id; see deskbridge trace --help"},
		{"trace om_1 om_2", 2, "deskbridge trace needs one argument, an id; see deskbridge trace --help"},
		{"trace om_99", 1, `the ledger knows no "om_99": it was looked for among the ids of messages (a person's, and the bridge's own in the chat), turns, requests and deliveries; what was pruned is not found any more`},
		{"backup", 2, "deskbridge backup needs one argument, the file to write; see deskbridge backup --help"},
		{"backup " + d.config, 1, "store: back up to " + d.config + ": the file is there already. Name a file that is not there yet"},
		{"prune", 2, "deskbridge prune needs --older-than AGE, such as 720h; see deskbridge prune --help"},
		{"prune --older-than 167h", 2, "--older-than: nothing younger than 168h0m0s is ever pruned; it was to be 167h0m0s; see deskbridge prune --help"},
		{"prune --older-than 30d", 2, `invalid argument "30d" for "--older-than" flag: time: unknown unit "d" in duration "30d"`},
		{"audit all", 2, `"all" is no command or argument of deskbridge audit; see deskbridge audit --help`},
		{"policy --allow oc_9/1", 2, "--allow: oc_9/1 is not closed for a looser policy; deskbridge policy lists what is"},
		{"export om_1", 2, `"om_1" is no command or argument of deskbridge export; see deskbridge export --help`},
	} {
		code, out := d.operate(strings.Fields(c.call)...)
		if code != c.code || out != "deskbridge: "+c.says+"\n" {
			t.Errorf("%s: exit code %d, %s", c.call, code, out)
		}
	}
}

// TestNothingIsMadeWhereThereIsNoLedger holds that no command makes a folder or a ledger.
func TestNothingIsMadeWhereThereIsNoLedger(t *testing.T) {
	d := newDesk(t)
	missing := filepath.Join(t.TempDir(), "data")
	t.Setenv("DESK_DESK_DATA", missing)
	for _, call := range []string{"journal", "audit", "export", "trace om_1", "backup " + filepath.Join(t.TempDir(), "b"), "prune --older-than 720h", "prune --older-than 720h --dry-run"} {
		code, out := d.operate(strings.Fields(call)...)
		if want := "deskbridge: store: open " + filepath.Join(missing, "ledger.db") + ": there is no ledger yet: deskbridge run makes it\n"; code != 1 || out != want {
			t.Errorf("%s: exit code %d, %s", call, code, out)
		}
	}
	if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there (%v)", err)
	}
}

// TestAnAuditThatFindsSomethingFails spoils a row, as only a defect can.
func TestAnAuditThatFindsSomethingFails(t *testing.T) {
	d := newDesk(t)
	d.Answered("oc_1/1", "om_1", "A")
	tx, err := d.Ledger.Begin()
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := tx.Load("oc_1/1")
	if err != nil {
		t.Fatal(err)
	}
	// A step without a reason, and a row that it should not have written.
	entry := store.Entry{Instance: "oc_1/1", Fact: transitions.BridgeStarted{}, At: d.Now, From: snapshot.State, Steps: snapshot.Steps + 1}
	entry.Result.State, entry.Result.Data, entry.Result.Entry = snapshot.State, snapshot.Data, "delivered.bridge_started.1"
	err = tx.Append(entry, []transitions.Effect{transitions.RecordTurn{Turn: transitions.Turn{ID: "A", State: transitions.TurnFailed, Start: "om_1"}}})
	if err = errors.Join(err, tx.Commit()); err != nil {
		t.Fatal(err)
	}
	code, out := d.operate("audit")
	want := "oc_1: the table of turns is not what the steps have written: A: another state\n" +
		"deskbridge: the ledger is not sound (1 found); keep a copy of it (deskbridge backup) and report what was found\n"
	if code != 1 || out != want {
		t.Errorf("exit code %d, %s", code, out)
	}
}

// TestADryRunRemovesNothing holds that what it says is what is removed afterwards.
func TestADryRunRemovesNothing(t *testing.T) {
	d := newDesk(t)
	d.Sound()
	before := d.Books()
	_, planned := d.operate("prune", "--older-than", "720h", "--dry-run")
	if diff := cmp.Diff(before, d.Books()); diff != "" {
		t.Error(diff)
	}
	if _, removed := d.operate("prune", "--older-than", "720h"); strings.Replace(planned, "would remove", "removed", 1) != removed {
		t.Errorf("planned %q, removed %q", planned, removed)
	}
	if left := len(d.Books().Journal); left > 0 {
		t.Errorf("%d entries are left", left)
	}
}
