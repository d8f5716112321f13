package feishu

import "slices"

// GroupMode says which messages of a group the bridge takes.
type GroupMode string

// The group modes.
const (
	// MentionOnly takes the messages that mention the bot.
	MentionOnly GroupMode = "mention"
	// AllMessages takes every message that the platform delivers.
	AllMessages GroupMode = "all"
)

// Access says whose messages the bridge takes. The lists hold open_ids and chat
// ids; empty lists admit nobody.
type Access struct {
	AllowUsers []string
	Admins     []string
	AllowChats []string
	GroupMode  GroupMode
}

// Reason is why a message makes no fact.
type Reason string

// The reasons.
const (
	// FromApp: an app wrote it, perhaps our own.
	FromApp Reason = "from_app"
	// NotMentioned: it stands in a group and does not mention the bot.
	NotMentioned Reason = "not_mentioned"
	// BotUnknown: it stands in a group, and whether it mentions the bot cannot be
	// told yet.
	BotUnknown Reason = "bot_unknown"
	// NotAllowed: neither its sender nor its chat is in a list.
	NotAllowed Reason = "not_allowed"
	// NoText: it holds no text that the bridge could hand on.
	NoText Reason = "no_text"
	// UnsupportedType: it is of a type that the bridge does not read.
	UnsupportedType Reason = "unsupported_type"
	// Malformed: the event is not what its type promises.
	Malformed Reason = "malformed"
)

// Reasons returns all reasons.
func Reasons() []Reason {
	return []Reason{FromApp, NotMentioned, BotUnknown, NotAllowed, NoText, UnsupportedType, Malformed}
}

// Admit reports whether a message is for the bridge and from somebody it listens
// to; the reason says why not. self is the bot's open_id, empty while unknown.
func (a Access) Admit(in Incoming, self string) (ok bool, why Reason) {
	switch {
	case in.SenderType != "user" || in.SenderOpenID == self && self != "":
		return false, FromApp
	case in.ChatType != P2P && a.GroupMode != AllMessages && self == "":
		return false, BotUnknown
	case in.ChatType != P2P && a.GroupMode != AllMessages && !in.Mentioned(self):
		return false, NotMentioned
	case !a.allowed(in):
		return false, NotAllowed
	}
	return true, ""
}

// entitled reports whether the sender may decide whoever wrote to a turn: an admin,
// or the owner of a direct chat.
func (a Access) entitled(in Incoming) bool {
	return in.ChatType == P2P || slices.Contains(a.Admins, in.SenderOpenID)
}

// allowed never holds for a missing id, whatever the lists contain.
func (a Access) allowed(in Incoming) bool {
	if in.SenderOpenID == "" {
		return false
	}
	return slices.Contains(a.AllowUsers, in.SenderOpenID) ||
		slices.Contains(a.Admins, in.SenderOpenID) ||
		slices.Contains(a.AllowChats, in.ChatID)
}
