package invariant_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tr "deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// sound is a view in which everything holds: m1 was answered in A, m2 was given
// back, and the request of A was decided and is over.
func sound() invariant.View {
	shown := "om_shown"
	return invariant.View{
		AtRest: true, Outside: true,
		Tracks: []invariant.Track{{ID: "oc/1", State: tr.Superseded}, {ID: "oc/2", State: tr.Delivered}},
		Messages: []invariant.Message{
			{Message: tr.Message{ID: "m1", State: tr.MessageAnswered, Turn: "A"}, Kind: invariant.Text},
			{Message: tr.Message{ID: "m2", State: tr.MessageRefused, Barred: tr.BarFence}, Kind: invariant.Text},
			{Message: tr.Message{ID: "s1"}, Kind: invariant.Command},
		},
		Turns: []tr.Turn{{ID: "A", State: tr.TurnCompleted, Start: "m1"}},
		Deliveries: []tr.Delivery{
			{ID: "outcome:A", Kind: tr.Outcome, State: tr.DeliveryShown, Turn: "A", ReplyTo: "m1", Body: tr.Body{Text: "done"}, Shown: shown},
			{ID: "notice:m2", Kind: tr.Notice, State: tr.DeliveryShown, ReplyTo: "m2", Body: tr.Body{Sentence: tr.SaidNotSent}, Shown: "om_2"},
		},
		Requests: []invariant.Request{{
			Request:  tr.Request{ID: "r1", Turn: "A", State: tr.RequestEnded, Shown: "om_card", By: "ou_a", Decision: "accept"},
			Entitled: true, Closed: true, Card: "r1", Decisions: []string{"accept", "accept"}, Names: []string{"ou_a"},
		}},
		CodexTurns: []invariant.CodexTurn{{ID: "A", Status: "completed", Messages: []string{"m1"}, Reply: "done"}},
		Chat:       []invariant.Shown{{ID: shown, Delivery: "outcome:A"}, {ID: "om_2", Delivery: "notice:m2"}},
	}
}

func TestASoundViewBreaksNothing(t *testing.T) {
	t.Parallel()
	v := sound()
	if problems := invariant.Check(&v); problems != nil {
		t.Error(problems)
	}
}

func TestAllAreNumberedAsTheDesignNumbersThem(t *testing.T) {
	t.Parallel()
	for i, inv := range invariant.All() {
		if inv.Number != i+1 || inv.Name == "" || inv.Text == "" {
			t.Errorf("%d: %+v", i+1, inv)
		}
	}
	if len(invariant.All()) != 9 {
		t.Errorf("there are %d", len(invariant.All()))
	}
}

// TestEachInvariantNoticesWhatBreaksIt spoils the sound view in one way and holds
// that the invariant of that number says so, in these words.
func TestEachInvariantNoticesWhatBreaksIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		number int
		name   string
		spoil  func(*invariant.View)
		says   string
	}{
		{1, "a message without an end", func(v *invariant.View) { v.Messages[1].State = tr.MessageOffered; v.Deliveries = v.Deliveries[:1] }, "m2 has no end"},
		{1, "a message with two", func(v *invariant.View) { v.Deliveries[1].ReplyTo = "m1" }, "m1 has 2 ends"},
		{1, "a message given back without a word", func(v *invariant.View) { v.Deliveries = v.Deliveries[:1] }, "m2 counts as given back, and its sender was told nothing"},
		{1, "a message taken back and given back", func(v *invariant.View) { v.Messages[1].State = tr.MessageWithdrawn }, "m2 has 2 ends"},
		{1, "a message unresolved without a word", func(v *invariant.View) {
			v.Messages[1].State, v.Deliveries = tr.MessageUnresolved, v.Deliveries[:1]
		}, "its sender was told nothing"},
		{1, "a proof without an item", func(v *invariant.View) { v.CodexTurns[0].Messages = nil }, "m1 counts as proven in A"},
		{1, "a message sent behind the fence", func(v *invariant.View) { v.Messages[1].SentBehindFence = true }, "m2 came before a /stop"},
		{2, "one message in two turns", func(v *invariant.View) {
			v.CodexTurns = append(v.CodexTurns, invariant.CodexTurn{ID: "B", Status: "completed", Messages: []string{"m1"}})
		}, `m1 is an item of ["A" "B"]`},
		{2, "a message in a turn and given back", func(v *invariant.View) { v.CodexTurns[0].Messages = append(v.CodexTurns[0].Messages, "m2") }, "m2 is an item of A, and was given back"},
		{2, "a command in a turn", func(v *invariant.View) { v.CodexTurns[0].Messages = append(v.CodexTurns[0].Messages, "s1") }, "s1 is a command"},
		{2, "an item that nobody wrote", func(v *invariant.View) { v.CodexTurns[0].Messages = append(v.CodexTurns[0].Messages, "m9") }, "A holds m9"},
		{3, "a turn without its outcome", func(v *invariant.View) { v.Deliveries = v.Deliveries[1:] }, "A ended as completed"},
		{3, "a turn that the ledger never heard of", func(v *invariant.View) {
			v.CodexTurns = append(v.CodexTurns, invariant.CodexTurn{ID: "B", Status: "completed", Messages: []string{"m3"}})
		}, "B holds"},
		{3, "an outcome of a turn that is not over", func(v *invariant.View) { v.Turns[0].State = tr.TurnInFlight }, "outcome:A is the outcome of a turn"},
		{3, "an outcome that is not in the chat", func(v *invariant.View) { v.Chat = v.Chat[1:] }, "outcome:A counts as shown, and is not in the chat"},
		{3, "an outcome shown as nobody knows what", func(v *invariant.View) { v.Deliveries[0].Shown = "" }, "which message of the chat"},
		{3, "a delivery at rest in the outbox", func(v *invariant.View) { v.Deliveries[1].State = tr.DeliveryReady }, "notice:m2 is at rest"},
		{4, "an outcome that stands there twice", func(v *invariant.View) { v.Chat = append(v.Chat, invariant.Shown{ID: "om_3", Delivery: "outcome:A"}) }, "outcome:A stands in the chat more than once"},
		{4, "two outcomes of one turn", func(v *invariant.View) {
			d := v.Deliveries[0]
			d.ID = "outcome:A again"
			v.Deliveries = append(v.Deliveries, d)
		}, "A has more than one outcome"},
		{4, "a message of the app that is no delivery", func(v *invariant.View) { v.Chat = append(v.Chat, invariant.Shown{ID: "om_3", Delivery: "x"}) }, "om_3 stands in the chat"},
		{5, "stopped, without a /stop", func(v *invariant.View) {
			v.Turns[0].State, v.CodexTurns[0].Status = tr.TurnInterrupted, "interrupted"
			v.Deliveries[0].Body = tr.Body{Sentence: tr.SaidStopped}
		}, "no /stop is recorded"},
		{5, "stopped, and completed", func(v *invariant.View) {
			v.Turns[0].StopBy = "s1"
			v.Deliveries[0].Body = tr.Body{Sentence: tr.SaidStopped}
		}, "does not know that turn as interrupted"},
		{5, "stopped, and completed at Codex", func(v *invariant.View) {
			v.Turns[0].State, v.Turns[0].StopBy = tr.TurnInterrupted, "s1"
			v.Deliveries[0].Body = tr.Body{Sentence: tr.SaidStopped}
		}, "at Codex the turn is completed"},
		{5, "a reply that Codex did not give", func(v *invariant.View) { v.Deliveries[0].Body.Text = "something else" }, "which is not the reply"},
		{5, "not sent, and proven", func(v *invariant.View) { v.Messages[1].State, v.Messages[1].Turn = tr.MessageProven, "A" }, "the message is proven in A"},
		{5, "waiting for a person, without a request", func(v *invariant.View) { v.Tracks[1].State = tr.WaitingVisible }, "no open request is visible"},
		{6, "text that nothing holds", func(v *invariant.View) { v.Messages[1].State = tr.MessageHeld }, "m2 waits (held), and nothing holds it"},
		{6, "text held for a request in silence", func(v *invariant.View) {
			v.Messages[1].State, v.Messages[1].Hold = tr.MessageHeld, invariant.HeldByRequest
		}, "its sender was not told"},
		{6, "visible, and shown by nothing", func(v *invariant.View) {
			v.Requests[0].State, v.Requests[0].Shown = tr.RequestShown, ""
		}, "no message shows it"},
		{6, "unseen, and nothing on its way", func(v *invariant.View) { v.Requests[0].State = tr.RequestHidden }, "nothing is on its way"},
		{6, "unshowable, in silence", func(v *invariant.View) { v.Requests[0].State = tr.RequestUnshown }, "nobody was told"},
		{7, "decided by who may not", func(v *invariant.View) { v.Requests[0].Entitled = false }, "who may not"},
		{7, "decided by another card", func(v *invariant.View) { v.Requests[0].Card = "r2" }, "by the card of r2"},
		{7, "decided twice, in different ways", func(v *invariant.View) { v.Requests[0].Decisions[1] = "cancel" }, `Codex was told "cancel"`},
		{7, "decided by nobody", func(v *invariant.View) { v.Requests[0].By = "" }, "nobody decided"},
		{7, "over, with a card that does not say so", func(v *invariant.View) { v.Requests[0].Closed = false }, "its card does not say so"},
		{8, "a track at rest in flight", func(v *invariant.View) { v.Tracks[1].State = tr.Steerable }, "oc/2 is at rest in steerable"},
		{8, "a former track that goes on", func(v *invariant.View) { v.Tracks[0].State = tr.Idle }, "oc/1 is not the newest"},
		{8, "a call at rest", func(v *invariant.View) { v.Waits = 1 }, "1 calls are at rest"},
		{8, "a turn at rest", func(v *invariant.View) { v.Turns[0].State = tr.TurnUnknown }, `turn "A", asked for by "m1", is unknown`},
		{8, "a message at rest", func(v *invariant.View) { v.Messages[1].State = tr.MessageUncertain }, "m2 is uncertain at rest"},
		{9, "another end than Codex knows", func(v *invariant.View) { v.CodexTurns[0].Status = "failed" }, "A is completed in the ledger, and failed at Codex"},
		{9, "another reason than Codex gave", func(v *invariant.View) { v.CodexTurns[0].Said = "quota" }, `A failed because of "quota"`},
		{9, "proven in another turn", func(v *invariant.View) { v.Messages[0].Turn = "B" }, `m1 counts as proven in "B"`},
		{9, "one turn twice", func(v *invariant.View) { v.Turns = append(v.Turns, v.Turns[0]) }, "A is in the ledger twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := sound()
			c.spoil(&v)
			got := invariant.All()[c.number-1].Check(&v)
			if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, c.says) }) {
				t.Errorf("invariant %d says %q", c.number, got)
			}
		})
	}
}

// TestWhatIsNotAtRestMayStillBecomeSound holds that a view in the middle of things
// is not blamed for what is still to come.
func TestWhatIsNotAtRestMayStillBecomeSound(t *testing.T) {
	t.Parallel()
	v := invariant.View{
		Outside: true, Waits: 2,
		Tracks: []invariant.Track{{ID: "oc/1", State: tr.RecoveryPending}},
		Messages: []invariant.Message{
			{Message: tr.Message{ID: "m1", State: tr.MessageOffered}, Kind: invariant.Text},
			{Message: tr.Message{ID: "m2", State: tr.MessageHeld}, Kind: invariant.Text, Hold: invariant.HeldByUnknown},
		},
		Turns:      []tr.Turn{{State: tr.TurnUnknown, Start: "m1"}},
		CodexTurns: []invariant.CodexTurn{{ID: "A", Status: "inProgress", Messages: []string{"m1"}}},
		Requests:   []invariant.Request{{Request: tr.Request{ID: "r1", Turn: "A", State: tr.RequestHidden}}},
	}
	if problems := invariant.Check(&v); problems != nil {
		t.Error(problems)
	}
	v.AtRest = true
	var broken []string
	for _, inv := range invariant.All() {
		if inv.Check(&v) != nil {
			broken = append(broken, inv.Name)
		}
	}
	want := []string{"Nothing lost in", "Nothing lost out", "Nothing falsely held", "Nothing stuck"}
	if diff := cmp.Diff(want, broken); diff != "" {
		t.Error(diff)
	}
}

func TestHoldOf(t *testing.T) {
	t.Parallel()
	held := tr.Message{ID: "m2", State: tr.MessageHeld, Turn: "A"}
	running := tr.Turn{ID: "A", State: tr.TurnInFlight}
	visible := tr.Request{ID: "r1", State: tr.RequestShown}
	for _, c := range []struct {
		name string
		data tr.Data
		msg  tr.Message
		want invariant.Hold
	}{
		{"its files", tr.Data{}, tr.Message{State: tr.MessageFetching}, invariant.HeldByFiles},
		{"its sender's word", tr.Data{}, tr.Message{State: tr.MessageAsked}, invariant.HeldByQuestion},
		{"a closed track, whatever else", tr.Data{Opening: true, Shut: []tr.Closing{tr.ClosedByVersion}}, held, invariant.HeldByClosing},
		{"a looser policy, whatever else", tr.Data{Opening: true, Shut: []tr.Closing{tr.ClosedByVersion, tr.ClosedByPolicy}}, held, invariant.HeldByPolicy},
		{"a closed chat", tr.Data{Shut: []tr.Closing{tr.ClosedByChat}}, held, invariant.HeldByChat},
		{"a message that does not wait", tr.Data{Opening: true}, tr.Message{State: tr.MessageProven}, ""},
		{"nothing", tr.Data{}, held, ""},
		{"its thread", tr.Data{Opening: true}, held, invariant.HeldByUnknown},
		{"a start without an answer to come", tr.Data{Turns: []tr.Turn{{State: tr.TurnUnknown, Lost: true}}}, held, invariant.HeldByLostStart},
		{"an unknown turn, whatever else", tr.Data{Turns: []tr.Turn{running, {State: tr.TurnUnknown}}, Requests: []tr.Request{visible}}, held, invariant.HeldByUnknown},
		{"a visible request", tr.Data{Turns: []tr.Turn{running}, Requests: []tr.Request{visible}}, held, invariant.HeldByRequest},
		{"the turn that would not take it", tr.Data{Turns: []tr.Turn{running}}, held, invariant.HeldByDeafTurn},
		{"another turn than that", tr.Data{Turns: []tr.Turn{{ID: "B", State: tr.TurnInFlight}}}, held, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := invariant.HoldOf(&c.data, &c.msg); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
