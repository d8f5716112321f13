package feishu

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

type token struct {
	app     *app
	value   string
	expires time.Time
	revoked bool
}

// reissueBelow is the remaining life below which the platform gives a new token
// instead of the one it gave before.
const reissueBelow = 30 * time.Minute

// RevokeTokens makes the app's tokens so far invalid: requests that use them are
// refused with 99991663, until a new one was fetched.
func (p *Platform) RevokeTokens(appID string) {
	a := p.mustApp(appID)
	for _, t := range a.tokens {
		t.revoked = true
	}
}

// authorize finds the app behind a Bearer token.
func (p *Platform) authorize(h http.Header) (*app, *Response) {
	value, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	if !ok || value == "" {
		r := p.refuse(http.StatusBadRequest, codeTokenMissing, "")
		return nil, &r
	}
	t := p.tokens[value]
	if t == nil || t.revoked || !p.sched.Now().Before(t.expires) {
		r := p.refuse(http.StatusBadRequest, codeTokenInvalid, "")
		return nil, &r
	}
	return t.app, nil
}

// credentials finds the app of an id and a secret.
func (p *Platform) credentials(id, secret string) (*app, *Response) {
	a := p.apps[id]
	if a == nil {
		r := p.refuse(http.StatusOK, codeAppID, "")
		return nil, &r
	}
	if a.Secret != secret {
		r := p.refuse(http.StatusOK, codeAppSecret, "")
		return nil, &r
	}
	return a, nil
}

func (p *Platform) issueToken(c *call) Response {
	body, ok := decode[struct {
		AppID     string `json:"app_id"`
		AppSecret string `json:"app_secret"`
	}](c.Body)
	if !ok {
		return p.refuse(http.StatusOK, codeAppID, "")
	}
	a, refusal := p.credentials(body.AppID, body.AppSecret)
	if refusal != nil {
		return *refusal
	}
	now := p.sched.Now()
	t := p.currentToken(a, now)
	return p.json(http.StatusOK, 0, struct {
		Code   int    `json:"code"`
		Msg    string `json:"msg"`
		Token  string `json:"tenant_access_token"`
		Expire int64  `json:"expire"` // seconds
	}{Msg: "ok", Token: t.value, Expire: int64(t.expires.Sub(now) / time.Second)}, p.id("log"))
}

func (p *Platform) currentToken(a *app, now time.Time) *token {
	if n := len(a.tokens); n > 0 {
		if t := a.tokens[n-1]; !t.revoked && t.expires.Sub(now) > reissueBelow {
			return t
		}
	}
	t := &token{app: a, value: p.id("t"), expires: now.Add(p.opts.TokenTTL)}
	a.tokens = append(a.tokens, t)
	p.tokens[t.value] = t
	return t
}

// connectPath is where a long connection is opened.
const connectPath = "/ws"

// connectionLimit is how many clients an app may have.
const connectionLimit = 50

// endpoint hands out the address of the long connection, with a ticket for it.
func (p *Platform) endpoint(c *call) Response {
	body, ok := decode[struct{ AppID, AppSecret string }](c.Body)
	if !ok {
		return p.refuse(http.StatusOK, codeAppID, "")
	}
	a, refusal := p.credentials(body.AppID, body.AppSecret)
	if refusal != nil {
		return *refusal
	}
	if len(a.conns) >= connectionLimit {
		return p.refuse(http.StatusOK, codeConnectionLimit, "")
	}
	ticket := p.id("ticket")
	p.tickets[ticket] = a
	query := url.Values{
		"device_id":  {p.id("device")},
		"service_id": {"1"},
		"access_key": {a.ID},
		"ticket":     {ticket},
	}
	return p.ok(struct {
		URL          string
		ClientConfig ClientConfig
	}{p.opts.ConnectURL + "?" + query.Encode(), p.opts.ClientConfig})
}

// handshake decides on the upgrade of a long connection: status 101, or a refusal
// with the headers that the SDK reads.
func (p *Platform) handshake(c *call) Response {
	if p.tickets[c.Query.Get("ticket")] == nil {
		r := p.refuseMsg(http.StatusForbidden, http.StatusForbidden, "unknown ticket")
		r.Header.Set("Handshake-Status", "514")
		r.Header.Set("Handshake-Msg", "unknown ticket")
		return r
	}
	return Response{Status: http.StatusSwitchingProtocols}
}

// redeem connects the client that holds a ticket; a ticket serves once. It returns
// nil for a ticket that was never given out or is used up.
func (p *Platform) redeem(ticket string, sink Sink) *Conn {
	a := p.tickets[ticket]
	if a == nil {
		return nil
	}
	delete(p.tickets, ticket)
	return p.Connect(a.ID, sink)
}

func (p *Platform) botInfo(c *call) Response {
	type bot struct {
		ActivateStatus int      `json:"activate_status"` // 2: in use
		AppName        string   `json:"app_name"`
		AvatarURL      string   `json:"avatar_url"`
		IPWhiteList    []string `json:"ip_white_list"`
		OpenID         string   `json:"open_id"`
	}
	return p.json(http.StatusOK, 0, struct {
		Code int    `json:"code"`
		Msg  string `json:"msg"`
		Bot  bot    `json:"bot"`
	}{Msg: "ok", Bot: bot{ActivateStatus: 2, AppName: c.app.Name, IPWhiteList: []string{}, OpenID: c.app.bot}}, p.id("log"))
}
