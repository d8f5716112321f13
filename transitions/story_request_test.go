package transitions

import "testing"

func asks(request, turn string) Fact {
	return RequestOpened{Request: request, Kind: "command", Turn: turn, Generation: "g1"}
}

func visible(request string) Fact { return RequestVisible{Request: request, Shown: "om_card"} }

func decided(request, by, decision string) Fact {
	return RequestAnswered{Request: request, By: by, Decision: decision, Message: "click"}
}

func resolved(request string) Fact { return RequestResolved{Request: request} }

func waits(w bool) Fact { return ThreadStatusChanged{Status: StatusActive, Waiting: w} }

// waiting goes on from inTurn: the turn asks r1, and its card is proven visible.
func waiting(rest ...line) story {
	return append(inTurn(
		line{asks("r1", "A"), PendingVisibility, "show r1"},
		line{visible("r1"), WaitingVisible, ""},
	), rest...)
}

func TestOnlyAVisibleRequestHoldsText(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"text goes into the turn while the card is not proven sent", inTurn(
			line{asks("r1", "A"), PendingVisibility, "show r1"},
			line{wrote("m2"), PendingVisibility, "steer m2 into A"},
		)},
		{"text goes into the turn while there is a flag and no request", inTurn(
			line{waits(true), PendingVisibility, ""},
			line{wrote("m2"), PendingVisibility, "steer m2 into A"},
			line{waits(false), Steerable, ""},
		)},
		{"text is held for a visible request, and its sender told", waiting(
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
			line{wrote("m3"), WaitingVisible, "notice to m3: held_for_request"},
			line{decided("r1", "ou_a", "accept"), Steerable, "answer r1 accept; steer m2 into A; steer m3 into A"},
			line{resolved("r1"), Steerable, "close r1"},
		)},
		{"with another visible request it is held on", waiting(
			line{asks("r2", "A"), WaitingVisible, "show r2"},
			line{visible("r2"), WaitingVisible, ""},
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
			line{decided("r1", "ou_a", "accept"), WaitingVisible, "answer r1 accept"},
			line{resolved("r2"), Steerable, "close r2; steer m2 into A"},
		)},
		{"shown as plain text, it is as visible as a card", inTurn(
			line{asks("r1", "A"), PendingVisibility, "show r1"},
			line{RequestVisible{Request: "r1", Shown: "om_text", Form: "text"}, WaitingVisible, ""},
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
		)},
		{"a request that cannot be shown is said once and holds nothing", inTurn(
			line{asks("r1", "A"), PendingVisibility, "show r1"},
			line{VisibilityOverdue{Request: "r1"}, PendingVisibility, "notice to m1: request_not_showable"},
			line{RequestUnshowable{Request: "r1"}, PendingVisibility, ""},
			line{wrote("m2"), PendingVisibility, "steer m2 into A"},
			line{visible("r1"), WaitingVisible, ""},
		)},
	})
}

func TestARequestIsDecidedOnceByAnEntitledPerson(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"a stranger to the turn is told, and nothing is decided", waiting(
			line{decided("r1", "ou_b", "accept"), WaitingVisible, "notice to click: not_entitled"},
			line{decided("r1", "ou_a", "cancel"), Steerable, "answer r1 cancel"},
		)},
		{"the owner or an admin decides", waiting(
			line{RequestAnswered{Request: "r1", By: "ou_b", Decision: "accept", Message: "click", Entitled: true}, Steerable, "answer r1 accept"},
		)},
		{"the first decision stands", waiting(
			line{decided("r1", "ou_a", "accept"), Steerable, "answer r1 accept"},
			line{decided("r1", "ou_a", "cancel"), Steerable, "notice to click: request_over"},
		)},
		{"a decision that the server did not get is repeated exactly", waiting(
			line{decided("r1", "ou_a", "accept"), Steerable, "answer r1 accept"},
			line{DecisionUnknown{Request: "r1"}, Steerable, ""},
			line{asks("r1", "A"), Steerable, "answer r1 accept"},
		)},
		{"a request that was resolved elsewhere takes no decision", waiting(
			line{resolved("r1"), Steerable, "close r1"},
			line{decided("r1", "ou_a", "accept"), Steerable, "notice to click: request_over"},
		)},
	})
}

func TestARequestEndsWithItsTurnOrItsServer(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"with its turn; what was held starts the next", waiting(
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
			line{completed("A", "done", "m1"), RecoveryPending, "close r1; outcome to m1: done; start m2"},
			line{decided("r1", "ou_a", "accept"), RecoveryPending, "notice to click: request_over"},
		)},
		{"with a /stop, which gives back what was held", waiting(
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
			line{stop("s1"), WaitingVisible, "notice to m2: not_sent_after_stop; withdraw; interrupt A"},
			line{interrupted("A", "m1"), Idle, "close r1; outcome to m1: stopped"},
		)},
		{"with the server process that asked", waiting(
			line{GenerationChanged{Generation: "g1"}, WaitingVisible, "pull"},
			line{GenerationChanged{Generation: "g2"}, Steerable, "close r1; pull"},
		)},
		{"when the server does not send it again", waiting(
			line{notReplayed("r1"), WaitingVisible, ""}, // not before a resume
			line{resumed(), WaitingVisible, "pull"},
			line{notReplayed("r1"), Steerable, "close r1"},
		)},
		{"a card that came too late is closed", inTurn(
			line{asks("r1", "A"), PendingVisibility, "show r1"},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{visible("r1"), Idle, "close r1"},
		)},
		{"a cancel ends the turn without a /stop, and is not called stopped", waiting(
			line{decided("r1", "ou_a", "cancel"), Steerable, "answer r1 cancel"},
			line{interrupted("A", "m1"), Idle, "close r1; outcome to m1: turn_interrupted"},
		)},
	})
}

func TestAForeignTurnsRequestIsShown(t *testing.T) {
	t.Parallel()
	tell(t, settledTurn(
		line{asks("r1", "B"), PendingVisibility, "show r1"},
		line{visible("r1"), WaitingVisible, ""},
		line{completed("B", "done"), Delivered, "close r1"},
		line{asks("r1", "B"), Delivered, ""},
	))
	tell(t, story{{asks("r1", "B"), Idle, ""}}) // without a thread, it is not about this track
}

func TestRequestsWaitWhileTheTurnIsUnknown(t *testing.T) {
	t.Parallel()
	tell(t, asked(
		line{wrote("m2"), RecoveryPending, ""},
		line{asks("r1", "A"), RecoveryPending, "show r1"},
		line{visible("r1"), RecoveryPending, ""},
		line{accepted("m1", "A"), WaitingVisible, "notice to m2: held_for_request"},
		line{running("A", "m1"), WaitingVisible, ""},
		line{decided("r1", "ou_a", "accept"), Steerable, "answer r1 accept; steer m2 into A"},
	))
}
