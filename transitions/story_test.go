package transitions

import (
	"fmt"
	"strings"
	"testing"
)

// A story is what is told about a track, fact by fact, and what must follow.
type story []line

// line is one fact, the state that it leads to, and the effects in short: what
// is written down in the ledger, and the receipt's reaction, are left out.
type line struct {
	fact    Fact
	state   State
	effects string
}

// tell steps through a story and returns what the track remembers in the end.
func tell(t *testing.T, s story) Data {
	t.Helper()
	return tellIn(t, "oc_1/1", s)
}

// tellIn is tell for a track of that id.
func tellIn(t *testing.T, track string, s story) Data {
	t.Helper()
	state, data := Idle, Data{Track: track}
	for i, l := range s {
		res, err := Conversation().Step(state, data, l.fact)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if got := inShort(res.Effects); res.State != l.state || got != l.effects {
			t.Fatalf("line %d: %s %+v\n got %s %q\nwant %s %q\nby %s: %s",
				i+1, l.fact.FactName(), l.fact, res.State, got, l.state, l.effects, res.Entry, res.Why)
		}
		state, data = res.State, res.Data
	}
	return data
}

func inShort(effects []Effect) string {
	var words []string
	for _, e := range effects {
		switch e := e.(type) {
		case OpenThread:
			words = append(words, "open")
		case StartTurn:
			words = append(words, "start "+e.Message)
		case SteerTurn:
			words = append(words, "steer "+e.Message+" into "+e.Turn)
		case InterruptTurn:
			words = append(words, "interrupt "+e.Turn)
		case Pull:
			words = append(words, strings.TrimSuffix(fmt.Sprintf("pull in %d", e.After), " in 0"))
		case Withdraw:
			words = append(words, "withdraw")
		case OpenTrack:
			words = append(words, strings.TrimSuffix("next "+e.Track+" on "+e.Thread, " on "))
		case ListThreads:
			words = append(words, "list threads")
		case BindThread:
			words = append(words, "bind "+e.Thread)
		case HandOver:
			words = append(words, "hand over "+e.Message)
		case ShowRequest:
			words = append(words, "show "+e.Request)
		case AnswerRequest:
			words = append(words, "answer "+e.Request+" "+e.Decision)
		case FetchFiles:
			words = append(words, "fetch for "+e.Message)
		case ShowProgress:
			words = append(words, fmt.Sprintf("progress of %s to %s: %s", e.Turn, e.ReplyTo, e.Text))
		case CloseRequest:
			words = append(words, "close "+e.Request)
		case Deliver:
			var from string
			if e.From > 0 {
				from = fmt.Sprint(" from ", e.From)
			}
			words = append(words, fmt.Sprintf("%s to %s%s: %s", e.Kind, e.ReplyTo, from, e.Body.Text+string(e.Body.Sentence)+strings.Join(e.Body.Args, ",")+partsInShort(e.Body.Parts)))
		}
	}
	return strings.Join(words, "; ")
}

func partsInShort(parts []Body) (words string) {
	for _, p := range parts {
		words += "[" + p.Text + string(p.Sentence) + strings.Join(p.Args, ",") + partsInShort(p.Parts) + "]"
	}
	return words
}

// The facts of the stories, in short.

func wrote(message string) Fact {
	return MessageReceived{Message: message, Sender: "ou_a", Text: "text of " + message}
}

func stop(message string) Fact { return StopRequested{Message: message, Sender: "ou_a"} }

func adminStop(message string) Fact {
	return StopRequested{Message: message, Sender: "ou_admin", Entitled: true}
}

func begin(message string) Fact { return NewRequested{Message: message, Sender: "ou_a"} }

func resumed() Fact { return ThreadResumed{Thread: "th", Connection: "c2"} }

func notReplayed(request string) Fact { return ReplayOverdue{Request: request, Connection: "c2"} }

func opened(thread string) Fact { return ThreadOpened{Thread: thread} }

func accepted(message, turn string) Fact { return TurnStartAccepted{Message: message, Turn: turn} }

func refused(message string, why Refusal) Fact {
	return TurnStartRefused{Message: message, Refusal: why, Said: "no"}
}

func unknown(message string, l Link) Fact { return TurnStartUnknown{Message: message, Link: l} }

func steered(message, turn string) Fact { return SteerAccepted{Message: message, Turn: turn} }

func notSteered(message, turn string, why Refusal) Fact {
	return SteerRefused{Message: message, Turn: turn, Refusal: why, Said: "no"}
}

func running(turn string, messages ...string) Fact {
	return TurnRunning{Turn: turn, Messages: messages}
}

func completed(turn, reply string, messages ...string) Fact {
	return TurnEnded{Turn: turn, Status: EndCompleted, Reply: reply, Messages: messages}
}

func interrupted(turn string, messages ...string) Fact {
	return TurnEnded{Turn: turn, Status: EndInterrupted, Messages: messages}
}

func failed(turn, said string, messages ...string) Fact {
	return TurnEnded{Turn: turn, Status: EndFailed, Said: said, Messages: messages}
}

// The connections of the stories: the first and second to one server process,
// and one to another.
var (
	first  = Link{Connection: "c1", Generation: "g1"}
	second = Link{Connection: "c2", Generation: "g1"}
	other  = Link{Connection: "c3", Generation: "g2"}
)

// idleRead is a read of the idle thread that lists these turns; two of them
// prove an absence if they are 30 apart.
func idleRead(at Millis, l Link, turns ...string) Fact {
	return PullAnswered{Idle: true, At: at, Link: l, Turns: turns, Settle: 30}
}

// busyRead is a read of the thread with an active turn.
func busyRead(at Millis, l Link, turns ...string) Fact {
	return PullAnswered{At: at, Link: l, Turns: turns, Settle: 30}
}

func shown(delivery string) Fact { return DeliveryConfirmed{Delivery: delivery, Shown: "om_shown"} }

// asked is how most stories begin: m1 is written, and its start is in the outbox.
func asked(rest ...line) story {
	return append(story{
		{wrote("m1"), Idle, "open"},
		{opened("th"), RecoveryPending, "start m1"},
	}, rest...)
}

// inTurn goes on: the start is answered with turn A, and m1 is an item of it.
func inTurn(rest ...line) story {
	return append(asked(
		line{accepted("m1", "A"), Steerable, ""},
		line{running("A", "m1"), Steerable, ""},
	), rest...)
}

// scene is a story and the rule that it holds.
type scene struct {
	rule  string
	story story
}

func play(t *testing.T, scenes []scene) {
	t.Helper()
	for _, s := range scenes {
		t.Run(s.rule, func(t *testing.T) {
			t.Parallel()
			tell(t, s.story)
		})
	}
}
