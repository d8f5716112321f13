package invariant_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tr "deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

func TestAFactAboutOneTurnLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	before := tr.Data{Turns: []tr.Turn{{ID: "A", State: tr.TurnInFlight}, {ID: "B", State: tr.TurnInFlight}, {Start: "m9"}}}
	for _, c := range []struct {
		name  string
		turns []tr.Turn
		says  string
	}{
		{"its own turn is gone", []tr.Turn{{ID: "B", State: tr.TurnInFlight}}, ""},
		{"another is being interrupted", []tr.Turn{{ID: "B", State: tr.TurnInFlight, Interrupting: true}}, ""},
		{"another is gone", nil, `a fact about "A" took B away`},
		{"another is stopped", []tr.Turn{{ID: "B", State: tr.TurnInFlight, StopBy: "s1"}}, `a fact about "A" changed what is known of B`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(invariant.Untouched(&before, &tr.Data{Turns: c.turns}, "A"), "; ")
			if !strings.HasPrefix(got, c.says) || c.says == "" && got != "" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAboutTellsWhoseFactItIs(t *testing.T) {
	t.Parallel()
	type about struct {
		Turn string
		One  bool
	}
	for _, c := range []struct {
		fact tr.Fact
		want about
	}{
		{tr.TurnEnded{Turn: "A"}, about{"A", true}},
		{tr.SteerRefused{Turn: "A"}, about{"A", true}},
		{tr.InterruptUnknown{Turn: "A"}, about{"A", true}},
		{tr.DeliveryConfirmed{Delivery: "outcome:A"}, about{"", true}},
		{tr.PullAnswered{Turns: []string{"A"}}, about{}},
		{tr.StopRequested{}, about{}},
	} {
		turn, one := invariant.About(c.fact)
		if diff := cmp.Diff(c.want, about{turn, one}); diff != "" {
			t.Errorf("%s: %s", c.fact.FactName(), diff)
		}
	}
}

// TestProvenNoticesWhatAStepMakesNothingOf steps on facts as if no row had taken
// them, and holds that this is noticed.
func TestProvenNoticesWhatAStepMakesNothingOf(t *testing.T) {
	t.Parallel()
	d := tr.Data{
		Thread: "th",
		Messages: []tr.Message{
			{ID: "m1", Sender: "ou_a", State: tr.MessageOffered, Turn: "A"}, {ID: "m3", Sender: "ou_a", State: tr.MessageFetching},
			{ID: "m4", Sender: "ou_a", State: tr.MessageAsked}, {ID: "m5", State: tr.MessageHeld, Turn: "A"},
		},
		Shut:     []tr.Closing{tr.ClosedByVersion},
		Turns:    []tr.Turn{{ID: "A", State: tr.TurnInFlight, Interrupting: true}},
		Requests: []tr.Request{{ID: "r1", Turn: "A", State: tr.RequestHidden, Generation: "g1"}, {ID: "r2", Turn: "A", State: tr.RequestDecided, Decision: "accept", Unreplayed: "c1"}},
		Deliveries: []tr.Delivery{
			{ID: "outcome:Z", Kind: tr.Outcome, State: tr.DeliveryReady}, {ID: "outcome:Y", Kind: tr.Outcome, State: tr.DeliveryFailed},
		},
	}
	for _, c := range []struct {
		fact tr.Fact
		says string
	}{
		{tr.MessageReceived{Message: "m2"}, "m2 was received"},
		{tr.StopRequested{Message: "s1", Created: 5, Entitled: true}, `turn "A" is not to stop`},
		{tr.NewRequested{Message: "s1"}, "the track goes on"},
		{tr.RequestAnswered{Request: "r1", By: "ou_a", Message: "k"}, "which is not heeded"},
		{tr.TurnRunning{Turn: "B"}, "B runs, and is not known to"},
		{tr.TurnRunning{Turn: "A", Messages: []string{"m1"}}, "m1 is an item of a turn"},
		{tr.TurnEnded{Turn: "A"}, "A is over, and is not known to be"},
		{tr.PullAnswered{Idle: true}, "a read lacks A"},
		{tr.SteerAccepted{Message: "m1", Turn: "A"}, "the call with m1 is over"},
		{tr.InterruptRefused{Turn: "A"}, "the interrupt of A is over"},
		{tr.RequestOpened{Request: "r3", Turn: "A"}, "request r3 is open"},
		{tr.RequestOpened{Request: "r2", Turn: "A"}, "the decision on it was not repeated"},
		{tr.RequestVisible{Request: "r1", Shown: "om"}, "request r1 is visible"},
		{tr.RequestVisible{Request: "r9", Shown: "om"}, "the card of r9 came late"},
		{tr.RequestUnshowable{Request: "r1"}, "request r1 cannot be shown"},
		{tr.VisibilityOverdue{Request: "r1"}, "request r1 cannot be shown"},
		{tr.RequestResolved{Request: "r1"}, "request r1 is resolved"},
		{tr.ReplayOverdue{Request: "r2", Connection: "c1"}, "request r2 is dead"},
		{tr.GenerationChanged{Generation: "g2"}, "request r1 was asked by another process"},
		{tr.ThreadStatusChanged{Status: tr.StatusActive, Waiting: true}, "the thread's flag is not noted"},
		{tr.ThreadStatusChanged{Status: tr.StatusIdle}, "asks for a read"},
		{tr.BridgeStarted{}, "asks for a read"},
		{tr.PullImpossible{}, "asks for a read"},
		{tr.ThreadResumed{Connection: "c2"}, "r1 need not be sent again"},
		{tr.ThreadLost{}, "the thread is lost, and the track goes on"},
		{tr.TurnSilent{Turn: "A"}, "asks for a read"},
		{tr.MessageReceived{Message: "m1", Files: []tr.File{{Key: "k"}}}, "m1 has files"},
		{tr.AttachmentsReady{Message: "m3", Files: []tr.File{{Key: "k"}}}, "the files of m3 are there"},
		{tr.AttachmentsFailed{Message: "m3"}, "files of m3 are lost"},
		{tr.MessageRecalled{Message: "m1"}, "m1 was taken back"},
		{tr.SenderDismissed{Sender: "ou_a"}, "ou_a is not admitted, and m3"},
		{tr.MessageStale{Message: "m1", Turn: "A"}, "m1 is too old"},
		{tr.StaleAnswered{About: "m4", By: "ou_b", Run: true}, "ou_b answered about m4, which is not heeded"},
		{tr.StaleAnswered{About: "m4", By: "ou_a", Run: true}, "ou_a said of m4 whether it is wanted"},
		{tr.ModelRequested{Message: "c1", Sender: "ou_a", Model: "x"}, "x was chosen, and is not remembered"},
		{tr.TrackClosed{Why: tr.ClosedByPolicy}, `the track is closed for "policy": false`},
		{tr.TrackOpened{Why: tr.ClosedByVersion}, `the track is closed for "version": true`},
		{tr.BridgeStarted{}, "m5 waits for a track that is closed to sending, and its sender was not told"},
		{tr.DeliveryConfirmed{Delivery: "outcome:Z"}, "the chat answered about outcome:Z"},
		{tr.DeliveryRefused{Delivery: "outcome:Z"}, "the chat answered about outcome:Z"},
		{tr.DeliveryUnknown{Delivery: "outcome:Z"}, "the chat answered about outcome:Z"},
	} {
		t.Run(c.fact.FactName()+", "+c.says, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(invariant.Proven(invariant.Step{Fact: c.fact, Before: &d, After: &d}), "; ")
			if !strings.Contains(got, c.says) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestSaidNow(t *testing.T) {
	t.Parallel()
	none := invariant.View{}
	running := invariant.View{Turns: []tr.Turn{{ID: "A", State: tr.TurnInFlight}}}
	stopping := invariant.View{Turns: []tr.Turn{{ID: "A", State: tr.TurnInFlight, StopBy: "s1"}}}
	asked := invariant.View{Requests: []invariant.Request{{Request: tr.Request{ID: "r1", State: tr.RequestShown, Shown: "om"}}}}
	held := func(by invariant.Hold) invariant.View {
		return invariant.View{Messages: []invariant.Message{{Message: tr.Message{ID: "m1"}, Hold: by}}}
	}
	proven := invariant.View{Messages: []invariant.Message{{Message: tr.Message{ID: "m1", State: tr.MessageProven}}}}
	unshown := invariant.View{Requests: []invariant.Request{{Request: tr.Request{ID: "r1", State: tr.RequestUnshown}}}}
	for _, c := range []struct {
		sentence    tr.SentenceID
		true, wrong invariant.View
	}{
		{tr.SaidHeld, asked, none},
		{tr.SaidUnshowable, unshown, asked},
		{tr.SaidNothingToStop, stopping, running},
		{tr.SaidStopping, stopping, running},
		{tr.SaidClosed, held(invariant.HeldByClosing), held("")},
		{tr.SaidDeaf, held(invariant.HeldByDeafTurn), held("")},
		{tr.SaidStale, held(invariant.HeldByQuestion), held("")},
		{tr.SaidUnknown, held(invariant.HeldByLostStart), held("")},
		{tr.SaidUnreachable, held(""), proven},
		{tr.SaidSilent, running, none},
		{tr.SaidWaiting, running, none},
	} {
		said := tr.Deliver{Delivery: "notice", Kind: tr.Notice, ReplyTo: "m1", Body: tr.Body{Sentence: c.sentence}}
		if got := invariant.SaidNow(&c.true, said); got != nil {
			t.Errorf("%s: %q", c.sentence, got)
		}
		if got := invariant.SaidNow(&c.wrong, said); got == nil {
			t.Errorf("%s may be said at any time", c.sentence)
		}
	}
}

func TestTheLedgerFollowsWhatIsRecorded(t *testing.T) {
	t.Parallel()
	first := invariant.Ledger{}.Follow(tr.MessageReceived{Message: "m1", Sender: "ou_a"}, nil)
	second := first.Follow(tr.TurnEnded{Turn: "A"}, []tr.Effect{
		tr.RecordMessage{Message: tr.Message{ID: "m1", State: tr.MessageProven, Turn: "A"}},
		tr.RecordTurn{Turn: tr.Turn{ID: "A", State: tr.TurnCompleted, Interrupting: true, Missing: 5}},
		tr.RecordDelivery{Delivery: tr.Delivery{ID: "outcome:A", Turn: "A"}},
		tr.RecordRequest{Request: tr.Request{ID: "r1"}},
	}).Follow(tr.StopRequested{Message: "s1"}, nil)
	if first.Messages[0].State != tr.MessageKept {
		t.Errorf("the ledger before was changed: %+v", first)
	}
	v := second.View(invariant.TrackData{State: tr.Idle, Data: &tr.Data{Track: "oc/1", Turns: []tr.Turn{{Start: "m2"}}}})
	want := invariant.View{
		Tracks: []invariant.Track{{ID: "oc/1", State: tr.Idle}},
		Messages: []invariant.Message{
			{Message: tr.Message{ID: "m1", State: tr.MessageProven, Turn: "A"}, Kind: invariant.Text},
			{Message: tr.Message{ID: "s1"}, Kind: invariant.Command},
		},
		Turns:      []tr.Turn{{Start: "m2"}, {ID: "A", State: tr.TurnCompleted}},
		Deliveries: []tr.Delivery{{ID: "outcome:A", Turn: "A"}},
		Requests:   []invariant.Request{{Request: tr.Request{ID: "r1"}}},
	}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
}

// TestProvenNoticesMore is the same for what needs a track that is not closed, or a
// closed chat.
func TestProvenNoticesMore(t *testing.T) {
	t.Parallel()
	turn := tr.Turn{ID: "A", State: tr.TurnInFlight, Start: "m1"}
	refused := tr.Delivery{ID: "outcome:Y", Kind: tr.Outcome, State: tr.DeliveryFailed}
	chat := []tr.Closing{tr.ClosedByChat}
	for _, c := range []struct {
		fact          tr.Fact
		before, after tr.Data
		says          string
	}{
		{tr.ChatClosed{}, tr.Data{Turns: []tr.Turn{turn}}, tr.Data{Turns: []tr.Turn{turn}, Shut: chat}, `nobody would hear of turn "A"`},
		{tr.ChatReopened{}, tr.Data{Shut: chat, Deliveries: []tr.Delivery{refused}}, tr.Data{Deliveries: []tr.Delivery{refused}}, "outcome:Y is not sent"},
		{tr.SendOverdue{Message: "m1"}, tr.Data{}, tr.Data{Messages: []tr.Message{{ID: "m1", State: tr.MessageOffered}}}, "m1 is not sent, and its sender was told nothing"},
	} {
		got := strings.Join(invariant.Proven(invariant.Step{Fact: c.fact, Before: &c.before, After: &c.after}), "; ")
		if !strings.Contains(got, c.says) {
			t.Errorf("%s: got %q", c.fact.FactName(), got)
		}
	}
}
