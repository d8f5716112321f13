package trace

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/store"
	"deskbridge/store/storetest"
	tr "deskbridge/transitions"
)

// told is the timeline of an id, a line each.
func told(t *testing.T, b store.Books, id string) []string {
	t.Helper()
	var w strings.Builder
	if err := Write(&w, b, id, time.UTC); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(w.String(), "\n"), "\n")
}

// TestAMessageIsToldFromReceiptToTheAnswerInTheChat is the promise of deskbridge trace:
// each stage, in order, with its time, what became of it and why.
func TestAMessageIsToldFromReceiptToTheAnswerInTheChat(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Answered("oc_1/1", "om_1", "A")
	want := []string{
		"message om_1 in conversation oc_1: answered",
		"2024-01-02 12:00:00.000  step 1  received: om_1 from ou_owner, 12 characters, written at 11:59:59.900; it is committed, and then acknowledged to Feishu. " +
			"Now message om_1 is received. Next: put the reaction on om_1. " +
			"Why: The text is written down; the first text of a track asks for its thread, and waits in the ledger.",
		"2024-01-02 12:00:01.000  step 2  thread opened: thread/start answered with a thread's id. " +
			"Now message om_1 is offered. Next: hand om_1 to Codex in a new turn. " +
			"Why: The oldest text that waited for the thread starts its first turn. Its turn to be sent has come.",
		"2024-01-02 12:00:02.000  step 3  sent: Codex answered to om_1 with turn A. " +
			"Now turn A is running, message om_1 is accepted. " +
			"Why: The answer names the turn, even where the text was folded into one that was active; what waits goes into it. " +
			"An answer, an item or a read names it. Accepted is not executed: only an item proves that Codex has it.",
		"2024-01-02 12:00:03.000  step 4  running: Codex has turn A in progress, with om_1 in it. " +
			"Now message om_1 is proven. " +
			"Why: The turn runs; what its items carry is proven, and a stop that was refused or lost is repeated. " +
			"A userMessage item with its id proves that Codex has it.",
		"2024-01-02 12:00:04.000  step 5  ended: turn A is completed, with om_1 in it, with a reply of 10 characters. " +
			"Now turn A is completed, delivery outcome:A is persisted, ready to be sent. Next: send outcome:A to the chat. " +
			"Why: The turn's end is proven, and its outcome goes to the chat; no turn is in flight. The reply is the outcome.",
		"2024-01-02 12:00:05.000  step 6  shown: outcome:A stands in the chat as om_shown_A. " +
			"Now delivery outcome:A is confirmed, message om_1 is answered. " +
			"Why: The last outcome that the chat was owed stands in it. A message id from the platform is the only proof. The outcome of its turn stands in the chat.",
	}
	if diff := cmp.Diff(want, told(t, l.Books(), "om_1")); diff != "" {
		t.Error(diff)
	}
}

// TestEachKindOfIDIsFound names an id, what it is found to be, how many steps belong to
// it, and something that one of them says.
func TestEachKindOfIDIsFound(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Sound()
	books := l.Books()
	for _, c := range []struct {
		name, id, headline string
		steps              int
		says               string
	}{
		{"a message that waited", "om_3", "message om_3 in conversation oc_1: answered", 8, "Now message om_3 is received, then held, delivery notice:om_3:held_for_request is persisted, ready to be sent."},
		{"a message that went back", "om_7", "message om_7 in conversation oc_1: refused", 9, "steer withdrawn: turn/steer was taken out of the outbox unsent (message om_7). Now message om_7 is refused"},
		{"a command", "om_8", "message om_8 in conversation oc_1: a command", 6, "received: om_8, a /stop from ou_owner, written at 12:00:17.900. Next: interrupt turn B."},
		{"a turn", "B", "turn B in conversation oc_1: interrupted", 9, "ended: turn B is interrupted, with om_6 in it, without a reply."},
		{"a request", "r1", "request r1 in conversation oc_1: resolved", 8, `decided: ou_admin decided "accept" on r1. Now request r1 is decided. Next: tell Codex the decision on r1.`},
		{"a request by its card", "om_2", "request r1 in conversation oc_1: resolved", 8, "shown: request r1 stands in the chat as om_2."},
		{"a delivery", "notice:om_11:new_track", "delivery notice:om_11:new_track in conversation oc_1: confirmed", 2, "received: om_11, a /new from ou_owner"},
		{"a delivery as the chat has it", "om_5", "delivery outcome:A in conversation oc_1: confirmed", 7, "shown: outcome:A stands in the chat as om_5."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines := told(t, books, c.id)
			if lines[0] != c.headline || len(lines) != c.steps+1 {
				t.Errorf("%d lines under %q, want %d under %q", len(lines)-1, lines[0], c.steps, c.headline)
			}
			if !strings.Contains(strings.Join(lines, "\n"), c.says) {
				t.Errorf("nothing says %q:\n%s", c.says, strings.Join(lines, "\n"))
			}
			for _, line := range lines[1:] {
				if !strings.HasPrefix(line, "2024-01-02 12:00:") || !strings.Contains(line, " track 1 step ") || !strings.Contains(line, "Why: ") {
					t.Errorf("a step without a time, a place or a reason: %s", line)
				}
			}
		})
	}
}

func TestNobodysWordsAreTold(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Sound()
	for _, id := range []string{"om_1", "om_3", "om_7", "A", "B", "r1"} {
		for _, line := range told(t, l.Books(), id) {
			for _, text := range []string{"do it", "and this", "slow", "too late", "with done"} {
				if strings.Contains(line, text) {
					t.Errorf("%q is told: %s", text, line)
				}
			}
		}
	}
}

func TestAnUnknownIDSaysWhatWasLookedFor(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Sound()
	for _, id := range []string{"om_99", ""} {
		var unknown *UnknownError
		err := Write(&strings.Builder{}, l.Books(), id, time.UTC)
		if !errors.As(err, &unknown) || unknown.ID != id || !strings.Contains(err.Error(), "messages (a person's, and the bridge's own in the chat), turns, requests and deliveries") {
			t.Errorf("of %q it says %v", id, err)
		}
	}
}

// TestWhatIsNotOverIsToldLast holds that a call that waits in the outbox is named, with
// its attempts.
func TestWhatIsNotOverIsToldLast(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Tell("oc_1/1", tr.StopRequested{Message: "om_1", Sender: storetest.Owner, Created: 1})
	b := l.Books()
	b.Outbox[0].Attempt.Number, b.Outbox[0].Attempt.First = 3, storetest.Noon
	b.Outbox = append(b.Outbox, store.Queued{Instance: "oc_1/1", Effect: tr.ShowReceipt{Message: "om_1"}}, store.Queued{Instance: "oc_1/1", Effect: tr.ShowReceipt{Message: "om_2"}})
	b.Starts = b.Tracks
	b.Starts[0].Snapshot = store.Snapshot{State: tr.Idle, Data: tr.Data{Track: "oc_1/1"}}
	want := []string{
		"in the outbox: send notice:om_1:nothing_to_stop to the chat, tried 3 times, first at 2024-01-02 12:00:00.000",
		"in the outbox: put the reaction on om_1, not tried yet",
		"older steps of this conversation were pruned",
	}
	lines := told(t, b, "om_1")
	if diff := cmp.Diff(want, lines[len(lines)-3:]); diff != "" {
		t.Error(diff)
	}
}

// TestAReadThatSaysTheSameAgainIsLeftOut holds that a turn that goes on for hours is one
// line.
func TestAReadThatSaysTheSameAgainIsLeftOut(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Answered("oc_1/1", "om_1", "A")
	running := tr.TurnRunning{Turn: "X"}
	l.Tell("oc_1/1", running, running, running)
	if lines := told(t, l.Books(), "X"); len(lines) != 2 {
		t.Errorf("%q", lines)
	}
}

// TestAJournalOfOtherTablesIsToldWithoutReasons holds that a step which the tables do
// not make is told as the journal has it.
func TestAJournalOfOtherTablesIsToldWithoutReasons(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Answered("oc_1/1", "om_1", "A")
	b := l.Books()
	b.Journal[2].Entry = "another"
	lines := told(t, b, "om_1")
	if len(lines) != 7 || !strings.HasSuffix(lines[3], "Why is not known: the journal is not what this bridge makes of it.") {
		t.Errorf("%q", lines)
	}
}

// TestEveryFactHasWords holds that each says something, without a name of Feishu's.
func TestEveryFactHasWords(t *testing.T) {
	t.Parallel()
	for _, term := range tr.Conversation().Declaration().Facts {
		f, err := tr.DecodeFact(term.Name, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		stage, rest, found := strings.Cut(words(f, time.UTC), ": ")
		if !found || stage == "" || rest == "" || strings.Contains(rest, "im.") || strings.HasPrefix(rest, "Ledger") {
			t.Errorf("%s: %q", term.Name, words(f, time.UTC))
		}
	}
}
