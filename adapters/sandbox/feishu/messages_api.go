package feishu

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// uuidWindow is how long a uuid lets only one message through.
const uuidWindow = time.Hour

// uuidLimit is the longest uuid, in characters.
const uuidLimit = 50

type sendKey struct{ appID, uuid string }

type sendRecord struct {
	message *message
	at      time.Time
}

// draft is the part of a request that becomes a message.
type draft struct {
	MsgType string `json:"msg_type"`
	Content string `json:"content"`
	UUID    string `json:"uuid"`
}

func (p *Platform) createMessage(c *call) Response {
	body, ok := decode[struct {
		ReceiveID string `json:"receive_id"`
		draft
	}](c.Body)
	if !ok {
		return p.badParameter("invalid request body")
	}
	target, refusal := p.receiver(c.app, c.Query.Get("receive_id_type"), body.ReceiveID)
	if refusal != nil {
		return *refusal
	}
	return p.post(c, target, nil, body.draft, false)
}

func (p *Platform) replyMessage(c *call) Response {
	body, ok := decode[struct {
		ReplyInThread bool `json:"reply_in_thread"`
		draft
	}](c.Body)
	if !ok {
		return p.badParameter("invalid request body")
	}
	parent, refusal := p.lookUp(c, codeWithdrawn)
	if refusal != nil {
		return *refusal
	}
	return p.post(c, p.chats[parent.ChatID], parent, body.draft, body.ReplyInThread)
}

// receiver finds the chat that a message is for. An open_id leads to the direct
// chat with that person, which is opened if need be.
func (p *Platform) receiver(a *app, kind, id string) (*chat, *Response) {
	var r Response
	switch kind {
	case "chat_id":
		if c := p.chats[id]; c != nil {
			return c, nil
		}
		r = p.badParameter("invalid receive_id")
	case "open_id":
		if _, ok := p.users[id]; ok {
			return p.p2p(a, id), nil
		}
		r = p.badParameter("invalid receive_id")
	default:
		r = p.badParameter("invalid receive_id_type")
	}
	return nil, &r
}

// post puts a message of an app into a chat, once for each uuid in its window.
func (p *Platform) post(req *call, c *chat, parent *message, d draft, inThread bool) Response {
	a := req.app
	if !slices.Contains(c.apps, a) {
		return p.refuse(http.StatusBadRequest, codeBotOutside, "")
	}
	if refusal := p.checkDraft(d, len(req.Body)); refusal != nil {
		return *refusal
	}
	key := sendKey{a.ID, d.UUID}
	if before, ok := p.sent[key]; ok && p.sched.Now().Sub(before.at) < uuidWindow {
		return p.ok(item(before.message))
	}
	m := &message{Message: Message{
		Sender:  Sender{ID: a.ID, Kind: "app_id", Type: "app"},
		Type:    d.MsgType,
		Content: d.Content,
		UUID:    d.UUID,
	}}
	p.add(c, m, parent, inThread)
	if d.UUID != "" {
		p.sent[key] = sendRecord{m, m.Created}
	}
	return p.ok(item(m))
}

// requestLimits are the longest requests, in bytes, for the types that have a limit:
// the whole body, in which what the content escapes is escaped once more.
var requestLimits = map[string]int{"text": 150 << 10, "post": 30 << 10, "interactive": 30 << 10}

// messageTypes are the types that an app may send.
var messageTypes = []string{"text", "post", "image", "file", "audio", "media", "sticker", "interactive", "share_chat", "share_user"}

func (p *Platform) checkDraft(d draft, size int) *Response {
	refuse := func(r Response) *Response { return &r }
	if !slices.Contains(messageTypes, d.MsgType) {
		return refuse(p.badParameter("invalid msg_type"))
	}
	if utf8.RuneCountInString(d.UUID) > uuidLimit {
		return refuse(p.badParameter("uuid is too long"))
	}
	if limit, ok := requestLimits[d.MsgType]; ok && size > limit {
		return refuse(p.refuse(http.StatusBadRequest, codeTooLong, ""))
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(d.Content), &fields) != nil || len(fields) == 0 {
		return refuse(p.badParameter("content is not a string in json format"))
	}
	if d.MsgType == "text" {
		var text string
		if json.Unmarshal(fields["text"], &text) != nil || strings.TrimSpace(text) == "" {
			return refuse(p.badParameter("text content is empty"))
		}
	}
	return nil
}

func (p *Platform) getMessage(c *call) Response {
	m, refusal := p.lookUp(c, codeDeleted)
	if refusal != nil {
		return *refusal
	}
	return p.ok(itemList{Items: []messageItem{item(m)}})
}

func (p *Platform) recallMessage(c *call) Response {
	m, refusal := p.lookUp(c, codeDeleted)
	if refusal != nil {
		return *refusal
	}
	if m.Sender.ID != c.app.ID {
		return p.refuse(http.StatusBadRequest, codeNotYours, "")
	}
	m.Recalled = true
	p.changed()
	return p.ok(struct{}{})
}

// lookUp finds the message in the path, in a chat that the app is in; recalled is
// the code for one that was recalled.
func (p *Platform) lookUp(c *call, recalled int) (*message, *Response) {
	var r Response
	m := p.messages[c.params["message_id"]]
	switch {
	case m == nil:
		r = p.badParameter("invalid message_id")
	case !slices.Contains(p.chats[m.ChatID].apps, c.app):
		r = p.refuse(http.StatusBadRequest, codeBotOutside, "")
	case m.Recalled:
		r = p.refuse(http.StatusBadRequest, recalled, "")
	default:
		return m, nil
	}
	return nil, &r
}

// The JSON of messages in answers.
type (
	messageItem struct {
		MessageID  string        `json:"message_id"`
		RootID     string        `json:"root_id,omitempty"`
		ParentID   string        `json:"parent_id,omitempty"`
		ThreadID   string        `json:"thread_id,omitempty"`
		MsgType    string        `json:"msg_type"`
		CreateTime string        `json:"create_time"`
		UpdateTime string        `json:"update_time"`
		Deleted    bool          `json:"deleted"`
		Updated    bool          `json:"updated"`
		ChatID     string        `json:"chat_id"`
		Sender     Sender        `json:"sender"`
		Body       messageBody   `json:"body"`
		Mentions   []mentionItem `json:"mentions,omitempty"`
	}
	messageBody struct {
		Content string `json:"content"`
	}
	mentionItem struct {
		Key    string `json:"key"`
		ID     string `json:"id"`
		IDType string `json:"id_type"`
		Name   string `json:"name"`
	}
	itemList struct {
		HasMore   bool          `json:"has_more"`
		PageToken string        `json:"page_token,omitempty"`
		Items     []messageItem `json:"items"`
	}
)

func item(m *message) messageItem {
	created := millis(m.Created)
	it := messageItem{
		MessageID: m.ID, RootID: m.RootID, ParentID: m.ParentID, ThreadID: m.ThreadID,
		MsgType: m.Type, CreateTime: created, UpdateTime: created,
		Deleted: m.Recalled, ChatID: m.ChatID, Sender: m.Sender,
		Body: messageBody{Content: m.Content},
	}
	if m.Recalled {
		it.Body.Content = "This message was recalled"
	}
	for _, at := range m.Mentions {
		it.Mentions = append(it.Mentions, mentionItem{Key: at.Key, ID: at.OpenID, IDType: "open_id", Name: at.Name})
	}
	return it
}
