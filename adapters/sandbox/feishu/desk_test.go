package feishu_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sched"
)

// start is the virtual present at which every test of the core begins.
var start = time.UnixMilli(1_700_000_000_000)

// desk is a platform under virtual time with one app (cli_a, whose bot is ou_bot_1),
// one person (ou_1) and their direct chat (oc_1).
type desk struct {
	*feishu.Platform
	t    *testing.T
	time *sched.Virtual
}

func newDesk(t *testing.T, o feishu.Options) *desk {
	t.Helper()
	v := sched.NewVirtual(start)
	d := &desk{Platform: feishu.New(v, o), t: t, time: v}
	d.AddApp(feishu.App{ID: "cli_a", Secret: "secret", Name: "Desk"})
	d.AddUser("A")
	d.AddP2P("cli_a", "ou_1")
	return d
}

// answer is the JSON of an answer, as far as the tests look at it.
type answer struct {
	Code  int    `json:"code"`
	Msg   string `json:"msg"`
	Token string `json:"tenant_access_token"`
	Bot   struct {
		OpenID string `json:"open_id"`
	} `json:"bot"`
	Expire int `json:"expire"`
	Data   struct {
		MessageID    string `json:"message_id"`
		ReactionID   string `json:"reaction_id"`
		URL          string
		ClientConfig map[string]int
		HasMore      bool             `json:"has_more"`
		PageToken    string           `json:"page_token"`
		Items        []map[string]any `json:"items"`
	} `json:"data"`
}

// handle sends a request and returns what became of it so far; ok is false if there
// was no reply yet.
func (d *desk) handle(req feishu.Request) (r feishu.Response, ok bool) {
	d.t.Helper()
	replies := 0
	d.Handle(req, func(got feishu.Response) { r, ok, replies = got, true, replies+1 })
	d.time.Settle()
	if replies > 1 {
		d.t.Fatalf("%s %s was replied to %d times", req.Method, req.Path, replies)
	}
	return r, ok
}

// call sends a request with the token and returns the JSON that answers it.
func (d *desk) call(token, method, target, body string) answer {
	d.t.Helper()
	r, ok := d.handle(request(token, method, target, body))
	if !ok || r.Closed {
		d.t.Fatalf("%s %s was not answered: %+v", method, target, r)
	}
	var a answer
	if err := json.Unmarshal(r.Body, &a); err != nil {
		d.t.Fatalf("%s %s: %v in %s", method, target, err, r.Body)
	}
	return a
}

func request(token, method, target, body string) feishu.Request {
	u, err := url.Parse(target)
	if err != nil {
		panic(err)
	}
	h := http.Header{}
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	return feishu.Request{Method: method, Path: u.Path, Query: u.Query(), Header: h, Body: []byte(body)}
}

const (
	tokenPath   = "/open-apis/auth/v3/tenant_access_token/internal"
	messagePath = "/open-apis/im/v1/messages"
)

func (d *desk) token() string {
	d.t.Helper()
	a := d.call("", "POST", tokenPath, `{"app_id":"cli_a","app_secret":"secret"}`)
	if a.Code != 0 || a.Token == "" {
		d.t.Fatalf("no token: %+v", a)
	}
	return a.Token
}

// send posts a text to the direct chat.
func (d *desk) send(token, text, uuid string) answer {
	d.t.Helper()
	return d.call(token, "POST", messagePath+"?receive_id_type=chat_id", draft("oc_1", text, uuid))
}

func draft(receiver, text, uuid string) string {
	return object(map[string]any{
		"receive_id": receiver, "msg_type": "text",
		"content": object(map[string]any{"text": text}), "uuid": uuid,
	})
}

func object(v map[string]any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// client is a connected client that remembers what it was given, and answers what it
// is told to.
type client struct {
	conn   *feishu.Conn
	got    []feishu.Delivery
	closed bool
}

func (d *desk) connect(appID string) *client {
	c := &client{}
	c.conn = d.Connect(appID, c)
	return c
}

func (c *client) Deliver(d feishu.Delivery) { c.got = append(c.got, d) }
func (c *client) Close()                    { c.closed = true }

func (c *client) ack(i, code int) { c.conn.Ack(feishu.Ack{Seq: c.got[i].Seq, Code: code}) }

func (c *client) events() []string {
	ids := []string{}
	for _, d := range c.got {
		ids = append(ids, d.EventID)
	}
	return ids
}

// texts are the texts that the direct chat shows.
func (d *desk) texts() []string {
	all := []string{}
	for _, m := range d.Messages("oc_1") {
		all = append(all, m.Text())
	}
	return all
}
