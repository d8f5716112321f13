package matrix

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/matrix/audit"
)

// TestTheAccountOfAWorld holds that everybody is asked: a steered turn, and one in
// a thread that the server lost with it.
func TestTheAccountOfAWorld(t *testing.T) {
	t.Parallel()
	w, _ := start(t)
	first := w.Say("slow")
	w.Rest(500 * time.Millisecond)
	second := w.Say("and this")
	w.Rest(2 * time.Second)
	command := w.Say("/new")
	w.Rest(time.Second)
	third := w.Say("hello")
	w.Rest(10 * time.Millisecond)
	w.KillCodex()
	w.Rest(time.Minute)
	kill(t, w)
	a, err := w.Account()
	if err != nil {
		t.Fatal(err)
	}
	if problems := audit.Check(a); problems != nil {
		t.Errorf("%q", problems)
	}
	var turns []audit.Turn
	for _, turn := range a.Turns {
		turn.Thread, turn.ID = "", ""
		turns = append(turns, turn)
	}
	want := []audit.Turn{
		{Status: "completed", Messages: []string{first, second}, Texts: []string{"slow", "and this"}, Reply: "reply to: and this"},
		{Status: "completed", Messages: []string{third}, Texts: []string{"hello"}, Reply: "reply to: hello"},
	}
	if diff := cmp.Diff(want, turns); diff != "" {
		t.Errorf("Codex's turns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{first, second, command, third}, a.Said); diff != "" {
		t.Errorf("what was said (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("slow, and this, hello", strings.Join(a.Told, ", ")); diff != "" {
		t.Errorf("what the model was told (-want +got):\n%s", diff)
	}
	if len(a.Events) != 4 || len(a.Chat) < 4 || len(a.Books.Journal) == 0 || len(a.Books.Tracks) < 2 {
		t.Errorf("%d events, %d messages, %d steps, %d tracks", len(a.Events), len(a.Chat), len(a.Books.Journal), len(a.Books.Tracks))
	}
}

func TestAServerThatIsDownGivesNoAccount(t *testing.T) {
	t.Parallel()
	w := NewWorld(t.TempDir(), nil)
	if err := w.Boot(); err != nil {
		t.Fatal(err)
	}
	w.Say("hello")
	w.Rest(2 * time.Second)
	kill(t, w)
	w.Codex.Kill()
	if _, err := w.Account(); !errors.Is(err, errNoAnswer) {
		t.Errorf("it gives one, or %v", err)
	}
}
