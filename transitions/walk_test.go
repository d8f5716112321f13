package transitions

import (
	"encoding/json"
	"fmt"
	"testing"

	"deskbridge/fsm"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawFact makes any fact at all, true or not, about a handful of messages and
// turns: the tables must cope with every order in which facts can arrive.
func drawFact(t *rapid.T) Fact {
	message := fmt.Sprintf("om_%d", rapid.IntRange(1, 4).Draw(t, "message"))
	turn := fmt.Sprintf("turn_%d", rapid.IntRange(1, 3).Draw(t, "turn"))
	var listed []string
	for i := 1; i <= 4; i++ {
		if rapid.Bool().Draw(t, "listed") {
			listed = append(listed, fmt.Sprintf("om_%d", i))
		}
	}
	refusal := rapid.SampledFrom([]Refusal{NoActiveTurn, OtherTurn, NotSteerable, ThreadGone, OtherRefusal}).Draw(t, "refusal")
	link := Link{
		Connection: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "connection"),
		Generation: rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "generation"),
	}
	delivery := rapid.SampledFrom([]string{
		"outcome:" + turn, "notice:" + message + ":" + string(SaidNotSent),
	}).Draw(t, "delivery")
	request := rapid.SampledFrom([]string{"req_1", "req_2"}).Draw(t, "request")
	sender := rapid.SampledFrom([]string{"ou_a", "ou_b"}).Draw(t, "sender")
	closing := rapid.SampledFrom([]Closing{ClosedByPolicy, ClosedByVersion}).Draw(t, "closing")
	facts := []Fact{
		RequestOpened{Request: request, Turn: turn, Generation: link.Generation},
		RequestResolved{Request: request},
		RequestVisible{Request: request, Shown: "om_card"},
		RequestUnshowable{Request: request},
		VisibilityOverdue{Request: request},
		ReplayOverdue{Request: request},
		RequestAnswered{Request: request, By: sender, Decision: "accept", Message: message, Entitled: rapid.Bool().Draw(t, "entitled")},
		DecisionWritten{Request: request},
		DecisionUnknown{Request: request},
		ThreadStatusChanged{Status: rapid.SampledFrom([]ThreadStatus{StatusActive, StatusActive, StatusIdle, StatusSystemError, StatusNotLoaded}).Draw(t, "status"), Waiting: rapid.Bool().Draw(t, "waiting")},
		ThreadResumed{Thread: "thread"},
		ThreadLost{Said: "no"},
		PullImpossible{Said: "rollout is empty", After: 30},
		WaitingOverdue{Turn: turn},
		TurnSilent{Turn: turn},
		AgentMessageCompleted{Turn: turn, Item: "item", Text: "so far"},
		BridgeStarted{},
		ChatClosed{Said: "no"},
		ChatReopened{},
		TrackClosed{Why: closing},
		TrackOpened{Why: closing},
		ModelRequested{Message: "om_model_" + message, Sender: sender, Model: "m", Entitled: rapid.Bool().Draw(t, "entitled")},
		AttachmentsReady{Message: message, Files: []File{{Key: "k", Path: "p"}}},
		AttachmentsFailed{Message: message, Files: []File{{Key: "k", Lost: "no"}}},
		MessageRecalled{Message: message},
		SenderDismissed{Sender: sender},
		MessageStale{Message: message, Turn: rapid.SampledFrom([]string{"", turn}).Draw(t, "stale in")},
		StaleAnswered{Message: "om_answer_" + message, About: message, By: sender, Run: rapid.Bool().Draw(t, "run"), Entitled: rapid.Bool().Draw(t, "entitled")},
		SendOverdue{Message: message},
		GenerationChanged{Generation: link.Generation},
		MessageReceived{Message: message, Sender: sender, Text: "text " + message},
		MessageReceived{Message: message, Sender: sender, Text: "text " + message, Files: []File{{Key: "k"}}},
		MessageReceived{Message: message, Sender: "ou_a", Text: "text " + message, From: "oc_1/0"},
		StopRequested{Message: "om_stop_" + message, Sender: sender, Entitled: rapid.Bool().Draw(t, "entitled")},
		NewRequested{Message: "om_new_" + message, Sender: sender, Entitled: rapid.Bool().Draw(t, "entitled")},
		HandedOver{Message: message},
		ThreadOpened{Thread: "thread"},
		ThreadRefused{Said: "no"},
		TurnStartAccepted{Message: message, Turn: turn},
		TurnStartAccepted{Message: message},
		TurnStartRefused{Message: message, Refusal: refusal, Said: "no"},
		TurnStartUnknown{Message: message, Link: link},
		TurnStartWithdrawn{Message: message},
		SteerAccepted{Message: message, Turn: turn},
		SteerRefused{Message: message, Turn: turn, Refusal: refusal, Said: "no"},
		SteerUnknown{Message: message, Turn: turn},
		SteerWithdrawn{Message: message, Turn: turn},
		InterruptAccepted{Turn: turn},
		InterruptRefused{Turn: turn, Said: "no"},
		InterruptUnknown{Turn: turn},
		TurnRunning{Turn: turn, Messages: listed},
		TurnEnded{
			Turn: turn, Messages: listed,
			Status: rapid.SampledFrom([]EndStatus{EndCompleted, EndInterrupted, EndFailed}).Draw(t, "status"),
			Reply:  rapid.SampledFrom([]string{"", "reply"}).Draw(t, "reply"),
		},
		PullAnswered{
			Idle: rapid.Bool().Draw(t, "idle"), Turns: []string{turn}, Link: link,
			At: Millis(rapid.IntRange(1, 100).Draw(t, "at")), Settle: 30,
		},
		DeliveryConfirmed{Delivery: delivery, Shown: "om_shown"},
		DeliveryRefused{Delivery: delivery, Code: 230001, Said: "no"},
		DeliveryUnknown{Delivery: delivery},
		ReceiptShown{Message: message},
		EffectDropped{Effect: "show_receipt", Subject: message},
	}
	return rapid.SampledFrom(facts).Draw(t, "fact")
}

// TestAnyFactsInAnyOrder walks the conversation through facts in any order and
// holds, after each: one row was enabled; the state is the function of turns
// and deliveries; the data handed in is untouched; a round trip through JSON
// and a second run give the same bytes.
func TestAnyFactsInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state, data := Idle, Data{Track: "oc_1/1"}
		seen := map[string]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			fact := drawFact(t)
			key := fact.FactKey()
			if r, ok := fact.(MessageReceived); ok {
				key = "message:" + r.Message // from the chat or from another track, not both
			}
			if key != "" {
				if seen[key] {
					continue // the journal takes a happening once
				}
				seen[key] = true
			}
			before := asJSON(t, data)
			res, err := Conversation().Step(state, data, fact)
			if err != nil {
				t.Fatalf("%s: %v\n%s", fact.FactName(), err, before)
			}
			if diff := cmp.Diff(before, asJSON(t, data)); diff != "" {
				t.Fatalf("%s changed the data it was given:\n%s", res.Entry, diff)
			}
			var copied Data
			if err := json.Unmarshal([]byte(before), &copied); err != nil {
				t.Fatal(err)
			}
			again, err := Conversation().Step(state, copied, fact)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(asJSON(t, res), asJSON(t, again)); diff != "" {
				t.Fatalf("%s is not a function of its input:\n%s", res.Entry, diff)
			}
			if want := Derive(&res.Data); res.State != want {
				t.Fatalf("%s leads to %s, but turns and deliveries say %s\nbefore %s\nafter %s",
					res.Entry, res.State, want, before, asJSON(t, res.Data))
			}
			holdSuperseded(t, state, res)
			state, data = res.State, res.Data
		}
	})
}

// holdSuperseded holds that a superseded track stays so, keeps no text that
// waits, and pushes no outcome, starts and steers nothing.
func holdSuperseded(t *rapid.T, before State, res fsm.Result[State, Data, Effect]) {
	if before == Superseded && res.State != Superseded {
		t.Fatalf("%s takes a superseded track to %s", res.Entry, res.State)
	}
	if res.State != Superseded {
		return
	}
	if waiting := res.Data.queue(); len(waiting) > 0 {
		t.Fatalf("%s leaves %s waiting in a superseded track", res.Entry, waiting[0].ID)
	}
	for _, e := range res.Effects {
		switch e := e.(type) {
		case StartTurn, SteerTurn, ShowRequest:
			t.Fatalf("%s asks for %s in a superseded track", res.Entry, e.EffectName())
		case Deliver:
			if before == Superseded && e.Kind == Outcome {
				t.Fatalf("%s pushes %s of a superseded track", res.Entry, e.Delivery)
			}
		}
	}
}

func asJSON(t *rapid.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
