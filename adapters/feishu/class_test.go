package feishu_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"deskbridge/adapters/feishu"
)

func TestAnswersAreClassified(t *testing.T) {
	broken := errors.New("broken")
	code := func(status, code int) feishu.Response {
		return feishu.Response{HTTPStatus: status, Code: code, Msg: "m"}
	}
	page := func(status int) feishu.Response {
		return feishu.Response{HTTPStatus: status, Sent: true, Err: broken}
	}
	tests := map[string]struct {
		req  feishu.Request
		r    feishu.Response
		want feishu.Class
	}{
		"reply":                       {feishu.Reply{}, feishu.Response{HTTPStatus: 200, MessageID: "om_1"}, feishu.Done},
		"reply without id":            {feishu.Reply{}, feishu.Response{HTTPStatus: 200}, feishu.Ambiguous},
		"reaction":                    {feishu.React{}, feishu.Response{HTTPStatus: 200, ReactionID: "r_1"}, feishu.Done},
		"reaction without id":         {feishu.React{}, feishu.Response{HTTPStatus: 200, MessageID: "om_1"}, feishu.Ambiguous},
		"bot":                         {feishu.BotInfo{}, feishu.Response{HTTPStatus: 200, Bot: feishu.Bot{OpenID: "ou_bot"}}, feishu.Done},
		"bot without id":              {feishu.BotInfo{}, feishu.Response{HTTPStatus: 200, Bot: feishu.Bot{Name: "Desk"}}, feishu.Ambiguous},
		"never sent":                  {feishu.Reply{}, feishu.Response{Err: broken}, feishu.Unreachable},
		"no answer":                   {feishu.Reply{}, feishu.Response{Sent: true, Err: broken}, feishu.Ambiguous},
		"too long":                    {feishu.Reply{}, code(400, 230025), feishu.TooLong},
		"a message":                   {feishu.GetMessage{MessageID: "om_1"}, feishu.Response{HTTPStatus: 200, Messages: []feishu.Listed{{MessageID: "om_1"}}}, feishu.Done},
		"another message":             {feishu.GetMessage{MessageID: "om_1"}, feishu.Response{HTTPStatus: 200, Messages: []feishu.Listed{{MessageID: "om_2"}}}, feishu.Ambiguous},
		"no message":                  {feishu.GetMessage{MessageID: "om_1"}, feishu.Response{HTTPStatus: 200}, feishu.Ambiguous},
		"an empty list":               {feishu.ListMessages{}, feishu.Response{HTTPStatus: 200}, feishu.Done},
		"a list with more":            {feishu.ListMessages{}, feishu.Response{HTTPStatus: 200, HasMore: true, PageToken: "p"}, feishu.Done},
		"a list with more nowhere":    {feishu.ListMessages{}, feishu.Response{HTTPStatus: 200, HasMore: true}, feishu.Ambiguous},
		"frequency of a chat":         {feishu.Reply{}, code(400, 230020), feishu.Later},
		"frequency of the app":        {feishu.Reply{}, code(429, 99991400), feishu.Later},
		"frequency of the app, older": {feishu.Reply{}, code(400, 99991400), feishu.Later},
		"limit of the tenant":         {feishu.Reply{}, code(400, 11232), feishu.Later},
		"429 without words":           {feishu.Reply{}, page(429), feishu.Later},
		"still being sent":            {feishu.Reply{}, code(400, 230049), feishu.Ambiguous},
		"bad gateway":                 {feishu.Reply{}, page(502), feishu.Ambiguous},
		"gateway timeout":             {feishu.Reply{}, page(504), feishu.Ambiguous},
		"500 with a strange code":     {feishu.Reply{}, code(500, 1), feishu.Ambiguous},
		"request timeout":             {feishu.Reply{}, page(408), feishu.Ambiguous},
		"success that is no JSON":     {feishu.Reply{}, page(200), feishu.Ambiguous},
		"a proxy's login":             {feishu.Reply{}, page(302), feishu.Unreachable},
		"a proxy's refusal":           {feishu.Reply{}, page(403), feishu.Unreachable},
		"too large for a gateway":     {feishu.Reply{}, page(413), feishu.TooLong},
		"tenant token":                {feishu.Reply{}, code(400, 99991663), feishu.Token},
		"app token":                   {feishu.Reply{}, code(400, 99991664), feishu.Token},
		"access token":                {feishu.Reply{}, code(400, 99991671), feishu.Token},
		"no token":                    {feishu.Reply{}, code(400, 99991661), feishu.Credentials},
		"user token":                  {feishu.Reply{}, code(400, 99991668), feishu.Credentials},
		"unknown app":                 {feishu.Reply{}, feishu.Response{HTTPStatus: 200, Code: 10003, Err: broken}, feishu.Credentials},
		"wrong secret":                {feishu.Reply{}, feishu.Response{HTTPStatus: 200, Code: 10014, Err: broken}, feishu.Credentials},
		"a code to come":              {feishu.Reply{}, code(400, 239999), feishu.Refused},
		"a code to come with 200":     {feishu.Reply{}, code(200, 239999), feishu.Refused},
	}
	for _, c := range []int{230001, 230002, 230006, 230011, 230013, 230018, 230022, 230027, 230028, 230031, 230035, 230038, 230050, 230054, 230055, 230099, 230110, 231001, 231003, 232009} {
		if got := feishu.Classify(feishu.Reply{}, code(400, c)); got != feishu.Refused {
			t.Errorf("%d is %s", c, got)
		}
	}
	seen := map[feishu.Class]bool{}
	for name, test := range tests {
		seen[test.want] = true
		if got := feishu.Classify(test.req, test.r); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
	if i := slices.IndexFunc(feishu.Classes(), func(c feishu.Class) bool { return !seen[c] }); i >= 0 {
		t.Errorf("no case is of class %s", feishu.Classes()[i])
	}
}

func TestErrorsSayWhatHappened(t *testing.T) {
	refused := feishu.Response{HTTPStatus: 400, Code: 230011, Msg: "The message was withdrawn."}
	cause := errors.New("connection reset")
	token := &feishu.CallError{Op: "token", Code: 10014, Msg: "app secret invalid", HTTPStatus: 200}
	for want, got := range map[string]error{
		"feishu reply: 230011 The message was withdrawn. (HTTP 400)":        refused.Error(feishu.Reply{}),
		"feishu react: connection reset":                                    feishu.Response{Err: cause}.Error(feishu.React{}),
		"feishu bot info: (HTTP 200) the answer lacks what was asked for":   feishu.Response{HTTPStatus: 200}.Error(feishu.BotInfo{}),
		"feishu token: 10014 app secret invalid (HTTP 200)":                 feishu.Response{Code: 10014, Err: token}.Error(feishu.Reply{}),
		"feishu reply: (HTTP 502) the answer is not the platform's JSON":    feishu.Response{HTTPStatus: 502, Err: errors.New("the answer is not the platform's JSON")}.Error(feishu.Reply{}),
		"feishu reply: 99991400 request trigger frequency limit (HTTP 429)": feishu.Response{HTTPStatus: 429, Code: 99991400, Msg: "request trigger frequency limit"}.Error(feishu.Reply{}),
	} {
		if got.Error() != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if err := (feishu.Response{Err: cause}).Error(feishu.Reply{}); !errors.Is(err, cause) || strings.Contains(err.Error(), "HTTP") {
		t.Errorf("%v", err)
	}
}
