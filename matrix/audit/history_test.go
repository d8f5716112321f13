package audit

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/fsm"
	"deskbridge/store"
	"deskbridge/store/audit"
	tr "deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

type result = fsm.Result[tr.State, tr.Data, tr.Effect]

// TestEveryStepIsHeldAgainstTheInvariants lets the sound scenario run on tables
// with a fault, and holds that the audit sees it in the journal's steps.
func TestEveryStepIsHeldAgainstTheInvariants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		// after spoils what the tables make of a fact.
		after tr.Fact
		fault func(*result)
		says  string
	}{
		{"a state that nothing derives",
			tr.NewRequested{Message: "om_11", Sender: owner, Created: 3},
			func(r *result) { r.State = tr.Idle },
			"step 25 of oc_1/1 (new_requested): it leads to idle, but messages, turns, requests and deliveries say superseded"},
		{"a /stop that reaches no turn",
			tr.StopRequested{Message: "om_8", Sender: owner, Created: 2},
			func(r *result) { r.Data.Turns[0].StopBy = "" },
			`step 19 of oc_1/1 (stop_requested): om_8 came, and turn "B" is not to stop`},
		{"a word of the chat that stops a turn",
			tr.DeliveryConfirmed{Delivery: "notice:om_3:held_for_request", Shown: "om_4"},
			func(r *result) { r.Data.Turns[0].StopBy = "om_4" },
			`step 8 of oc_1/1 (delivery_confirmed): a fact about "" changed what is known of A`},
		{"something said that is not so just then",
			tr.TurnRunning{Turn: "B", Messages: []string{"om_6"}},
			func(r *result) {
				r.Effects = append(r.Effects, tr.Deliver{Delivery: "n", ReplyTo: "om_6", Body: tr.Body{Sentence: tr.SaidNothingToStop}})
			},
			"step 17 of oc_1/1 (turn_running): n says nothing_to_stop to om_6, but turn B is not over"},
		{"an end without an outcome",
			tr.TurnEnded{Turn: "A", Status: tr.EndCompleted, Messages: []string{"om_1", "om_3"}, Reply: "done"},
			func(r *result) {
				r.Effects = slices.DeleteFunc(r.Effects, func(e tr.Effect) bool { return e.EffectName() == "record_delivery" })
			},
			"step 13 of oc_1/1 (turn_ended): invariant 3, Nothing lost out: A ended as completed with a message of ours in it, and has no outcome"},
		{"a message sent behind the fence",
			tr.SteerWithdrawn{Message: "om_7", Turn: "B"},
			func(r *result) {
				r.Effects = append(r.Effects, tr.SteerTurn{Thread: "th_1", Turn: "B", Message: "om_7"})
			},
			"invariant 1, Nothing lost in: om_7 came before a /stop, was in no turn, and was sent to Codex afterwards"},
		{"a decision that goes to Codex twice, and not the same",
			tr.DecisionWritten{Request: "r1"},
			func(r *result) {
				r.Effects = append(r.Effects, tr.AnswerRequest{Request: "r1", Decision: "cancel"})
			},
			`invariant 7, Nothing approved by mistake: Codex was told "cancel" about request r1, and ou_admin decided "accept"`},
		{"a card that is not closed",
			tr.RequestResolved{Request: "r1"},
			func(r *result) {
				r.Effects = slices.DeleteFunc(r.Effects, func(e tr.Effect) bool { return e.EffectName() == "close_request" })
			},
			"invariant 7, Nothing approved by mistake: request r1 is resolved, and its card does not say so"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			step, planted := faulty(c.after, c.fault)
			a := sound(t, step)
			problems := check(&a, step)
			if !*planted || !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, c.says) }) {
				t.Errorf("planted: %t; the audit says %q", *planted, problems)
			}
		})
	}
}

// TestAFactThatTheTablesDoNotTakeIsSeen holds that the audit goes on after it.
func TestAFactThatTheTablesDoNotTakeIsSeen(t *testing.T) {
	t.Parallel()
	a := sound(t, tr.Standard().Step)
	problems := check(&a, func(state tr.State, data tr.Data, f tr.Fact) (result, []tr.Taken, error) {
		if f.FactName() == "thread_opened" {
			return result{}, nil, errors.New("no row")
		}
		return tr.Standard().Step(state, data, f)
	})
	if want := "step 2 of oc_1/1 (thread_opened): the tables do not take it: no row"; problems[0] != want {
		t.Errorf("the audit says %q", problems)
	}
}

// TestACallInTheOutboxIsOnItsWay holds that a request is being shown as long as its
// card waits to be sent.
func TestACallInTheOutboxIsOnItsWay(t *testing.T) {
	t.Parallel()
	a := sound(t, tr.Standard().Step)
	a.Books.Requests[0].State = tr.RequestHidden
	for waits, held := range map[string]bool{"r1": false, "r2": true} {
		a.Books.Outbox = []store.Queued{{Effect: tr.ShowRequest{Request: waits}}}
		v := a.view(audit.Follow(&a.Books, a.Deciders, tr.Standard().Step))
		if problems := invariant.NothingFalselyHeld(&v); (problems != nil) != held {
			t.Errorf("with the card of %s on its way: %q", waits, problems)
		}
	}
}

// TestAJournalThatDivergesIsToldOnce holds that what follows from it is not.
func TestAJournalThatDivergesIsToldOnce(t *testing.T) {
	t.Parallel()
	a := sound(t, tr.Standard().Step)
	a.Books.Journal = slices.Delete(a.Books.Journal, 2, 4)
	h := audit.Follow(&a.Books, a.Deciders, tr.Standard().Step)
	if len(h.Problems) != 1 || !strings.HasPrefix(h.Problems[0], "step 5 of oc_1/1 (request_opened): the journal has 5:") {
		t.Errorf("%q", h.Problems)
	}
}

// TestWhatGoesOnNotToHoldIsToldOnce holds that a problem is told of the step that
// brought it.
func TestWhatGoesOnNotToHoldIsToldOnce(t *testing.T) {
	t.Parallel()
	step, _ := faulty(tr.RequestVisible{Request: "r1", Shown: "om_2"}, func(r *result) {
		r.Data.Requests[0].State = tr.RequestHidden
	})
	a := sound(t, step)
	told := map[string]int{}
	for _, problem := range audit.Follow(&a.Books, a.Deciders, step).Problems {
		_, what, _ := strings.Cut(problem, ": ")
		told[what]++
	}
	for what, times := range told {
		if times > 1 {
			t.Errorf("told %d times: %s", times, what)
		}
	}
	if len(told) == 0 {
		t.Error("nothing is told")
	}
}

// TestATurnThatCodexLostKeepsWhatWasSeenInIt holds that a message counts as proven
// in a turn that has left no trace, since the journal was told of its item.
func TestATurnThatCodexLostKeepsWhatWasSeenInIt(t *testing.T) {
	t.Parallel()
	l := newLife(t, tr.Standard().Step)
	l.text("om_1", "do it")
	l.tell(
		tr.ThreadOpened{Thread: "th_1"},
		tr.TurnStartAccepted{Message: "om_1", Turn: "A"},
		tr.TurnRunning{Turn: "A", Messages: []string{"om_1"}},
		tr.PullAnswered{Idle: true, At: 100, Settle: 30},
		tr.PullAnswered{Idle: true, At: 200, Settle: 30},
	)
	l.sends("om_2")
	l.Told = []string{"do it"}
	a := l.account()
	if problems := Check(a); problems != nil {
		t.Errorf("the audit says %q", problems)
	}
	if said := a.Books.Deliveries[0].Body.Sentence; said != tr.SaidVanished {
		t.Errorf("the outcome is %s", said)
	}
}

// faulty steps as the program does, but for what it makes of one fact.
func faulty(after tr.Fact, fault func(*result)) (step audit.Stepper, planted *bool) {
	planted = new(bool)
	return func(state tr.State, data tr.Data, f tr.Fact) (result, []tr.Taken, error) {
		res, taken, err := tr.Standard().Step(state, data, f)
		if cmp.Equal(f, after) {
			*planted = true
			fault(&res)
		}
		return res, taken, err
	}, planted
}
