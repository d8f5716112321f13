package explore

import (
	"strings"
	"testing"

	"deskbridge/transitions"
)

// TestAgrees breaks each law of a step once.
func TestAgrees(t *testing.T) {
	t.Parallel()
	type (
		data     = transitions.Data
		messages = []transitions.Message
		turns    = []transitions.Turn
		effects  = []transitions.Effect
	)
	message := func(s transitions.MessageState) transitions.Message { return transitions.Message{ID: "m1", State: s} }
	row := func(s transitions.MessageState) transitions.Effect {
		return transitions.RecordMessage{Message: message(s)}
	}
	request := func(s transitions.RequestState) transitions.Request {
		return transitions.Request{ID: "r1", Turn: "t1", Generation: "g0", State: s}
	}
	asked := func(s transitions.RequestState) transitions.Effect {
		return transitions.RecordRequest{Request: request(s)}
	}
	running := turns{{ID: "t1", State: transitions.TurnInFlight}}
	ourTurn := turns{{ID: "t1", State: transitions.TurnInFlight, Start: "m1"}}
	chat, resuming := []transitions.Closing{transitions.ClosedByChat}, []transitions.Closing{transitions.ClosedByResume}
	waits := func(d data) data {
		d.Turns = append(d.Turns, transitions.Turn{State: transitions.TurnUnknown, Start: "m0"})
		return d
	}
	for _, c := range []struct {
		name          string
		fact          transitions.Fact
		before, after data
		effects       effects
		want          string // empty: nothing is broken
	}{
		{
			name: "a message is kept, and all is done", fact: transitions.MessageReceived{Message: "m1"},
			after:   waits(data{Messages: messages{message(transitions.MessageHeld)}}),
			effects: effects{row(transitions.MessageHeld), transitions.ShowReceipt{Message: "m1"}},
		},
		{
			name: "no receipt", fact: transitions.MessageReceived{Message: "m1"},
			after:   waits(data{Messages: messages{message(transitions.MessageHeld)}}),
			effects: effects{row(transitions.MessageHeld)}, want: "its sender gets no receipt",
		},
		{
			name: "the last row of a message counts", after: waits(data{Messages: messages{message(transitions.MessageHeld)}}),
			effects: effects{row(transitions.MessageHeld), row(transitions.MessageKept)}, want: "its row says",
		},
		{
			name: "offered, and in no call", after: waits(data{Messages: messages{message(transitions.MessageOffered)}}),
			effects: effects{row(transitions.MessageOffered)}, want: "no call has it",
		},
		{
			name: "nothing to wait for", after: data{Messages: messages{message(transitions.MessageHeld)}},
			effects: effects{row(transitions.MessageHeld)}, want: "nothing holds it",
		},
		{
			name: "forgotten", before: data{Messages: messages{message(transitions.MessageProven)}}, want: "m1 is forgotten",
		},
		{
			name: "moved, and handed to nobody", before: data{Messages: messages{message(transitions.MessageHeld)}},
			effects: effects{row(transitions.MessageMoved)}, want: "handed on: false",
		},
		{
			name: "fenced, and not taken back", fact: transitions.StopRequested{Message: "s1"},
			before: waits(data{Messages: messages{message(transitions.MessageOffered)}}),
			after:  waits(data{Messages: messages{{ID: "m1", State: transitions.MessageOffered, Barred: transitions.BarFence}}}),
			want:   "is not taken back",
		},
		{
			name: "taken back, and sent all the same", fact: transitions.MessageRecalled{Message: "m1"},
			before:  waits(data{Messages: messages{message(transitions.MessageOffered)}}),
			after:   waits(data{Messages: messages{{ID: "m1", State: transitions.MessageOffered, Barred: transitions.BarRecall}}}),
			effects: effects{transitions.RecordMessage{Message: transitions.Message{ID: "m1", State: transitions.MessageOffered, Barred: transitions.BarRecall}}},
			want:    "is not taken back",
		},
		{
			name: "closed, and sent all the same", fact: transitions.TrackClosed{Why: transitions.ClosedByPolicy},
			before: waits(data{Messages: messages{message(transitions.MessageOffered)}}),
			after:  waits(data{Messages: messages{message(transitions.MessageOffered)}, Shut: []transitions.Closing{transitions.ClosedByPolicy}}),
			want:   "is not taken back",
		},
		{
			name: "sent back without a row", fact: transitions.MessageReceived{Message: "m1"}, want: "m1 is received and not kept",
		},
		{
			name: "files that are lost", fact: transitions.AttachmentsFailed{Message: "m1"},
			before: waits(data{Messages: messages{message(transitions.MessageFetching)}}),
			after:  waits(data{Messages: messages{message(transitions.MessageHeld)}}), want: "files of m1 are lost",
		},
		{name: "a model, and no answer", fact: transitions.ModelRequested{Message: "c1"}, want: "c1 chooses a model"},
		{
			name: "a turn that takes no text", fact: transitions.SteerRefused{Message: "m1", Turn: "t1", Refusal: transitions.NotSteerable},
			before: data{Turns: running, Messages: messages{{ID: "m1", Turn: "t1", State: transitions.MessageOffered}}},
			after:  data{Turns: running, Messages: messages{{ID: "m1", Turn: "t1", State: transitions.MessageHeld}}},
			want:   "a turn that takes no text, and its sender is not told",
		},
		{
			name: "a thread that is lost", fact: transitions.ThreadLost{}, before: data{Turns: running}, after: data{Turns: running},
			want: "the thread is lost",
		},
		{
			name:   "a delivery of which nothing was said",
			before: data{Deliveries: []transitions.Delivery{{ID: "d", State: transitions.DeliveryReady}}},
			after:  data{Deliveries: []transitions.Delivery{{ID: "d", State: transitions.DeliveryFailed}}}, want: "nobody said anything of it",
		},
		{
			name: "a request that was sent again", fact: transitions.RequestOpened{Request: "r1"},
			after: data{Requests: []transitions.Request{{ID: "r1", State: transitions.RequestHidden, Unreplayed: "c1"}}}, want: "was sent again",
		},
		{
			name: "told nothing", before: waits(data{Messages: messages{message(transitions.MessageHeld)}}),
			after: waits(data{Messages: messages{{ID: "m1", State: transitions.MessageHeld, Told: []transitions.SentenceID{transitions.SaidHeld}}}}), want: "counts as told",
		},
		{
			name: "asked nothing", before: waits(data{Messages: messages{message(transitions.MessageOffered)}}),
			after:   waits(data{Messages: messages{message(transitions.MessageAsked)}}),
			effects: effects{row(transitions.MessageAsked)}, want: "counts as asked",
		},
		{
			name: "given back, and told nothing", before: data{Messages: messages{message(transitions.MessageHeld)}},
			effects: effects{row(transitions.MessageRefused)}, want: "counts as given back",
		},
		{
			name: "lost beside a turn that takes text", fact: transitions.SteerWithdrawn{Message: "m1", Turn: "t1"},
			before:  data{Turns: running, Messages: messages{{ID: "m1", Turn: "t1", State: transitions.MessageOffered}}},
			after:   data{Turns: running, Messages: messages{{ID: "m1", Turn: "t1", State: transitions.MessageHeld}}},
			effects: effects{transitions.RecordMessage{Message: transitions.Message{ID: "m1", Turn: "t1", State: transitions.MessageHeld}}},
			want:    "a turn takes text",
		},
		{name: "a turn without a row", after: data{Turns: running}, want: "t1 is running, and its row says"},
		{name: "a turn is forgotten", before: data{Turns: running}, want: "t1 is forgotten"},
		{name: "an end without a row", fact: transitions.TurnEnded{Turn: "t9"}, before: data{Thread: "th1"}, after: data{Thread: "th1"}, want: "t9 is over, and its row says"},
		{
			name: "interrupted by nobody", before: data{Turns: running},
			after: data{Turns: turns{{ID: "t1", State: transitions.TurnInFlight, Interrupting: true}}}, want: "nobody is asked to",
		},
		{
			name: "a delivery without a row", after: data{Deliveries: []transitions.Delivery{{ID: "d", State: transitions.DeliveryReady}}},
			effects: effects{transitions.Deliver{Delivery: "d"}}, want: "d is ready, and its row says",
		},
		{
			name: "a delivery that nobody sends", after: data{Deliveries: []transitions.Delivery{{ID: "d", State: transitions.DeliveryReady}}},
			effects: effects{transitions.RecordDelivery{Delivery: transitions.Delivery{ID: "d", State: transitions.DeliveryReady}}}, want: "d is to be said",
		},
		{
			name: "a delivery that is not sent again", before: data{Deliveries: []transitions.Delivery{{ID: "d", State: transitions.DeliveryFailed}}},
			after:   data{Deliveries: []transitions.Delivery{{ID: "d", State: transitions.DeliveryReady}}},
			effects: effects{transitions.RecordDelivery{Delivery: transitions.Delivery{ID: "d", State: transitions.DeliveryReady}}}, want: "d is to be said",
		},
		{name: "a delivery is forgotten", before: data{Deliveries: []transitions.Delivery{{ID: "d", State: transitions.DeliveryReady}}}, want: "d is forgotten"},
		{
			name: "a request without a row", after: data{Requests: []transitions.Request{request(transitions.RequestHidden)}},
			effects: effects{transitions.ShowRequest{Request: "r1"}}, want: "its row says",
		},
		{
			name: "a request that nobody shows", after: data{Requests: []transitions.Request{request(transitions.RequestHidden)}},
			effects: effects{asked(transitions.RequestHidden)}, want: "nobody is asked to show it",
		},
		{
			name: "a decision that Codex is not told", before: data{Requests: []transitions.Request{request(transitions.RequestShown)}},
			after: data{Requests: []transitions.Request{request(transitions.RequestDecided)}}, effects: effects{asked(transitions.RequestDecided)},
			want: "Codex is not told",
		},
		{
			name: "a card that comes after the decision", fact: transitions.RequestVisible{Request: "r1"},
			before: data{Requests: []transitions.Request{request(transitions.RequestDecided)}},
			after:  data{Requests: []transitions.Request{request(transitions.RequestDecided)}}, want: "comes after the decision",
		},
		{
			name: "a request that nothing ended", fact: transitions.VisibilityOverdue{Request: "r1"},
			before: data{Turns: running, Requests: []transitions.Request{request(transitions.RequestHidden)}}, after: data{Turns: running},
			effects: effects{asked(transitions.RequestEnded)}, want: "request r1 is forgotten",
		},
		{
			name: "a card that stays open", fact: transitions.RequestResolved{Request: "r1"},
			before:  data{Requests: []transitions.Request{request(transitions.RequestDecided)}},
			effects: effects{asked(transitions.RequestEnded)}, want: "its card is not closed",
		},
		{name: "a thread that nobody is asked for", after: data{Opening: true}, want: "nobody is asked for one"},
		{name: "a thread that is not on record", after: data{Thread: "th1"}, want: "that is not on record"},
		{name: "a track without a next one", after: data{Superseded: true}, want: "there is no next one"},
		{
			name: "a request that nobody declines", fact: transitions.ChatClosed{},
			before: data{Turns: ourTurn, Requests: []transitions.Request{request(transitions.RequestHidden)}},
			after:  data{Turns: ourTurn, Requests: []transitions.Request{request(transitions.RequestHidden)}, Shut: []transitions.Closing{transitions.ClosedByChat}},
			want:   "it is not declined",
		},
		{
			name: "a start of a track that is left", before: data{Superseded: true}, after: data{Superseded: true},
			effects: effects{transitions.StartTurn{Message: "m1"}}, want: "asks for start_turn",
		},
		{
			name: "an outcome of a track that is left", before: data{Superseded: true}, after: data{Superseded: true},
			effects: effects{transitions.Deliver{Delivery: "d", Kind: transitions.Outcome}}, want: "pushes d",
		},
		{
			name: "another process, and no read", fact: transitions.GenerationChanged{Generation: "g1"},
			before: data{Turns: running}, after: data{Turns: running}, want: "another process answers, and nothing is read",
		},
		{
			name: "a turn of somebody else, and no read", fact: transitions.ThreadStatusChanged{Status: transitions.StatusActive},
			want: "a turn is not known to be so",
		},
		{
			name: "a start that is answered and waited for", fact: transitions.TurnStartAccepted{Message: "m0", Turn: "t1"},
			before: waits(data{}), after: waits(data{}), want: "the start with m0 is answered",
		},
		{
			name: "another thread, and no word of it", fact: transitions.ThreadLost{}, after: data{},
			effects: effects{transitions.HandOver{Message: "m1"}}, want: "text goes to another thread",
		},
		{
			name: "an outcome that is not on record", fact: transitions.TurnEnded{Turn: "t1"},
			before: data{Turns: running, Messages: messages{{ID: "m1", State: transitions.MessageProven, Turn: "t1"}}},
			after:  data{Messages: messages{{ID: "m1", State: transitions.MessageProven, Turn: "t1"}}}, want: "its outcome is not on record",
		},
		{name: "a recall that is forgotten", fact: transitions.MessageRecalled{Message: "m1"}, want: "m1 is taken back before it comes"},
		{name: "a dismissal that is forgotten", fact: transitions.SenderDismissed{Sender: writer}, want: "is dismissed, and that is forgotten"},
		{
			name: "a question that is not asked again", fact: transitions.ChatReopened{}, before: data{Shut: chat},
			after: data{Messages: messages{message(transitions.MessageAsked)}}, want: "the sender of m1 is not asked",
		},
		{
			name: "what was refused, and is not sent again", fact: transitions.ChatReopened{}, before: data{Shut: chat},
			after: data{Deliveries: []transitions.Delivery{{ID: "d1", State: transitions.DeliveryFailed}}}, want: "d1 is not sent",
		},
		{
			name: "a turn that is not spared", fact: transitions.ChatReopened{}, before: data{Shut: chat},
			after: data{Turns: turns{{ID: "t1", Cut: true}}}, want: "is to end all the same",
		},
		{
			name: "a silent turn that must end", fact: transitions.TurnSilent{Turn: "t1"},
			before: data{Turns: turns{{ID: "t1", State: transitions.TurnInFlight, StopBy: "s1"}}}, want: "is not interrupted again",
		},
		{
			name: "a flag that nothing explains", fact: transitions.WaitingOverdue{Turn: "t1"},
			before: data{Turns: ourTurn, Waiting: true}, after: data{Turns: ourTurn, Waiting: true}, want: "that is not told",
		},
		{
			name: "held, and not told for what", after: data{Messages: messages{message(transitions.MessageHeld)}, Shut: []transitions.Closing{transitions.ClosedByPolicy}},
			want: "is not told held_looser_policy",
		},
		{
			name: "a silent turn, and no read", fact: transitions.TurnSilent{Turn: "t1"},
			before: data{Turns: running}, after: data{Turns: running}, want: "t1 is silent, and nothing is read",
		},
		{
			name: "a request that need not be sent again", fact: transitions.ThreadResumed{Connection: "c2"}, before: data{Turns: running},
			after: data{Turns: running, Requests: []transitions.Request{request(transitions.RequestShown)}}, want: "need not be sent again",
		},
		{
			name: "a message in doubt, and no read", before: waits(data{Messages: messages{message(transitions.MessageOffered)}}),
			after:   waits(data{Messages: messages{message(transitions.MessageUncertain)}}),
			effects: effects{row(transitions.MessageUncertain)}, want: "in doubt, and nothing is read",
		},
		{
			name: "a turn that may be gone, and no read", before: data{Turns: running},
			after: data{Turns: turns{{ID: "t1", State: transitions.TurnInFlight, Missing: 5}}}, want: "may be gone, and nothing is read",
		},
		{
			name: "a turn in doubt, and no read", before: data{Turns: running}, after: data{Turns: turns{{ID: "t1", State: transitions.TurnUnknown}}},
			effects: effects{transitions.RecordTurn{Turn: transitions.Turn{ID: "t1", State: transitions.TurnUnknown}}}, want: "whether t1 is over",
		},
		{
			name: "an interrupt in doubt, and no read", before: data{Turns: turns{{ID: "t1", State: transitions.TurnInFlight, Interrupting: true}}},
			after: data{Turns: running}, want: "whether t1 is interrupted",
		},
		{name: "a list that nobody is asked for", fact: transitions.ThreadsRequested{Message: "l1"}, want: "l1 asks for the threads"},
		{
			name: "a list without threads", fact: transitions.ThreadsListed{Message: "l1", Threads: []transitions.DeskThread{{Thread: "x1"}}},
			effects: effects{transitions.Deliver{ReplyTo: "l1"}}, want: "its sender is not shown the threads",
		},
		{name: "a list that nobody is shown", fact: transitions.ThreadsListed{Message: "l1"}, want: "its sender is not shown the threads"},
		{
			name: "a list that is on its way", fact: transitions.ThreadsListed{Message: "l1"},
			before: data{Deliveries: []transitions.Delivery{{ID: "d", ReplyTo: "l1", State: transitions.DeliveryReady}}},
			after:  data{Deliveries: []transitions.Delivery{{ID: "d", ReplyTo: "l1", State: transitions.DeliveryReady}}},
		},
		{name: "no list, and no word", fact: transitions.ThreadsUnlisted{Message: "l1"}, want: "there is no list for l1"},
		{name: "a thread that nobody is asked whether it can be had", fact: transitions.ResumeRequested{Message: "g1"}, want: "g1 asks for a thread"},
		{
			name: "what came after a /resume", fact: transitions.MessageReceived{Message: "m1"},
			before:  data{Shut: resuming, Resume: transitions.Resume{Message: "g1"}},
			after:   data{Shut: resuming, Resume: transitions.Resume{Message: "g1"}, Messages: messages{message(transitions.MessageHeld)}},
			effects: effects{row(transitions.MessageHeld), transitions.ShowReceipt{Message: "m1"}}, want: "m1 came after the /resume",
		},
		{name: "closed for a /resume that there is not", after: data{Shut: resuming}, want: "a /resume is being carried out: true"},
		{
			name: "a next track that knows no list", before: data{Listed: []transitions.ListedThread{{Thread: "x1"}}},
			after: data{Superseded: true}, effects: effects{transitions.OpenTrack{}}, want: "the next track begins with what is not so",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(Agrees(c.fact, &c.before, &c.after, c.effects), "; ")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
