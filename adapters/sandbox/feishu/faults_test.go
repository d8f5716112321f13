package feishu_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"

	"github.com/google/go-cmp/cmp"
)

func TestFaultsOfRequests(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault  feishu.Fault
		shown  []string // what the chat shows after the request
		ending feishu.Ending
		status int
		code   int
	}{
		"refused by frequency": {
			feishu.Fault{Kind: feishu.Refuse, Code: 230020}, []string{}, feishu.Answered, 400, 230020},
		"refused by the app's rate": {
			feishu.Fault{Kind: feishu.Refuse, Code: 99991400, Header: http.Header{"x-ogw-ratelimit-reset": {"3"}}},
			[]string{}, feishu.Answered, 429, 99991400},
		"refused with a status of its own": {
			feishu.Fault{Kind: feishu.Refuse, Code: 230099, Status: 200, Msg: "ErrCode: 11310"}, []string{}, feishu.Answered, 200, 230099},
		"broken gateway": {
			feishu.Fault{Kind: feishu.Gateway}, []string{}, feishu.Answered, 502, 0},
		"gateway timeout": {
			feishu.Fault{Kind: feishu.Gateway, Status: 504}, []string{}, feishu.Answered, 504, 0},
		"hangs": {
			feishu.Fault{Kind: feishu.Hang}, []string{}, feishu.Open, 0, 0},
		"lost before it took effect": {
			feishu.Fault{Kind: feishu.LostBefore}, []string{}, feishu.Closed, 0, 0},
		"lost after it took effect": {
			feishu.Fault{Kind: feishu.LostAfter}, []string{"hi"}, feishu.Closed, 0, 0},
		"slow": {
			feishu.Fault{Kind: feishu.Slow, Delay: time.Minute}, []string{"hi"}, feishu.Open, 0, 0},
		"tokens revoked": {
			feishu.Fault{Kind: feishu.RevokeTokens}, []string{}, feishu.Answered, 400, 99991663},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{})
			token := d.token()
			test.fault.Match = feishu.Match{Method: "POST", Path: messagePath}
			d.Inject(test.fault)
			r, ok := d.handle(request(token, "POST", messagePath+"?receive_id_type=chat_id", draft("oc_1", "hi", "u")))
			if diff := cmp.Diff(test.shown, d.texts()); diff != "" {
				t.Errorf("effect: %s", diff)
			}
			calls := d.Calls()
			got := calls[len(calls)-1]
			if got.Ending != test.ending || got.Status != test.status || got.Code != test.code || got.Fault != test.fault.Kind {
				t.Errorf("journal %+v", got)
			}
			if ok != (test.ending != feishu.Open) || r.Closed != (test.ending == feishu.Closed) || r.Status != test.status {
				t.Errorf("replied %v: %+v", ok, r)
			}
			checkFaultBody(t, test.fault, r)
		})
	}
}

func checkFaultBody(t *testing.T, f feishu.Fault, r feishu.Response) {
	t.Helper()
	switch f.Kind {
	case feishu.Refuse:
		var body answer
		if err := json.Unmarshal(r.Body, &body); err != nil || body.Code != f.Code || !strings.Contains(body.Msg, f.Msg) || body.Msg == "" {
			t.Errorf("body %s: %v", r.Body, err)
		}
		if f.Header != nil && r.Header.Get("X-Ogw-Ratelimit-Reset") != "3" {
			t.Errorf("header %v", r.Header)
		}
	case feishu.Gateway:
		if r.Header.Get("Content-Type") != "text/html" || !strings.HasPrefix(string(r.Body), "<html>") {
			t.Errorf("%v %s", r.Header, r.Body)
		}
	}
}

func TestSlowAnswerComesAfterItsDelay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	token := d.token()
	d.Inject(feishu.Fault{Kind: feishu.Slow, Delay: time.Minute})
	answered := false
	d.Handle(request(token, "GET", "/open-apis/bot/v3/info", ""), func(r feishu.Response) { answered = r.Status == 200 })
	d.time.Advance(time.Minute - 1)
	if answered {
		t.Error("answered too early")
	}
	d.time.Advance(1)
	if !answered {
		t.Error("not answered")
	}
}

func TestLostAnswerAndItsRepetitionGiveOneMessage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	token := d.token()
	d.Inject(feishu.Fault{Kind: feishu.LostAfter})
	d.handle(request(token, "POST", messagePath+"?receive_id_type=chat_id", draft("oc_1", "hi", "u")))
	if a := d.send(token, "hi", "u"); a.Data.MessageID != "om_1" {
		t.Errorf("%+v", a)
	}
	if diff := cmp.Diff([]string{"hi"}, d.texts()); diff != "" {
		t.Error(diff)
	}
}

func TestRevokedTokensAreRefusedUntilANewOneIsFetched(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	token := d.token()
	d.Inject(feishu.Fault{Kind: feishu.RevokeTokens, Match: feishu.Match{Path: messagePath}})
	got := []int{d.send(token, "a", "").Code, d.send(token, "b", "").Code, d.send(d.token(), "c", "").Code}
	if diff := cmp.Diff([]int{99991663, 99991663, 0}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsHitTheRequestsTheyAreFor(t *testing.T) {
	t.Parallel()
	refuse := func(code int, m feishu.Match) feishu.Fault {
		return feishu.Fault{Kind: feishu.Refuse, Code: code, Match: m}
	}
	tests := map[string]struct {
		faults []feishu.Fault
		want   []int // codes of: create, create, reply, create, create
	}{
		"none":           {nil, []int{0, 0, 0, 0, 0}},
		"any, once":      {[]feishu.Fault{refuse(1, feishu.Match{})}, []int{1, 0, 0, 0, 0}},
		"any, always":    {[]feishu.Fault{refuse(1, feishu.Match{Times: -1})}, []int{1, 1, 1, 1, 1}},
		"path":           {[]feishu.Fault{refuse(1, feishu.Match{Path: messagePath, Times: 2})}, []int{1, 1, 0, 0, 0}},
		"pattern":        {[]feishu.Fault{refuse(1, feishu.Match{Path: messagePath + "/*/reply"})}, []int{0, 0, 1, 0, 0}},
		"method":         {[]feishu.Fault{refuse(1, feishu.Match{Method: "GET"})}, []int{0, 0, 0, 0, 0}},
		"the third":      {[]feishu.Fault{refuse(1, feishu.Match{Path: messagePath, Nth: 3})}, []int{0, 0, 0, 1, 0}},
		"from the third": {[]feishu.Fault{refuse(1, feishu.Match{Nth: 3, Times: 2})}, []int{0, 0, 1, 1, 0}},
		"one after the other": {[]feishu.Fault{
			refuse(1, feishu.Match{}), refuse(2, feishu.Match{}), refuse(3, feishu.Match{})}, []int{1, 2, 3, 0, 0}},
		"a later one in the list comes first": {[]feishu.Fault{
			refuse(1, feishu.Match{Nth: 3}), refuse(2, feishu.Match{})}, []int{2, 0, 1, 0, 0}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{})
			d.Say("oc_1", "ou_1", "hi")
			token := d.token()
			d.Inject(test.faults...)
			got := []int{
				d.send(token, "a", "").Code,
				d.send(token, "b", "").Code,
				d.call(token, "POST", messagePath+"/om_1/reply", draft("", "c", "")).Code,
				d.send(token, "d", "").Code,
				d.send(token, "e", "").Code,
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			d.Inject(refuse(1, feishu.Match{Times: -1}))
			d.ClearFaults()
			if code := d.send(token, "f", "").Code; code != 0 {
				t.Errorf("code %d after the faults were cleared", code)
			}
		})
	}
}

func TestEventFaultsLeaveRequestsAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.Inject(feishu.Fault{Kind: feishu.LostBefore, Match: feishu.Match{Method: feishu.EventMethod, Times: -1}})
	if a := d.send(d.token(), "hi", ""); a.Code != 0 {
		t.Errorf("%+v", a)
	}
	d.ClearFaults()
	c := d.connect("cli_a")
	d.Inject(feishu.Fault{Kind: feishu.LostBefore, Match: feishu.Match{Times: -1}})
	d.Say("oc_1", "ou_1", "hi")
	if diff := cmp.Diff([]string{"ev_1"}, c.events()); diff != "" {
		t.Errorf("a fault without a method hit an event: %s", diff)
	}
}

func TestJournalHoldsEveryRequest(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.time.Advance(time.Second)
	d.handle(request("", "POST", "/unknown?a=1", "body"))
	want := []feishu.Call{{
		At: start.Add(time.Second), Method: "POST", Path: "/unknown", Query: map[string][]string{"a": {"1"}},
		Body: "body", Ending: feishu.Answered, Status: 404, Code: 404,
	}}
	if diff := cmp.Diff(want, d.Calls()); diff != "" {
		t.Error(diff)
	}
	d.Calls()[0].Query.Set("a", "2")
	if d.Calls()[0].Query.Get("a") != "1" {
		t.Error("the journal was changed through a copy")
	}
}
