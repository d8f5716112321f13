package transitions

import (
	"testing"

	"deskbridge/fsm/floor"
)

// BenchmarkStep measures steps of a conversation with one message or two: what
// its guards look at, what its rows move among messages, turns and deliveries, and
// the effects. "moves" is how many of the small machines a step moves: each is a
// step of its own.
func BenchmarkStep(b *testing.B) {
	received := func(id string) Fact {
		return MessageReceived{Message: id, Sender: "ou_a", Text: "what is new?", Created: 1}
	}
	running := []Fact{
		received("om_1"), ThreadOpened{Thread: "th_1"},
		TurnStartAccepted{Message: "om_1", Turn: "A"}, TurnRunning{Turn: "A", Messages: []string{"om_1"}},
	}
	ended := TurnEnded{Turn: "A", Status: EndCompleted, Messages: []string{"om_1"}, Reply: "nothing much"}
	confirmed := DeliveryConfirmed{Delivery: "outcome:A", Shown: "om_2"}
	for _, c := range []struct {
		name  string
		given []Fact
		fact  Fact
	}{
		{"message_while_idle", append(running[:4:4], ended, confirmed), received("om_3")},
		{"message_into_a_turn", running, received("om_3")},
		{"start_accepted", running[:2], running[2]},
		{"turn_running", running[:3], running[3]},
		{"turn_ended", running, ended},
		{"delivery_confirmed", append(running[:4:4], ended), confirmed},
		{"known_already", append(running[:4:4], ended), running[3]},
	} {
		b.Run(c.name, func(b *testing.B) {
			state, data := Idle, Data{Track: "oc_1/1"}
			for _, f := range c.given {
				res, err := Conversation().Step(state, data, f)
				if err != nil {
					b.Fatal(err)
				}
				state, data = res.State, res.Data
			}
			_, taken, err := Standard().Step(state, data, c.fact)
			if err != nil {
				b.Fatal(err)
			}
			floor.Steps(b, func() {
				if _, err := Conversation().Step(state, data, c.fact); err != nil {
					b.Fatal(err)
				}
			})
			b.ReportMetric(float64(len(taken)), "moves")
		})
	}
}
