package feishu_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"

	"github.com/google/go-cmp/cmp"
)

func TestCreatedMessageStandsInTheChat(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	token := d.token()
	d.Say("oc_1", "ou_1", "hi")
	d.time.Advance(time.Second)
	d.send(token, "hello", "u-1")
	d.call(token, "POST", messagePath+"/om_1/reply", `{"msg_type":"text","content":"{\"text\":\"yes\"}","uuid":"u-2"}`)
	bot := feishu.Sender{ID: "cli_a", Kind: "app_id", Type: "app"}
	want := []feishu.Message{
		{ID: "om_1", ChatID: "oc_1", Sender: feishu.Sender{ID: "ou_1", Kind: "open_id", Type: "user"}, Type: "text",
			Content: `{"text":"hi"}`, Created: start},
		{ID: "om_2", ChatID: "oc_1", Sender: bot, Type: "text", Content: `{"text":"hello"}`, UUID: "u-1", Created: start.Add(time.Second)},
		{ID: "om_3", ChatID: "oc_1", Sender: bot, ParentID: "om_1", RootID: "om_1", Type: "text",
			Content: `{"text":"yes"}`, UUID: "u-2", Created: start.Add(time.Second)},
	}
	if diff := cmp.Diff(want, d.Messages("oc_1")); diff != "" {
		t.Error(diff)
	}
}

func TestAppsOwnMessagesEmitNoEvent(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.send(d.token(), "hello", "")
	if got := d.Events(); len(got) != 0 {
		t.Errorf("events %+v", got)
	}
}

func TestOpenIDLeadsToTheDirectChat(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.AddUser("B")
	token := d.token()
	for _, receiver := range []string{"ou_1", "ou_2"} {
		if a := d.call(token, "POST", messagePath+"?receive_id_type=open_id", draft(receiver, "to "+receiver, "")); a.Code != 0 {
			t.Fatalf("%+v", a)
		}
	}
	got := []string{d.Messages("oc_1")[0].Text(), d.Messages("oc_2")[0].Text()}
	if diff := cmp.Diff([]string{"to ou_1", "to ou_2"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestUUIDLetsOneMessageThroughInAnHour(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.AddApp(feishu.App{ID: "cli_b", Secret: "b"})
	other := d.call("", "POST", tokenPath, `{"app_id":"cli_b","app_secret":"b"}`).Token
	d.AddGroup(feishu.Group, []string{"cli_a", "cli_b"}, "ou_1")
	token := d.token()
	got := []string{
		d.send(token, "one", "u").Data.MessageID,
		d.send(token, "one", "u").Data.MessageID,
		d.send(token, "other content", "u").Data.MessageID,
		d.call(other, "POST", messagePath+"?receive_id_type=chat_id", draft("oc_2", "another app", "u")).Data.MessageID,
	}
	d.time.Advance(time.Hour - 1)
	got = append(got, d.send(token, "one", "u").Data.MessageID)
	d.time.Advance(1)
	got = append(got,
		d.send(token, "one", "u").Data.MessageID,
		d.send(token, "none", "").Data.MessageID,
		d.send(token, "none", "").Data.MessageID)
	if diff := cmp.Diff([]string{"om_1", "om_1", "om_1", "om_2", "om_1", "om_3", "om_4", "om_5"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"one", "one", "none", "none"}, d.texts()); diff != "" {
		t.Error(diff)
	}
}

func TestRefusedMessages(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return object(map[string]any{"text": s}) }
	body := func(msgType, content string) string {
		return object(map[string]any{"receive_id": "oc_1", "msg_type": msgType, "content": content})
	}
	const create = "POST " + messagePath + "?receive_id_type=chat_id"
	// filled is a request of that many bytes, of which all but the envelope are x.
	filled := func(msgType, key, x string, size int) string {
		empty := body(msgType, object(map[string]any{key: ""}))
		return body(msgType, object(map[string]any{key: strings.Repeat(x, size-len(empty))}))
	}
	tests := map[string]struct {
		target, body string
		code         int
	}{
		"text":                      {create, body("text", text("x")), 0},
		"text of 150 KB":            {create, filled("text", "text", "x", 150<<10), 0},
		"text over 150 KB":          {create, filled("text", "text", "x", 150<<10+1), 230025},
		"text of 60 KB in lines":    {create, body("text", text(strings.Repeat("\n", 60<<10)+"x")), 230025},
		"post of 30 KB":             {create, filled("post", "zh_cn", "x", 30<<10), 0},
		"post over 30 KB":           {create, filled("post", "zh_cn", "x", 30<<10+1), 230025},
		"card of 30 KB":             {create, filled("interactive", "body", "x", 30<<10), 0},
		"card over 30 KB":           {create, filled("interactive", "body", "x", 30<<10+1), 230025},
		"content is no JSON":        {create, body("text", "x"), 230001},
		"content is no object":      {create, body("text", `"x"`), 230001},
		"content is empty":          {create, body("text", ``), 230001},
		"text is empty":             {create, body("text", text(" \n")), 230001},
		"text is missing":           {create, body("text", `{"txt":"x"}`), 230001},
		"unknown type":              {create, body("poem", text("x")), 230001},
		"body is no JSON":           {create, `{`, 230001},
		"unknown chat":              {create, draft("oc_9", "x", ""), 230001},
		"unknown person":            {"POST " + messagePath + "?receive_id_type=open_id", draft("ou_9", "x", ""), 230001},
		"no receive_id_type":        {"POST " + messagePath, draft("oc_1", "x", ""), 230001},
		"long uuid":                 {create, draft("oc_1", "x", strings.Repeat("é", 51)), 230001},
		"uuid of 50 characters":     {create, draft("oc_1", "x", strings.Repeat("é", 50)), 0},
		"bot is not in the group":   {create, draft("oc_2", "x", ""), 230002},
		"reply to nothing":          {"POST " + messagePath + "/om_9/reply", body("text", text("x")), 230001},
		"reply, body is no JSON":    {"POST " + messagePath + "/om_1/reply", ``, 230001},
		"reply to a recalled one":   {"POST " + messagePath + "/om_2/reply", body("text", text("x")), 230011},
		"reply outside the group":   {"POST " + messagePath + "/om_3/reply", body("text", text("x")), 230002},
		"get nothing":               {"GET " + messagePath + "/om_9", "", 230001},
		"get a recalled one":        {"GET " + messagePath + "/om_2", "", 230110},
		"get from outside":          {"GET " + messagePath + "/om_3", "", 230002},
		"recall nothing":            {"DELETE " + messagePath + "/om_9", "", 230001},
		"recall twice":              {"DELETE " + messagePath + "/om_2", "", 230110},
		"recall a person's message": {"DELETE " + messagePath + "/om_1", "", 230026},
		"react to nothing":          {"POST " + messagePath + "/om_9/reactions", `{"reaction_type":{"emoji_type":"OnIt"}}`, 230001},
		"react to a recalled one":   {"POST " + messagePath + "/om_2/reactions", `{"reaction_type":{"emoji_type":"OnIt"}}`, 231003},
		"react with no emoji":       {"POST " + messagePath + "/om_1/reactions", `{}`, 231001},
		"remove no reaction":        {"DELETE " + messagePath + "/om_1/reactions/r", "", 231011},
		"unknown path":              {"GET /open-apis/im/v1/unknown", "", 404},
		"unknown method":            {"PUT " + messagePath + "/om_1", "{}", 404},
		"empty id":                  {"GET " + messagePath + "/", "", 404},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{})
			token := d.token()
			d.AddGroup(feishu.Group, []string{"cli_a"}, "ou_1")
			d.Say("oc_1", "ou_1", "hi")       // om_1
			d.send(token, "recalled", "")     // om_2
			d.Say("oc_2", "ou_1", "in group") // om_3
			d.RemoveBot("oc_2", "cli_a")
			if a := d.call(token, "DELETE", messagePath+"/om_2", ""); a.Code != 0 {
				t.Fatalf("%+v", a)
			}
			before := d.Messages("oc_1")
			method, target, _ := strings.Cut(test.target, " ")
			r, _ := d.handle(request(token, method, target, test.body))
			var got answer
			if err := json.Unmarshal(r.Body, &got); err != nil {
				t.Fatal(err)
			}
			if got.Code != test.code || got.Msg == "" {
				t.Errorf("got %s, want code %d", r.Body, test.code)
			}
			if r.Header.Get("Content-Type") != "application/json; charset=utf-8" || r.Header.Get("X-Tt-Logid") == "" {
				t.Errorf("headers %v", r.Header)
			}
			calls := d.Calls()
			if last := calls[len(calls)-1]; last.Code != test.code || last.Status != r.Status || last.Ending != feishu.Answered {
				t.Errorf("journal %+v", last)
			}
			if test.code != 0 {
				if diff := cmp.Diff(before, d.Messages("oc_1")); diff != "" {
					t.Errorf("a refused request took effect: %s", diff)
				}
			}
		})
	}
}

func TestRemovedBotGetsNoEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	group := d.AddGroup(feishu.Group, []string{"cli_a"}, "ou_1")
	d.RemoveBot(group, "cli_a")
	d.Say(group, "ou_1", "hi")
	if got := d.Events(); len(got) != 0 {
		t.Errorf("events %+v", got)
	}
}

func TestRecalledMessageIsNotShownButListed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	token := d.token()
	d.send(token, "one", "")
	d.send(token, "two", "")
	d.call(token, "DELETE", messagePath+"/om_1", "")
	if diff := cmp.Diff([]string{"two"}, d.texts()); diff != "" {
		t.Error(diff)
	}
	items := d.call(token, "GET", messagePath+"?container_id_type=chat&container_id=oc_1", "").Data.Items
	if len(items) != 2 || items[0]["deleted"] != true || items[1]["deleted"] != false {
		t.Errorf("items %v", items)
	}
}

func TestGotMessageHasThePlatformsShape(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	token := d.token()
	group := d.AddGroup(feishu.Group, []string{"cli_a"}, "ou_1")
	d.Say(group, "ou_1", "hi")
	d.call(token, "POST", messagePath+"/om_1/reply",
		`{"msg_type":"text","content":"{\"text\":\"yes\"}","reply_in_thread":true}`)
	item := func(id string) string {
		items := d.call(token, "GET", messagePath+"/"+id, "").Data.Items
		if len(items) != 1 {
			t.Fatalf("items %v", items)
		}
		return object(items[0])
	}
	want := []string{
		`{"body":{"content":"{\"text\":\"@_user_1 hi\"}"},"chat_id":"oc_2","create_time":"1700000000000","deleted":false,` +
			`"mentions":[{"id":"ou_bot_1","id_type":"open_id","key":"@_user_1","name":"Desk"}],"message_id":"om_1","msg_type":"text",` +
			`"sender":{"id":"ou_1","id_type":"open_id","sender_type":"user"},"thread_id":"omt_1","update_time":"1700000000000","updated":false}`,
		`{"body":{"content":"{\"text\":\"yes\"}"},"chat_id":"oc_2","create_time":"1700000000000","deleted":false,"message_id":"om_2",` +
			`"msg_type":"text","parent_id":"om_1","root_id":"om_1","sender":{"id":"cli_a","id_type":"app_id","sender_type":"app"},` +
			`"thread_id":"omt_1","update_time":"1700000000000","updated":false}`,
	}
	if diff := cmp.Diff(want, []string{item("om_1"), item("om_2")}); diff != "" {
		t.Error(diff)
	}
}

func TestReactions(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.AddApp(feishu.App{ID: "cli_b", Secret: "b"})
	other := d.call("", "POST", tokenPath, `{"app_id":"cli_b","app_secret":"b"}`).Token
	group := d.AddGroup(feishu.Group, []string{"cli_a", "cli_b"}, "ou_1")
	d.Say(group, "ou_1", "hi")
	token := d.token()
	react := func(token, emoji string) string {
		return d.call(token, "POST", messagePath+"/om_1/reactions", `{"reaction_type":{"emoji_type":"`+emoji+`"}}`).Data.ReactionID
	}
	ids := []string{react(token, "OnIt"), react(token, "DONE"), react(token, "OnIt"), react(other, "OnIt")}
	if diff := cmp.Diff([]string{"reaction_1", "reaction_2", "reaction_1", "reaction_3"}, ids); diff != "" {
		t.Error(diff)
	}
	if code := d.call(other, "DELETE", messagePath+"/om_1/reactions/reaction_1", "").Code; code != 231007 {
		t.Errorf("another app's reaction was removed: code %d", code)
	}
	if a := d.call(token, "DELETE", messagePath+"/om_1/reactions/reaction_1", ""); a.Code != 0 || a.Data.ReactionID != "reaction_1" {
		t.Errorf("%+v", a)
	}
	app := func(id string) feishu.Sender { return feishu.Sender{ID: id, Kind: "app_id", Type: "app"} }
	want := []feishu.Reaction{
		{ID: "reaction_2", Emoji: "DONE", By: app("cli_a"), Time: start},
		{ID: "reaction_3", Emoji: "OnIt", By: app("cli_b"), Time: start},
	}
	if diff := cmp.Diff(want, d.Messages(group)[0].Reactions); diff != "" {
		t.Error(diff)
	}
}
