package feishu

import "deskbridge/transitions"

// MessageReceivedType is the event type of a message that a person or an app
// wrote.
const MessageReceivedType = "im.message.receive_v1"

// Event is one event as the long connection hands it over.
type Event struct {
	// Type is its event_type.
	Type string
	// Body is the whole event of schema 2.0, header and event, in JSON.
	Body []byte
}

// ChatType is the kind of a chat, in the platform's words.
type ChatType string

// The kinds of chat.
const (
	// P2P is the direct chat of a person and the bot.
	P2P ChatType = "p2p"
	// Group is an ordinary group.
	Group ChatType = "group"
	// TopicGroup is a group in which every message opens a topic.
	TopicGroup ChatType = "topic_group"
)

// Kind is what a message is, as far as the bridge can read it.
type Kind string

// The kinds of message.
const (
	// Text is a message of plain text.
	Text Kind = "text"
	// Post is a rich message, read as plain text.
	Post Kind = "post"
	// Unsupported is a message that holds no text: a file, an image, a card, ….
	Unsupported Kind = "unsupported"
)

// Incoming is one message of a chat, as im.message.receive_v1 tells it.
type Incoming struct {
	// EventID is the event's own id. It is for logs: the platform says that
	// repetitions of a message are told by the message id.
	EventID string
	// MessageID and ChatID are never empty.
	MessageID, ChatID string
	ChatType          ChatType
	// ThreadID is the topic that the message belongs to; RootID and ParentID are
	// what it replies to. The platform leaves each out where there is none.
	ThreadID, RootID, ParentID string
	// SenderOpenID may be empty where the sender is an app.
	SenderOpenID string
	// SenderType is "user" or "app".
	SenderType string
	// Created is when it was sent, by the platform's clock.
	Created transitions.Millis
	Kind    Kind
	// Type is the platform's message_type: text, post, image, file, ….
	Type string
	// Text is what it says, trimmed: mentions by name, the bot's own left out.
	// Empty for what is unsupported.
	Text     string
	Mentions []Mention
}

// Mention is one @ of a message.
type Mention struct {
	// Key stands for it in the content: @_user_1.
	Key    string
	OpenID string
	Name   string
}

// Mentioned reports whether the message mentions the holder of an open_id.
func (in Incoming) Mentioned(openID string) bool {
	for _, m := range in.Mentions {
		if openID != "" && m.OpenID == openID {
			return true
		}
	}
	return false
}
