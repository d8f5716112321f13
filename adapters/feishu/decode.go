package feishu

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"deskbridge/transitions"
)

// Decode reads an event of type im.message.receive_v1. self is the bot's own
// open_id, empty while it is not known: then its mention stays in the text. The
// error says in one sentence what is wrong with the event.
func Decode(body []byte, self string) (Incoming, error) {
	var wire wireEvent
	if err := json.Unmarshal(body, &wire); err != nil {
		return Incoming{}, &MalformedError{EventID: wire.Header.EventID, Problem: "is not the JSON of a message", Err: err}
	}
	event, msg := wire.Header.EventID, wire.Event.Message
	if wire.Header.EventType != MessageReceivedType {
		return Incoming{}, &MalformedError{EventID: event, Problem: fmt.Sprintf("has the type %q", wire.Header.EventType)}
	}
	if msg.MessageID == "" || msg.ChatID == "" {
		return Incoming{}, &MalformedError{EventID: event, Problem: "names no message or no chat"}
	}
	created := msg.CreateTime
	if created == 0 {
		created = wire.Header.CreateTime
	}
	if created <= 0 {
		return Incoming{}, &MalformedError{EventID: event, Problem: "does not say when the message was sent"}
	}
	in := Incoming{
		EventID: event, MessageID: msg.MessageID, ChatID: msg.ChatID, ChatType: msg.ChatType,
		ThreadID: msg.ThreadID, RootID: msg.RootID, ParentID: msg.ParentID,
		SenderOpenID: wire.Event.Sender.SenderID.OpenID, SenderType: wire.Event.Sender.SenderType,
		Created: transitions.Millis(created), Type: msg.MessageType,
	}
	for _, m := range msg.Mentions {
		in.Mentions = append(in.Mentions, Mention{Key: m.Key, OpenID: m.ID.OpenID, Name: m.Name})
	}
	var err error
	if in.Kind, in.Text, err = readContent(msg.MessageType, msg.Content, in.Mentions, self); err != nil {
		return Incoming{}, &MalformedError{EventID: event, Problem: fmt.Sprintf("has content that is no %s message", msg.MessageType), Err: err}
	}
	return in, nil
}

// MalformedError is an event that is not what its type promises. It will be the
// same when it comes again.
type MalformedError struct {
	EventID string // empty where even that could not be read
	Problem string
	Err     error
}

// Error is the sentence: "feishu event ID PROBLEM: CAUSE".
func (e *MalformedError) Error() string {
	s := "feishu event " + e.Problem
	if e.EventID != "" {
		s = "feishu event " + e.EventID + " " + e.Problem
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *MalformedError) Unwrap() error { return e.Err }

// The JSON of the event. The platform leaves fields out, or writes null, where
// it has nothing to say or the app lacks the scope.
type (
	wireEvent struct {
		Header struct {
			EventID    string     `json:"event_id"`
			EventType  string     `json:"event_type"`
			CreateTime wireMillis `json:"create_time"`
		} `json:"header"`
		Event struct {
			Sender struct {
				SenderID   wireID `json:"sender_id"`
				SenderType string `json:"sender_type"`
			} `json:"sender"`
			Message wireMessage `json:"message"`
		} `json:"event"`
	}
	wireMessage struct {
		MessageID   string     `json:"message_id"`
		RootID      string     `json:"root_id"`
		ParentID    string     `json:"parent_id"`
		CreateTime  wireMillis `json:"create_time"`
		ChatID      string     `json:"chat_id"`
		ThreadID    string     `json:"thread_id"`
		ChatType    ChatType   `json:"chat_type"`
		MessageType string     `json:"message_type"`
		Content     string     `json:"content"`
		Mentions    []struct {
			Key  string `json:"key"`
			ID   wireID `json:"id"`
			Name string `json:"name"`
		} `json:"mentions"`
	}
	wireID struct {
		OpenID string `json:"open_id"`
	}
)

// wireMillis is a time in milliseconds, which the platform writes as a string.
type wireMillis int64

// UnmarshalJSON takes a string of digits or a number; an empty string is no time.
func (m *wireMillis) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	if text == "" || text == "null" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%.40q is no time in milliseconds", text)
	}
	*m = wireMillis(n)
	return nil
}
