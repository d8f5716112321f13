package transitions

import (
	"encoding/json"
	"strings"
	"testing"

	"deskbridge/fsm"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestEveryCellOfTheSmallMachinesHasExactlyOneRow walks all states, moves and
// what guards can see: a step always finds one row, and stays in the table.
func TestEveryCellOfTheSmallMachinesHasExactlyOneRow(t *testing.T) {
	t.Parallel()
	moves := func(kind string) []Move {
		return []Move{
			{Kind: kind}, {Kind: kind, Turn: "A"}, {Kind: kind, Turn: "A", AnswerTo: "m1"},
			{Kind: kind, Turn: "A", AnswerTo: "m1", Reply: "done"}, {Kind: kind, Turn: "A", Reply: "done"},
			{Kind: kind, Turn: "A", AnswerTo: "m1", Said: "boom"},
		}
	}
	t.Run("message", func(t *testing.T) {
		t.Parallel()
		total(t, Messages(), moves, []Message{{ID: "m1"}, {ID: "m1", Barred: BarFence}, {ID: "m1", Barred: BarRecall}, {ID: "m1", Barred: BarDismissal}})
	})
	t.Run("turn", func(t *testing.T) {
		t.Parallel()
		total(t, Turns(), moves, []Turn{{}, {ID: "A"}, {ID: "A", StopBy: "s1"}})
	})
	t.Run("delivery", func(t *testing.T) {
		t.Parallel()
		total(t, Deliveries(), moves, []Delivery{{ID: "outcome:A", Kind: Outcome}})
	})
	t.Run("request", func(t *testing.T) {
		t.Parallel()
		total(t, Requests(), moves, []Request{{ID: "r1", Turn: "A"}})
	})
}

func total[S ~string, D any](t *testing.T, m *fsm.Machine[S, D, Move, Effect], moves func(string) []Move, data []D) {
	t.Helper()
	decl := m.Declaration()
	for _, state := range decl.States {
		for _, kind := range decl.Facts {
			for _, move := range moves(kind.Name) {
				for _, d := range data {
					res, err := m.Step(state.Name, d, move)
					if err != nil {
						t.Errorf("%v", err)
						continue
					}
					if settledIn(decl.States, state.Name) && !settledIn(decl.States, res.State) {
						t.Errorf("%s takes %s, which is settled, to %s, which is not", res.Entry, state.Name, res.State)
					}
				}
			}
		}
	}
}

func settledIn[S ~string](states []fsm.State[S], name S) bool {
	for _, s := range states {
		if s.Name == name {
			return s.Settled
		}
	}
	return false
}

// TestWhatIsSettledStaysSettled holds that nothing is undone: what is over is
// never told again. A delivery that was refused may still turn out to
// stand in the chat.
func TestWhatIsSettledStaysSettled(t *testing.T) {
	t.Parallel()
	for _, e := range Messages().Entries() {
		if settledIn(MessageMachine().States, e.From) && !e.Ignore {
			t.Errorf("%s is not ignored", e.ID)
		}
	}
	for _, e := range Turns().Entries() {
		if settledIn(TurnMachine().States, e.From) && !e.Ignore {
			t.Errorf("%s is not ignored", e.ID)
		}
	}
	for _, e := range Requests().Entries() {
		if settledIn(RequestMachine().States, e.From) && !e.Ignore {
			t.Errorf("%s is not ignored", e.ID)
		}
	}
}

// TestAReceivedMessageIsWrittenDownAndReceipted holds for every state that takes
// text: the record and the receipt come with the message, in that order.
func TestAReceivedMessageIsWrittenDownAndReceipted(t *testing.T) {
	t.Parallel()
	m := Message{ID: "m1", Sender: "ou_a", Text: "text of m1", State: MessageKept}
	offered := m
	offered.State = MessageOffered
	for _, c := range []struct {
		state State
		data  Data
		then  []Effect
	}{
		{Idle, Data{}, []Effect{OpenThread{}}},
		{Delivered, Data{Thread: "th", Answered: true}, []Effect{
			RecordMessage{Message: offered, Entry: "received.offer.1"}, StartTurn{Thread: "th", Message: "m1", Text: "text of m1"},
		}},
	} {
		res, err := Conversation().Step(c.state, c.data, wrote("m1"))
		if err != nil {
			t.Fatal(err)
		}
		want := append([]Effect{RecordMessage{Message: m}, ShowReceipt{Message: "m1"}}, c.then...)
		if diff := cmp.Diff(want, res.Effects); diff != "" {
			t.Errorf("%s: %s", c.state, diff)
		}
	}
}

// TestEveryEffectIsHandled holds what the outbox does with each declared effect.
func TestEveryEffectIsHandled(t *testing.T) {
	t.Parallel()
	want := map[string]struct {
		effect Effect
		want   Handling
	}{
		"open_thread": {OpenThread{}, Handling{Lane: "codex"}},
		"start_turn": {StartTurn{Message: "m1"}, Handling{
			Lane: "codex", IfLost: TurnStartUnknown{Message: "m1"}, IfWithdrawn: TurnStartWithdrawn{Message: "m1"},
		}},
		"steer_turn": {SteerTurn{Message: "m1", Turn: "A"}, Handling{
			Lane: "codex", IfLost: SteerUnknown{Message: "m1", Turn: "A"}, IfWithdrawn: SteerWithdrawn{Message: "m1", Turn: "A"},
		}},
		"interrupt_turn":  {InterruptTurn{Turn: "A"}, Handling{IfLost: InterruptUnknown{Turn: "A"}}},
		"pull":            {Pull{}, Handling{Volatile: true}},
		"withdraw":        {Withdraw{}, Handling{Volatile: true, Withdraws: true}},
		"deliver":         {Deliver{Kind: Outcome}, Handling{Lane: "outcome"}},
		"hand_over":       {HandOver{Message: "m1"}, Handling{Lane: "hand_over"}},
		"show_receipt":    {ShowReceipt{Message: "m1"}, Handling{IfLost: EffectDropped{Effect: "show_receipt", Subject: "m1", Said: "the bridge stopped while it was being shown"}}},
		"show_progress":   {ShowProgress{Turn: "A"}, Handling{IfLost: EffectDropped{Effect: "show_progress", Subject: "A", Said: "the bridge stopped while it was being shown"}}},
		"list_threads":    {ListThreads{Message: "m1"}, Handling{}},
		"bind_thread":     {BindThread{Message: "m1", Thread: "th"}, Handling{}},
		"fetch_files":     {FetchFiles{Message: "m1"}, Handling{}},
		"show_request":    {ShowRequest{}, Handling{}},
		"answer_request":  {AnswerRequest{Request: "r1"}, Handling{IfLost: DecisionUnknown{Request: "r1"}}},
		"close_request":   {CloseRequest{}, Handling{}},
		"record_request":  {RecordRequest{}, Handling{Record: true}},
		"record_message":  {RecordMessage{}, Handling{Record: true}},
		"record_turn":     {RecordTurn{}, Handling{Record: true}},
		"record_delivery": {RecordDelivery{}, Handling{Record: true}},
		"record_thread":   {RecordThread{}, Handling{Record: true}},
		"open_track":      {OpenTrack{}, Handling{Record: true}},
	}
	for _, declared := range conversationEffects() {
		c, ok := want[declared.Name]
		if !ok || c.effect.EffectName() != declared.Name {
			t.Errorf("%s is declared and not tested", declared.Name)
			continue
		}
		if diff := cmp.Diff(c.want, Handle(c.effect)); diff != "" {
			t.Errorf("%s: %s", declared.Name, diff)
		}
	}
	if diff := cmp.Diff(Handling{}, Handle(Deliver{Kind: Notice})); diff != "" {
		t.Errorf("a notice queues behind nobody: %s", diff)
	}
}

// TestEveryDeliveryHasItsOwnUUID holds what Feishu demands of a uuid, and that
// it depends on the delivery alone.
func TestEveryDeliveryHasItsOwnUUID(t *testing.T) {
	t.Parallel()
	if got, want := uuidOf("outcome:A"), "419194f2b79219bfde08fb78b13c6298"; got != want {
		t.Errorf("got %s: a repetition after an upgrade would not be recognised", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		if n := len(uuidOf(a)); n == 0 || n > 50 {
			t.Fatalf("%d characters", n)
		}
		if (uuidOf(a) == uuidOf(b)) != (a == b) {
			t.Fatalf("%q has %s, %q has %s", a, uuidOf(a), b, uuidOf(b))
		}
	})
}

// TestFactsOfOneHappeningShareTheirKey holds that a message counts once whether
// it is text or a command, and a turn ends once whoever tells.
func TestFactsOfOneHappeningShareTheirKey(t *testing.T) {
	t.Parallel()
	for _, f := range []Fact{stop("m1"), begin("m1")} {
		if a, b := wrote("m1").FactKey(), f.FactKey(); a != b || a == "" {
			t.Errorf("%q and %q", a, b)
		}
	}
	if a, b := completed("A", "done").FactKey(), interrupted("A").FactKey(); a != b || a == "" {
		t.Errorf("%q and %q", a, b)
	}
	keys := map[string]bool{}
	for _, f := range []Fact{wrote("x"), wrote("y"), completed("x", ""), completed("y", "")} {
		keys[f.FactKey()] = true
	}
	for _, from := range []string{"oc_1/1", "oc_1/2"} { // each track hands it over once
		keys[MessageReceived{Message: "x", From: from}.FactKey()] = true
	}
	if len(keys) != 6 {
		t.Errorf("different happenings share a key: %v", keys)
	}
}

// TestWatchAsksForWhatOnlyAReadCanSettle holds what the poller is told.
func TestWatchAsksForWhatOnlyAReadCanSettle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		story story
		want  Watch
	}{
		{"nothing yet", story{{wrote("m1"), Idle, "open"}}, Watch{Live: true}},
		{"a start without answer", asked(), Watch{Thread: "th", Live: true, Unsettled: true}},
		{"a turn in flight", inTurn(), Watch{Thread: "th", Live: true, Turns: []string{"A"}, Unsettled: true}},
		{"a turn that is over", inTurn(line{completed("A", "done", "m1"), Idle, "outcome to m1: done"}), Watch{Thread: "th", Live: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data := tell(t, c.story)
			if diff := cmp.Diff(c.want, data.Watch()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestACloneSharesNothingThatChanges holds that changing every part of a clone
// leaves the original as it was.
func TestACloneSharesNothingThatChanges(t *testing.T) {
	t.Parallel()
	d := Data{
		Messages: []Message{{ID: "m1"}}, Turns: []Turn{{ID: "A"}},
		Deliveries: []Delivery{{ID: "outcome:A"}}, Requests: []Request{{ID: "r1"}}, Closed: []string{"B"},
		Shut: []Closing{ClosedByPolicy}, Recalled: []string{"m2"}, Dismissed: []string{"ou_a"}, Settled: []string{"r2"},
	}
	before, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	c := d.Clone()
	c.Messages[0].ID, c.Turns[0].ID, c.Deliveries[0].ID, c.Requests[0].ID, c.Closed[0], c.Shut[0] = "x", "x", "x", "x", "x", "x"
	c.Recalled[0], c.Dismissed[0], c.Settled[0] = "x", "x", "x"
	after, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Error(diff)
	}
}

// TestEveryRowGivesItsReasonInASentence holds that the reasons can be read by
// whoever asks why.
func TestEveryRowGivesItsReasonInASentence(t *testing.T) {
	t.Parallel()
	for _, e := range Conversation().Entries() {
		if !strings.HasSuffix(e.Why, ".") || len(e.Why) < 15 {
			t.Errorf("%s: %q", e.ID, e.Why)
		}
	}
}
