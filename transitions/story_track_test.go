package transitions

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// left goes on from inTurn: a /new supersedes the track while turn A runs.
func left(rest ...line) story {
	return append(inTurn(
		line{begin("n1"), Superseded, "withdraw; interrupt A; next oc_1/2; notice to n1: new_track"},
	), rest...)
}

// settledTurn goes on from inTurn: turn A is over, and its outcome delivered.
func settledTurn(rest ...line) story {
	return append(inTurn(
		line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
		line{shown("outcome:A"), Delivered, ""},
	), rest...)
}

func TestNewBeginsATrackInEveryState(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"idle, with nothing to end", story{
			{begin("n1"), Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
		}},
		{"idle, with text that waits for its thread: it goes back, and the thread stays empty", story{
			{wrote("m1"), Idle, "open"},
			{wrote("m2"), Idle, ""},
			{begin("n1"), Superseded, "notice to m1: not_sent_after_stop; notice to m2: not_sent_after_stop; withdraw; next oc_1/2; notice to n1: new_track"},
			{opened("th"), Superseded, ""},
			{ThreadRefused{Said: "no"}, Superseded, ""},
		}},
		{"with an unsent start: it is withdrawn, and all goes back", asked(
			line{wrote("m2"), RecoveryPending, ""},
			line{begin("n1"), Superseded, "notice to m2: not_sent_after_stop; withdraw; next oc_1/2; notice to n1: new_track"},
			line{TurnStartWithdrawn{Message: "m1"}, Superseded, "notice to m1: not_sent_after_stop"},
		)},
		{"with a start under way: the turn that it begins is interrupted", asked(
			line{begin("n1"), Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
			line{accepted("m1", "A"), Superseded, "interrupt A"},
			line{interrupted("A", "m1"), Superseded, ""},
		)},
		{"with an unknown start: the turn that a read finds is interrupted", asked(
			line{unknown("m1", first), RecoveryPending, "pull"},
			line{begin("n1"), Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
			line{running("A", "m1"), Superseded, "interrupt A"},
			line{interrupted("A", "m1"), Superseded, ""},
		)},
		{"with an unknown start that left nothing: its text goes back", asked(
			line{unknown("m1", first), RecoveryPending, "pull"},
			line{begin("n1"), Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
			line{idleRead(100, second), Superseded, "pull in 30"},
			line{idleRead(130, second), Superseded, "notice to m1: not_sent_after_stop"},
		)},
		{"steerable, with steers under way: those that the turn lacks go back", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{wrote("m3"), Steerable, "steer m3 into A"},
			line{begin("n1"), Superseded, "withdraw; interrupt A; next oc_1/2; notice to n1: new_track"},
			line{steered("m2", "A"), Superseded, ""},
			line{SteerWithdrawn{Message: "m3", Turn: "A"}, Superseded, "notice to m3: not_sent_after_stop"},
			line{interrupted("A", "m1"), Superseded, "notice to m2: not_sent_after_stop"},
		)},
		{"pending_visibility: the request is declined, and its late card closed", inTurn(
			line{asks("r1", "A"), PendingVisibility, "show r1"},
			line{begin("n1"), Superseded, "withdraw; interrupt A; answer r1 decline; next oc_1/2; notice to n1: new_track"},
			line{visible("r1"), Superseded, "close r1"},
			line{interrupted("A", "m1"), Superseded, "close r1"},
		)},
		{"waiting_visible: the request is declined, and what it held goes back", waiting(
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
			line{begin("n1"), Superseded, "notice to m2: not_sent_after_stop; withdraw; interrupt A; answer r1 decline; next oc_1/2; notice to n1: new_track"},
			line{decided("r1", "ou_a", "accept"), Superseded, "notice to click: request_over"},
			line{resolved("r1"), Superseded, "close r1"},
		)},
		{"with a decision under way: it stands, and is repeated", waiting(
			line{decided("r1", "ou_a", "accept"), Steerable, "answer r1 accept"},
			line{begin("n1"), Superseded, "withdraw; interrupt A; next oc_1/2; notice to n1: new_track"},
			line{DecisionUnknown{Request: "r1"}, Superseded, ""},
			line{asks("r1", "A"), Superseded, "answer r1 accept"},
		)},
		{"with a /stop under way: the interrupt is not repeated", inTurn(
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{begin("n1"), Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
		)},
		{"delivered", settledTurn(
			line{begin("n1"), Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
		)},
		{"with an outcome on its way: it is delivered", inTurn(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{begin("n1"), Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
			line{shown("outcome:A"), Superseded, ""},
			line{shown("outcome:A"), Superseded, ""},
		)},
	})
}

func TestASupersededTrackEndsItsTurn(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"an interrupt that was refused or lost is repeated as long as the turn runs", left(
			line{running("A", "m1"), Superseded, ""},
			line{InterruptRefused{Turn: "A", Said: "no"}, Superseded, "pull"},
			line{running("A", "m1"), Superseded, "interrupt A"},
			line{InterruptUnknown{Turn: "A"}, Superseded, "pull"},
			line{running("A", "m1"), Superseded, "interrupt A"},
			line{InterruptAccepted{Turn: "A"}, Superseded, ""},
			line{interrupted("A", "m1"), Superseded, ""},
			line{InterruptRefused{Turn: "A", Said: "no"}, Superseded, ""},
			line{running("A", "m1"), Superseded, ""},
		)},
		{"a turn that vanishes needs no interrupt, and is not pushed", left(
			line{idleRead(100, second), Superseded, "pull in 30"},
			line{busyRead(110, second), Superseded, ""},
			line{idleRead(120, second), Superseded, "pull in 30"},
			line{idleRead(150, second), Superseded, ""},
		)},
		{"a start that is answered with a turn that is over goes back", asked(
			line{running("A"), RecoveryPending, ""},
			line{interrupted("A"), RecoveryPending, ""},
			line{begin("n1"), Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
			line{accepted("m1", "A"), Superseded, "notice to m1: not_sent_after_stop"},
			line{accepted("m1", "A"), Superseded, ""},
		)},
		{"a start that is refused tells why", asked(
			line{begin("n1"), Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
			line{refused("m1", OtherRefusal), Superseded, "notice to m1: refused_by_codexno"},
			line{unknown("m1", first), Superseded, ""},
		)},
		{"a start into a thread that is gone goes back, and of its turns nothing is pushed", asked(
			line{running("B"), RecoveryPending, ""},
			line{begin("n1"), Superseded, "withdraw; interrupt B; next oc_1/2; notice to n1: new_track"},
			line{refused("m1", ThreadGone), Superseded, "notice to m1: not_sent_after_stop"},
		)},
		{"what another client runs on the thread is left alone", left(
			line{interrupted("A", "m1"), Superseded, ""},
			line{running("B"), Superseded, ""},
			line{asks("r1", "B"), Superseded, ""},
			line{completed("B", "not for us"), Superseded, ""},
		)},
	})
}

func TestASupersededTrackTakesNothing(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"text that still comes is handed over, in order", left(
			line{wrote("m2"), Superseded, "hand over m2"},
			line{wrote("m3"), Superseded, "hand over m3"},
			line{HandedOver{Message: "m2"}, Superseded, ""},
		)},
		{"commands are answered", left(
			line{stop("s1"), Superseded, "notice to s1: command_too_late"},
			line{begin("n2"), Superseded, "notice to n2: command_too_late"},
			line{interrupted("A", "m1"), Superseded, ""},
			line{stop("s2"), Superseded, "notice to s2: command_too_late"},
		)},
		{"what its turn asks is declined unseen, again if the server asks again", left(
			line{waits(true), Superseded, ""},
			line{asks("r1", "A"), Superseded, "answer r1 decline"},
			line{DecisionWritten{Request: "r1"}, Superseded, ""},
			line{asks("r1", "A"), Superseded, "answer r1 decline"},
			line{resolved("r1"), Superseded, "close r1"},
			line{visible("r1"), Superseded, "close r1"},
		)},
		{"its requests die with the server process, or when they are not sent again", left(
			line{asks("r1", "A"), Superseded, "answer r1 decline"},
			line{asks("r2", "A"), Superseded, "answer r2 decline"},
			line{resumed(), Superseded, "pull"},
			line{notReplayed("r2"), Superseded, "close r2"},
			line{GenerationChanged{Generation: "g2"}, Superseded, "close r1; pull"},
		)},
	})
}

// TestALostSteerOfASupersededTrackGoesBackOnce holds it for every way in which a
// steer is lost, and that what comes after tells the sender nothing more.
func TestALostSteerOfASupersededTrackGoesBackOnce(t *testing.T) {
	t.Parallel()
	for name, facts := range map[string][]Fact{
		"withdrawn":                   {SteerWithdrawn{Message: "m2", Turn: "A"}},
		"no active turn":              {notSteered("m2", "A", NoActiveTurn)},
		"no text taken":               {notSteered("m2", "A", NotSteerable)},
		"thread gone":                 {notSteered("m2", "A", ThreadGone)},
		"accepted and not in it":      {steered("m2", "A"), interrupted("A", "m1")},
		"unknown and not in it":       {SteerUnknown{Message: "m2", Turn: "A"}, interrupted("A", "m1")},
		"accepted after the end":      {interrupted("A", "m1"), steered("m2", "A")},
		"unknown after the end":       {interrupted("A", "m1"), SteerUnknown{Message: "m2", Turn: "A"}},
		"refused after the end":       {interrupted("A", "m1"), notSteered("m2", "A", NoActiveTurn)},
		"withdrawn after the end":     {interrupted("A", "m1"), SteerWithdrawn{Message: "m2", Turn: "A"}},
		"told twice by one who may":   {notSteered("m2", "A", NoActiveTurn), notSteered("m2", "A", NoActiveTurn)},
		"told again by another's end": {SteerWithdrawn{Message: "m2", Turn: "A"}, interrupted("A", "m1")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, data := Steerable, tell(t, inTurn(line{wrote("m2"), Steerable, "steer m2 into A"}))
			var words []string
			for _, f := range append([]Fact{begin("n1")}, facts...) {
				res, err := Conversation().Step(state, data, f)
				if err != nil {
					t.Fatal(err)
				}
				state, data = res.State, res.Data
				words = append(words, inShort(res.Effects))
			}
			if n := strings.Count(strings.Join(words, "; "), "notice to m2: not_sent_after_stop"); n != 1 {
				t.Errorf("it goes back %d times: %q", n, words)
			}
		})
	}
}

// TestTheOutcomeOfASupersededTrackIsKeptAndNotPushed holds it with all that is
// written down about it.
func TestTheOutcomeOfASupersededTrackIsKeptAndNotPushed(t *testing.T) {
	t.Parallel()
	res, err := Conversation().Step(Superseded, tell(t, left()), completed("A", "done", "m1"))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, e := range res.Effects {
		switch e := e.(type) {
		case RecordDelivery:
			said = append(said, e.Delivery.ID+" "+string(e.Delivery.State)+" "+e.Delivery.Body.Text)
		case RecordMessage:
			said = append(said, e.Message.ID+" "+string(e.Message.State))
		case RecordTurn:
			said = append(said, e.Turn.ID+" "+string(e.Turn.State))
		default:
			said = append(said, e.EffectName())
		}
	}
	want := []string{"A completed", "outcome:A ready done", "outcome:A archived done", "m1 answered"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	if d := res.Data; len(d.Messages)+len(d.Turns) > 0 || d.owes() {
		t.Errorf("the books are not closed: %+v", d)
	}
}

// TestALostThreadMovesWhatWaits holds that what waits reaches the next track as
// it was written, in order, and becomes its messages.
func TestALostThreadMovesWhatWaits(t *testing.T) {
	t.Parallel()
	data := tell(t, settledTurn(
		line{wrote("m2"), RecoveryPending, "start m2"},
		line{wrote("m3"), RecoveryPending, ""},
		line{MessageReceived{Message: "m4", Sender: "ou_b", Text: "more", Created: 7}, RecoveryPending, ""},
	))
	res, err := Conversation().Step(RecoveryPending, data, refused("m2", ThreadGone))
	if err != nil {
		t.Fatal(err)
	}
	want := "next oc_1/2; notice to m2: thread_reopened; hand over m2; hand over m3; hand over m4"
	if got := inShort(res.Effects); res.State != Superseded || got != want {
		t.Fatalf("got %s %q, want %q", res.State, got, want)
	}
	if len(res.Data.Messages) > 0 {
		t.Errorf("the former track keeps %+v", res.Data.Messages)
	}
	words := map[string]string{"m2": "open"}
	var next story
	for _, e := range res.Effects {
		if h, ok := e.(HandOver); ok {
			next = append(next, line{
				MessageReceived{Message: h.Message, Sender: h.Sender, Text: h.Text, Created: h.Created, From: "oc_1/1"}, Idle, words[h.Message],
			})
		}
	}
	moved := tellIn(t, "oc_1/2", append(next,
		line{opened("th2"), RecoveryPending, "start m2"},
		line{accepted("m2", "B"), Steerable, "steer m3 into B; steer m4 into B"},
	))
	if m := moved.message("m4"); m == nil || m.Sender != "ou_b" || m.Text != "more" || m.Created != 7 {
		t.Errorf("m4 arrives as %+v", m)
	}
}

// TestALostSteerIsHandedOverAfterALostThread holds that text which no /new is
// behind of goes on, although its answer came only after the track was over.
func TestALostSteerIsHandedOverAfterALostThread(t *testing.T) {
	t.Parallel()
	tell(t, inTurn(
		line{wrote("m2"), Steerable, "steer m2 into A"},
		line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
		line{wrote("m3"), RecoveryPending, "start m3"},
		line{refused("m3", ThreadGone), Superseded, "next oc_1/2; notice to m3: thread_reopened; hand over m3"},
		line{SteerUnknown{Message: "m2", Turn: "A"}, Superseded, "notice to m2: thread_reopened; hand over m2"},
	))
}

// TestAFenceHoldsForWhatIsOnItsWay holds that what was written before a /stop or
// /new of the next track, and is handed to it afterwards, is not sent.
func TestAFenceHoldsForWhatIsOnItsWay(t *testing.T) {
	t.Parallel()
	at := func(created Millis) Fact {
		return MessageReceived{Message: "m2", Sender: "ou_a", Text: "text of m2", Created: created, From: "oc_1/1"}
	}
	stopAt := func(created Millis) Fact { return StopRequested{Message: "s1", Sender: "ou_a", Created: created} }
	newAt := func(created Millis) Fact { return NewRequested{Message: "n1", Sender: "ou_a", Created: created} }
	for _, s := range []scene{
		{"behind a /stop it goes back", story{
			{stopAt(20), Idle, "notice to s1: nothing_to_stop"},
			{at(10), Idle, "notice to m2: not_sent_after_stop"},
		}},
		{"behind a /stop of a turn it goes back", inTurn(
			line{stopAt(20), Steerable, "withdraw; interrupt A"},
			line{at(10), Steerable, "notice to m2: not_sent_after_stop"},
		)},
		{"behind a /new it goes back, and no further", story{
			{newAt(20), Superseded, "withdraw; next oc_1/3; notice to n1: new_track"},
			{at(10), Superseded, "notice to m2: not_sent_after_stop"},
		}},
		{"what was written after the /stop is not behind it", story{
			{stopAt(20), Idle, "notice to s1: nothing_to_stop"},
			{at(30), Idle, "open"},
		}},
		{"what was written after the /new goes further", story{
			{newAt(20), Superseded, "withdraw; next oc_1/3; notice to n1: new_track"},
			{at(30), Superseded, "hand over m2"},
		}},
	} {
		t.Run(s.rule, func(t *testing.T) {
			t.Parallel()
			tellIn(t, "oc_1/2", s.story)
		})
	}
}

func TestTracksAreNumbered(t *testing.T) {
	t.Parallel()
	if got := FirstTrack("oc_1"); got != "oc_1/1" {
		t.Errorf("the first track is %s", got)
	}
	for _, c := range []struct {
		track, conversation string
		number              int
		next                string
	}{
		{"oc_1/1", "oc_1", 1, "oc_1/2"},
		{"oc_1/9", "oc_1", 9, "oc_1/10"},
		{"oc_1/om_2/1", "oc_1/om_2", 1, "oc_1/om_2/2"},
		{"oc_1", "oc_1", 0, "oc_1/1"},
		{"oc_1/", "oc_1/", 0, "oc_1//1"},
		{"oc_1/x", "oc_1/x", 0, "oc_1/x/1"},
		{"/3", "", 3, "/4"},
		{"", "", 0, "/1"},
	} {
		conversation, number := SplitTrack(c.track)
		if conversation != c.conversation || number != c.number {
			t.Errorf("%q is %q, %d", c.track, conversation, number)
		}
		if next := NextTrack(c.track); next != c.next {
			t.Errorf("after %q comes %q", c.track, next)
		}
	}
}
