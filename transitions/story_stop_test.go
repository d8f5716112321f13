package transitions

import "testing"

func TestStopIsAFence(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"a steer that is lost behind a /stop is given back once", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{steered("m2", "A"), Steerable, ""},
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{interrupted("A", "m1"), Idle, "outcome to m1: stopped; notice to m2: not_sent_after_stop"},
			line{shown("outcome:A"), Delivered, ""},
		)},
		{"what is written after the /stop is not behind it", inTurn(
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{steered("m2", "A"), Steerable, ""},
			line{interrupted("A", "m1"), RecoveryPending, "outcome to m1: stopped; start m2"},
		)},
		{"a second /stop is told that the first is under way, and fences what came between", inTurn(
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{steered("m2", "A"), Steerable, ""},
			line{stop("s2"), Steerable, "withdraw; notice to s2: stopping"},
			line{interrupted("A", "m1"), Idle, "outcome to m1: stopped; notice to m2: not_sent_after_stop"},
		)},
		{"an unsent steer is withdrawn and given back", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{SteerWithdrawn{Message: "m2", Turn: "A"}, Steerable, "notice to m2: not_sent_after_stop"},
		)},
		{"an unsent start is withdrawn, and with it all that was held", asked(
			line{wrote("m2"), RecoveryPending, ""},
			line{stop("s1"), RecoveryPending, "notice to m2: not_sent_after_stop; withdraw"},
			line{TurnStartWithdrawn{Message: "m1"}, Idle, "notice to m1: not_sent_after_stop"},
			line{wrote("m3"), RecoveryPending, "start m3"},
		)},
		{"text that waits for its thread goes back", story{
			{wrote("m1"), Idle, "open"},
			{stop("s1"), Idle, "notice to m1: not_sent_after_stop; withdraw"},
			{opened("th"), Idle, ""},
			{wrote("m2"), RecoveryPending, "start m2"},
		}},
		{"a start into a lost thread goes back behind a /stop, and later text goes to the next track", inTurn(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{wrote("m2"), RecoveryPending, "start m2"},
			line{stop("s1"), RecoveryPending, "withdraw"},
			line{wrote("m3"), RecoveryPending, ""},
			line{refused("m2", ThreadGone), Superseded, "notice to m2: not_sent_after_stop; next oc_1/2; notice to m3: thread_reopened; hand over m3"},
		)},
		{"with nothing to stop, that is said", story{
			{stop("s1"), Idle, "notice to s1: nothing_to_stop"},
			{wrote("m1"), Idle, "open"},
			{opened("th"), RecoveryPending, "start m1"},
			{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			{shown("outcome:A"), Delivered, ""},
			{stop("s2"), Delivered, "notice to s2: nothing_to_stop"},
		}},
	})
}

func TestStopEndsTheTurn(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"a /stop before the turn's id is known interrupts once the answer reveals it", asked(
			line{stop("s1"), RecoveryPending, "withdraw"},
			line{accepted("m1", "A"), Steerable, "interrupt A"},
			line{interrupted("A", "m1"), Idle, "outcome to m1: stopped"},
		)},
		{"a /stop before the turn's id is known interrupts once a read reveals it", asked(
			line{unknown("m1", first), RecoveryPending, "pull"},
			line{stop("s1"), RecoveryPending, "withdraw"},
			line{running("A", "m1"), Steerable, "interrupt A"},
		)},
		{"an interrupt that was refused or lost is repeated as long as the turn runs", inTurn(
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{running("A", "m1"), Steerable, ""},
			line{InterruptRefused{Turn: "A", Said: "no"}, Steerable, "pull"},
			line{running("A", "m1"), Steerable, "interrupt A"},
			line{InterruptUnknown{Turn: "A"}, Steerable, "pull"},
			line{running("A", "m1"), Steerable, "interrupt A"},
			line{InterruptAccepted{Turn: "A"}, Steerable, ""},
			line{running("A", "m1"), Steerable, ""},
		)},
		{"a foreign turn is stopped too, and whoever asked is told", inTurn(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{running("B"), Steerable, ""},
			line{adminStop("s1"), Steerable, "withdraw; interrupt B"},
			line{interrupted("B"), Idle, "outcome to s1: stopped"},
		)},
		{"a turn without our text that is stopped answers the /stop", asked(
			line{accepted("m1", "A"), Steerable, ""},
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{interrupted("A"), Idle, "outcome to s1: stopped; notice to m1: not_sent_after_stop"},
		)},
	})
}

func TestStoppedIsSaidOnlyWithAStopAndAnInterruptedTurn(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"interrupted with a /stop on record is stopped", inTurn(
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{interrupted("A", "m1"), Idle, "outcome to m1: stopped"},
		)},
		{"interrupted without a /stop is not", inTurn(
			line{interrupted("A", "m1"), Idle, "outcome to m1: turn_interrupted"},
		)},
		{"completed in spite of a /stop delivers the reply", inTurn(
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{InterruptRefused{Turn: "A", Said: "no"}, Idle, ""},
		)},
		{"completed without a reply in spite of a /stop is not stopped", inTurn(
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{completed("A", "", "m1"), Idle, "outcome to m1: turn_without_reply"},
		)},
		{"failed in spite of a /stop is not stopped", inTurn(
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{failed("A", "boom", "m1"), Idle, "outcome to m1: turn_failedboom"},
		)},
		{"interrupted with a reply delivers the reply", inTurn(
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{TurnEnded{Turn: "A", Status: EndInterrupted, Messages: []string{"m1"}, Reply: "half"}, Idle, "outcome to m1: half"},
		)},
		{"a /stop for one turn says nothing about the next", inTurn(
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{interrupted("A", "m1"), Idle, "outcome to m1: stopped"},
			line{wrote("m2"), RecoveryPending, "start m2"},
			line{accepted("m2", "B"), Steerable, ""},
			line{interrupted("B", "m2"), Idle, "outcome to m2: turn_interrupted"},
		)},
	})
}
