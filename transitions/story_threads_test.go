package transitions

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// threeThreads are listed at 10 h after the epoch.
func threeThreads(message string) Fact {
	return ThreadsListed{Message: message, At: 10 * hour, Threads: []DeskThread{
		{Thread: "th", Title: "hello", Used: 10 * hour},
		{Thread: "x1", Title: "the login page", Used: 10*hour - 7*minute},
		{Thread: "x2", Used: 7 * hour, Taken: true},
	}}
}

const listOfThree = "notice to l1: threads[" +
	"[thread_line_here1[hello][just_now]]" +
	"[thread_line2[the login page][minutes_ago7]]" +
	"[thread_line_taken3[thread_without_text][hours_ago3]]]"

func resume(message string, number int) Fact {
	return ResumeRequested{Message: message, Sender: "ou_a", Created: 50, Number: number}
}

func found(message, thread string) Fact { return ThreadFound{Message: message, Thread: thread} }

func notFound(message string, why Unavailable) Fact {
	return ThreadUnavailable{Message: message, Why: why, Said: "no"}
}

// listed is how the stories begin: a turn is over and told, and the threads are listed.
func listedAfterATurn(rest ...line) story {
	return append(inTurn(
		line{completed("A", "done", "m1"), Idle, "outcome to m1: done"},
		line{shown("outcome:A"), Delivered, ""},
		line{ThreadsRequested{Message: "l1", Sender: "ou_a"}, Delivered, "list threads"},
		line{threeThreads("l1"), Delivered, listOfThree},
	), rest...)
}

func TestStoriesOfThreads(t *testing.T) {
	t.Parallel()
	play(t, []scene{
		{"a number goes on in the thread that it stood for", listedAfterATurn(
			line{resume("g1", 2), Delivered, "bind x1; withdraw"},
			line{found("g1", "x1"), Superseded, "withdraw; notice to g1: resumed[the login page]; next oc_1/2 on x1"},
			line{found("g1", "x1"), Superseded, ""},
		)},
		{"what is written behind a /resume waits, and goes along in order", listedAfterATurn(
			line{resume("g1", 2), Delivered, "bind x1; withdraw"},
			line{wrote("m2"), Idle, ""},
			line{wrote("m3"), Idle, ""},
			line{found("g1", "x1"), Superseded, "withdraw; notice to g1: resumed[the login page]; next oc_1/2 on x1; hand over m2; hand over m3"},
		)},
		{"what is written behind a /resume that comes to nothing is sent where it was", listedAfterATurn(
			line{resume("g1", 3), Delivered, "bind x2; withdraw"},
			line{wrote("m2"), Idle, ""},
			line{notFound("g1", TakenElsewhere), RecoveryPending, "notice to g1: thread_taken; start m2"},
		)},
		{"nothing waits behind a /resume that comes to nothing", listedAfterATurn(
			line{resume("g1", 2), Delivered, "bind x1; withdraw"},
			line{notFound("g1", NotStored), Delivered, "notice to g1: thread_gone"},
			line{resume("g2", 2), Delivered, "bind x1; withdraw"},
			line{notFound("g2", ServerUnreached), Delivered, "notice to g2: desk_not_now"},
			line{resume("g3", 2), Delivered, "bind x1; withdraw"},
			line{notFound("g3", StillEnding), Delivered, "notice to g3: thread_ending"},
			line{resume("g4", 2), Delivered, "bind x1; withdraw"},
			line{notFound("g4", ServerRefused), Delivered, "notice to g4: thread_refusedno"},
		)},
		{"the track's own thread, a number of nothing, and one /resume at a time", listedAfterATurn(
			line{resume("g1", 1), Delivered, "notice to g1: thread_is_here"},
			line{resume("g2", 4), Delivered, "notice to g2: number_not_listed"},
			line{resume("g3", 0), Delivered, "notice to g3: number_not_listed"},
			line{resume("g4", 2), Delivered, "bind x1; withdraw"},
			line{resume("g5", 3), Delivered, "notice to g5: resuming"},
		)},
		{"a running turn is ended, and what it did not take in goes back", inTurn(
			line{threeThreads("l1"), Steerable, listOfThree},
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{resume("g1", 2), Steerable, "bind x1; withdraw"},
			line{wrote("m3"), Steerable, ""},
			line{SteerWithdrawn{Message: "m2", Turn: "A"}, Steerable, ""},
			line{found("g1", "x1"), Superseded, "notice to m2: not_sent_after_stop; withdraw; interrupt A; notice to g1: resumed[the login page]; next oc_1/2 on x1; hand over m3"},
			line{interrupted("A", "m1"), Superseded, ""},
		)},
		{"a steer that was held back for a /resume that comes to nothing goes on", inTurn(
			line{threeThreads("l1"), Steerable, listOfThree},
			line{wrote("m2"), Steerable, "steer m2 into A"},
			line{resume("g1", 2), Steerable, "bind x1; withdraw"},
			line{SteerWithdrawn{Message: "m2", Turn: "A"}, Steerable, ""},
			line{notFound("g1", NotStored), Steerable, "notice to g1: thread_gone; steer m2 into A"},
		)},
		{"only who wrote to the turn leaves it behind", inTurn(
			line{threeThreads("l1"), Steerable, listOfThree},
			line{ResumeRequested{Message: "g1", Sender: "ou_b", Number: 2}, Steerable, "notice to g1: not_entitled_to_stop"},
			line{ResumeRequested{Message: "g2", Sender: "ou_b", Number: 2, Entitled: true}, Steerable, "bind x1; withdraw"},
		)},
		{"a /new that comes first is carried out, and the /resume is to be sent again", listedAfterATurn(
			line{resume("g1", 2), Delivered, "bind x1; withdraw"},
			line{begin("n1"), Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
			line{found("g1", "x1"), Superseded, "notice to g1: command_too_late"},
			line{notFound("g1", NotStored), Superseded, ""},
		)},
		{"a closing that comes meanwhile stays, and is told", listedAfterATurn(
			line{resume("g1", 2), Delivered, "bind x1; withdraw"},
			line{wrote("m2"), Idle, ""},
			line{TrackClosed{Why: ClosedByPolicy}, Idle, "withdraw; notice to m2: held_looser_policy"},
			line{notFound("g1", NotStored), Idle, "notice to g1: thread_gone"},
			line{TrackOpened{Why: ClosedByPolicy}, RecoveryPending, "start m2"},
		)},
		{"there is no list", story{
			{ThreadsRequested{Message: "l1"}, Idle, "list threads"},
			{ThreadsListed{Message: "l1"}, Idle, "notice to l1: no_threads"},
			{ThreadsRequested{Message: "l2"}, Idle, "list threads"},
			{ThreadsUnlisted{Message: "l2", Why: ServerUnreached}, Idle, "notice to l2: desk_not_now"},
			{ThreadsRequested{Message: "l3"}, Idle, "list threads"},
			{ThreadsUnlisted{Message: "l3", Why: ServerRefused, Said: "no"}, Idle, "notice to l3: thread_refusedno"},
		}},
		{"a track that is left lists nothing", listedAfterATurn(
			line{begin("n1"), Superseded, "withdraw; next oc_1/2; notice to n1: new_track"},
			line{ThreadsRequested{Message: "l2"}, Superseded, "notice to l2: command_too_late"},
			line{threeThreads("l1"), Superseded, "notice to l1: command_too_late"},
			line{ThreadsUnlisted{Message: "l3"}, Superseded, "notice to l3: command_too_late"},
			line{resume("g1", 2), Superseded, "notice to g1: command_too_late"},
		)},
	})
}

// TestTheNextTrackBeginsWithTheThreadAndTheList: the first text goes to the thread that
// was chosen, the list still stands in the chat, and what held text back does not any
// more.
func TestTheNextTrackBeginsWithTheThreadAndTheList(t *testing.T) {
	t.Parallel()
	data := tell(t, listedAfterATurn(
		line{ModelRequested{Message: "c1", Sender: "ou_a", Model: "small"}, Delivered, "notice to c1: model_chosensmall"},
		line{resume("g1", 2), Delivered, "bind x1; withdraw"},
	))
	res, err := Conversation().Step(Delivered, data, found("g1", "x1"))
	if err != nil {
		t.Fatal(err)
	}
	var next Data
	for _, e := range res.Effects {
		if open, ok := e.(OpenTrack); ok {
			next = open.Data()
		}
	}
	want := Data{Track: "oc_1/2", Thread: "x1", Model: "small", Listed: []ListedThread{{"th", "hello"}, {"x1", "the login page"}, {"x2", ""}}}
	if diff := cmp.Diff(want, next); diff != "" {
		t.Error(diff)
	}
	res, err = Conversation().Step(Idle, next, wrote("m2"))
	if err != nil || res.State != RecoveryPending || inShort(res.Effects) != "start m2" {
		t.Errorf("%s: %s, %v", res.State, inShort(res.Effects), err)
	}
}

// TestAHandedOverMessageIsBehindTheResumeIfItWasWrittenLater: it comes by another way
// than the chat's.
func TestAHandedOverMessageIsBehindTheResumeIfItWasWrittenLater(t *testing.T) {
	t.Parallel()
	handed := func(message string, created Millis) Fact {
		return MessageReceived{Message: message, Sender: "ou_a", Text: "text", Created: created, From: "oc_1/0"}
	}
	tell(t, listedAfterATurn(
		line{resume("g1", 2), Delivered, "bind x1; withdraw"},
		line{handed("m2", 40), Idle, ""},
		line{handed("m3", 60), Idle, ""},
		line{found("g1", "x1"), Superseded, "notice to m2: not_sent_after_stop; withdraw; notice to g1: resumed[the login page]; next oc_1/2 on x1; hand over m3"},
	))
}

func TestTheListReadsWell(t *testing.T) {
	t.Parallel()
	data := tell(t, listedAfterATurn())
	body := data.delivery("notice:l1:threads").Body
	for lang, want := range map[Language]string{
		Chinese: "最近的对话：\n1. hello（刚刚用过，就是现在这个）\n2. the login page（7 分钟前用过）\n3. 没有文字的对话（3 小时前用过，别的聊天在用）\n要接着某一个，回复 /resume 加它的编号，例如 /resume 2。",
		English: "Recent conversations:\n1. hello (used just now; this one here)\n2. the login page (used 7 min ago)\n3. a conversation without text (used 3 h ago; in use in another chat)\nTo go on with one, send /resume and its number, such as /resume 2.",
	} {
		if diff := cmp.Diff(want, body.Say(lang)); diff != "" {
			t.Error(diff)
		}
	}
	for passed, want := range map[Millis]string{-minute: "刚刚", minute: "1 分钟前", 59 * minute: "59 分钟前", hour: "1 小时前", day - 1: "23 小时前", 40 * day: "40 天前"} {
		if got := ago(passed).Say(Chinese); got != want {
			t.Errorf("%d: %s, want %s", passed, got, want)
		}
	}
}
