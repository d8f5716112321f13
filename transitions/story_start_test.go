package transitions

import "testing"

func TestTextBecomesATurn(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"the first message asks for a thread, then for a turn, and its reply comes back", asked(
			line{accepted("m1", "A"), Steerable, ""},
			line{running("A", "m1"), Steerable, ""},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{shown("outcome:A"), Delivered, ""},
			line{wrote("m2"), RecoveryPending, "start m2"},
		)},
		{"text behind the first waits for the thread in order", story{
			{wrote("m1"), Idle, "open"},
			{wrote("m2"), Idle, ""},
			{wrote("m3"), Idle, ""},
			{opened("th"), RecoveryPending, "start m1"},
			{accepted("m1", "A"), Steerable, "steer m2 into A; steer m3 into A"},
		}},
		{"a second thread of a repeated call stays empty", asked(
			line{accepted("m1", "A"), Steerable, ""},
			line{opened("th2"), Steerable, ""},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{opened("th3"), Idle, ""},
		)},
		{"text during an unanswered start is held, and steered in order once it is accepted", asked(
			line{wrote("m2"), RecoveryPending, ""},
			line{wrote("m3"), RecoveryPending, ""},
			line{accepted("m1", "A"), Steerable, "steer m2 into A; steer m3 into A"},
		)},
		{"a turn's item before the answer is as good as the answer", asked(
			line{wrote("m2"), RecoveryPending, ""},
			line{running("A", "m1"), Steerable, "steer m2 into A"},
			line{accepted("m1", "A"), Steerable, ""},
			line{refused("m1", OtherRefusal), Steerable, ""},
			line{unknown("m1", first), Steerable, ""},
		)},
		{"a turn may end before its start is answered, and the late answer changes nothing", asked(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{accepted("m1", "A"), Idle, ""},
			line{shown("outcome:A"), Delivered, ""},
			line{accepted("m1", "A"), Delivered, ""},
		)},
		{"a start that is folded into a turn seen before is that turn", asked(
			line{running("A"), RecoveryPending, ""},
			line{wrote("m2"), RecoveryPending, ""},
			line{accepted("m1", "A"), Steerable, "steer m2 into A"},
			line{completed("A", "done", "m1", "m2"), Idle, "outcome to m2: done"},
		)},
		{"a turn answers the last of our messages in it, once", asked(
			line{wrote("m2"), RecoveryPending, ""},
			line{accepted("m1", "A"), Steerable, "steer m2 into A"},
			line{steered("m2", "A"), Steerable, ""},
			line{completed("A", "done", "m1", "m2"), Idle, "outcome to m2: done"},
			line{shown("outcome:A"), Delivered, ""},
		)},
		{"a thread that Codex does not open is told to all who wait for it, and asked for anew", story{
			{wrote("m1"), Idle, "open"},
			{wrote("m2"), Idle, ""},
			{ThreadRefused{Said: "no"}, Idle, "notice to m1: refused_by_codexno; notice to m2: refused_by_codexno"},
			{ThreadRefused{Said: "no"}, Idle, ""},
			{wrote("m3"), Idle, "open"},
		}},
		{"a refusal is told to the sender, and what waited starts the next turn", asked(
			line{wrote("m2"), RecoveryPending, ""},
			line{refused("m1", OtherRefusal), RecoveryPending, "notice to m1: refused_by_codexno; start m2"},
			line{refused("m2", OtherRefusal), Idle, "notice to m2: refused_by_codexno"},
		)},
	})
}

func TestTextOfATurnIsSteered(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"a follow-up goes into the turn in flight, and never waits for its end", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{steered("m2", "A"), Steerable, ""},
			line{wrote("m3"), Steerable, "steer m3 into A"},
			line{completed("A", "done", "m1", "m2", "m3"), Idle, "outcome to m3: done"},
		)},
		{"an accepted steer that the ended turn lacks is offered again as a start", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{steered("m2", "A"), Steerable, ""},
			line{completed("A", "done", "m1"), RecoveryPending, "outcome to m1: done; start m2"},
		)},
		{"the answer to a steer may come after the turn's end", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{steered("m2", "A"), RecoveryPending, "start m2"},
		)},
		{"an answer after the proof changes nothing", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{running("A", "m2"), Steerable, ""},
			line{notSteered("m2", "A", NoActiveTurn), Steerable, ""},
			line{completed("A", "done", "m1", "m2"), Idle, "outcome to m2: done"},
		)},
		{"an unknown steer holds no other text, and the turn's end decides", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{SteerUnknown{Message: "m2", Turn: "A"}, Steerable, "pull"},
			line{wrote("m3"), Steerable, "steer m3 into A"},
			line{steered("m3", "A"), Steerable, ""},
			line{completed("A", "done", "m1", "m3"), RecoveryPending, "outcome to m3: done; start m2"},
		)},
		{"a steer refused for want of an active turn makes a read decide, and the turn's end lets the text start the next", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{notSteered("m2", "A", NoActiveTurn), RecoveryPending, "pull"},
			line{wrote("m3"), RecoveryPending, ""},
			line{completed("A", "done", "m1"), RecoveryPending, "outcome to m1: done; start m2"},
			line{accepted("m2", "B"), Steerable, "steer m3 into B"},
		)},
		{"a steer refused although the turn runs is offered to it again", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{notSteered("m2", "A", NoActiveTurn), RecoveryPending, "pull"},
			line{running("A", "m1"), Steerable, "steer m2 into A"},
		)},
		{"text that meets another turn goes into that one", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{notSteered("m2", "A", OtherTurn), RecoveryPending, "pull"},
			line{running("B"), RecoveryPending, ""},
			line{completed("A", "done", "m1"), Steerable, "outcome to m1: done; steer m2 into B"},
		)},
		{"a turn that takes no text is waited for", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{notSteered("m2", "A", NotSteerable), Steerable, "notice to m2: held_for_turn"},
			line{running("A", "m1"), Steerable, ""},
			line{completed("A", "done", "m1"), RecoveryPending, "outcome to m1: done; start m2"},
		)},
		{"a definite refusal goes back to its sender with the reason", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{notSteered("m2", "A", OtherRefusal), Steerable, "notice to m2: refused_by_codexno"},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
		)},
	})
}
