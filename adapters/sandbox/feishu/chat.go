package feishu

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ChatType is the kind of a chat, as events carry it.
type ChatType string

const (
	// P2P is the direct chat of one person and one bot.
	P2P ChatType = "p2p"
	// Group is an ordinary group.
	Group ChatType = "group"
	// TopicGroup is a group in which every message opens a topic.
	TopicGroup ChatType = "topic_group"
)

// Sender is who wrote a message.
type Sender struct {
	ID   string `json:"id"`          // open_id of a person, app_id of an app
	Kind string `json:"id_type"`     // open_id or app_id
	Type string `json:"sender_type"` // user or app
}

// Mention is one @ in a message; the text holds its key.
type Mention struct {
	Key    string // @_user_1, …
	OpenID string
	Name   string
	Bot    bool
}

// Reaction is an emoji that somebody put on a message.
type Reaction struct {
	ID    string
	Emoji string // emoji_type, e.g. OnIt
	By    Sender
	Time  time.Time
}

// Message is a message of a chat.
type Message struct {
	ID, ChatID string
	Sender     Sender
	// ParentID is the message that this one replies to, RootID the first of that
	// line of replies; both empty when it replies to none. In a topic both are the
	// topic's first message.
	ParentID, RootID string
	// ThreadID is the topic (omt_1, …), empty outside of topics.
	ThreadID string
	Type     string // msg_type: text, post, interactive, …
	Content  string // JSON, its shape depends on the type
	Mentions []Mention
	Created  time.Time
	// UUID is the idempotency key of the request that created it, if it had one.
	UUID      string
	Recalled  bool
	Reactions []Reaction
}

// Text is the text of a text message, with mention keys as they stand; empty for
// other types.
func (m Message) Text() string {
	var content struct {
		Text string `json:"text"`
	}
	if m.Type != "text" || json.Unmarshal([]byte(m.Content), &content) != nil {
		return ""
	}
	return content.Text
}

type message struct {
	Message
	topic string // id of the topic's first message
}

// snapshot is a copy that later reactions and mentions do not change.
func (m *message) snapshot() Message {
	c := m.Message
	c.Mentions = slices.Clone(m.Mentions)
	c.Reactions = slices.Clone(m.Reactions)
	return c
}

type chat struct {
	id       string
	kind     ChatType
	apps     []*app
	users    []string
	messages []*message
}

// AddP2P returns the direct chat of a person and an app's bot (oc_1, …); there is
// one of each pair.
func (p *Platform) AddP2P(appID, user string) (chatID string) {
	a := p.mustApp(appID)
	p.mustUser(user)
	return p.p2p(a, user).id
}

func (p *Platform) p2p(a *app, user string) *chat {
	for n := 1; n <= p.serial["oc"]; n++ {
		c := p.chats["oc_"+strconv.Itoa(n)]
		if c.kind == P2P && slices.Contains(c.apps, a) && slices.Contains(c.users, user) {
			return c
		}
	}
	return p.addChat(P2P, []*app{a}, []string{user})
}

// AddGroup opens a group (or a topic group) of bots and people and returns its id.
func (p *Platform) AddGroup(kind ChatType, appIDs []string, users ...string) (chatID string) {
	if kind != Group && kind != TopicGroup {
		panic(fmt.Sprintf("feishu: a chat of kind %q is no group", kind))
	}
	var apps []*app
	for _, id := range appIDs {
		apps = append(apps, p.mustApp(id))
	}
	for _, u := range users {
		p.mustUser(u)
	}
	return p.addChat(kind, apps, slices.Clone(users)).id
}

func (p *Platform) addChat(kind ChatType, apps []*app, users []string) *chat {
	c := &chat{id: p.id("oc"), kind: kind, apps: apps, users: users}
	p.chats[c.id] = c
	p.changed()
	return c
}

// RemoveBot takes an app's bot out of a chat: it gets no more events of it and may
// not write to it.
func (p *Platform) RemoveBot(chatID, appID string) {
	c, a := p.mustChat(chatID), p.mustApp(appID)
	c.apps = slices.DeleteFunc(slices.Clone(c.apps), func(other *app) bool { return other == a })
}

// SayOpts is what a person's message is besides a plain text.
type SayOpts struct {
	// ParentID makes it a reply; InThread makes that reply open a topic.
	ParentID string
	InThread bool
	// Type and Content make it something else than a text; Content is JSON.
	Type, Content string
	// Mentions are open_ids, of people or bots. Nil means, in a group, the chat's
	// first bot; empty means nobody. The text gets their keys in front, unless it
	// holds @_user_1 already.
	Mentions []string
}

// Say lets a person write a text. In a group it mentions the chat's bot.
func (p *Platform) Say(chatID, user, text string) (messageID string) {
	return p.SayWith(chatID, user, text, SayOpts{})
}

// SayWith lets a person write, and sends im.message.receive_v1 to the apps that
// the message is for.
func (p *Platform) SayWith(chatID, user, text string, o SayOpts) (messageID string) {
	c := p.mustChat(chatID)
	p.mustUser(user)
	if !slices.Contains(c.users, user) {
		panic(fmt.Sprintf("feishu: %s is not in chat %s", user, chatID))
	}
	m := &message{Message: Message{
		Sender:   Sender{ID: user, Kind: "open_id", Type: "user"},
		Type:     o.Type,
		Content:  o.Content,
		Mentions: p.mentions(c, o.Mentions),
	}}
	if m.Type == "" {
		m.Type = "text"
	}
	if m.Content == "" {
		m.Content = string(encode(map[string]string{"text": addressed(text, m.Mentions)}))
	}
	var parent *message
	if o.ParentID != "" {
		if parent = p.messages[o.ParentID]; parent == nil {
			panic(fmt.Sprintf("feishu: no message %q to reply to", o.ParentID))
		}
	}
	p.add(c, m, parent, o.InThread)
	for _, a := range c.apps {
		if c.kind == P2P || a.AllGroupMessages || m.mentionsBot(a) {
			p.emitMessage(a, c, m)
		}
	}
	return m.ID
}

// add gives a message its id, time and place in the chat.
func (p *Platform) add(c *chat, m *message, parent *message, inThread bool) {
	m.ID, m.ChatID, m.Created = p.id("om"), c.id, p.sched.Now()
	switch {
	case parent == nil && c.kind == TopicGroup:
		m.ThreadID, m.topic = p.id("omt"), m.ID
	case parent == nil:
	case parent.ThreadID != "":
		m.ThreadID, m.topic = parent.ThreadID, parent.topic
	case inThread:
		parent.ThreadID, parent.topic = p.id("omt"), parent.ID
		m.ThreadID, m.topic = parent.ThreadID, parent.ID
	default:
		m.ParentID, m.RootID = parent.ID, parent.RootID
		if m.RootID == "" {
			m.RootID = parent.ID
		}
	}
	if m.topic != "" && m.topic != m.ID {
		m.ParentID, m.RootID = m.topic, m.topic
	}
	c.messages = append(c.messages, m)
	p.messages[m.ID] = m
	p.changed()
}

// Messages returns what the chat shows, oldest first: all that was not recalled.
func (p *Platform) Messages(chatID string) []Message {
	var shown []Message
	for _, m := range p.mustChat(chatID).messages {
		if !m.Recalled {
			shown = append(shown, m.snapshot())
		}
	}
	return shown
}

func (p *Platform) mentions(c *chat, openIDs []string) []Mention {
	if openIDs == nil && c.kind != P2P && len(c.apps) > 0 {
		openIDs = []string{c.apps[0].bot}
	}
	var all []Mention
	for i, id := range openIDs {
		m := Mention{Key: "@_user_" + strconv.Itoa(i+1), OpenID: id}
		if a := p.botApp(id); a != nil {
			m.Name, m.Bot = a.Name, true
		} else {
			m.Name = p.mustUser(id)
		}
		all = append(all, m)
	}
	return all
}

// addressed puts the keys of the mentions in front of a text that lacks them.
func addressed(text string, mentions []Mention) string {
	if len(mentions) == 0 || strings.Contains(text, mentions[0].Key) {
		return text
	}
	var b strings.Builder
	for _, m := range mentions {
		b.WriteString(m.Key)
		b.WriteByte(' ')
	}
	return b.String() + text
}

func (m *message) mentionsBot(a *app) bool {
	return slices.ContainsFunc(m.Mentions, func(at Mention) bool { return at.OpenID == a.bot })
}

func (p *Platform) botApp(openID string) *app {
	for _, a := range p.appOrder {
		if a.bot == openID {
			return a
		}
	}
	return nil
}

func (p *Platform) mustChat(id string) *chat {
	c := p.chats[id]
	if c == nil {
		panic(fmt.Sprintf("feishu: no chat %q", id))
	}
	return c
}

func (p *Platform) mustUser(openID string) (name string) {
	name, ok := p.users[openID]
	if !ok {
		panic(fmt.Sprintf("feishu: no user %q", openID))
	}
	return name
}
