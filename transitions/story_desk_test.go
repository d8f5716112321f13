package transitions

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withFiles is a message with one file.
func withFiles(message string) Fact {
	return MessageReceived{Message: message, Sender: "ou_a", Text: "text of " + message, Files: []File{{Key: "k"}}}
}

func fetched(message string) Fact {
	return AttachmentsReady{Message: message, Files: []File{{Key: "k", Path: "downloads/k"}}}
}

func recall(message string) Fact { return MessageRecalled{Message: message} }

func withdrawnStart(message string) Fact { return TurnStartWithdrawn{Message: message} }

func withdrawnSteer(message, turn string) Fact { return SteerWithdrawn{Message: message, Turn: turn} }

func stale(message, turn string) Fact { return MessageStale{Message: message, Turn: turn} }

// says is an answer of the sender to the question about a stale message.
func says(run bool, about string) Fact {
	return StaleAnswered{Message: "a1", About: about, By: "ou_a", Run: run}
}

func TestAMessageWaitsForItsOwnFilesOnly(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"it starts a turn once they are there", story{
			{withFiles("m1"), Idle, "fetch for m1"},
			{fetched("m1"), Idle, "open"},
			{opened("th"), RecoveryPending, "start m1"},
		}},
		{"others overtake it", story{
			{withFiles("m1"), Idle, "fetch for m1"},
			{wrote("m2"), Idle, "open"},
			{opened("th"), RecoveryPending, "start m2"},
			{accepted("m2", "A"), Steerable, ""},
			{fetched("m1"), Steerable, "steer m1 into A"},
		}},
		{"what is lost of them is told to its sender, and the text goes on", inTurn(
			line{withFiles("m2"), Steerable, "fetch for m2"},
			line{AttachmentsFailed{Message: "m2", Files: []File{{Key: "k", Lost: "too big"}}}, Steerable, "notice to m2: files_lost; steer m2 into A"},
			line{fetched("m2"), Steerable, ""},
		)},
		{"in a delivered track the wait is not called delivered", settledTurn(
			line{withFiles("m2"), Idle, "fetch for m2"},
			line{fetched("m2"), RecoveryPending, "start m2"},
		)},
		{"behind a visible request it is held like any text", waiting(
			line{withFiles("m2"), WaitingVisible, "fetch for m2"},
			line{fetched("m2"), WaitingVisible, "notice to m2: held_for_request"},
		)},
		{"while a start is without answer it is held like any text", asked(
			line{withFiles("m2"), RecoveryPending, "fetch for m2"},
			line{fetched("m2"), RecoveryPending, ""},
			line{accepted("m1", "A"), Steerable, "steer m2 into A"},
		)},
		{"a /stop gives it back, and the files come for nothing", story{
			{withFiles("m1"), Idle, "fetch for m1"},
			{stop("s1"), Idle, "notice to m1: not_sent_after_stop; withdraw"},
			{fetched("m1"), Idle, ""},
		}},
		{"the next track fetches them again", inTurn(
			line{withFiles("m2"), Steerable, "fetch for m2"},
			line{ThreadLost{Said: "no rollout found"}, Superseded, "outcome to m1: turn_vanished; next oc_1/2; notice to m2: thread_reopened; hand over m2"},
			line{fetched("m2"), Superseded, ""},
		)},
		{"a thread that is refused leaves it waiting", settledTurn(
			line{ThreadStatusChanged{Status: StatusNotLoaded}, Delivered, ""},
			line{withFiles("m2"), Idle, "fetch for m2"},
			line{recall("m2"), Delivered, "withdraw"},
		)},
	})
}

func TestWhatIsTakenBackIsNotSent(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"text that waits for a thread", story{
			{wrote("m1"), Idle, "open"},
			{recall("m1"), Idle, "withdraw"},
			{opened("th"), Idle, ""},
			{wrote("m2"), RecoveryPending, "start m2"},
		}},
		{"an unsent start; the next text starts instead", asked(
			line{wrote("m2"), RecoveryPending, ""},
			line{recall("m1"), RecoveryPending, "withdraw"},
			line{withdrawnStart("m1"), RecoveryPending, "start m2"},
		)},
		{"an unsent steer; the others go out again", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{wrote("m3"), Steerable, "steer m3 into A"},
			line{recall("m2"), Steerable, "withdraw"},
			line{withdrawnSteer("m2", "A"), Steerable, ""},
			line{withdrawnSteer("m3", "A"), Steerable, "steer m3 into A"},
		)},
		{"a steer that the turn lost is not offered again", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{steered("m2", "A"), Steerable, ""},
			line{recall("m2"), Steerable, "withdraw"},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
		)},
		{"text that is held for a request", waiting(
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
			line{recall("m2"), WaitingVisible, "withdraw"},
			line{decided("r1", "ou_a", "accept"), Steerable, "answer r1 accept"},
		)},
		{"what Codex has is not pretended away", inTurn(
			line{recall("m1"), Steerable, ""},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
		)},
		{"one of two that wait", story{
			{withFiles("m1"), Idle, "fetch for m1"},
			{withFiles("m2"), Idle, "fetch for m2"},
			{recall("m1"), Idle, "withdraw"},
		}},
		{"one of two that wait, after an outcome", settledTurn(
			line{withFiles("m2"), Idle, "fetch for m2"},
			line{withFiles("m3"), Idle, "fetch for m3"},
			line{recall("m2"), Idle, "withdraw"},
			line{recall("m3"), Delivered, "withdraw"},
		)},
		{"a steer in a track that is left", left(
			line{recall("m1"), Superseded, ""},
		)},
	})
}

func TestNothingIsSentForWhomIsNotAdmitted(t *testing.T) {
	t.Parallel()
	gone := SenderDismissed{Sender: "ou_a"}
	theirs := MessageReceived{Message: "m3", Sender: "ou_b", Text: "text"}
	play(t, []scene{
		{"their text goes back, that of others stays", waiting(
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
			line{theirs, WaitingVisible, "notice to m3: held_for_request"},
			line{gone, WaitingVisible, "notice to m2: not_sent_not_admitted; withdraw"},
			line{resolved("r1"), Steerable, "close r1; steer m3 into A"},
		)},
		{"an unsent call goes back", asked(
			line{gone, RecoveryPending, "withdraw"},
			line{withdrawnStart("m1"), Idle, "notice to m1: not_sent_not_admitted"},
		)},
	})
}

func TestOldTextIsAskedAboutOnce(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"a start is held back, and goes out once its sender wants it", asked(
			line{stale("m1", ""), Idle, "notice to m1: still_wanted"},
			line{says(true, "m1"), RecoveryPending, "start m1"},
		)},
		{"text that waited behind it goes on at once", asked(
			line{wrote("m2"), RecoveryPending, ""},
			line{stale("m1", ""), RecoveryPending, "notice to m1: still_wanted; start m2"},
			line{says(true, "m1"), RecoveryPending, ""},
			line{accepted("m2", "A"), Steerable, "steer m1 into A"},
		)},
		{"a steer is held back, and dropped if its sender does not want it", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{stale("m2", "A"), Steerable, "notice to m2: still_wanted"},
			line{says(false, "m2"), Steerable, "notice to a1: dropped"},
			line{says(true, "m2"), Steerable, "notice to a1: nothing_asked"},
		)},
		{"only its sender says", asked(
			line{stale("m1", ""), Idle, "notice to m1: still_wanted"},
			line{StaleAnswered{Message: "a1", About: "m1", By: "ou_b", Run: true}, Idle, "notice to a1: not_the_sender"},
			line{StaleAnswered{Message: "a2", About: "m1", By: "ou_admin", Run: true, Entitled: true}, RecoveryPending, "start m1"},
		)},
		{"a /stop ends the question", asked(
			line{stale("m1", ""), Idle, "notice to m1: still_wanted"},
			line{stop("s1"), Idle, "notice to m1: not_sent_after_stop; withdraw"},
			line{says(true, "m1"), Idle, "notice to a1: nothing_asked"},
		)},
		{"a word without saying which is about the only question", asked(
			line{stale("m1", ""), Idle, "notice to m1: still_wanted"},
			line{says(true, ""), RecoveryPending, "start m1"},
		)},
		{"a reply to the question is about what it asks", asked(
			line{stale("m1", ""), Idle, "notice to m1: still_wanted"},
			line{DeliveryConfirmed{Delivery: "notice:m1:still_wanted", Shown: "om_question"}, Idle, ""},
			line{says(false, "om_question"), Idle, "notice to a1: dropped"},
			line{says(true, "om_question"), Idle, "notice to a1: nothing_asked"},
		)},
		{"with several questions the bridge asks which", asked(
			line{stale("m1", ""), Idle, "notice to m1: still_wanted"},
			line{wrote("m2"), RecoveryPending, "start m2"},
			line{stale("m2", ""), Idle, "notice to m2: still_wanted"},
			line{says(true, ""), Idle, "notice to a1: which_message"},
			line{says(true, "m2"), RecoveryPending, "start m2"},
		)},
		{"a question that was refused is asked again when somebody writes", asked(
			line{stale("m1", ""), Idle, "notice to m1: still_wanted"},
			line{DeliveryRefused{Delivery: "notice:m1:still_wanted", Code: 230018}, Idle, ""},
			line{wrote("m2"), RecoveryPending, "notice to m1: still_wanted; start m2"},
			line{DeliveryConfirmed{Delivery: "notice:m1:still_wanted", Shown: "om_question"}, RecoveryPending, ""},
			line{wrote("m3"), RecoveryPending, ""},
		)},
		{"and so is one that may not stand in the chat", asked(
			line{stale("m1", ""), Idle, "notice to m1: still_wanted"},
			line{DeliveryUnknown{Delivery: "notice:m1:still_wanted"}, Idle, ""},
			line{wrote("m2"), RecoveryPending, "notice to m1: still_wanted; start m2"},
		)},
		{"what a /stop came after is not asked about", asked(
			line{stop("s1"), RecoveryPending, "withdraw"},
			line{stale("m1", ""), Idle, "notice to m1: not_sent_after_stop"},
		)},
		{"nor is what was taken back", asked(
			line{recall("m1"), RecoveryPending, "withdraw"},
			line{stale("m1", ""), Idle, ""},
		)},
		{"nor is that of somebody who is not admitted", asked(
			line{SenderDismissed{Sender: "ou_a"}, RecoveryPending, "withdraw"},
			line{stale("m1", ""), Idle, "notice to m1: not_sent_not_admitted"},
		)},
		{"after a lost thread it goes to the next track", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{stale("m2", "A"), Steerable, "notice to m2: still_wanted"},
			line{ThreadLost{}, Superseded, "outcome to m1: turn_vanished; next oc_1/2"},
			line{says(true, "m2"), Superseded, "notice to m2: thread_reopened; hand over m2"},
		)},
		{"a steer that was held back in a lost thread goes on", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{ThreadLost{}, Superseded, "outcome to m1: turn_vanished; next oc_1/2"},
			line{stale("m2", "A"), Superseded, "notice to m2: thread_reopened; hand over m2"},
		)},
	})
	data := tell(t, asked(
		line{stale("m1", ""), Idle, "notice to m1: still_wanted"},
		line{says(true, "m1"), RecoveryPending, "start m1"},
	))
	if !data.Messages[0].Confirmed {
		t.Error("its sender would be asked again")
	}
}

func TestAClosedTrackHoldsTextAndSaysSo(t *testing.T) {
	t.Parallel()
	closed, reopened := TrackClosed{Why: ClosedByPolicy}, TrackOpened{Why: ClosedByPolicy}
	play(t, []scene{
		{"text is held until it is open", settledTurn(
			line{closed, Delivered, "withdraw"},
			line{wrote("m2"), Idle, "notice to m2: held_looser_policy"},
			line{reopened, RecoveryPending, "start m2"},
		)},
		{"text of a track without a thread", story{
			{closed, Idle, "withdraw"},
			{wrote("m1"), Idle, "notice to m1: held_looser_policy"},
			{reopened, Idle, "open"},
		}},
		{"a thread that is opened meanwhile serves later", story{
			{wrote("m1"), Idle, "open"},
			{closed, Idle, "withdraw; notice to m1: held_looser_policy"},
			{opened("th"), Idle, ""},
			{reopened, RecoveryPending, "start m1"},
		}},
		{"a thread that is on its way serves later", story{
			{wrote("m1"), Idle, "open"},
			{closed, Idle, "withdraw; notice to m1: held_looser_policy"},
			{reopened, Idle, ""},
			{opened("th"), RecoveryPending, "start m1"},
		}},
		{"an unsent start comes back", asked(
			line{closed, RecoveryPending, "withdraw"},
			line{withdrawnStart("m1"), Idle, "notice to m1: held_looser_policy"},
			line{reopened, RecoveryPending, "start m1"},
		)},
		{"what runs goes on, and text waits for it to be open", inTurn(
			line{closed, Steerable, "withdraw"},
			line{wrote("m2"), Steerable, "notice to m2: held_looser_policy"},
			line{reopened, Steerable, "steer m2 into A"},
		)},
		{"a lost steer waits too", inTurn(
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{closed, Idle, "withdraw"},
			line{withdrawnSteer("m2", "A"), Idle, "notice to m2: held_looser_policy"},
		)},
		{"for two reasons it takes both to go", inTurn(
			line{closed, Steerable, "withdraw"},
			line{TrackClosed{Why: ClosedByVersion}, Steerable, "withdraw"},
			line{closed, Steerable, ""},
			line{wrote("m2"), Steerable, "notice to m2: held_looser_policy"},
			line{reopened, Steerable, "notice to m2: held_closed"},
			line{reopened, Steerable, ""},
			line{TrackOpened{Why: ClosedByVersion}, Steerable, "steer m2 into A"},
		)},
		{"open again, text is held on for a visible request", waiting(
			line{closed, WaitingVisible, "withdraw"},
			line{wrote("m2"), WaitingVisible, "notice to m2: held_looser_policy"},
			line{reopened, WaitingVisible, "notice to m2: held_for_request"},
			line{resolved("r1"), Steerable, "close r1; steer m2 into A"},
		)},
	})
}

func TestAClosedChatEndsWhatNobodyWouldHearOf(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"the turn is interrupted, its requests declined, text kept", waiting(
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
			line{ChatClosed{}, Steerable, "withdraw; interrupt A; answer r1 decline"},
			line{ChatClosed{}, Steerable, ""},
			line{interrupted("A", "m1"), Idle, "close r1; outcome to m1: turn_interrupted"},
			line{DeliveryRefused{Delivery: "outcome:A", Code: 230002, Said: "no"}, Idle, "notice to m1: outcome_not_posted"},
			line{ChatReopened{}, RecoveryPending, "outcome to m1: turn_interrupted; start m2"},
			line{ChatReopened{}, RecoveryPending, ""},
		)},
		{"a start without answer is interrupted once it is known", asked(
			line{ChatClosed{}, RecoveryPending, "withdraw"},
			line{accepted("m1", "A"), Steerable, "interrupt A"},
		)},
		{"in a quiet track nothing happens", settledTurn(
			line{ChatClosed{}, Delivered, "withdraw"},
			line{ChatReopened{}, Delivered, ""},
		)},
	})
}

func TestWhoseTaskRunsDecidesOnIt(t *testing.T) {
	t.Parallel()
	theirs := func(message string) Fact { return StopRequested{Message: message, Sender: "ou_b"} }
	play(t, []scene{
		{"a stranger to the turn does not stop it", inTurn(
			line{theirs("s1"), Steerable, "notice to s1: not_entitled_to_stop"},
		)},
		{"nor leave it behind, nor choose its model", inTurn(
			line{NewRequested{Message: "n1", Sender: "ou_b"}, Steerable, "notice to n1: not_entitled_to_stop"},
			line{ModelRequested{Message: "c1", Sender: "ou_b", Model: "m"}, Steerable, "notice to c1: not_entitled_to_stop"},
		)},
		{"who wrote to it does, once that is proven", inTurn(
			line{MessageReceived{Message: "m2", Sender: "ou_b", Text: "text"}, Steerable, "steer m2 into A"},
			line{theirs("s1"), Steerable, "notice to s1: not_entitled_to_stop"},
			line{running("A", "m1", "m2"), Steerable, ""},
			line{theirs("s2"), Steerable, "withdraw; interrupt A"},
		)},
		{"who asked for it does, before its item is seen", asked(
			line{accepted("m1", "A"), Steerable, ""},
			line{stop("s1"), Steerable, "withdraw; interrupt A"},
		)},
		{"an admin does", inTurn(
			line{adminStop("s1"), Steerable, "withdraw; interrupt A"},
		)},
		{"where nothing runs, anybody may", settledTurn(
			line{theirs("s1"), Delivered, "notice to s1: nothing_to_stop"},
			line{NewRequested{Message: "n1", Sender: "ou_b"}, Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
		)},
		{"who asked for the turn decides on its request, before its item is seen", asked(
			line{accepted("m1", "A"), Steerable, ""},
			line{asks("r1", "A"), PendingVisibility, "show r1"},
			line{visible("r1"), WaitingVisible, ""},
			line{decided("r1", "ou_b", "accept"), WaitingVisible, "notice to click: not_entitled"},
			line{decided("r1", "ou_a", "accept"), Steerable, "answer r1 accept"},
		)},
	})
}

func TestTheChosenModelHoldsFromTheNextTurnOn(t *testing.T) {
	t.Parallel()
	tell(t, inTurn(line{ModelRequested{Message: "c1", Sender: "ou_a", Model: "small"}, Steerable, "notice to c1: model_chosensmall"}))
	tell(t, left(line{ModelRequested{Message: "c1", Sender: "ou_a", Model: "small"}, Superseded, "notice to c1: command_too_late"}))
	data := tell(t, settledTurn(line{ModelRequested{Message: "c1", Sender: "ou_b", Model: "small"}, Delivered, "notice to c1: model_chosensmall"}))
	res, err := Conversation().Step(Delivered, data, wrote("m2"))
	if err != nil {
		t.Fatal(err)
	}
	want := StartTurn{Thread: "th", Message: "m2", Text: "text of m2", Model: "small"}
	var got Effect
	for _, e := range res.Effects {
		if e.EffectName() == want.EffectName() {
			got = e
		}
	}
	if diff := cmp.Diff(Effect(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsOverdueIsSaid(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"a message that cannot be sent is kept, and its sender told", story{
			{wrote("m1"), Idle, "open"},
			{SendOverdue{Message: "m1"}, Idle, "notice to m1: desk_unreachable"},
		}},
		{"a start that is not sent", asked(
			line{SendOverdue{Message: "m1"}, RecoveryPending, "notice to m1: desk_unreachable"},
		)},
		{"not a message that is sent, or held for what its sender knows", waiting(
			line{SendOverdue{Message: "m1"}, WaitingVisible, ""},
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
			line{SendOverdue{Message: "m2"}, WaitingVisible, ""},
		)},
		{"a turn of which nothing is heard is read, and that is said", inTurn(
			line{TurnSilent{Turn: "A"}, Steerable, "pull; notice to m1: turn_silent"},
			line{TurnSilent{Turn: "B"}, Steerable, ""},
		)},
		{"of a foreign turn nobody here waits for word", inTurn(
			line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
			line{running("B"), Steerable, ""},
			line{TurnSilent{Turn: "B"}, Steerable, "pull"},
			line{WaitingOverdue{Turn: "B"}, Steerable, ""},
			line{AgentMessageCompleted{Turn: "B", Text: "so far"}, Steerable, ""},
		)},
		{"a flag whose request does not arrive", inTurn(
			line{waits(true), PendingVisibility, ""},
			line{WaitingOverdue{Turn: "A"}, PendingVisibility, "notice to m1: request_not_arrived"},
			line{wrote("m2"), PendingVisibility, "steer m2 into A"},
		)},
		{"a flag whose request arrived", waiting(
			line{waits(true), WaitingVisible, ""},
			line{WaitingOverdue{Turn: "A"}, WaitingVisible, ""},
		)},
		{"what Codex says on the way is progress", inTurn(
			line{AgentMessageCompleted{Turn: "A", Item: "i1", Text: "so far"}, Steerable, "progress of A to m1: so far"},
			line{EffectDropped{Effect: "show_progress", Subject: "A"}, Steerable, ""},
		)},
	})
}

func TestAHintOnlyMakesAReadHappenSooner(t *testing.T) {
	t.Parallel()
	idle := ThreadStatusChanged{Status: StatusIdle}
	play(t, []scene{
		{"an idle thread does not end the turn", inTurn(
			line{idle, Steerable, "pull"},
			line{running("A", "m1"), Steerable, ""},
		)},
		{"a thread that broke does not either", inTurn(
			line{ThreadStatusChanged{Status: StatusSystemError}, Steerable, "pull"},
		)},
		{"an active thread is read where no turn is known", settledTurn(
			line{waits(false), Delivered, "pull"},
			line{idle, Delivered, ""},
		)},
		{"the flag goes with the turn that it was about", inTurn(
			line{waits(true), PendingVisibility, ""},
			line{idle, Steerable, "pull"},
		)},
		{"a visible request stays open until that is said", waiting(
			line{idle, WaitingVisible, "pull"},
		)},
		{"a restart and a resume are followed by a read", inTurn(
			line{BridgeStarted{}, Steerable, "pull"},
			line{resumed(), Steerable, "pull"},
		)},
		{"a read that is impossible just now proves nothing, and is repeated", asked(
			line{unknown("m1", first), RecoveryPending, "pull"},
			line{PullImpossible{Said: "rollout is empty", After: 7}, RecoveryPending, "pull in 7"},
		)},
		{"an answer without a turn's id proves nothing", asked(
			line{accepted("m1", ""), RecoveryPending, "pull"},
			line{running("A", "m1"), Steerable, ""},
		)},
		{"in a track that is left", left(
			line{idle, Superseded, "pull"},
			line{waits(true), Superseded, ""},
			line{resumed(), Superseded, "pull"},
			line{BridgeStarted{}, Superseded, "pull"},
			line{PullImpossible{After: 7}, Superseded, "pull in 7"},
			line{TurnSilent{Turn: "A"}, Superseded, "interrupt A; pull"},
			line{interrupted("A", "m1"), Superseded, ""},
			line{resumed(), Superseded, ""},
			line{BridgeStarted{}, Superseded, ""},
			line{PullImpossible{After: 7}, Superseded, ""},
			line{TurnSilent{Turn: "A"}, Superseded, ""},
			line{ThreadLost{}, Superseded, ""},
		)},
	})
}

func TestALostThreadEndsItsTurns(t *testing.T) {
	t.Parallel()
	lost := ThreadLost{Said: "no rollout found"}
	play(t, []scene{
		{"what may have been executed is said, what waits goes on", waiting(
			line{wrote("m2"), WaitingVisible, "notice to m2: held_for_request"},
			line{lost, Superseded, "close r1; outcome to m1: turn_vanished; next oc_1/2; notice to m2: thread_reopened; hand over m2"},
		)},
		{"a start without an answer may have been executed: its sender decides", asked(
			line{unknown("m1", first), RecoveryPending, "pull"},
			line{lost, Superseded, "notice to m1: message_unresolved; next oc_1/2"},
		)},
		{"a start that is still to be answered is told of by its answer", asked(
			line{lost, RecoveryPending, ""},
			line{refused("m1", ThreadGone), Superseded, "next oc_1/2; notice to m1: thread_reopened; hand over m1"},
		)},
		{"a quiet track finds out with the next text", settledTurn(
			line{lost, Delivered, ""},
			line{wrote("m2"), RecoveryPending, "start m2"},
			line{refused("m2", ThreadGone), Superseded, "next oc_1/2; notice to m2: thread_reopened; hand over m2"},
		)},
		{"a track that is left has nothing more to interrupt", left(
			line{lost, Superseded, ""},
			line{running("A"), Superseded, ""},
		)},
	})
}
