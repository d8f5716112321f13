package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

var (
	asks   = transitions.Policy{Approval: "on-request", Reviewer: "user", Sandbox: "readOnly"}
	never  = transitions.Policy{Approval: "never", Reviewer: "user", Sandbox: "dangerFullAccess"}
	closed = transitions.TrackClosed{Why: transitions.ClosedByPolicy, Policy: never}
)

// under is the answer that the thread runs under that policy.
func under(p transitions.Policy) reaction {
	return answers(map[string]any{
		"thread":         map[string]any{"id": thread1, "cliVersion": "0.136.0", "status": map[string]any{"type": "idle"}},
		"approvalPolicy": p.Approval, "approvalsReviewer": p.Reviewer, "sandbox": map[string]any{"type": p.Sandbox},
	})
}

func (e *desk) watching(w transitions.Watch) {
	w.Thread = thread1
	e.v.Post(func() { e.c.Watch(track, w) })
	e.v.Settle()
}

// TestNothingIsSentUnderALooserPolicy resumes a thread that would run under more than
// its track may, before any text goes.
func TestNothingIsSentUnderALooserPolicy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		effect transitions.Effect
		method string
		back   transitions.Fact
	}{
		{start, methodStart, transitions.TurnStartWithdrawn{Message: "om_1"}},
		{steer, methodSteer, transitions.SteerWithdrawn{Message: "om_2", Turn: "turn-1"}},
	} {
		t.Run(c.method, func(t *testing.T) {
			t.Parallel()
			e := newDesk(t)
			e.d.auto[methodResume] = under(never)
			e.watching(transitions.Watch{Live: true, Policy: asks, ResumedBy: "0.171.0"})
			e.start()
			e.facts(closed)
			e.execute(c.effect)
			e.settled(c.back)
			e.facts(closed) // the track is told until it knows
			e.conn().called("initialize", "initialized", methodResume)

			e.watching(transitions.Watch{Live: true, Policy: asks, Barred: true, Found: never, ResumedBy: "0.171.0"})
			e.reports = nil
			e.execute(c.effect)
			e.settled(c.back)
			e.facts()

			// An operator has allowed it.
			e.watching(transitions.Watch{Live: true, Policy: never, ResumedBy: "0.171.0"})
			e.execute(c.effect)
			e.conn().called(c.method)
		})
	}
}

func TestAPolicyThatIsAsBeforeOpensTheTrack(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.auto[methodResume] = under(asks)
	e.watching(transitions.Watch{Live: true, Policy: asks, Barred: true, ResumedBy: "0.171.0"})
	e.start()
	e.facts(transitions.TrackOpened{Why: transitions.ClosedByPolicy})
}

// TestAnAnswerWithoutAPolicyAllowsNothing has a server say nothing of it.
func TestAnAnswerWithoutAPolicyAllowsNothing(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.auto[methodResume] = answers(map[string]any{})
	e.watching(transitions.Watch{Live: true, Policy: asks, ResumedBy: "0.171.0"})
	e.start()
	e.facts(transitions.TrackClosed{Why: transitions.ClosedByPolicy})
}

// TestWhatAResumeTellsIsToldIfItIsNew holds for a thread of which nothing is waited for.
func TestWhatAResumeTellsIsToldIfItIsNew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		knows transitions.Watch
		told  bool
	}{
		"nothing is new":   {transitions.Watch{Policy: never, ResumedBy: "0.171.0"}, false},
		"another version":  {transitions.Watch{Policy: never, ResumedBy: "0.155.0"}, true},
		"a tighter policy": {transitions.Watch{Policy: transitions.Policy{Approval: "never", Reviewer: "auto_review", Sandbox: "dangerFullAccess"}, ResumedBy: "0.171.0"}, true},
		"any policy":       {transitions.Watch{ResumedBy: "0.171.0"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newDesk(t)
			e.d.auto[methodResume] = under(never)
			c.knows.Live = true
			e.watching(c.knows)
			e.start()
			e.facts()
			var want []transitions.ThreadResumed
			if c.told {
				want = append(want, transitions.ThreadResumed{Thread: thread1, Connection: "run-1", Version: "0.171.0", Created: "0.136.0", Policy: never})
			}
			if diff := cmp.Diff(want, e.resumes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTextWaitsForTheReadAfterADrop holds text back on a new connection until what was
// waited for has been read.
func TestTextWaitsForTheReadAfterADrop(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.watch(true, "turn-1")
	e.start()
	e.execute(steer)
	e.conn().called("initialize", "initialized", methodResume, methodList)
	e.conn().answer(methodList, listOf(aTurn("turn-1", "inProgress")))
	e.conn().called(methodRead)
	e.conn().answer(methodRead, threadIs("active"))
	e.conn().called(methodSteer)
}

func TestTextThatWaitsForAReadThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(e *desk){
		"the read is refused":     func(e *desk) { e.conn().refuse(methodList, -32603, "later") },
		"the connection is lost":  func(e *desk) { e.conn().drop() },
		"the track goes on":       func(e *desk) { e.goesOnTo("thread-2") },
		"the server is too busy":  func(e *desk) { e.conn().refuse(methodList, codeOverloaded, "Server overloaded; retry later.") },
		"the answer is of no use": func(e *desk) { e.conn().answer(methodList, "?") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newDesk(t)
			e.watch(true, "turn-1")
			e.start()
			e.execute(steer)
			fail(e)
			e.again(false)
		})
	}
}

func (e *desk) goesOnTo(thread string) {
	e.v.Post(func() { e.c.Watch(track, transitions.Watch{Thread: thread, Live: true}) })
	e.v.Settle()
}

// TestAStartWaitsForAnotherClientsTurn has one run when the thread is resumed: it is
// told, and the start is taken back once.
func TestAStartWaitsForAnotherClientsTurn(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.d.auto[methodResume] = answers(threadIs("active"))
	e.d.auto[methodList], e.d.auto[methodRead] = answers(listOf(aTurn("theirs", "inProgress"))), answers(threadIs("active"))
	e.watching(transitions.Watch{Live: true, ResumedBy: "0.171.0"})
	e.execute(start)
	e.facts(transitions.TurnRunning{Turn: "theirs"}, e.snapshot(false, "theirs"))
	e.settled(transitions.TurnStartWithdrawn{Message: "om_1"})
	// A track that insists believes that the turn is over; the server decides.
	e.execute(start)
	e.conn().called("initialize", "initialized", methodResume, methodList, methodRead, methodStart)
}

// TestAnotherClientsTurnIsReadOf has one begin in a thread of which nothing is waited
// for.
func TestAnotherClientsTurnIsReadOf(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.watching(transitions.Watch{Live: true, ResumedBy: "0.171.0"})
	e.start()
	e.d.auto[methodList], e.d.auto[methodRead] = answers(listOf(aTurn("theirs", "inProgress"))), answers(threadIs("active"))
	e.conn().notify("turn/started", map[string]any{"turn": map[string]any{"id": "theirs"}})
	e.v.Advance(idlePause)
	e.facts(transitions.TurnRunning{Turn: "theirs"}, e.snapshot(false, "theirs"))
}

// TestQuietThreadsAreResumedOneByOneTheLastUsedFirst bounds how many are.
func TestQuietThreadsAreResumedOneByOneTheLastUsedFirst(t *testing.T) {
	t.Parallel()
	e := newDesk(t, func(o *Options) { o.Emit = func(string, []transitions.Fact) {} })
	for i := range maxQuiet + 10 {
		name := fmt.Sprint("thread-", i)
		e.c.Watch("track of "+name, transitions.Watch{Thread: name, Live: true})
	}
	var resumed []string
	e.d.auto[methodResume] = func(params json.RawMessage) (any, *refuse) {
		var p resumeParams
		decode(params, &p)
		resumed = append(resumed, p.ThreadID)
		return map[string]any{}, nil
	}
	e.start()
	if first, last := resumed[0], resumed[len(resumed)-1]; len(resumed) != maxQuiet || first != fmt.Sprint("thread-", maxQuiet+9) || last != "thread-10" {
		t.Errorf("%d threads are resumed, from %s to %s", len(resumed), first, last)
	}
	if len(e.c.threads) != maxQuiet {
		t.Errorf("%d threads are remembered", len(e.c.threads))
	}
}

// TestAnotherServerProcessIsToldOf tells it to the tracks that it matters to.
func TestAnotherServerProcessIsToldOf(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.generation = "server 1"
	e.watching(transitions.Watch{Unsettled: true, Turns: []string{"turn-1"}, Asks: true, ResumedBy: "0.171.0"})
	e.start()
	e.facts(transitions.GenerationChanged{Generation: "server 1"}) // a request of a former life is open
	e.conn().drop()
	e.v.Advance(time.Second)
	e.facts() // the same process
	e.watching(transitions.Watch{Unsettled: true, Turns: []string{"turn-1"}, ResumedBy: "0.171.0"})
	e.d.generation = "server 2"
	e.conn().drop()
	e.v.Advance(time.Second)
	e.facts(transitions.GenerationChanged{Generation: "server 2"})
}

// TestSilenceIsToldAfterARead leaves a turn without any event for TurnIdle.
func TestSilenceIsToldAfterARead(t *testing.T) {
	t.Parallel()
	e := connected(t)
	items := []any{userItem("om_1")}
	e.d.auto[methodList] = func(json.RawMessage) (any, *refuse) { return listOf(aTurn("turn-1", "inProgress", items...)), nil }
	e.d.auto[methodRead] = answers(threadIs("active"))
	e.watch(true, "turn-1")
	silent := func() (n int) {
		for _, f := range e.emitted {
			if f == (transitions.Fact)(transitions.TurnSilent{Turn: "turn-1"}) {
				n++
			}
		}
		e.emitted = nil
		return n
	}
	e.v.Advance(9 * time.Minute)
	if n := silent(); n != 0 {
		t.Errorf("%d times in 9 minutes", n)
	}
	items = append(items, agentItem("commentary", "still here")) // which no event told
	e.v.Advance(9 * time.Minute)
	e.conn().notify("item/started", map[string]any{"turnId": "turn-1"})
	e.v.Advance(9 * time.Minute)
	e.c.skipDelta([]byte(`{"method":"item/agentMessage/delta","params":{"threadId":"thread-1","turnId":"turn-1","delta":"x"}}`))
	e.v.Advance(9 * time.Minute)
	if n := silent(); n != 0 {
		t.Errorf("%d times, though there were signs of life", n)
	}
	e.v.Advance(3 * time.Minute)
	if n := silent(); n != 1 {
		t.Errorf("%d times after that", n)
	}
}

// TestATranscriptGoesIntoTheNewThread plays what becomes of it.
func TestATranscriptGoesIntoTheNewThread(t *testing.T) {
	t.Parallel()
	said := []transitions.Utterance{{Text: "hello"}, {Codex: true, Text: "hi"}}
	for name, c := range map[string]struct {
		said   []transitions.Utterance
		err    error
		refuse bool
		want   transitions.Transcript
	}{
		"given":           {said, nil, false, transitions.TranscriptGiven},
		"not taken":       {said, nil, true, transitions.TranscriptMissing},
		"not readable":    {nil, errors.New("no"), false, transitions.TranscriptMissing},
		"nothing to give": {nil, nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := connected(t, func(o *Options) {
				o.Transcript = func(of string) ([]transitions.Utterance, error) { return c.said, c.err }
			})
			e.execute(transitions.OpenThread{Rebuild: true})
			e.conn().answer(methodOpen, threadIs("idle"))
			switch {
			case c.said == nil:
			case c.refuse:
				e.conn().refuse(methodInject, -32600, "Invalid request: unknown variant `thread/inject_items`")
			default:
				f := e.conn().answer(methodInject, map[string]any{})
				var got injectParams
				decode(f.Params, &got)
				if len(got.Items) != 3 || !cmp.Equal(got.Items[1:], []injected{itemOf("user", "input_text", "hello"), itemOf("assistant", "output_text", "hi")}) {
					t.Errorf("it is given %s", f.Params)
				}
			}
			e.settled(transitions.ThreadOpened{Thread: thread1, Version: "0.171.0", Transcript: c.want})
		})
	}
}

func TestAThreadThatMayHaveItsTranscriptIsOpenedAnew(t *testing.T) {
	t.Parallel()
	e := connected(t, func(o *Options) {
		o.Transcript = func(string) ([]transitions.Utterance, error) { return []transitions.Utterance{{Text: "hello"}}, nil }
	})
	e.execute(transitions.OpenThread{Rebuild: true})
	e.conn().answer(methodOpen, threadIs("idle"))
	e.conn().drop()
	e.again(true)
}

// TestANewThreadIsHeldToThePolicyOfTheLostOne opens one that would run under more.
func TestANewThreadIsHeldToThePolicyOfTheLostOne(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.d.auto[methodOpen] = under(never)
	e.execute(transitions.OpenThread{Rebuild: true, Policy: asks})
	e.facts(closed)
	e.settled(transitions.ThreadOpened{Thread: thread1, Version: "0.171.0", Policy: never})
}

// TestAnotherClientLoosensALoadedThread is told of the thread's settings.
func TestAnotherClientLoosensALoadedThread(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.auto[methodResume] = under(asks)
	e.watching(transitions.Watch{Live: true, Policy: asks, ResumedBy: "0.171.0"})
	e.start()
	settings := func(p transitions.Policy) map[string]any {
		return map[string]any{"threadSettings": map[string]any{
			"approvalPolicy": p.Approval, "approvalsReviewer": p.Reviewer, "sandboxPolicy": map[string]any{"type": p.Sandbox},
		}}
	}
	e.conn().notify("thread/settings/updated", settings(asks))
	e.facts()
	e.conn().notify("thread/settings/updated", settings(never))
	e.facts(closed)
	e.watching(transitions.Watch{Live: true, Policy: asks, Barred: true, Found: never, ResumedBy: "0.171.0"})
	e.execute(start)
	e.settled(transitions.TurnStartWithdrawn{Message: "om_1"})
	e.conn().notify("thread/settings/updated", settings(asks))
	e.facts(transitions.TrackOpened{Why: transitions.ClosedByPolicy})
}

// TestACallIsNotParkedOnAThreadThatWasForgotten evicts the thread while it is resumed.
func TestACallIsNotParkedOnAThreadThatWasForgotten(t *testing.T) {
	t.Parallel()
	e := connected(t)
	delete(e.d.auto, methodResume)
	e.watching(transitions.Watch{Live: true, ResumedBy: "0.171.0"})
	e.execute(steer)
	e.v.Post(func() {
		for i := range maxQuiet {
			e.c.Watch(fmt.Sprint("track of ", i), transitions.Watch{Thread: fmt.Sprint("other-", i), Live: true})
		}
	})
	e.v.Settle()
	e.conn().answer(methodResume, threadIs("active"))
	e.again(false)
}

// TestAQuietTracksStepsLeaveItsReadsAlone has another client's turn begin, and the track
// take a step before it is read.
func TestAQuietTracksStepsLeaveItsReadsAlone(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	quiet := transitions.Watch{Live: true, ResumedBy: "0.171.0"}
	e.watching(quiet)
	e.start()
	e.d.auto[methodList], e.d.auto[methodRead] = answers(listOf(aTurn("theirs", "inProgress"))), answers(threadIs("active"))
	e.conn().notify("turn/started", map[string]any{"turn": map[string]any{"id": "theirs"}})
	e.watching(quiet)
	e.v.Advance(idlePause)
	e.facts(transitions.TurnRunning{Turn: "theirs"}, e.snapshot(false, "theirs"))
}

func TestATranscriptThatIsTooMuchJustNowIsGivenLater(t *testing.T) {
	t.Parallel()
	e := connected(t, func(o *Options) {
		o.Transcript = func(string) ([]transitions.Utterance, error) { return []transitions.Utterance{{Text: "hello"}}, nil }
	})
	e.execute(transitions.OpenThread{Rebuild: true})
	e.conn().answer(methodOpen, threadIs("idle"))
	e.conn().refuse(methodInject, codeOverloaded, "Server overloaded; retry later.")
	e.again(true)
}

// TestAClosedTrackWhoseThreadIsGoneIsOpened lets the next text find that out.
func TestAClosedTrackWhoseThreadIsGoneIsOpened(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.auto[methodResume] = refuses(-32600, "no rollout found for thread id thread-1")
	e.watching(transitions.Watch{Live: true, Policy: asks, Barred: true, Found: never, ResumedBy: "0.171.0"})
	e.start()
	e.facts(transitions.TrackOpened{Why: transitions.ClosedByPolicy})
}
