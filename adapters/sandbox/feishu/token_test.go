package feishu_test

import (
	"encoding/json"
	"net/url"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"

	"github.com/google/go-cmp/cmp"
)

func TestCredentialsAreChecked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		code int
	}{
		"token: unknown app":     {`{"app_id":"cli_x","app_secret":"secret"}`, 10003},
		"token: wrong secret":    {`{"app_id":"cli_a","app_secret":"guess"}`, 10014},
		"token: no JSON":         {`app_id=cli_a`, 10003},
		"endpoint: unknown app":  {`{"AppID":"cli_x","AppSecret":"secret"}`, 10003},
		"endpoint: wrong secret": {`{"AppID":"cli_a","AppSecret":"guess"}`, 10014},
		"endpoint: no JSON":      {``, 10003},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{})
			path := tokenPath
			if name[0] == 'e' {
				path = "/callback/ws/endpoint"
			}
			r, ok := d.handle(request("", "POST", path, test.body))
			var got answer
			if err := json.Unmarshal(r.Body, &got); err != nil || !ok {
				t.Fatalf("answered %v: %v", ok, err)
			}
			if r.Status != 200 || got.Code != test.code || got.Token != "" || got.Data.URL != "" {
				t.Errorf("status %d, %s", r.Status, r.Body)
			}
		})
	}
}

func TestRequestsNeedAValidToken(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{TokenTTL: time.Hour})
	first := d.token()
	info := func(token string) int { return d.call(token, "GET", "/open-apis/bot/v3/info", "").Code }
	if got := d.call(first, "GET", "/open-apis/bot/v3/info", "").Bot.OpenID; got != "ou_bot_1" {
		t.Errorf("bot %q", got)
	}
	if got := []int{info(""), info("t_99")}; !cmp.Equal(got, []int{99991661, 99991663}) {
		t.Errorf("without a token and with an unknown one: %v", got)
	}
	d.time.Advance(29 * time.Minute)
	if d.token() != first {
		t.Error("another token while more than 30 minutes remain")
	}
	d.time.Advance(time.Minute)
	second := d.token()
	if second == first {
		t.Error("the same token while 30 minutes remain")
	}
	if info(first) != 0 || info(second) != 0 {
		t.Error("a token that has not expired is refused")
	}
	d.time.Advance(30 * time.Minute)
	if info(first) != 99991663 || info(second) != 0 {
		t.Error("the first token should have expired, the second not")
	}
	d.RevokeTokens("cli_a")
	if info(second) != 99991663 {
		t.Error("a revoked token is accepted")
	}
	if info(d.token()) != 0 {
		t.Error("a token fetched after the revocation is refused")
	}
}

func TestTokenTellsItsRemainingLife(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	body := `{"app_id":"cli_a","app_secret":"secret"}`
	first := d.call("", "POST", tokenPath, body).Expire
	d.time.Advance(time.Hour)
	second := d.call("", "POST", tokenPath, body).Expire
	if first != 7200 || second != 3600 {
		t.Errorf("expire %d, then %d", first, second)
	}
}

func TestEndpointGivesATicketAndTheWholeConfiguration(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{ConnectURL: "ws://127.0.0.1:1/ws"})
	got := d.call("", "POST", "/callback/ws/endpoint", `{"AppID":"cli_a","AppSecret":"secret","ClientAssertion":""}`)
	want := map[string]int{"ReconnectCount": -1, "ReconnectInterval": 1, "ReconnectNonce": 0, "PingInterval": 30}
	if diff := cmp.Diff(want, got.Data.ClientConfig); diff != "" {
		t.Error(diff)
	}
	u, err := url.Parse(got.Data.URL)
	if err != nil {
		t.Fatal(err)
	}
	if u.Scheme != "ws" || u.Host != "127.0.0.1:1" || u.Path != "/ws" || u.Query().Get("service_id") != "1" ||
		u.Query().Get("device_id") == "" || u.Query().Get("ticket") == "" {
		t.Errorf("URL %s", got.Data.URL)
	}
	if r, _ := d.handle(request("", "GET", u.RequestURI(), "")); r.Status != 101 {
		t.Errorf("the ticket gives %d %s", r.Status, r.Body)
	}
	if r, _ := d.handle(request("", "GET", "/ws?ticket=ticket_9", "")); r.Status != 403 || r.Header.Get("Handshake-Status") != "514" {
		t.Errorf("an unknown ticket gives %d %v", r.Status, r.Header)
	}
}

func TestAnAppHasAtMost50Clients(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	for range 50 {
		d.connect("cli_a")
	}
	got := d.call("", "POST", "/callback/ws/endpoint", `{"AppID":"cli_a","AppSecret":"secret"}`)
	if got.Code != 1000040350 {
		t.Errorf("code %d", got.Code)
	}
}
