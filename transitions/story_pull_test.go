package transitions

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestAbsenceIsProvenNotGuessed(t *testing.T) {
	t.Parallel()
	lost := func(rest ...line) story {
		return asked(append([]line{{unknown("m1", first), RecoveryPending, "pull"}}, rest...)...)
	}
	play(t, []scene{
		{"two idle reads on another connection, far enough apart, prove that a start left nothing", lost(
			line{wrote("m2"), RecoveryPending, "notice to m2: held_for_outcome"},
			line{idleRead(100, second), RecoveryPending, "pull in 30"},
			line{idleRead(130, second), RecoveryPending, "start m1"},
			line{accepted("m1", "A"), Steerable, "steer m2 into A"},
		)},
		{"one read is not enough, nor two close together", lost(
			line{idleRead(100, second), RecoveryPending, "pull in 30"},
			line{idleRead(129, second), RecoveryPending, ""},
			line{idleRead(130, second), RecoveryPending, "start m1"},
		)},
		{"the connection that carried the start proves nothing", lost(
			line{idleRead(100, first), RecoveryPending, ""},
			line{idleRead(200, first), RecoveryPending, ""},
			line{idleRead(300, second), RecoveryPending, "pull in 30"},
		)},
		{"another server process proves it at once", lost(
			line{idleRead(100, other), RecoveryPending, "start m1"},
		)},
		{"after the bridge itself died, two reads are needed as well", asked(
			line{unknown("m1", Link{}), RecoveryPending, "pull"},
			line{idleRead(100, other), RecoveryPending, "pull in 30"},
			line{idleRead(130, other), RecoveryPending, "start m1"},
		)},
		{"a busy read between the two begins the proof anew", lost(
			line{idleRead(100, second), RecoveryPending, "pull in 30"},
			line{busyRead(120, second), RecoveryPending, ""},
			line{idleRead(140, second), RecoveryPending, "pull in 30"},
			line{idleRead(170, second), RecoveryPending, "start m1"},
		)},
		{"a start that may still be answered is not called absent", asked(
			line{idleRead(100, second), RecoveryPending, ""},
			line{idleRead(200, other), RecoveryPending, ""},
			line{accepted("m1", "A"), Steerable, ""},
		)},
		{"a lost start that left a turn is found in it", lost(
			line{wrote("m2"), RecoveryPending, "notice to m2: held_for_outcome"},
			line{running("A", "m1"), Steerable, "steer m2 into A"},
			line{busyRead(100, second, "A"), Steerable, ""},
		)},
		{"a lost start whose turn is over brings its outcome", lost(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{idleRead(100, second, "A"), Idle, ""},
		)},
		{"what is proven absent behind a /stop goes back", lost(
			line{stop("s1"), RecoveryPending, "withdraw"},
			line{idleRead(100, other), Idle, "notice to m1: not_sent_after_stop"},
		)},
		{"a turn that a read lists is not absent", inTurn(
			line{idleRead(100, second, "A"), Steerable, ""},
			line{idleRead(200, second, "A"), Steerable, ""},
		)},
		{"a vanished turn with our message in it is said, not repeated", inTurn(
			line{idleRead(100, second), Steerable, "pull in 30"},
			line{idleRead(130, second), Idle, "outcome to m1: turn_vanished"},
			line{shown("outcome:A"), Delivered, ""},
		)},
		{"what a vanished turn never took in is offered again", asked(
			line{accepted("m1", "A"), Steerable, ""},
			line{idleRead(100, second), Steerable, "pull in 30"},
			line{idleRead(130, second), RecoveryPending, "start m1"},
		)},
	})
}

func TestTurnsAreNotConfused(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"a late word about turn A never touches turn B", inTurn(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{wrote("m2"), RecoveryPending, "start m2"},
			line{accepted("m2", "B"), Steerable, ""},
			line{interrupted("A", "m1"), Steerable, ""},
			line{running("A", "m1"), Steerable, ""},
			line{InterruptUnknown{Turn: "A"}, Steerable, ""},
			line{completed("B", "more", "m2"), Idle, "outcome to m2: more"},
		)},
		{"what is told twice happens once", inTurn(
			line{running("A", "m1"), Steerable, ""},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{completed("A", "done", "m1"), Idle, ""},
			line{shown("outcome:A"), Delivered, ""},
			line{shown("outcome:A"), Delivered, ""},
			line{completed("A", "done", "m1"), Delivered, ""},
		)},
		{"text goes into a foreign turn, whose outcome is not pushed unless the text is in it", inTurn(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{running("B"), Steerable, ""},
			line{wrote("m2"), Steerable, "steer m2 into B"},
			line{steered("m2", "B"), Steerable, ""},
			line{completed("B", "not for us"), RecoveryPending, "start m2"},
			line{running("C"), RecoveryPending, ""},
			line{completed("C", "for us", "m2"), Idle, "outcome to m2: for us"},
		)},
		{"a foreign turn alone brings nothing to the chat", inTurn(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{shown("outcome:A"), Delivered, ""},
			line{running("B"), Steerable, ""},
			line{failed("B", "boom"), Delivered, ""},
		)},
		{"an outcome confirmed while a turn is in flight leaves the turn alone", inTurn(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{wrote("m2"), RecoveryPending, "start m2"},
			line{shown("outcome:A"), RecoveryPending, ""},
			line{accepted("m2", "B"), Steerable, ""},
		)},
		{"an outcome that comes late takes delivered back to idle", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{shown("outcome:A"), Delivered, ""},
			line{completed("B", "more", "m2"), Idle, "outcome to m2: more"},
			line{shown("outcome:B"), Delivered, ""},
		)},
	})
}

func TestEveryEndHasItsOutcome(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"a failed turn says why, and frees the conversation", inTurn(
			line{failed("A", "boom", "m1"), Idle, "outcome to m1: turn_failedboom"},
			line{wrote("m2"), RecoveryPending, "start m2"},
		)},
		{"a failed turn whose reason is not known says that it failed", inTurn(
			line{failed("A", "", "m1"), Idle, "outcome to m1: turn_failed_without_reason"},
		)},
		{"a turn that ends without a reply says so", inTurn(
			line{completed("A", "", "m1"), Idle, "outcome to m1: turn_without_reply"},
		)},
		{"a failed turn with a reply delivers the reply", inTurn(
			line{TurnEnded{Turn: "A", Status: EndFailed, Messages: []string{"m1"}, Reply: "half", Said: "boom"}, Idle, "outcome to m1: half"},
		)},
		{"a refused delivery stays owed", inTurn(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{DeliveryRefused{Delivery: "outcome:A", Code: 230002, Said: "no"}, Idle, "notice to m1: outcome_not_posted"},
			line{stop("s1"), Idle, "notice to s1: nothing_to_stop"},
			line{shown("notice:s1:nothing_to_stop"), Idle, ""},
			line{shown("outcome:A"), Delivered, ""},
		)},
		{"what was refused is sent again when somebody writes, and that it failed is said once", inTurn(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{DeliveryRefused{Delivery: "outcome:A", Code: 230002, Said: "no"}, Idle, "notice to m1: outcome_not_posted"},
			line{wrote("m2"), RecoveryPending, "outcome to m1: done; start m2"},
			line{DeliveryRefused{Delivery: "outcome:A", Code: 230002, Said: "no"}, RecoveryPending, ""},
		)},
		{"what stands in the chat of a long answer is not sent again", inTurn(
			line{completed("A", "long answer", "m1"), Idle, "outcome to m1: long answer"},
			line{DeliveryPartShown{Delivery: "outcome:A", Shown: "om_7", UpTo: 5}, Idle, ""},
			line{DeliveryRefused{Delivery: "outcome:A", Said: "given up"}, Idle, "notice to m1: outcome_not_posted"},
			line{wrote("m2"), RecoveryPending, "outcome to m1 from 5: long answer; start m2"},
			line{shown("outcome:A"), RecoveryPending, ""},
		)},
		{"a delivery of which nothing is known stays owed, and is not sent again", inTurn(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{DeliveryUnknown{Delivery: "outcome:A"}, Idle, ""},
			line{DeliveryUnknown{Delivery: "outcome:A"}, Idle, ""},
			line{wrote("m2"), RecoveryPending, "start m2"},
			line{completed("B", "more", "m2"), Idle, "outcome to m2: more"},
			line{shown("outcome:B"), Idle, ""},
			line{shown("outcome:A"), Delivered, ""},
		)},
	})
}

// TestARefusedDeliveryIsKeptToBeSeen holds that Feishu's reason is remembered,
// and that the message stays unanswered until the outcome stands in the chat.
func TestARefusedDeliveryIsKeptToBeSeen(t *testing.T) {
	t.Parallel()
	data := tell(t, inTurn(
		line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
		line{DeliveryRefused{Delivery: "outcome:A", Code: 230002, Said: "no"}, Idle, "notice to m1: outcome_not_posted"},
		line{shown("notice:A:outcome_not_posted"), Idle, ""},
	))
	want := []Delivery{{
		ID: "outcome:A", Kind: Outcome, State: DeliveryFailed, Turn: "A", ReplyTo: "m1",
		Body: Body{Text: "done"}, Code: 230002, Said: "no", ToldFailed: true,
	}}
	if diff := cmp.Diff(want, data.Deliveries); diff != "" {
		t.Error(diff)
	}
	if len(data.Messages) != 1 || data.Messages[0].State != MessageProven {
		t.Errorf("m1 is not proven and unanswered: %+v", data.Messages)
	}
}

// TestASettledTrackRemembersNothing holds that data does not grow with what is
// over: only the ids of the last turns stay.
func TestASettledTrackRemembersNothing(t *testing.T) {
	t.Parallel()
	lines := inTurn(
		line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
		line{shown("outcome:A"), Delivered, ""},
	)
	var closed []string
	for i := range lastKept + 4 {
		m, turn := "n"+string(rune('a'+i)), "T"+string(rune('a'+i))
		lines = append(lines,
			line{wrote(m), RecoveryPending, "start " + m},
			line{completed(turn, "done", m), Idle, "outcome to " + m + ": done"},
			line{shown("outcome:" + turn), Delivered, ""},
		)
		closed = append(closed, turn)
	}
	want := Data{Track: "oc_1/1", Thread: "th", Answered: true, Closed: closed[4:]}
	if diff := cmp.Diff(want, tell(t, lines), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
