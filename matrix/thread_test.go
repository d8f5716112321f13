package matrix_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"deskbridge/matrix"
	"deskbridge/transitions"
)

// TestALostThreadIsRebuilt deletes what Codex has stored, while nothing runs: the new
// thread is given what was said before, and the model sees it.
func TestALostThreadIsRebuilt(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	d.Say("our project is called Albatross")
	chat := []string{`A: our project is called Albatross [OnIt]`, `Desk re "our project is called Albatross": reply to: our project is called Albatross`}
	d.AwaitChat(chat...)
	d.Terminate()
	d.KillCodex()
	if err := os.RemoveAll(filepath.Join(d.Home, "sessions")); err != nil {
		t.Fatal(err)
	}
	d.Start()
	d.Say("what is it called?")
	d.AwaitChat(append(chat,
		`A: what is it called? [OnIt]`,
		`Desk re "what is it called?": Codex 没法再接着之前的对话了。这条消息会在新的对话里处理。`,
		`Desk re "what is it called?": 这里之前的对话已经转交给 Codex，它可以接着说；它之前做过哪些操作、看过哪些内容，可能不记得了。`,
		`Desk re "what is it called?": reply to: what is it called?`,
	)...)
	records := d.Model.Records()
	last := records[len(records)-1]
	same(t, "what the model saw", []string{"our project is called Albatross", "what is it called?"}, last.Texts)
	if body := string(last.Body); !strings.Contains(body, "reply to: our project is called Albatross") || strings.Count(body, "thread of this conversation was lost") != 1 {
		t.Errorf("the model saw %s", body)
	}
}

// TestNothingIsSentWhereCodexWouldRunUnderALooserPolicy loosens the sandbox in Codex's
// own configuration, and starts a version anew that takes it for stored threads too.
func TestNothingIsSentWhereCodexWouldRunUnderALooserPolicy(t *testing.T) {
	binary, err := matrix.CodexOf(t.Context(), "0.155.0")
	if err != nil {
		t.Fatal(err)
	}
	d := startDesk(t, matrix.Options{Codex: binary})
	d.Say("hello")
	chat := []string{`A: hello [OnIt]`, `Desk re "hello": reply to: hello`}
	d.AwaitChat(chat...)
	settings := filepath.Join(d.Home, "config.toml")
	text, err := os.ReadFile(settings)
	loosened := strings.Replace(string(text), `"read-only"`, `"danger-full-access"`, 1)
	if err = errors.Join(err, os.WriteFile(settings, []byte(loosened), 0o600)); err != nil || loosened == string(text) {
		t.Fatalf("not loosened: %v", err)
	}
	d.KillCodex()
	d.AwaitLog("looser policy than before", "dangerFullAccess")
	d.Say("clean up")
	held := `Desk re "clean up": ` + transitions.Body{Sentence: transitions.SaidLooser}.Say(transitions.Chinese)
	d.AwaitChat(append(slices.Clone(chat), `A: clean up [OnIt]`, held)...)

	track := d.Chat + "/1"
	same(t, "what is closed", track+"\n  sandbox: was \"readOnly\", is \"dangerFullAccess\"\n", works(t, operator(d, "policy")))
	same(t, "the answer", "allowed: "+track+" goes on\n", works(t, operator(d, "policy", "--allow", track)))
	d.Finish(append(chat, `A: clean up [OnIt]`, held, `Desk re "clean up": reply to: clean up`)...)
	same(t, "what is closed after that", "nothing is closed for a looser policy\n", works(t, operator(d, "policy")))
}
