package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/store"
	tr "deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

func TestSoundAccountsAgree(t *testing.T) {
	t.Parallel()
	if problems := Check(sound(t, tr.Standard().Step)); problems != nil {
		t.Errorf("%q", problems)
	}
}

// The rows of the sound account, by what they are about.
const (
	doIt, andThis, slow, tooLate                = 0, 1, 2, 3    // messages: om_1, om_3, om_6, om_7
	turnA, turnB                                = 0, 1          // turns, of the ledger and of Codex
	held, outcomeA, notSent, outcomeB, newTrack = 0, 1, 2, 3, 4 // deliveries
	former, newest                              = 0, 1          // tracks
)

// TestEachInvariantIsHeldAgainstTheLedger plants in the sound account what breaks
// an invariant, and holds that the invariant of that number says so.
func TestEachInvariantIsHeldAgainstTheLedger(t *testing.T) {
	t.Parallel()
	a := sound(t, tr.Standard().Step)
	planted := map[int]bool{}
	for _, c := range []struct {
		number int
		name   string
		spoil  func(*Account)
		says   string
	}{
		{1, "no end", func(a *Account) {
			a.Books.Messages[tooLate].State = tr.MessageOffered
			a.Books.Deliveries = slices.Delete(a.Books.Deliveries, notSent, notSent+1)
		}, "om_7 has no end: it is offered"},
		{1, "acknowledged, and not in the ledger", func(a *Account) {
			a.Books.Messages = a.Books.Messages[1:]
		}, "om_1 has no end: it is received"},
		{1, "given back in silence", func(a *Account) {
			a.Books.Deliveries = slices.Delete(a.Books.Deliveries, notSent, notSent+1)
		}, "om_7 counts as given back, and its sender was told nothing"},
		{1, "two ends", func(a *Account) { a.Books.Deliveries[notSent].ReplyTo = "om_1" }, "om_1 has 2 ends"},
		{1, "a proof without an item", func(a *Account) { a.Turns[turnA].Messages = []string{"om_3"} }, "om_1 counts as proven in A, and is an item of no turn"},
		{1, "a proof in a turn that Codex does not have", func(a *Account) { a.Turns = a.Turns[:turnB] }, "om_6 counts as proven in B, and is an item of no turn"},

		{2, "twice in a turn", func(a *Account) { a.Turns[turnA].Messages = []string{"om_1", "om_1", "om_3"} }, `om_1 is an item of ["A" "A"]`},
		{2, "in two turns", func(a *Account) { a.Turns[turnB].Messages = []string{"om_6", "om_1"} }, `om_1 is an item of ["A" "B"]`},
		{2, "in a turn and given back", func(a *Account) { a.Turns[turnB].Messages = []string{"om_6", "om_7"} }, "om_7 is an item of B, and was given back"},
		{2, "a command in a turn", func(a *Account) { a.Turns[turnB].Messages = []string{"om_6", "om_8"} }, "om_8 is a command, and an item of B"},
		{2, "an unknown message", func(a *Account) { a.Turns[turnB].Messages = []string{"om_6", "om_99"} }, "B holds om_99, which the ledger does not know"},

		{3, "no outcome", func(a *Account) {
			a.Books.Deliveries = slices.Delete(a.Books.Deliveries, outcomeA, outcomeA+1)
		}, "A ended as completed with a message of ours in it, and has no outcome"},
		{3, "a notice for an outcome", func(a *Account) { a.Books.Deliveries[outcomeA].Kind = tr.Notice }, "A ended as completed with a message of ours in it, and has no outcome"},
		{3, "no outcome of a turn that only Codex has", func(a *Account) {
			a.Turns = append(a.Turns, Turn{ID: "C", Status: "completed", Messages: []string{"om_1"}})
		}, `C holds ["om_1"], and has no outcome`},
		{3, "an outcome before the end", func(a *Account) { a.Books.Turns[turnA].State = tr.TurnInFlight }, "outcome:A is the outcome of a turn that the ledger does not know to be over"},
		{3, "not in the chat", func(a *Account) { a.drop("om_5") }, "outcome:A counts as shown, and is not in the chat"},
		{3, "shown, and nobody knows as what", func(a *Account) { a.Books.Deliveries[outcomeA].Shown = "" }, "outcome:A counts as shown, and which message of the chat it is is not known"},
		{3, "left in the outbox", func(a *Account) { a.Books.Deliveries[outcomeA].State = tr.DeliveryReady }, "outcome:A is at rest in the outbox"},

		{4, "shown twice", func(a *Account) {
			again := *a.message("om_5")
			again.ID = "om_99"
			a.Chat = append(a.Chat, again)
		}, "outcome:A stands in the chat more than once"},
		{4, "two outcomes", func(a *Account) {
			again := a.Books.Deliveries[outcomeA]
			again.ID = "outcome:A again"
			a.Books.Deliveries = append(a.Books.Deliveries, again)
		}, "A has more than one outcome"},
		{4, "no delivery", func(a *Account) {
			a.Chat = append(a.Chat, feishu.Message{ID: "om_99", Sender: feishu.Sender{ID: app}})
		}, "om_99 stands in the chat, and is no delivery"},
		{4, "a second card", func(a *Account) {
			again := *a.message("om_2")
			again.ID = "om_99"
			a.Chat = append(a.Chat, again)
		}, "om_99 stands in the chat, and is no delivery"},

		{5, "stopped without a /stop", func(a *Account) { a.Books.Turns[turnB].StopBy = "" }, "no /stop is recorded for that turn"},
		{5, "stopped, and completed at Codex", func(a *Account) { a.Turns[turnB].Status = "completed" }, "at Codex the turn is completed"},
		{5, "interrupted, and there was a /stop", func(a *Account) { a.Books.Deliveries[outcomeB].Body.Sentence = tr.SaidInterrupted }, "a /stop is recorded for that turn"},
		{5, "no reply, and there is one", func(a *Account) { a.Books.Deliveries[outcomeA].Body = tr.Body{Sentence: tr.SaidNoReply} }, "the turn has a reply"},
		{5, "a reply that Codex did not give", func(a *Account) { a.Turns[turnA].Reply = "other" }, `outcome:A says "done", which is not the reply of A`},
		{5, "not sent, and proven", func(a *Account) { a.Books.Messages[tooLate].State = tr.MessageProven }, "the message is proven in B"},
		{5, "with Codex, without proof", func(a *Account) {
			a.Books.Messages[doIt].State = tr.MessageProven
			a.Turns[turnA].Messages = []string{"om_3"}
		}, "om_1 counts as with Codex, without proof"},
		{5, "waiting for nobody", func(a *Account) { a.Books.Tracks[newest].State = tr.WaitingVisible }, "no open request is visible"},

		{6, "held by nothing", func(a *Account) { a.Books.Messages[tooLate].State = tr.MessageHeld }, "om_7 waits (held), and nothing holds it"},
		{6, "held by a request, in silence", func(a *Account) {
			waiting := tr.Message{ID: "om_7", State: tr.MessageHeld}
			a.Books.Messages[tooLate].State = tr.MessageHeld
			a.Books.Tracks[newest].Data = tr.Data{
				Track: "oc_1/2", Messages: []tr.Message{waiting}, Requests: []tr.Request{{ID: "r1", State: tr.RequestShown}},
			}
		}, "om_7 is held by a visible request, and its sender was not told"},
		{6, "visible, and no message shows it", func(a *Account) {
			a.Books.Requests[0].State, a.Books.Requests[0].Shown = tr.RequestShown, ""
		}, "request r1 counts as visible, and no message shows it"},
		{6, "hidden, and nothing on its way", func(a *Account) { a.Books.Requests[0].State = tr.RequestHidden }, "nothing is on its way to show it"},
		{6, "not showable, in silence", func(a *Account) { a.Books.Requests[0].State = tr.RequestUnshown }, "request r1 cannot be shown, and nobody was told"},

		{7, "decided by who may not", func(a *Account) { a.Deciders = []string{owner} }, "request r1 was decided by ou_admin, who may not"},
		{7, "decided without a click", func(a *Account) { a.Books.Requests[0].By = owner }, "request r1 was decided by ou_owner, who may not"},
		{7, "decided by another card", func(a *Account) {
			i := slices.IndexFunc(a.Books.Journal, func(e store.JournalEntry) bool { return e.Fact.FactName() == "request_answered" })
			click := a.Books.Journal[i].Fact.(tr.RequestAnswered)
			click.Request = "r2"
			a.Books.Journal[i].Fact = click
		}, "request r1 was decided by the card of r2"},
		{7, "told otherwise than decided", func(a *Account) { a.Books.Requests[0].Decision = "cancel" }, `Codex was told "accept" about request r1, and ou_admin decided "cancel"`},
		{7, "decided by nobody", func(a *Account) { a.Books.Requests[0].By = "" }, `Codex was told "accept" about request r1, and nobody decided`},
		{7, "a card with buttons left", func(a *Account) {
			a.Books.Outbox = []store.Queued{{Effect: tr.CloseRequest{Request: "r1"}}}
		}, "request r1 is resolved, and its card does not say so"},

		{8, "a track in flight", func(a *Account) { a.Books.Tracks[newest].State = tr.Steerable }, "track oc_1/2 is at rest in steerable"},
		{8, "a former track that goes on", func(a *Account) { a.Books.Tracks[former].State = tr.Delivered }, "track oc_1/1 is not the newest, and is delivered"},
		{8, "a call in the outbox", func(a *Account) { a.Books.Outbox = []store.Queued{{Effect: tr.OpenThread{}}} }, "1 calls are at rest in the outbox"},
		{8, "a turn without an end", func(a *Account) { a.Books.Turns[turnA].State = tr.TurnInFlight }, `turn "A", asked for by "om_1", is running at rest`},
		{8, "a start without an answer", func(a *Account) {
			a.Books.Tracks[newest].Data = tr.Data{Track: "oc_1/2", Turns: []tr.Turn{{State: tr.TurnUnknown, Start: "om_7"}}}
		}, `turn "", asked for by "om_7", is unknown at rest`},
		{8, "a message that waits", func(a *Account) { a.Books.Messages[slow].State = tr.MessageUncertain }, "om_6 is uncertain at rest"},

		{9, "another end than at Codex", func(a *Account) { a.Turns[turnA].Status = "failed" }, "A is completed in the ledger, and failed at Codex"},
		{9, "another reason than at Codex", func(a *Account) { a.Turns[turnA].Said = "quota" }, `A failed because of "quota", and the ledger says ""`},
		{9, "absent, and at Codex", func(a *Account) { a.Books.Turns[turnB].State = tr.TurnAbsent }, "B is absent in the ledger, and interrupted at Codex"},
		{9, "proven in another turn", func(a *Account) { a.Books.Messages[doIt].Turn = "B" }, `om_1 counts as proven in "B", which does not have it`},
	} {
		planted[c.number] = true
		t.Run(fmt.Sprintf("%d, %s", c.number, c.name), func(t *testing.T) {
			t.Parallel()
			a := clone(a)
			c.spoil(&a)
			number := fmt.Sprintf("invariant %d, ", c.number)
			if problems := Check(a); !slices.ContainsFunc(problems, func(p string) bool {
				return strings.HasPrefix(p, number) && strings.Contains(p, c.says)
			}) {
				t.Errorf("the audit says %q", problems)
			}
		})
	}
	for _, inv := range invariant.All() {
		if !planted[inv.Number] {
			t.Errorf("nothing is planted that breaks invariant %d", inv.Number)
		}
	}
}

// message is a message of the chat.
func (a *Account) message(id string) *feishu.Message {
	return &a.Chat[slices.IndexFunc(a.Chat, func(m feishu.Message) bool { return m.ID == id })]
}

// drop takes a message out of the chat.
func (a *Account) drop(id string) {
	a.Chat = slices.DeleteFunc(a.Chat, func(m feishu.Message) bool { return m.ID == id })
}
