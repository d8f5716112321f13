package invariant_test

import (
	"slices"
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

// TestProvenNoticesThreads breaks each law about the list of threads, about going on in
// one of them, and about what a thread may run under.
func TestProvenNoticesThreads(t *testing.T) {
	t.Parallel()
	const resumes = tr.ClosedByResume
	tight, loose := tr.Policy{Approval: "on-request", Sandbox: "readOnly"}, tr.Policy{Approval: "never", Sandbox: "readOnly"}
	listed := []tr.ListedThread{{Thread: "x1"}}
	under := tr.Data{Thread: "th", Listed: listed, Shut: []tr.Closing{resumes}, Resume: tr.Resume{Message: "g1", Created: 5, Behind: []string{"m2"}}}
	with := func(d tr.Data, change func(*tr.Data)) tr.Data {
		d = d.Clone()
		change(&d)
		return d
	}
	left := with(under, func(d *tr.Data) {
		d.Superseded, d.Shut, d.Resume, d.FencedAt = true, nil, tr.Resume{}, 5
	})
	waits := func(id string) func(*tr.Data) {
		return func(d *tr.Data) { d.Messages = append(d.Messages, tr.Message{ID: id, State: tr.MessageHeld}) }
	}
	said := func(to string, s tr.SentenceID) tr.Effect { return tr.Deliver{ReplyTo: to, Body: tr.Body{Sentence: s}} }
	bind := tr.BindThread{Message: "g1", Thread: "x1"}
	asks := tr.ResumeRequested{Message: "g1", Sender: "ou_a", Created: 5, Number: 1}
	running := []tr.Turn{{ID: "A", State: tr.TurnInFlight, Start: "m1"}}
	opening := tr.Data{Opening: true}
	open := tr.Data{Thread: "th", CreatedBy: "1", ResumedBy: "1"}
	found := tr.ThreadFound{Message: "g1", Thread: "x1"}
	goes := []tr.Effect{said("g1", tr.SaidResumed), tr.OpenTrack{Thread: "x1"}}
	for _, c := range []struct {
		name          string
		fact          tr.Fact
		before, after tr.Data
		effects       []tr.Effect
		says          string // empty: all is well
	}{
		{"nobody is asked for the list", tr.ThreadsRequested{Message: "l1"}, tr.Data{}, tr.Data{}, nil, "l1 came, and its sender was told nothing"},
		{"the list is asked for", tr.ThreadsRequested{Message: "l1"}, tr.Data{}, tr.Data{}, []tr.Effect{tr.ListThreads{Message: "l1"}}, ""},
		{"a list that is not shown", tr.ThreadsListed{Message: "l1"}, tr.Data{}, tr.Data{}, nil, "l1 came, and its sender was told nothing"},
		{"a list that is forgotten", tr.ThreadsListed{Message: "l1", Threads: []tr.DeskThread{{Thread: "x1"}}}, tr.Data{}, tr.Data{}, []tr.Effect{said("l1", tr.SaidThreads)}, "others are remembered"},
		{"an empty list after another", tr.ThreadsListed{Message: "l1"}, tr.Data{Listed: listed}, tr.Data{Listed: listed}, []tr.Effect{said("l1", tr.SaidNoThreads)}, "others are remembered"},
		{"no list, and no word", tr.ThreadsUnlisted{Message: "l1"}, tr.Data{}, tr.Data{}, nil, "l1 came, and its sender was told nothing"},

		{"a /resume without an answer", asks, tr.Data{}, tr.Data{}, nil, "g1 came, and its sender was told nothing"},
		{"a /resume that is told, and closes", asks, tr.Data{}, tr.Data{Shut: []tr.Closing{resumes}}, []tr.Effect{said("g1", tr.SaidNoNumber)}, "g1 is not carried out, and the track is another"},
		{"a /resume that is told, and might be", asks, tr.Data{Listed: listed}, tr.Data{Listed: listed}, []tr.Effect{said("g1", tr.SaidNoNumber)}, "g1 is not carried out, and may be"},
		{"a /resume of one who may not", asks, tr.Data{Listed: listed, Turns: running}, under, []tr.Effect{bind}, "g1 came from ou_a, who may not, and is carried out"},
		{"a /resume of another number", tr.ResumeRequested{Message: "g1", Created: 5, Number: 2}, tr.Data{Listed: listed}, under, []tr.Effect{bind}, "the number means something else"},
		{"a /resume of its own thread", asks, tr.Data{Listed: listed, Thread: "x1"}, under, []tr.Effect{bind}, "the number means something else"},
		{"a second /resume", asks, under, under, []tr.Effect{bind}, "g1 is carried out, and should not be just now"},
		{"a /resume that nothing waits for", asks, tr.Data{Listed: listed}, tr.Data{Listed: listed}, []tr.Effect{bind}, "g1 is carried out, and that is not remembered"},
		{"a /resume that is carried out", asks, tr.Data{Listed: listed}, under, []tr.Effect{bind}, ""},

		{"a thread that is found, and nobody is told", found, under, left, goes[1:], "g1 came, and its sender was told nothing"},
		{"a thread that is found, and the /resume goes on", found, under, with(left, func(d *tr.Data) { d.Shut = under.Shut }), goes, "the /resume is over, and counts as under way"},
		{"a thread that is found, and left alone", found, under, left, goes[:1], "x1 is found, and the conversation does not go on there"},
		{"a fence that is forgotten", found, under, with(left, func(d *tr.Data) { d.FencedAt = 0 }), goes, "g1 is carried out, and when is not remembered"},
		{"a turn that runs on", found, with(under, func(d *tr.Data) { d.Turns = running }), with(left, func(d *tr.Data) { d.Turns = running }), goes, `turn "A" is not to stop`},
		{"what is not behind the fence", found, with(under, waits("m3")), with(left, waits("m3")), goes, "g1 is carried out, and m3 is not behind it"},
		{"what came before, and goes along", found, with(under, waits("m3")), left, append(slices.Clip(goes), tr.HandOver{Message: "m3"}), "m3 came before g1, and goes along"},
		{"what came after, and stays", found, with(under, waits("m2")), left, goes, "m2 came after g1, and does not go along"},
		{"what came after, and goes along", found, with(under, waits("m2")), left, append(slices.Clip(goes), tr.HandOver{Message: "m2"}), ""},
		{"a thread that cannot be had, and nobody is told", tr.ThreadUnavailable{Message: "g1"}, under, with(left, func(d *tr.Data) { d.Superseded = false }), nil, "g1 came, and its sender was told nothing"},
		{"a /resume that something else ends", tr.BridgeStarted{}, under, tr.Data{}, nil, "bridge_started changes what is known of the /resume"},

		{"a lost thread without a reason", tr.ThreadLost{}, tr.Data{}, tr.Data{Superseded: true}, nil, "it is forgotten why"},
		{"a next track that knows of no loss", tr.ThreadLost{}, tr.Data{}, tr.Data{Superseded: true, Lost: "no"}, []tr.Effect{tr.OpenTrack{}}, "the next track goes on from it: false"},
		{"a next track that may do more", tr.ThreadLost{}, tr.Data{Policy: tight}, tr.Data{Superseded: true, Lost: "no", Policy: tight}, []tr.Effect{tr.OpenTrack{Rebuild: true}}, "the next track forgets what this one may run under"},
		{"a thread that is asked for anew", tr.BridgeStarted{}, tr.Data{Rebuild: true}, tr.Data{Rebuild: true}, []tr.Effect{tr.OpenThread{}}, "as if nothing had been before"},
		{"a version that is forgotten", tr.ThreadResumed{Version: "2"}, open, open, nil, `version 2 took the thread up, and "1" is remembered`},
		{"a maker that is forgotten", tr.ThreadResumed{Created: "1"}, tr.Data{Thread: "th"}, tr.Data{Thread: "th"}, nil, `version 1 made the thread, and "" is remembered`},
		{"a policy that an operator allowed", tr.TrackOpened{Why: tr.ClosedByPolicy, Policy: loose}, tr.Data{Policy: tight, Shut: []tr.Closing{tr.ClosedByPolicy}}, tr.Data{Policy: tight}, nil, "an operator has allowed a policy"},
		{"a policy for which it is closed", tr.TrackClosed{Why: tr.ClosedByPolicy, Policy: loose}, tr.Data{}, tr.Data{Shut: []tr.Closing{tr.ClosedByPolicy}}, nil, "it is forgotten for which policy"},
		{"a policy that nobody allowed", tr.ThreadResumed{Policy: loose}, tr.Data{Policy: tight}, tr.Data{Policy: loose}, nil, "the approval policy is looser than before"},
		{"a policy that is tighter", tr.ThreadResumed{Policy: tight}, tr.Data{Policy: loose}, tr.Data{Policy: loose}, nil, "no looser, and it is not remembered"},
		{"an origin that is forgotten", tr.ThreadOpened{Thread: "th", Version: "1"}, opening, tr.Data{Thread: "th"}, nil, "th is open, and its origin is not remembered"},
		{"a transcript that nobody is told of", tr.ThreadOpened{Thread: "th", Version: "1", Transcript: tr.TranscriptMissing}, opening, open, []tr.Effect{tr.StartTurn{}}, "thread_not_rebuilt is said: false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(invariant.Proven(invariant.Step{Fact: c.fact, Before: &c.before, After: &c.after, Effects: c.effects}), "; ")
			if !strings.Contains(got, c.says) || c.says == "" && got != "" {
				t.Errorf("got %q, want %q", got, c.says)
			}
		})
	}
}
