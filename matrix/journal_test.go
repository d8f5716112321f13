package matrix_test

import (
	"strings"
	"testing"

	"deskbridge/fsm"
	"deskbridge/matrix"
	"deskbridge/transitions"
)

// TestTheJournalCommandPrintsWhatTheDocumentsDraw holds that, beside the running
// daemon, the journal comes out as steps of the table, without what anybody wrote.
func TestTheJournalCommandPrintsWhatTheDocumentsDraw(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	d.Say("a word of mine")
	d.Finish(`A: a word of mine [OnIt]`, `Desk re "a word of mine": reply to: a word of mine`)
	code, stdout, stderr := run(t, d.Operator("journal"))
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	if strings.Contains(stdout, "a word of mine") {
		t.Errorf("it prints what people write: %s", stdout)
	}
	path, err := fsm.ReadPath(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	for _, e := range transitions.Conversation().Entries() {
		declared[e.ID] = true
	}
	var facts []string
	for _, s := range path {
		facts = append(facts, s.Fact)
		if !declared[s.Entry] || s.At.IsZero() {
			t.Errorf("no row of the table: %+v", s)
		}
	}
	if len(facts) == 0 || facts[0] != "message_received" {
		t.Errorf("facts: %q", facts)
	}
}
