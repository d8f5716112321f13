package audit

import (
	"slices"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/store"
	tr "deskbridge/transitions"
)

// TestWhatTheLedgerAloneCannotTellIsSeen plants in the sound account what does not
// agree with it at the edges, and what the journal's steps have not written.
func TestWhatTheLedgerAloneCannotTellIsSeen(t *testing.T) {
	t.Parallel()
	a := sound(t, tr.Standard().Step)
	for _, c := range []struct {
		name  string
		spoil func(*Account)
		says  string
	}{
		{"not acknowledged", func(a *Account) { a.Events[0].Acknowledged = false }, "the event about om_1 was not acknowledged"},
		{"lost", func(a *Account) { a.Books.Journal = nil }, "the journal received om_1 0 times"},
		{"a command lost", func(a *Account) { a.Said = append(a.Said, "om_99") }, "the journal received om_99 0 times"},
		{"received twice", func(a *Account) { a.Books.Journal = slices.Concat(a.Books.Journal, a.Books.Journal[:1]) }, "the journal received om_1 2 times"},
		{"written by nobody", func(a *Account) {
			a.Said = slices.DeleteFunc(slices.Clone(a.Said), func(id string) bool { return id == "om_8" })
		}, "the journal received om_8, which nobody wrote"},

		{"a turn that only Codex has", func(a *Account) { a.Turns = append(a.Turns, Turn{ID: "C", Status: "completed"}) }, "turn C is completed at Codex, and the ledger does not know it"},
		{"a turn that only the ledger has", func(a *Account) { a.Turns = a.Turns[:turnB] }, "turn B is interrupted in the ledger, and Codex has no such turn"},
		{"an outcome of another client's turn", func(a *Account) { a.Turns[turnA].Messages = nil }, "turn A has an outcome, and is another client's"},

		{"other words", func(a *Account) { a.Books.Deliveries[outcomeA].Body.Text = "other" }, `the app's message om_5 ("done", re om_3) is not what outcome:A says: "other", re om_3`},
		{"other words of a notice", func(a *Account) { a.message("om_4").Content = content(t, "other") }, `the app's message om_4 ("other", re om_3) is not what notice:om_3:held_for_request says`},
		{"another message answered", func(a *Account) { a.message("om_5").ParentID = "om_1" }, `the app's message om_5 ("done", re om_1) is not what outcome:A says`},
		{"shown as another message", func(a *Account) { a.Books.Deliveries[outcomeA].Shown = "om_9" }, "outcome:A stands in the chat as om_5, and the ledger has it as om_9"},
		{"a request without its card", func(a *Account) { a.drop("om_2") }, "request r1 is shown as om_2, which the chat has not"},

		{"told twice", func(a *Account) { a.Told = append(slices.Clone(a.Told), "slow") }, `the model was told "slow" 2 times, it was written 1 times`},

		{"in doubt", func(a *Account) { a.Books.Deliveries[outcomeA].State = tr.DeliveryInDoubt }, "delivery outcome:A is unknown at the end"},
		{"refused by the chat", func(a *Account) { a.Books.Deliveries[held].State = tr.DeliveryFailed }, "delivery notice:om_3:held_for_request is refused at the end"},
		{"proven, and not answered", func(a *Account) { a.Books.Messages[doIt].State = tr.MessageProven }, "message om_1 is proven in A, and not answered at the end"},
		{"a message left open", func(a *Account) {
			a.Books.Tracks[former].Data = tr.Data{Track: first, Messages: []tr.Message{{ID: "om_1", State: tr.MessageProven, Turn: "A"}}}
		}, "track oc_1/1 is superseded with 1 things open at the end"},
		{"a request left open", func(a *Account) {
			a.Books.Tracks[newest].Data = tr.Data{Track: "oc_1/2", Requests: []tr.Request{{ID: "r2"}}}
		}, "track oc_1/2 is idle with 1 things open at the end"},

		{"another message than was written down", func(a *Account) { a.Books.Messages[andThis].Text = "and that" }, "the table of messages is not what the steps have written"},
		{"another turn", func(a *Account) { a.Books.Turns[turnA].Start = "om_3" }, "the table of turns is not what the steps have written"},
		{"another delivery", func(a *Account) { a.Books.Deliveries[newTrack].Body.Args = []string{"x"} }, "the table of deliveries is not what the steps have written"},
		{"another request", func(a *Account) { a.Books.Requests[0].Generation = "g2" }, "the table of requests is not what the steps have written"},
		{"another track", func(a *Account) { a.Books.Tracks[former].Data.FencedAt = 0 }, "the table of tracks is not what the steps have written"},
		{"a journal that ends too soon", func(a *Account) { a.Books.Journal = a.Books.Journal[:3] }, "the table of tracks is not what the steps have written"},

		{"a step that the tables would not make", func(a *Account) { a.Books.Journal[1].Entry = "other" }, "step 2 of oc_1/1 (thread_opened): the journal has 2: idle → recovery_pending by other, the tables make 2: idle → recovery_pending"},
		{"a step that leads elsewhere", func(a *Account) { a.Books.Journal[1].To = tr.Steerable }, "step 2 of oc_1/1 (thread_opened): the journal has 2: idle → steerable"},
		{"a step from elsewhere", func(a *Account) { a.Books.Journal[1].From = tr.Steerable }, "step 2 of oc_1/1 (thread_opened): the journal has 2: steerable →"},
		{"a step left out", func(a *Account) { a.Books.Journal = slices.Delete(a.Books.Journal, 9, 10) }, "step 11 of oc_1/1 (request_resolved): the journal has 11:"},
		{"a track that nobody opened", func(a *Account) {
			a.Books.Tracks = append(a.Books.Tracks, store.Track{ID: "oc_1/3"})
		}, "the table of tracks is not what the steps have written"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := clone(a)
			c.spoil(&a)
			if problems := Check(a); !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, c.says) }) {
				t.Errorf("the audit says %q", problems)
			}
		})
	}
}

// TestATurnOfAnotherClientOwesNothing holds that a turn with no message of ours in
// it needs no outcome.
func TestATurnOfAnotherClientOwesNothing(t *testing.T) {
	t.Parallel()
	l := newLife(t, tr.Standard().Step)
	l.text("om_1", "do it")
	l.tell(
		tr.ThreadOpened{Thread: "th_1"},
		tr.TurnStartAccepted{Message: "om_1", Turn: "A"},
		tr.TurnEnded{Turn: "A", Status: tr.EndCompleted, Messages: []string{"om_1"}, Reply: "done"},
	)
	l.sends("om_2")
	l.tell(tr.TurnRunning{Turn: "C"}, tr.TurnEnded{Turn: "C", Status: tr.EndCompleted, Reply: "for somebody else"})
	l.Told = []string{"do it"}
	l.Turns = []Turn{
		{Thread: "th_1", ID: "A", Status: "completed", Messages: []string{"om_1"}, Texts: []string{"do it"}, Reply: "done"},
		{Thread: "th_1", ID: "C", Status: "completed", Reply: "for somebody else"},
	}
	if problems := Check(l.account()); problems != nil {
		t.Errorf("the audit says %q", problems)
	}
}

// TestATurnThatWasKilledBeforeItHadAWordIsNobodys, and one that had a word is ours.
func TestATurnThatWasKilledBeforeItHadAWordIsNobodys(t *testing.T) {
	t.Parallel()
	turns := []Turn{{ID: "A", Status: "interrupted"}, {ID: "B", Status: "interrupted", Messages: []string{"om_1"}}}
	got := foreign(&Account{Turns: turns}, nil)
	if want := []string{"turn B is interrupted at Codex, and the ledger does not know it"}; !slices.Equal(got, want) {
		t.Errorf("it says %q", got)
	}
}

// TestWhatAnotherClientRunsIsItsOwn: a thread that was begun at the desk has turns of
// which the ledger need not know, and texts that nobody wrote in the chat.
func TestWhatAnotherClientRunsIsItsOwn(t *testing.T) {
	t.Parallel()
	a := &Account{
		Turns: []Turn{
			{ID: "A", Status: "completed", Others: []string{"at the desk"}},
			{ID: "B", Status: "completed", Others: []string{"at the desk"}, Messages: []string{"om_1"}, Texts: []string{"in the chat"}},
		},
		Told: []string{"at the desk", "at the desk", "in the chat"},
	}
	if got, want := foreign(a, nil), []string{"turn B is completed at Codex, and the ledger does not know it"}; !slices.Equal(got, want) {
		t.Errorf("it says %q", got)
	}
	if got, want := toldOnce(a, nil), []string{`the model was told "in the chat" 1 times, it was written 0 times`}; !slices.Equal(got, want) {
		t.Errorf("it says %q", got)
	}
}

// TestWhatAKilledTurnHadToldTheModelIsToldAgain: Codex was killed after it had asked the
// model and before it had stored the text, which is in no item and so was offered again.
func TestWhatAKilledTurnHadToldTheModelIsToldAgain(t *testing.T) {
	t.Parallel()
	a := Account{
		App: app, Chat: []feishu.Message{{ID: "om_1", Sender: feishu.Sender{ID: owner}, Type: "text", Content: content(t, "do it")}},
		Turns: []Turn{{ID: "A", Status: "interrupted"}, {ID: "B", Status: "completed", Messages: []string{"om_1"}}},
		Told:  []string{"do it", "do it"},
	}
	if got := toldOnce(&a, nil); got != nil {
		t.Errorf("it says %q", got)
	}
	a.Told = append(a.Told, "do it")
	if got := toldOnce(&a, nil); len(got) != 1 {
		t.Errorf("of a third time it says %q", got)
	}
}

// TestWhatAKilledTurnWasSteeredMayBeToldAgain is the same of a turn that had stored the
// words with which it began, and not those of a steer.
func TestWhatAKilledTurnWasSteeredMayBeToldAgain(t *testing.T) {
	t.Parallel()
	person := feishu.Sender{ID: owner}
	a := Account{
		App: app, Chat: []feishu.Message{
			{ID: "om_1", Sender: person, Type: "text", Content: content(t, "begin")}, {ID: "om_2", Sender: person, Type: "text", Content: content(t, "do it")},
		},
		Turns: []Turn{{ID: "A", Status: "interrupted", Messages: []string{"om_1"}}, {ID: "B", Status: "completed", Messages: []string{"om_2"}}},
		Told:  []string{"begin", "do it", "do it"},
	}
	if got := toldOnce(&a, nil); len(got) != 1 {
		t.Errorf("without a steer it says %q", got)
	}
	a.Books.Journal = []store.JournalEntry{{Fact: tr.SteerAccepted{Message: "om_2", Turn: "A"}}}
	if got := toldOnce(&a, nil); got != nil {
		t.Errorf("with one it says %q", got)
	}
}
