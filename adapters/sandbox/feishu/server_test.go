package feishu_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"
)

// served is a running server with one app (cli_a), one person (ou_1), their chat
// (oc_1), shown by the chat page, and an HTTP client of its own.
type served struct {
	*feishu.Server
	t      *testing.T
	ctx    context.Context
	client *http.Client
}

func serve(t *testing.T) *served {
	t.Helper()
	srv, err := feishu.Start(feishu.ServerOptions{Setup: func(p *feishu.Platform) feishu.Page {
		p.AddApp(feishu.App{ID: "cli_a", Secret: "secret", Name: "Desk"})
		user := p.AddUser("A")
		return feishu.Page{ChatID: p.AddP2P("cli_a", user), UserID: user}
	}})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(func() {
		cancel()
		transport.CloseIdleConnections()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return &served{Server: srv, t: t, ctx: ctx, client: &http.Client{Transport: transport}}
}

func (s *served) do(f func(*feishu.Platform)) {
	s.t.Helper()
	if err := s.Do(f); err != nil {
		s.t.Fatal(err)
	}
}

func (s *served) request(ctx context.Context, method, path, body string, header http.Header) (*http.Response, string, error) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if header != nil {
		req.Header = header
		req.Host = header.Get("Host")
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, string(b), err
}

func TestServerCarriesRequestsAndAnswers(t *testing.T) {
	t.Parallel()
	s := serve(t)
	resp, body, err := s.request(s.ctx, "POST", tokenPath, `{"app_id":"cli_a","app_secret":"secret"}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 || resp.Header.Get("X-Tt-Logid") == "" || resp.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	if want := `{"code":0,"msg":"ok","tenant_access_token":"t_1","expire":7200}`; body != want {
		t.Errorf("body %s", body)
	}
	header := http.Header{"Authorization": {"Bearer t_1"}}
	_, body, err = s.request(s.ctx, "POST", messagePath+"?receive_id_type=chat_id", draft("oc_1", "hi", ""), header)
	if err != nil || !strings.Contains(body, `"message_id":"om_1"`) {
		t.Errorf("%v %s", err, body)
	}
	m, err := s.WaitMessage(s.ctx, "oc_1", func(m feishu.Message) bool { return m.Text() == "hi" })
	if err != nil || m.ID != "om_1" {
		t.Errorf("%v %+v", err, m)
	}
}

func TestServerClosesTheConnectionOfALostAnswer(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.do(func(p *feishu.Platform) { p.Inject(feishu.Fault{Kind: feishu.LostBefore}) })
	if _, body, err := s.request(s.ctx, "POST", tokenPath, "{}", nil); err == nil {
		t.Errorf("answered %s", body)
	}
}

func TestServerLetsAHangingCallerGo(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.do(func(p *feishu.Platform) { p.Inject(feishu.Fault{Kind: feishu.Hang}) })
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	go func() {
		defer cancel()
		err := s.Wait(s.ctx, func(p *feishu.Platform) bool { return len(p.Calls()) == 1 })
		if err != nil {
			t.Error(err)
		}
	}()
	_, body, err := s.request(ctx, "POST", tokenPath, "{}", nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v %s", err, body)
	}
}

func TestCloseEndsHangingRequestsAndWaits(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.do(func(p *feishu.Platform) { p.Inject(feishu.Fault{Kind: feishu.Hang}) })
	ended := make(chan error, 2)
	go func() {
		_, _, err := s.request(s.ctx, "POST", tokenPath, "{}", nil)
		ended <- err
	}()
	if err := s.Wait(s.ctx, func(p *feishu.Platform) bool { return len(p.Calls()) == 1 }); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := s.WaitMessage(s.ctx, "oc_1", func(feishu.Message) bool { return false })
		ended <- err
	}()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-ended; err == nil {
			t.Error("no error after Close")
		}
	}
	if err := s.Do(func(*feishu.Platform) {}); !errors.Is(err, feishu.ErrClosed) {
		t.Errorf("Do after Close: %v", err)
	}
	if err := s.Wait(s.ctx, func(*feishu.Platform) bool { return false }); !errors.Is(err, feishu.ErrClosed) {
		t.Errorf("Wait after Close: %v", err)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := serve(t)
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	if err := s.Wait(ctx, func(*feishu.Platform) bool { return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestOverlongBodyIsRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	resp, _, err := s.request(s.ctx, "POST", tokenPath, string(bytes.Repeat([]byte{' '}, 5<<20)), nil)
	if err == nil && resp.StatusCode != http.StatusBadRequest { // the server may hang up before all was sent
		t.Errorf("%d", resp.StatusCode)
	}
	s.do(func(p *feishu.Platform) {
		if got := p.Calls(); len(got) != 0 {
			t.Errorf("it reached the platform")
		}
	})
}

func TestServerListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "nonsense"} {
		if srv, err := feishu.Start(feishu.ServerOptions{Addr: addr}); err == nil {
			t.Errorf("%s: listening on %s", addr, srv.URL())
			if err := srv.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAddressInUseIsAnError(t *testing.T) {
	t.Parallel()
	s := serve(t)
	if _, err := feishu.Start(feishu.ServerOptions{Addr: strings.TrimPrefix(s.URL(), "http://")}); err == nil {
		t.Error("no error")
	}
}

// say posts to the page as a browser does from a page of the given origin.
func (s *served) say(origin, host, body string) int {
	s.t.Helper()
	h := http.Header{"Host": {host}}
	if origin != "" {
		h.Set("Origin", origin)
	}
	resp, _, err := s.request(s.ctx, "POST", "/page/say", body, h)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode
}

func TestOnlyThePageItselfMayWrite(t *testing.T) {
	t.Parallel()
	s := serve(t)
	host := strings.TrimPrefix(s.URL(), "http://")
	port := host[strings.LastIndex(host, ":"):]
	long := object(map[string]any{"text": strings.Repeat("x", 160<<10)})
	for name, test := range map[string]struct {
		origin, host, body string
		want               int
	}{
		"the page":              {"http://" + host, host, `{"text":"hi"}`, 200},
		"the page by name":      {"http://localhost" + port, "localhost" + port, `{"text":"hi"}`, 200},
		"no origin":             {"", host, `{"text":"no"}`, 403},
		"another site":          {"https://example.com", host, `{"text":"no"}`, 403},
		"another port":          {"http://127.0.0.1:1", host, `{"text":"no"}`, 403},
		"a sandboxed page":      {"null", host, `{"text":"no"}`, 403},
		"a name pointed at us":  {"http://example.com" + port, "example.com" + port, `{"text":"no"}`, 421},
		"blank":                 {"http://" + host, host, `{"text":" \n"}`, 400},
		"no JSON":               {"http://" + host, host, `text=no`, 400},
		"longer than a message": {"http://" + host, host, long, 413},
	} {
		if got := s.say(test.origin, test.host, test.body); got != test.want {
			t.Errorf("%s: status %d, want %d", name, got, test.want)
		}
	}
	s.do(func(p *feishu.Platform) {
		for _, m := range p.Messages("oc_1") {
			if m.Text() != "hi" || m.Sender.ID != "ou_1" {
				t.Errorf("message %+v", m)
			}
		}
		if n := len(p.Messages("oc_1")); n != 2 {
			t.Errorf("%d messages, want 2", n)
		}
	})
}

func TestPageAndItsParts(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for path, want := range map[string]string{
		"/": `id="messages"`, "/page/chat.css": ".message.user", "/page/chat.js": "EventSource",
	} {
		resp, body, err := s.request(s.ctx, "GET", path, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != 200 || !strings.Contains(body, want) ||
			!strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %d %v", path, resp.StatusCode, resp.Header)
		}
		resp, _, err = s.request(s.ctx, "GET", path, "", http.Header{"Host": {"example.com"}})
		if err != nil || resp.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("%s for another host: %v %v", path, resp, err)
		}
	}
	s.do(func(p *feishu.Platform) {
		if len(p.Calls()) != 0 {
			t.Errorf("the page stands in the journal: %+v", p.Calls())
		}
	})
}

func TestServerWithoutAPageHasNone(t *testing.T) {
	t.Parallel()
	srv, err := feishu.Start(feishu.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	s := &served{Server: srv, t: t, client: &http.Client{Transport: transport}}
	resp, _, err := s.request(t.Context(), "GET", "/", "", nil)
	if err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("%v %v", resp, err)
	}
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
}

// state is what the page is sent.
type state struct {
	Title     string
	Connected int
	Messages  []shown
}

type quote struct{ Name, Text string }

type shown struct {
	ID, From, Name, Text string
	Quote                *quote
	Reactions            []string
}
