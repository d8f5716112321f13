package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"deskbridge/adapters/feishu"
	platform "deskbridge/adapters/sandbox/feishu"
	"deskbridge/transitions"
)

// simAPI calls the platform's core without HTTP. It stands where the SDK stands
// in a running bridge, and writes the same requests.
type simAPI struct {
	life      *life
	platform  *platform.Platform
	app, pass string
	token     string
}

var errSimLost = errors.New("matrix: the connection was closed without an answer")

// Do implements [feishu.API].
func (a *simAPI) Do(req feishu.Request, done func(feishu.Response)) {
	if a.token == "" {
		a.fetchToken(func() { a.Do(req, done) }, done)
		return
	}
	method, path, query, body := encode(req)
	a.handle(method, path, query, body, func(r platform.Response) {
		resp := a.decode(r)
		if feishu.Classify(req, resp) == feishu.Token {
			a.token = ""
		}
		done(resp)
	})
}

func (a *simAPI) fetchToken(then func(), failed func(feishu.Response)) {
	body := map[string]any{"app_id": a.app, "app_secret": a.pass}
	a.handle(http.MethodPost, "/open-apis/auth/v3/tenant_access_token/internal", nil, body, func(r platform.Response) {
		var answer struct {
			Token string `json:"tenant_access_token"`
		}
		if err := json.Unmarshal(r.Body, &answer); err != nil || answer.Token == "" {
			failed(a.decode(r))
			return
		}
		a.token = answer.Token
		then()
	})
}

func (a *simAPI) handle(method, path string, query url.Values, body any, reply func(platform.Response)) {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // a request of ours is always JSON
	}
	header := http.Header{}
	if a.token != "" {
		header.Set("Authorization", "Bearer "+a.token)
	}
	a.life.Post(func() {
		a.platform.Handle(platform.Request{Method: method, Path: path, Query: query, Header: header, Body: raw},
			func(r platform.Response) { a.life.Post(func() { reply(r) }) })
	})
}

// encode writes a request as the SDK does.
func encode(req feishu.Request) (method, path string, query url.Values, body any) {
	const messages = "/open-apis/im/v1/messages"
	switch r := req.(type) {
	case feishu.Reply:
		return http.MethodPost, messages + "/" + r.MessageID + "/reply", nil, map[string]any{
			"content": r.Content, "msg_type": r.MsgType, "reply_in_thread": r.InThread, "uuid": r.UUID,
		}
	case feishu.React:
		return http.MethodPost, messages + "/" + r.MessageID + "/reactions", nil, map[string]any{
			"reaction_type": map[string]string{"emoji_type": r.Emoji},
		}
	case feishu.BotInfo:
		return http.MethodGet, "/open-apis/bot/v3/info", nil, nil
	case feishu.GetMessage:
		return http.MethodGet, messages + "/" + r.MessageID, nil, nil
	case feishu.ListMessages:
		query := url.Values{"sort_type": {"ByCreateTimeDesc"}, "page_size": {"50"}}
		if r.ThreadID != "" {
			query.Set("container_id_type", "thread")
			query.Set("container_id", r.ThreadID)
		} else {
			query.Set("container_id_type", "chat")
			query.Set("container_id", r.ChatID)
			query.Set("start_time", strconv.FormatInt(r.From.Unix(), 10))
			query.Set("end_time", strconv.FormatInt(r.To.Unix(), 10))
		}
		if r.PageToken != "" {
			query.Set("page_token", r.PageToken)
		}
		return http.MethodGet, messages, query, nil
	}
	panic("matrix: the simulation cannot send " + req.Op())
}

// decode reads an answer as the SDK does.
func (a *simAPI) decode(r platform.Response) feishu.Response {
	if r.Closed {
		return feishu.Response{Sent: true, Err: errSimLost}
	}
	var answer struct {
		Code int
		Msg  string
		Data struct {
			MessageID  string `json:"message_id"`
			ReactionID string `json:"reaction_id"`
			HasMore    bool   `json:"has_more"`
			PageToken  string `json:"page_token"`
			Items      []simItem
		}
		Bot struct {
			OpenID  string `json:"open_id"`
			AppName string `json:"app_name"`
		}
	}
	if err := json.Unmarshal(r.Body, &answer); err != nil {
		return feishu.Response{Sent: true, HTTPStatus: r.Status, Err: fmt.Errorf("matrix: no JSON: %w", err)}
	}
	resp := feishu.Response{
		Code: answer.Code, Msg: answer.Msg, HTTPStatus: r.Status,
		MessageID: answer.Data.MessageID, ReactionID: answer.Data.ReactionID,
		Bot:     feishu.Bot{OpenID: answer.Bot.OpenID, Name: answer.Bot.AppName},
		HasMore: answer.Data.HasMore, PageToken: answer.Data.PageToken,
	}
	for _, m := range answer.Data.Items {
		l := feishu.Listed{
			MessageID: m.MessageID, ChatID: m.ChatID, ThreadID: m.ThreadID, RootID: m.RootID, ParentID: m.ParentID,
			MsgType: m.MsgType, Created: m.Created, Own: m.Sender.ID == a.app, Recalled: m.Deleted,
		}
		if !l.Recalled {
			l.Content = m.Body.Content
		}
		resp.Messages = append(resp.Messages, l)
	}
	return resp
}

// simItem is a message in an answer.
type simItem struct {
	MessageID string             `json:"message_id"`
	ChatID    string             `json:"chat_id"`
	ThreadID  string             `json:"thread_id"`
	RootID    string             `json:"root_id"`
	ParentID  string             `json:"parent_id"`
	MsgType   string             `json:"msg_type"`
	Created   transitions.Millis `json:"create_time,string"`
	Deleted   bool
	Sender    struct{ ID string }
	Body      struct{ Content string }
}

// simSink hands the platform's events to the bridge and acknowledges those that
// it has committed.
type simSink struct {
	world *World
	life  *life
	conn  *platform.Conn
}

// Deliver implements [platform.Sink].
func (s *simSink) Deliver(d platform.Delivery) {
	s.life.Post(func() {
		s.world.bridge.Receive(feishu.Event{Type: d.Type, Body: d.Body}, func(err error) {
			code := http.StatusOK
			if err != nil {
				code = http.StatusInternalServerError
			}
			s.life.Post(func() { s.conn.Ack(platform.Ack{Seq: d.Seq, Code: code}) })
		})
	})
}

// Close implements [platform.Sink].
func (s *simSink) Close() {}
