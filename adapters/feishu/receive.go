package feishu

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"deskbridge/transitions"
)

// Receiver makes facts of events.
type Receiver struct {
	Access Access
}

// Decision is what an event means to the bridge: a fact for a conversation, or
// nothing, with the reason.
type Decision struct {
	// Conversation is the key of the conversation: the chat's id, or the chat's
	// and the topic's with a colon between. Empty if not even that could be read.
	Conversation string
	// Fact is nil if the event is ignored.
	Fact transitions.Fact
	// Ignored says why there is no fact; empty if there is one.
	Ignored Reason
	// Detail adds to the reason for the operator's log; it holds no text of the
	// message. It may be empty.
	Detail string
	// Incoming is the message, as far as it could be read.
	Incoming Incoming
}

// Again reports that the event should not be acknowledged: the platform brings
// it again, and by then it may be understood. All other ignored events are the
// same whenever they come.
func (d Decision) Again() bool { return d.Ignored == BotUnknown }

// Receive decides on an event of type im.message.receive_v1. self is the bot's
// open_id, empty while unknown.
func (r Receiver) Receive(body []byte, self string) Decision {
	in, err := Decode(body, self)
	if err != nil {
		d := Decision{Ignored: Malformed, Detail: err.Error()}
		if bad := (*MalformedError)(nil); errors.As(err, &bad) {
			d.Incoming.EventID = bad.EventID
		}
		return d
	}
	return r.Decide(in, self)
}

// Decide decides on a message.
func (r Receiver) Decide(in Incoming, self string) Decision {
	d := Decision{Conversation: ConversationOf(in), Incoming: in}
	if ok, why := r.Access.Admit(in, self); !ok {
		d.Ignored = why
		return d
	}
	switch {
	case in.Kind == Unsupported:
		d.Ignored, d.Detail = UnsupportedType, in.Type
	case in.Text == "":
		d.Ignored = NoText
	case isCommand(in.Text, "/stop", "/停止"):
		d.Fact = transitions.StopRequested{Message: in.MessageID, Sender: in.SenderOpenID, Created: in.Created, Entitled: r.Access.entitled(in)}
	case isCommand(in.Text, "/new", "/新对话"):
		d.Fact = transitions.NewRequested{Message: in.MessageID, Sender: in.SenderOpenID, Created: in.Created, Entitled: r.Access.entitled(in)}
	case isCommand(in.Text, "/threads", "/对话"):
		d.Fact = transitions.ThreadsRequested{Message: in.MessageID, Sender: in.SenderOpenID}
	case isResume(in.Text):
		d.Fact = transitions.ResumeRequested{
			Message: in.MessageID, Sender: in.SenderOpenID, Created: in.Created, Number: resumeNumber(in.Text), Entitled: r.Access.entitled(in),
		}
	case isCommand(in.Text, "/run", "/执行"):
		d.Fact = r.staleAnswered(in, true)
	case isCommand(in.Text, "/drop", "/放弃"):
		d.Fact = r.staleAnswered(in, false)
	default:
		d.Fact = transitions.MessageReceived{Message: in.MessageID, Sender: in.SenderOpenID, Text: in.Text, Created: in.Created}
	}
	return d
}

// staleAnswered is the answer to a question about a stale message; a reply says about
// which. In a topic whatever is written is a reply to its root, which says nothing.
func (r Receiver) staleAnswered(in Incoming, run bool) transitions.Fact {
	a := transitions.StaleAnswered{Message: in.MessageID, By: in.SenderOpenID, Run: run, Entitled: r.Access.entitled(in)}
	if in.ThreadID == "" {
		a.About = in.ParentID
	}
	return a
}

// ConversationOf is the key of the conversation that a message belongs to: a
// topic is one of its own.
func ConversationOf(in Incoming) string {
	if in.ThreadID == "" {
		return in.ChatID
	}
	return in.ChatID + ":" + in.ThreadID
}

// isCommand recognises a command by one of its names, whatever keyboard it was
// typed on: with a capital letter, or with the full-width slash of a Chinese one.
func isCommand(text string, names ...string) bool {
	if full, ok := strings.CutPrefix(text, "／"); ok {
		text = "/" + full
	}
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(text, name) })
}

// resumeCommand is /resume with at most one word behind it, which a Chinese keyboard
// may put there without a space.
var resumeCommand = regexp.MustCompile(`(?i)^[/／](?:resume(?:[\s\p{Zs}]+([^\s\p{Zs}]+))?|接着[\s\p{Zs}]*([^\s\p{Zs}]+)?)$`)

func isResume(text string) bool { return resumeCommand.MatchString(text) }

// resumeNumber is the number of a /resume; 0: it has none, or what it has is none.
func resumeNumber(text string) int {
	m := resumeCommand.FindStringSubmatch(text)
	digits := strings.Map(func(r rune) rune {
		if '０' <= r && r <= '９' {
			return r - '０' + '0'
		}
		return r
	}, m[1]+m[2])
	number, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return number
}
