package feishu_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/feishu"
)

// groupText is an event with every field that the bridge reads.
const groupText = `{"schema":"2.0",
 "header":{"event_id":"ev_1","event_type":"im.message.receive_v1","create_time":"1700000000999","token":"","app_id":"cli_a","tenant_key":"t"},
 "event":{
  "sender":{"sender_id":{"union_id":"on_a","user_id":null,"open_id":"ou_a"},"sender_type":"user","tenant_key":"t"},
  "message":{"message_id":"om_2","root_id":"om_1","parent_id":"om_1","create_time":"1700000000123","update_time":"1700000000123",
   "chat_id":"oc_1","thread_id":"omt_1","chat_type":"group","message_type":"text","content":"{\"text\":\"@_user_1 ask @_user_2, please\"}",
   "mentions":[{"key":"@_user_1","id":{"union_id":"on_bot","user_id":"","open_id":"ou_bot"},"name":"Desk","mentioned_type":"bot","tenant_key":"t"},
    {"key":"@_user_2","id":{"open_id":"ou_b"},"name":"B","tenant_key":"t"}],"user_agent":"x"}}}`

func TestDecodeReadsEveryField(t *testing.T) {
	got, err := feishu.Decode([]byte(groupText), "ou_bot")
	want := feishu.Incoming{
		EventID: "ev_1", MessageID: "om_2", ChatID: "oc_1", ChatType: feishu.Group,
		ThreadID: "omt_1", RootID: "om_1", ParentID: "om_1",
		SenderOpenID: "ou_a", SenderType: "user", Created: 1700000000123,
		Kind: feishu.Text, Type: "text", Text: "ask @B, please",
		Mentions: []feishu.Mention{{Key: "@_user_1", OpenID: "ou_bot", Name: "Desk"}, {Key: "@_user_2", OpenID: "ou_b", Name: "B"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if !got.Mentioned("ou_bot") || got.Mentioned("ou_c") || got.Mentioned("") {
		t.Error("mentions are told wrongly")
	}
}

func TestDecodeTakesWhatThePlatformLeavesOut(t *testing.T) {
	body := `{"header":{"event_type":"im.message.receive_v1","create_time":"1700000000999"},
	 "event":{"sender":{"sender_id":null,"sender_type":"app"},"message":{"message_id":"om_1","chat_id":"oc_1","chat_type":"p2p","message_type":"image","content":"","mentions":null}}}`
	got, err := feishu.Decode([]byte(body), "")
	want := feishu.Incoming{
		MessageID: "om_1", ChatID: "oc_1", ChatType: feishu.P2P, SenderType: "app",
		Created: 1700000000999, // the event's own time
		Kind:    feishu.Unsupported, Type: "image",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

// message is an event with a content, mentioning the bot and two people.
func message(kind, content string) []byte {
	return object(map[string]any{
		"header": map[string]any{"event_id": "ev_1", "event_type": "im.message.receive_v1"},
		"event": map[string]any{
			"sender": map[string]any{"sender_id": map[string]any{"open_id": "ou_a"}, "sender_type": "user"},
			"message": map[string]any{
				"message_id": "om_1", "chat_id": "oc_1", "chat_type": "p2p", "create_time": 1700000000000,
				"message_type": kind, "content": content,
				"mentions": []any{
					map[string]any{"key": "@_user_1", "id": map[string]any{"open_id": "ou_bot"}, "name": "Desk"},
					map[string]any{"key": "@_user_2", "id": map[string]any{"open_id": "ou_b"}, "name": "B"},
					map[string]any{"key": "@_user_10", "id": map[string]any{"open_id": "ou_c"}, "name": "@_user_2"},
					map[string]any{"key": "", "name": "nobody"},
				},
			},
		},
	})
}

func object(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func TestContentBecomesPlainText(t *testing.T) {
	text := func(s string) string { return string(object(map[string]string{"text": s})) }
	tests := map[string]struct {
		kind, content string
		want          feishu.Kind
		text          string
	}{
		"text":                       {"text", text(" hi \n"), feishu.Text, "hi"},
		"the bot alone":              {"text", text("@_user_1 "), feishu.Text, ""},
		"the bot first":              {"text", text("@_user_1 hi"), feishu.Text, "hi"},
		"the bot between":            {"text", text("hi @_user_1 there"), feishu.Text, "hi there"},
		"the bot last":               {"text", text("hi @_user_1"), feishu.Text, "hi"},
		"a person":                   {"text", text("ask @_user_2!"), feishu.Text, "ask @B!"},
		"a key that begins another":  {"text", text("@_user_10 @_user_1 x"), feishu.Text, "@@_user_2 x"},
		"a key without mention":      {"text", text("@_user_3"), feishu.Text, "@_user_3"},
		"everybody":                  {"text", text("@_all hi"), feishu.Text, "@all hi"},
		"spaces within stay":         {"text", text("a  b\n\n\tc"), feishu.Text, "a  b\n\n\tc"},
		"post":                       {"post", `{"title":"T","content":[[{"tag":"text","text":"a "},{"tag":"at","user_id":"@_user_1"},{"tag":"text","text":"b"}],[],[{"tag":"a","text":"docs","href":"https://x/"}]]}`, feishu.Post, "T\na b\n\ndocs (https://x/)"},
		"post without title":         {"post", `{"title":"","content":[[{"tag":"md","text":"**x**"}]]}`, feishu.Post, "**x**"},
		"post in a language":         {"post", `{"zh_cn":{"title":"标题","content":[[{"tag":"text","text":"好"}]]}}`, feishu.Post, "标题\n好"},
		"bare link":                  {"post", `{"content":[[{"tag":"a","text":"https://x/","href":"https://x/"},{"tag":"text","text":" "},{"tag":"a","href":"https://y/"}]]}`, feishu.Post, "https://x/ https://y/"},
		"post with people":           {"post", `{"content":[[{"tag":"at","user_id":"@_user_2","user_name":"old"},{"tag":"at","user_id":"ou_d","user_name":"D"},{"tag":"at","user_id":"@_all"},{"tag":"at","user_id":"ou_bot"}]]}`, feishu.Post, "@B@D@_all"},
		"post with what is no text":  {"post", `{"content":[[{"tag":"text","text":"see"},{"tag":"img","image_key":"k"},{"tag":"media","file_key":"k"},{"tag":"emotion","emoji_type":"SMILE"}],[{"tag":"hr"}],[{"tag":"new","text":"thing"}]]}`, feishu.Post, "see[image][video][SMILE]\n---\nthing"},
		"code":                       {"post", `{"content":[[{"tag":"code_block","language":"GO","text":"x := 1\n"}]]}`, feishu.Post, "```go\nx := 1\n```"},
		"post of pictures":           {"post", `{"title":"","content":[[{"tag":"img","image_key":"k"}],[{"tag":"hr"}]]}`, feishu.Unsupported, ""},
		"empty post":                 {"post", `{}`, feishu.Unsupported, ""},
		"file":                       {"file", `{"file_key":"k","file_name":"n"}`, feishu.Unsupported, ""},
		"card, whatever its content": {"interactive", `no JSON`, feishu.Unsupported, ""},
		"a type to come":             {"hologram", `{}`, feishu.Unsupported, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := feishu.Decode(message(test.kind, test.content), "ou_bot")
			if err != nil || got.Kind != test.want || got.Text != test.text || got.Type != test.kind {
				t.Errorf("got %s %q (%v), want %s %q", got.Kind, got.Text, err, test.want, test.text)
			}
		})
	}
}

func TestUnknownBotStaysInTheText(t *testing.T) {
	got, err := feishu.Decode(message("text", `{"text":"@_user_1 hi"}`), "")
	if err != nil || got.Text != "@Desk hi" {
		t.Errorf("got %q (%v)", got.Text, err)
	}
}

func TestMalformedEventsAreToldInOneSentence(t *testing.T) {
	head := `"header":{"event_id":"ev_1","event_type":"im.message.receive_v1","create_time":"1"}`
	for name, test := range map[string]struct{ body, want string }{
		"empty":             {``, "feishu event is not the JSON of a message: "},
		"no object":         {`[]`, "feishu event is not the JSON of a message: "},
		"no header":         {`{}`, `feishu event has the type ""`},
		"another type":      {`{"header":{"event_id":"ev_1","event_type":"im.chat.updated_v1"}}`, `feishu event ev_1 has the type "im.chat.updated_v1"`},
		"no event":          {`{` + head + `}`, "feishu event ev_1 names no message or no chat"},
		"no chat":           {`{` + head + `,"event":{"message":{"message_id":"om_1"}}}`, "feishu event ev_1 names no message or no chat"},
		"no time":           {`{"header":{"event_type":"im.message.receive_v1"},"event":{"message":{"message_id":"om_1","chat_id":"oc_1"}}}`, "feishu event does not say when the message was sent"},
		"strange time":      {`{` + head + `,"event":{"message":{"message_id":"om_1","chat_id":"oc_1","create_time":"today"}}}`, `feishu event ev_1 is not the JSON of a message: "today" is no time`},
		"text without JSON": {`{` + head + `,"event":{"message":{"message_id":"om_1","chat_id":"oc_1","message_type":"text","content":"hi"}}}`, "feishu event ev_1 has content that is no text message: "},
		"post of text":      {`{` + head + `,"event":{"message":{"message_id":"om_1","chat_id":"oc_1","message_type":"post","content":"{\"content\":\"hi\"}"}}}`, "feishu event ev_1 has content that is no post message: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := feishu.Decode([]byte(test.body), "")
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s…", err, test.want)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(groupText), "ou_bot")
	f.Add(message("post", `{"zh_cn":{"content":[[{"tag":"at","user_id":"@_user_1"}]]}}`), "ou_bot")
	f.Add(message("text", `{"text":null}`), "")
	f.Add([]byte(`{"header":null,"event":null}`), "")
	f.Fuzz(func(t *testing.T, body []byte, self string) {
		in, err := feishu.Decode(body, self)
		if err != nil {
			return
		}
		if in.MessageID == "" || in.ChatID == "" || in.Created <= 0 || in.Kind == "" {
			t.Errorf("accepted without what every message has: %+v", in)
		}
		if in.Text != strings.TrimSpace(in.Text) || in.Kind == feishu.Unsupported && in.Text != "" {
			t.Errorf("text %q of kind %s", in.Text, in.Kind)
		}
	})
}
