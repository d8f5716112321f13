package transitions

import "testing"

// Stories of what one feature does to another.

func handedOver(message string) Fact {
	return MessageReceived{Message: message, Sender: "ou_a", Text: "text", Created: 10, From: "oc_1/1"}
}

func TestWhatIsTakenBackBetweenTwoTracksIsNotSent(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"a recall that comes before the message", story{
			{recall("m2"), Idle, ""},
			{handedOver("m2"), Idle, ""},
			{wrote("m3"), Idle, "open"},
		}},
		{"a dismissal that comes before the message", story{
			{SenderDismissed{Sender: "ou_a"}, Idle, ""},
			{handedOver("m2"), Idle, "notice to m2: not_sent_not_admitted"},
		}},
		{"who writes again is admitted again", story{
			{SenderDismissed{Sender: "ou_a"}, Idle, ""},
			{wrote("m1"), Idle, "open"},
			{handedOver("m2"), Idle, ""},
		}},
		{"what they wrote before they were dismissed is not sent for that", story{
			{SenderDismissed{Sender: "ou_a"}, Idle, ""},
			{MessageReceived{Message: "m1", Sender: "ou_a", Text: "text", Created: 11}, Idle, "open"},
			{handedOver("m2"), Idle, "notice to m2: not_sent_not_admitted"},
			{MessageReceived{Message: "m3", Sender: "ou_a", Text: "text", Created: 12, From: "oc_1/1"}, Idle, ""},
			{SenderDismissed{Sender: "ou_a"}, Idle, "notice to m1: not_sent_not_admitted; notice to m3: not_sent_not_admitted; withdraw"},
			{MessageReceived{Message: "m4", Sender: "ou_a", Text: "text", Created: 13, From: "oc_1/1"}, Idle, "notice to m4: not_sent_not_admitted"},
			{MessageReceived{Message: "m5", Sender: "ou_a", Text: "text", Created: 14}, Idle, ""},
			{MessageReceived{Message: "m6", Sender: "ou_a", Text: "text", Created: 13, From: "oc_1/1"}, Idle, "notice to m6: not_sent_not_admitted"},
		}},
	})
}

func TestWhatMayHaveBeenExecutedIsNotExecutedAgain(t *testing.T) {
	t.Parallel()
	lost := ThreadLost{Said: "no rollout found"}
	play(t, []scene{
		{"a turn that asked, and whose item was never seen, in a lost thread", asked(
			line{accepted("m1", "A"), Steerable, ""},
			line{asks("r1", "A"), PendingVisibility, "show r1"},
			line{visible("r1"), WaitingVisible, ""},
			line{decided("r1", "ou_a", "accept"), Steerable, "answer r1 accept"},
			line{lost, Superseded, "close r1; notice to m1: message_unresolved; next oc_1/2"},
		)},
		{"a turn that said something on the way, and left no trace", asked(
			line{accepted("m1", "A"), Steerable, ""},
			line{AgentMessageCompleted{Turn: "A", Text: "deleted"}, Steerable, "progress of A to m1: deleted"},
			line{idleRead(100, second), Steerable, "pull in 30"},
			line{idleRead(130, second), Idle, "notice to m1: message_unresolved"},
		)},
		{"a turn that was seen at work before it was known to be ours, and left no trace", asked(
			line{running("A"), RecoveryPending, ""},
			line{accepted("m1", "A"), Steerable, ""},
			line{idleRead(100, second), Steerable, "pull in 30"},
			line{idleRead(130, second), Idle, "notice to m1: message_unresolved"},
		)},
		{"a turn that was only promised, and left no trace", asked(
			line{accepted("m1", "A"), Steerable, ""},
			line{idleRead(100, second), Steerable, "pull in 30"},
			line{idleRead(130, second), RecoveryPending, "start m1"},
		)},
		{"a start without answer, when another process lacks a turn that was at work and may be its", asked(
			line{unknown("m1", first), RecoveryPending, "pull"},
			line{asks("r1", "A"), RecoveryPending, "show r1"},
			line{idleRead(100, other), PendingVisibility, "notice to m1: message_unresolved"},
			line{idleRead(130, other), PendingVisibility, "pull in 30"},
			line{idleRead(160, other), Idle, ""},
		)},
		{"a start without answer, when both are lacked for long", asked(
			line{unknown("m1", first), RecoveryPending, "pull"},
			line{asks("r1", "A"), RecoveryPending, "show r1"},
			line{idleRead(100, second), RecoveryPending, "pull in 30"},
			line{idleRead(130, second), Idle, "notice to m1: message_unresolved"},
		)},
		{"a start without answer beside the turn of somebody else, which is there, is sent again", asked(
			line{unknown("m1", first), RecoveryPending, "pull"},
			line{running("A"), RecoveryPending, ""},
			line{idleRead(100, other, "A"), Steerable, "steer m1 into A"},
		)},
		{"behind a /stop it is not called unsent", asked(
			line{accepted("m1", "A"), Steerable, ""},
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{lost, Superseded, "outcome to s1: turn_vanished; notice to m1: message_unresolved; next oc_1/2"},
		)},
	})
}

func TestTheNextTrackIsAsClosedAsTheFormer(t *testing.T) {
	t.Parallel()
	data := tell(t, inTurn(
		line{ModelRequested{Message: "c1", Sender: "ou_a", Model: "small"}, Steerable, "notice to c1: model_chosensmall"},
		line{TrackClosed{Why: ClosedByVersion}, Steerable, "withdraw"},
	))
	res, err := Conversation().Step(Steerable, data, ThreadLost{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range res.Effects {
		if next, ok := e.(OpenTrack); ok {
			if d := next.Data(); d.Track != "oc_1/2" || len(d.Shut) != 1 || d.Shut[0] != ClosedByVersion || d.Model != "small" {
				t.Errorf("it begins with %+v", d)
			}
			return
		}
	}
	t.Error("there is no next track")
}

func TestEveryHoldIsToldOnceAndInTime(t *testing.T) {
	t.Parallel()
	policy := TrackClosed{Why: ClosedByPolicy}
	play(t, []scene{
		{"first for a request, then for a closed track", waiting(
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
			line{policy, WaitingVisible, "withdraw; notice to m2: held_looser_policy"},
			line{resolved("r1"), Steerable, "close r1"},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
		)},
		{"not in a closed chat, but once it is open", settledTurn(
			line{ChatClosed{}, Delivered, "withdraw"},
			line{handedOver("m2"), Idle, ""},
			line{policy, Idle, "withdraw"},
			line{SendOverdue{Message: "m2"}, Idle, ""},
			line{ChatReopened{}, Idle, "notice to m2: held_looser_policy"},
		)},
		{"a question that the chat refused is asked once it is open", asked(
			line{stale("m1", ""), Idle, "notice to m1: still_wanted"},
			line{DeliveryRefused{Delivery: "notice:m1:still_wanted", Code: 230002}, Idle, ""},
			line{ChatClosed{}, Idle, "withdraw"},
			line{ChatReopened{}, Idle, "notice to m1: still_wanted"},
		)},
		{"text that goes on to another thread after its late answer", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{ThreadLost{}, Superseded, "outcome to m1: turn_vanished; next oc_1/2"},
			line{withdrawnSteer("m2", "A"), Superseded, "notice to m2: thread_reopened; hand over m2"},
		)},
		{"silence is natural while a person is waited for", waiting(
			line{TurnSilent{Turn: "A"}, WaitingVisible, "pull"},
		)},
		{"of a silent turn it is said once", inTurn(
			line{TurnSilent{Turn: "A"}, Steerable, "pull; notice to m1: turn_silent"},
			line{TurnSilent{Turn: "A"}, Steerable, "pull"},
		)},
	})
}

func TestATurnThatMustEndIsInterruptedUntilItDoes(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"also where an accepted interrupt did nothing", inTurn(
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
			line{InterruptAccepted{Turn: "A"}, Steerable, ""},
			line{running("A", "m1"), Steerable, ""},
			line{TurnSilent{Turn: "A"}, Steerable, "interrupt A; pull; notice to m1: turn_silent"},
		)},
		{"but not another client's", asked(
			line{unknown("m1", first), RecoveryPending, "pull"},
			line{running("B"), RecoveryPending, ""},
			line{stop("s1"), RecoveryPending, "withdraw"},
			line{interrupted("B"), RecoveryPending, ""},
		)},
		{"nor another client's in a closed chat", settledTurn(
			line{running("B"), Steerable, ""},
			line{asks("r1", "B"), PendingVisibility, "show r1"},
			line{ChatClosed{}, PendingVisibility, "withdraw"},
		)},
		{"nor one that nobody has interrupted when the chat is open again", inTurn(
			line{ChatClosed{}, Steerable, "withdraw; interrupt A"},
			line{InterruptUnknown{Turn: "A"}, Steerable, "pull"},
			line{ChatReopened{}, Steerable, ""},
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{running("A", "m1", "m2"), Steerable, ""},
		)},
	})
}

func TestARequestThatIsOverStaysOver(t *testing.T) {
	t.Parallel()
	resumedOn := func(connection string) Fact { return ThreadResumed{Thread: "th", Connection: connection} }
	play(t, []scene{
		{"the deadline of one resume says nothing of the next", waiting(
			line{resumedOn("c2"), WaitingVisible, "pull"},
			line{asks("r1", "A"), WaitingVisible, ""},
			line{resumedOn("c3"), WaitingVisible, "pull"},
			line{ReplayOverdue{Request: "r1", Connection: "c2"}, WaitingVisible, ""},
			line{ReplayOverdue{Request: "r1", Connection: "c3"}, Steerable, "close r1"},
		)},
		{"a late copy of a resolved request", waiting(
			line{resolved("r1"), Steerable, "close r1"},
			line{asks("r1", "A"), Steerable, ""},
		)},
		{"the flag of a server process goes with it", inTurn(
			line{waits(true), PendingVisibility, ""},
			line{GenerationChanged{Generation: "g2"}, Steerable, "pull"},
			line{WaitingOverdue{Turn: "A"}, Steerable, ""},
		)},
	})
}
