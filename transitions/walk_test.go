package transitions

import (
	"cmp"
	"encoding/json"
	"testing"

	"deskbridge/fsm"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// chance draws a number from 0 to n-1.
type chance func(n int) int

func (c chance) flag() bool { return c(2) == 1 }

func oneOf[T any](below chance, some ...T) T { return some[below(len(some))] }

// figures are what a fact is about: a handful of messages and turns, half the time
// those that the track knows.
type figures struct {
	chance
	message, turn, delivery, request, sender string
	listed                                   []string
	refusal                                  Refusal
	link                                     Link
	closing                                  Closing
	policy                                   Policy
}

func (c chance) figures(d *Data) *figures {
	f := &figures{
		chance: c, message: messageIDs[c(len(messageIDs))], turn: oneOf(c, "turn_1", "turn_2", "turn_3", "turn_4"),
		request: oneOf(c, "req_1", "req_2"), sender: oneOf(c, "ou_a", "ou_b"),
		refusal: oneOf(c, NoActiveTurn, OtherTurn, NotSteerable, ThreadGone, OtherRefusal),
		link:    Link{Connection: oneOf(c, "", "a", "b"), Generation: oneOf(c, "", "1", "2")},
		closing: oneOf(c, ClosedByPolicy, ClosedByVersion),
		policy:  oneOf(c, Policy{}, Policy{Approval: "on-request", Sandbox: "readOnly"}, Policy{Approval: "never", Sandbox: "readOnly"}),
	}
	if len(d.Turns) > 0 && c.flag() {
		f.turn = cmp.Or(d.Turns[c(len(d.Turns))].ID, f.turn)
	}
	if len(d.Messages) > 0 && c.flag() {
		m := &d.Messages[c(len(d.Messages))]
		f.message = m.ID
		if c.flag() {
			f.turn = cmp.Or(m.Turn, f.turn)
		}
	}
	f.delivery = "outcome:" + f.turn
	if len(d.Deliveries) > 0 && c.flag() {
		f.delivery = d.Deliveries[c(len(d.Deliveries))].ID
	}
	if len(d.Requests) > 0 && c.flag() {
		f.request = d.Requests[c(len(d.Requests))].ID
	}
	for _, id := range messageIDs {
		if c.flag() {
			f.listed = append(f.listed, id)
		}
	}
	return f
}

var messageIDs = []string{"om_1", "om_2", "om_3", "om_4", "om_5", "om_6"}

// anyFact makes any fact at all, true or not: the tables must cope with every order
// in which facts can arrive.
func anyFact(d *Data, below chance) Fact {
	return factMakers[below(len(factMakers))].make(below.figures(d))
}

// factMaker makes facts of one kind.
type factMaker struct {
	name string
	make func(*figures) Fact
}

// factMakers are named after the facts that they make.
var factMakers = func() (named []factMaker) {
	some := chance(func(int) int { return 0 }).figures(&Data{})
	for _, m := range makers {
		named = append(named, factMaker{m(some).FactName(), m})
	}
	return named
}()

var makers = []func(*figures) Fact{
	func(f *figures) Fact {
		return RequestOpened{Request: f.request, Turn: f.turn, Generation: f.link.Generation}
	},
	func(f *figures) Fact { return RequestResolved{Request: f.request} },
	func(f *figures) Fact { return RequestVisible{Request: f.request, Shown: "om_card"} },
	func(f *figures) Fact { return RequestUnshowable{Request: f.request} },
	func(f *figures) Fact { return VisibilityOverdue{Request: f.request} },
	func(f *figures) Fact { return ReplayOverdue{Request: f.request, Connection: f.link.Connection} },
	func(f *figures) Fact {
		return RequestAnswered{Request: f.request, By: f.sender, Decision: "accept", Message: f.message, Entitled: f.flag()}
	},
	func(f *figures) Fact { return DecisionWritten{Request: f.request} },
	func(f *figures) Fact { return DecisionUnknown{Request: f.request} },
	func(f *figures) Fact {
		return ThreadStatusChanged{Status: oneOf(f.chance, StatusActive, StatusActive, StatusIdle, StatusSystemError, StatusNotLoaded), Waiting: f.flag()}
	},
	func(f *figures) Fact {
		return ThreadResumed{Thread: "thread", Connection: f.link.Connection, Version: "0.171.0", Created: "0.136.0", Policy: f.policy}
	},
	func(f *figures) Fact { return ThreadLost{Said: "no"} },
	func(f *figures) Fact { return PullImpossible{Said: "rollout is empty", After: 30} },
	func(f *figures) Fact { return WaitingOverdue{Turn: f.turn} },
	func(f *figures) Fact { return TurnSilent{Turn: f.turn} },
	func(f *figures) Fact { return AgentMessageCompleted{Turn: f.turn, Item: "item", Text: "so far"} },
	func(f *figures) Fact { return BridgeStarted{} },
	func(f *figures) Fact { return ChatClosed{Said: "no"} },
	func(f *figures) Fact { return ChatReopened{} },
	func(f *figures) Fact { return TrackClosed{Why: f.closing, Policy: f.policy} },
	func(f *figures) Fact { return TrackOpened{Why: f.closing, Policy: f.policy} },
	func(f *figures) Fact {
		return ModelRequested{Message: "om_model_" + f.message, Sender: f.sender, Model: "m", Entitled: f.flag()}
	},
	func(f *figures) Fact {
		return AttachmentsReady{Message: f.message, Files: []File{{Key: "k", Path: "p"}}}
	},
	func(f *figures) Fact {
		return AttachmentsFailed{Message: f.message, Files: []File{{Key: "k", Lost: "no"}}}
	},
	func(f *figures) Fact {
		return StaleAnswered{Message: "om_word_" + f.message, By: f.sender, Run: f.flag()}
	},
	func(f *figures) Fact { return MessageRecalled{Message: f.message} },
	func(f *figures) Fact { return SenderDismissed{Sender: f.sender} },
	func(f *figures) Fact { return MessageStale{Message: f.message, Turn: oneOf(f.chance, "", f.turn)} },
	func(f *figures) Fact {
		return StaleAnswered{Message: "om_answer_" + f.message, About: f.message, By: f.sender, Run: f.flag(), Entitled: f.flag()}
	},
	func(f *figures) Fact { return SendOverdue{Message: f.message} },
	func(f *figures) Fact { return GenerationChanged{Generation: f.link.Generation} },
	func(f *figures) Fact {
		return MessageReceived{Message: f.message, Sender: f.sender, Text: "text " + f.message, Created: 5}
	},
	func(f *figures) Fact {
		return MessageReceived{Message: f.message, Sender: f.sender, Text: "text " + f.message, Files: []File{{Key: "k"}}}
	},
	func(f *figures) Fact {
		return MessageReceived{Message: f.message, Sender: "ou_a", Text: "text " + f.message, From: "oc_1/0", Created: 5}
	},
	func(f *figures) Fact {
		return StopRequested{Message: "om_stop_" + f.message, Sender: f.sender, Entitled: f.flag(), Created: 9}
	},
	func(f *figures) Fact {
		return NewRequested{Message: "om_new_" + f.message, Sender: f.sender, Entitled: f.flag()}
	},
	func(f *figures) Fact { return ThreadsRequested{Message: "om_threads_" + f.message, Sender: f.sender} },
	func(f *figures) Fact {
		return ThreadsListed{Message: "om_threads_" + f.message, At: 100, Threads: oneOf(f.chance, nil, []DeskThread{{Thread: "thread"}, {Thread: "x1", Title: "x1", Taken: true}})}
	},
	func(f *figures) Fact {
		return ThreadsUnlisted{Message: "om_threads_" + f.message, Why: oneOf(f.chance, ServerRefused, ServerUnreached), Said: "no"}
	},
	func(f *figures) Fact {
		return ResumeRequested{Message: "om_resume_" + f.message, Sender: f.sender, Created: 9, Number: f.chance(4), Entitled: f.flag()}
	},
	func(f *figures) Fact { return ThreadFound{Message: "om_resume_" + f.message, Thread: "x1"} },
	func(f *figures) Fact {
		return ThreadUnavailable{Message: "om_resume_" + f.message, Why: oneOf(f.chance, TakenElsewhere, StillEnding, NotStored, ServerRefused, ServerUnreached), Said: "no"}
	},
	func(f *figures) Fact { return HandedOver{Message: f.message} },
	func(f *figures) Fact {
		return ThreadOpened{Thread: "thread", Version: "0.171.0", Policy: f.policy, Transcript: oneOf(f.chance, "", TranscriptGiven, TranscriptMissing)}
	},
	func(f *figures) Fact { return ThreadRefused{Said: "no"} },
	func(f *figures) Fact { return TurnStartAccepted{Message: f.message, Turn: f.turn} },
	func(f *figures) Fact { return TurnStartAccepted{Message: f.message} },
	func(f *figures) Fact { return TurnStartRefused{Message: f.message, Refusal: f.refusal, Said: "no"} },
	func(f *figures) Fact { return TurnStartUnknown{Message: f.message, Link: f.link} },
	func(f *figures) Fact { return TurnStartWithdrawn{Message: f.message} },
	func(f *figures) Fact { return SteerAccepted{Message: f.message, Turn: f.turn} },
	func(f *figures) Fact {
		return SteerRefused{Message: f.message, Turn: f.turn, Refusal: f.refusal, Said: "no"}
	},
	func(f *figures) Fact { return SteerUnknown{Message: f.message, Turn: f.turn} },
	func(f *figures) Fact { return SteerWithdrawn{Message: f.message, Turn: f.turn} },
	func(f *figures) Fact { return InterruptAccepted{Turn: f.turn} },
	func(f *figures) Fact { return InterruptRefused{Turn: f.turn, Said: "no"} },
	func(f *figures) Fact { return InterruptUnknown{Turn: f.turn} },
	func(f *figures) Fact { return TurnRunning{Turn: f.turn, Messages: f.listed} },
	func(f *figures) Fact {
		return TurnEnded{Turn: f.turn, Messages: f.listed, Status: oneOf(f.chance, EndCompleted, EndInterrupted, EndFailed), Reply: oneOf(f.chance, "", "reply"), Said: oneOf(f.chance, "", "reason")}
	},
	func(f *figures) Fact {
		return PullAnswered{Idle: true, Link: f.link, At: Millis(1 + f.chance(100)), Settle: 30}
	},
	func(f *figures) Fact {
		return PullAnswered{Idle: f.flag(), Turns: []string{f.turn}, Link: f.link, At: Millis(1 + f.chance(100)), Settle: 30}
	},
	func(f *figures) Fact { return DeliveryConfirmed{Delivery: f.delivery, Shown: "om_shown"} },
	func(f *figures) Fact {
		return DeliveryPartShown{Delivery: f.delivery, Shown: "om_part", UpTo: 1 + f.chance(9)}
	},
	func(f *figures) Fact { return DeliveryRefused{Delivery: f.delivery, Code: 230001, Said: "no"} },
	func(f *figures) Fact { return DeliveryUnknown{Delivery: f.delivery} },
	func(f *figures) Fact { return ReceiptShown{Message: f.message} },
	func(f *figures) Fact { return EffectDropped{Effect: "show_receipt", Subject: f.message} },
}

// happeningOf is what the journal knows a fact by, so that it is stepped on once.
// From the chat or from another track, a message is received once.
func happeningOf(f Fact) string {
	if r, ok := f.(MessageReceived); ok {
		return "message:" + r.Message
	}
	return f.FactKey()
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
			fact := anyFact(&data, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
			if key := happeningOf(fact); key != "" {
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
			if diff := gocmp.Diff(before, asJSON(t, data)); diff != "" {
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
			if diff := gocmp.Diff(asJSON(t, res), asJSON(t, again)); diff != "" {
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
