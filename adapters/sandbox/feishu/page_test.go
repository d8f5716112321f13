package feishu_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/feishu"

	"github.com/google/go-cmp/cmp"
)

// watch opens the page's stream; next reads states until one satisfies want.
func (s *served) watch() (next func(want func(state) bool) state) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.ctx, "GET", s.URL()+"/page/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
		s.t.Fatalf("content type %q", got)
	}
	lines := bufio.NewScanner(resp.Body)
	return func(want func(state) bool) state {
		s.t.Helper()
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			var got state
			if err := json.Unmarshal([]byte(data), &got); err != nil {
				s.t.Fatal(err)
			}
			if want(got) {
				return got
			}
		}
		s.t.Fatalf("the stream ended: %v", lines.Err())
		return state{}
	}
}

type quietSink struct{}

func (quietSink) Deliver(feishu.Delivery) {}
func (quietSink) Close()                  {}

func TestPageIsToldOfEveryChange(t *testing.T) {
	t.Parallel()
	s := serve(t)
	next := s.watch()
	empty := next(func(state) bool { return true })
	if diff := cmp.Diff(state{Title: "Desk", Messages: []shown{}}, empty); diff != "" {
		t.Error(diff)
	}
	s.do(func(p *feishu.Platform) {
		p.Connect("cli_a", quietSink{})
		p.Say("oc_1", "ou_1", "一\n<b>二</b>")
		var token struct {
			Token string `json:"tenant_access_token"`
		}
		p.Handle(request("", "POST", tokenPath, `{"app_id":"cli_a","app_secret":"secret"}`), func(r feishu.Response) {
			if err := json.Unmarshal(r.Body, &token); err != nil {
				t.Error(err)
			}
		})
		call := func(path, body string) {
			p.Handle(request(token.Token, "POST", messagePath+path, body), func(r feishu.Response) {
				if r.Status != 200 {
					t.Errorf("%s: %s", path, r.Body)
				}
			})
		}
		call("/om_1/reactions", `{"reaction_type":{"emoji_type":"OnIt"}}`)
		call("/om_1/reply", draft("", "好", ""))
		call("?receive_id_type=chat_id", object(map[string]any{"receive_id": "oc_1", "msg_type": "post",
			"content": `{"zh_cn":{"title":"题","content":[[{"tag":"text","text":"甲"},{"tag":"a","text":"乙"}],[{"tag":"text","text":"丙"}]]}}`}))
		call("?receive_id_type=chat_id", object(map[string]any{"receive_id": "oc_1", "msg_type": "image", "content": `{"image_key":"k"}`}))
	})
	got := next(func(s state) bool { return len(s.Messages) == 4 })
	want := state{Title: "Desk", Connected: 1, Messages: []shown{
		{ID: "om_1", From: "user", Name: "A", Text: "一\n<b>二</b>", Reactions: []string{"OnIt"}},
		{ID: "om_2", From: "bot", Name: "Desk", Text: "好", Quote: &quote{"A", "一\n<b>二</b>"}},
		{ID: "om_3", From: "bot", Name: "Desk", Text: "题\n甲乙\n丙"},
		{ID: "om_4", From: "bot", Name: "Desk", Text: "[image]"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s.do(func(p *feishu.Platform) { p.DropConnections() })
	next(func(s state) bool { return s.Connected == 0 })
}
