package trace

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	t "deskbridge/transitions"
)

const clock = "15:04:05.000"

// words say what a fact is, in plain words. The word before the colon is the stage that
// it is about; of a fact that has no words of its own, the declaration's are taken.
func words(f t.Fact, zone *time.Location) string {
	at := func(m t.Millis) string { return time.UnixMilli(int64(m)).In(zone).Format(clock) }
	switch f := f.(type) {
	case t.MessageReceived:
		if f.From != "" {
			return fmt.Sprintf("taken over: %s comes from track %s", f.Message, f.From)
		}
		return fmt.Sprintf("received: %s from %s, %s, written at %s; it is committed, and then acknowledged to Feishu", f.Message, f.Sender, characters(f.Text), at(f.Created))
	case t.StopRequested:
		return fmt.Sprintf("received: %s, a /stop from %s, written at %s", f.Message, f.Sender, at(f.Created))
	case t.NewRequested:
		return fmt.Sprintf("received: %s, a /new from %s, written at %s", f.Message, f.Sender, at(f.Created))
	case t.ModelRequested:
		return fmt.Sprintf("received: %s, a /model from %s", f.Message, f.Sender)
	case t.ThreadsRequested:
		return fmt.Sprintf("received: %s, a /threads from %s", f.Message, f.Sender)
	case t.ThreadsListed:
		return fmt.Sprintf("listed: Codex told %d conversations for %s", len(f.Threads), f.Message)
	case t.ThreadsUnlisted:
		return fmt.Sprintf("not listed: there is no list for %s (%s)", f.Message, because(f.Why, f.Said))
	case t.ResumeRequested:
		return fmt.Sprintf("received: %s, a /resume %d from %s, written at %s", f.Message, f.Number, f.Sender, at(f.Created))
	case t.ThreadFound:
		return fmt.Sprintf("found: thread %s can be had, as %s asks", f.Thread, f.Message)
	case t.ThreadUnavailable:
		return fmt.Sprintf("not found: the thread that %s asks for cannot be had (%s)", f.Message, because(f.Why, f.Said))
	case t.TurnStartAccepted:
		return fmt.Sprintf("sent: Codex answered to %s with turn %s", f.Message, f.Turn)
	case t.TurnStartRefused:
		return fmt.Sprintf("refused: Codex did not take %s (%s)", f.Message, f.Said)
	case t.TurnStartUnknown:
		return fmt.Sprintf("in doubt: %s may have reached Codex, and no answer will come", f.Message)
	case t.SteerAccepted:
		return fmt.Sprintf("sent: Codex answered that it has %s for turn %s", f.Message, f.Turn)
	case t.SteerRefused:
		return fmt.Sprintf("refused: Codex did not take %s into turn %s (%s)", f.Message, f.Turn, f.Said)
	case t.SteerUnknown:
		return fmt.Sprintf("in doubt: %s may have reached turn %s, and no answer will come", f.Message, f.Turn)
	case t.InterruptAccepted:
		return fmt.Sprintf("interrupted: Codex answered that it ends turn %s", f.Turn)
	case t.TurnRunning:
		return fmt.Sprintf("running: Codex has turn %s in progress%s", f.Turn, holding(f.Messages))
	case t.TurnEnded:
		return fmt.Sprintf("ended: turn %s is %s%s, %s", f.Turn, f.Status, holding(f.Messages), ending(f))
	case t.RequestOpened:
		return fmt.Sprintf("asked: Codex asks a person for %s (%s) in turn %s", f.Request, f.Kind, f.Turn)
	case t.RequestVisible:
		return fmt.Sprintf("shown: request %s stands in the chat as %s", f.Request, f.Shown)
	case t.RequestAnswered:
		return fmt.Sprintf("decided: %s decided %q on %s", f.By, f.Decision, f.Request)
	case t.DecisionWritten:
		return fmt.Sprintf("sent: the decision on %s was written to Codex", f.Request)
	case t.RequestResolved:
		return fmt.Sprintf("resolved: Codex waits for %s no longer", f.Request)
	case t.DeliveryConfirmed:
		return fmt.Sprintf("shown: %s stands in the chat as %s", f.Delivery, f.Shown)
	case t.DeliveryPartShown:
		return fmt.Sprintf("shown in part: %s stands in the chat up to byte %d, this part as %s", f.Delivery, f.UpTo, f.Shown)
	case t.DeliveryRefused:
		return fmt.Sprintf("refused: Feishu refused %s for good (%d: %s)", f.Delivery, f.Code, f.Said)
	case t.DeliveryUnknown:
		return fmt.Sprintf("in doubt: %s may stand in the chat, and is not sent again", f.Delivery)
	case t.ReceiptShown:
		return fmt.Sprintf("receipt: the reaction stands on %s", f.Message)
	}
	return declared(f)
}

// declared is a fact's name and its declaration, without whose word it is and which of
// Feishu's events, and what it is about.
func declared(f t.Fact) string {
	what := strings.ReplaceAll(f.FactName(), "_", " ")
	for _, term := range t.Conversation().Declaration().Facts {
		if term.Name == f.FactName() {
			_, doc, _ := strings.Cut(term.Doc, ": ")
			what += ": " + strings.TrimSuffix(protocol.ReplaceAllString(doc, ""), ".")
		}
	}
	if things := about(f); things != nil {
		what += " (" + joined(things) + ")"
	}
	return what
}

func joined(things []thing) string {
	var all []string
	for _, x := range things {
		all = append(all, x.String())
	}
	return strings.Join(all, ", ")
}

// protocol is the name of an event of Feishu's, in brackets.
var protocol = regexp.MustCompile(` \(Feishu [^)]*\)`)

func holding(messages []string) string {
	if len(messages) == 0 {
		return ""
	}
	return ", with " + strings.Join(messages, ", ") + " in it"
}

// ending is what an ended turn leaves to be said.
func ending(f t.TurnEnded) string {
	switch {
	case f.Reply != "":
		return "with a reply of " + characters(f.Reply)
	case f.Said != "":
		return "because of: " + f.Said
	}
	return "without a reply"
}

func characters(text string) string {
	return fmt.Sprintf("%d characters", utf8.RuneCountInString(text))
}

// because is why something cannot be had, with the server's words if it has some.
func because(why t.Unavailable, said string) string {
	if said == "" {
		return string(why)
	}
	return string(why) + ": " + said
}
