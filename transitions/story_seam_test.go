package transitions

import "testing"

// TestWhatIsSeenBetweenACallAndItsAnswer holds the rules where facts about one
// turn or message arrive by two ways, and one overtakes the other.
func TestWhatIsSeenBetweenACallAndItsAnswer(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"a steer without answer is behind a /stop although its turn is over", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{stop("s1"), Idle, "withdraw"},
			line{notSteered("m2", "A", NoActiveTurn), Idle, "notice to m2: not_sent_after_stop"},
		)},
		{"and although the outcome is delivered", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{shown("outcome:A"), Delivered, ""},
			line{stop("s1"), Delivered, "withdraw"},
			line{SteerWithdrawn{Message: "m2", Turn: "A"}, Delivered, "notice to m2: not_sent_after_stop"},
		)},
		{"a /stop before the answer holds although the turn is seen before it is known to be ours", asked(
			line{stop("s1"), RecoveryPending, "withdraw"},
			line{running("A"), RecoveryPending, ""},
			line{accepted("m1", "A"), Steerable, "interrupt A"},
		)},
		{"a start that is answered with a turn that is over without its text is offered again", asked(
			line{wrote("m2"), RecoveryPending, ""},
			line{running("A"), RecoveryPending, ""},
			line{interrupted("A"), RecoveryPending, ""},
			line{accepted("m1", "A"), RecoveryPending, "start m1"},
			line{accepted("m1", "B"), Steerable, "steer m2 into B"},
		)},
		{"behind a /stop it goes back", asked(
			line{running("A"), RecoveryPending, ""},
			line{interrupted("A"), RecoveryPending, ""},
			line{stop("s1"), RecoveryPending, "withdraw"},
			line{accepted("m1", "A"), Idle, "notice to m1: not_sent_after_stop"},
		)},
		{"a second /stop stops a turn that was seen since the first", asked(
			line{unknown("m1", first), RecoveryPending, "pull"},
			line{stop("s1"), RecoveryPending, "withdraw"},
			line{running("B"), RecoveryPending, ""},
			line{adminStop("s2"), RecoveryPending, "withdraw; interrupt B; notice to s2: stopping"},
		)},
		{"a turn that was seen before it was known to be ours is interrupted once", asked(
			line{running("A"), RecoveryPending, ""},
			line{running("A", "m1"), Steerable, ""},
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{running("A", "m1"), Steerable, ""},
		)},
		{"what was handed to a vanished turn that had begun is told, not offered again", asked(
			line{accepted("m1", "A"), Steerable, ""},
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{running("A", "m2"), Steerable, ""},
			line{idleRead(100, second), Steerable, "pull in 30"},
			line{idleRead(130, second), Idle, "outcome to m2: turn_vanished; notice to m1: message_unresolved"},
		)},
		{"a foreign turn that vanishes behind a /stop is told to who stopped it", settledTurn(
			line{running("B"), Steerable, ""},
			line{adminStop("s1"), Steerable, "withdraw; interrupt B"},
			line{idleRead(100, second), Steerable, "pull in 30"},
			line{idleRead(130, second), Idle, "outcome to s1: turn_vanished"},
		)},
	})
}
