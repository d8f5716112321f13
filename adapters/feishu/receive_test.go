package feishu_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/feishu"
	"deskbridge/transitions"
)

// asked is a message of a direct chat from somebody who may write.
func asked(change func(*feishu.Incoming)) feishu.Incoming {
	in := feishu.Incoming{
		MessageID: "om_1", ChatID: "oc_1", ChatType: feishu.P2P, SenderOpenID: "ou_a", SenderType: "user",
		Created: 1700000000000, Kind: feishu.Text, Type: "text", Text: "hello",
	}
	if change != nil {
		change(&in)
	}
	return in
}

func inGroup(mentions ...string) func(*feishu.Incoming) {
	return func(in *feishu.Incoming) {
		in.ChatType = feishu.Group
		for _, id := range mentions {
			in.Mentions = append(in.Mentions, feishu.Mention{OpenID: id})
		}
	}
}

func TestAdmission(t *testing.T) {
	a := feishu.Access{AllowUsers: []string{"ou_a", ""}, Admins: []string{"ou_admin"}, AllowChats: []string{"oc_open"}, GroupMode: feishu.MentionOnly}
	all := a
	all.GroupMode = feishu.AllMessages
	from := func(id string) func(*feishu.Incoming) {
		return func(in *feishu.Incoming) { in.SenderOpenID = id }
	}
	both := func(changes ...func(*feishu.Incoming)) func(*feishu.Incoming) {
		return func(in *feishu.Incoming) {
			for _, c := range changes {
				c(in)
			}
		}
	}
	open := func(in *feishu.Incoming) { in.ChatID = "oc_open" }
	app := func(in *feishu.Incoming) { in.SenderType = "app" }
	topics := func(in *feishu.Incoming) { in.ChatType = feishu.TopicGroup }
	tests := map[string]struct {
		access feishu.Access
		change func(*feishu.Incoming)
		self   string
		want   feishu.Reason
	}{
		"a user of the list":               {a, nil, "ou_bot", ""},
		"an admin":                         {a, from("ou_admin"), "ou_bot", ""},
		"a stranger":                       {a, from("ou_b"), "ou_bot", feishu.NotAllowed},
		"a stranger in an allowed chat":    {a, both(from("ou_b"), open), "ou_bot", ""},
		"nobody, whatever the list":        {a, from(""), "ou_bot", feishu.NotAllowed},
		"nobody in an allowed chat":        {a, both(from(""), open), "ou_bot", feishu.NotAllowed},
		"empty lists":                      {feishu.Access{}, nil, "ou_bot", feishu.NotAllowed},
		"an app":                           {a, app, "ou_bot", feishu.FromApp},
		"an app in an allowed chat":        {a, both(app, open), "ou_bot", feishu.FromApp},
		"a sender of no known type":        {a, func(in *feishu.Incoming) { in.SenderType = "" }, "ou_bot", feishu.FromApp},
		"ourselves":                        {a, both(from("ou_bot"), open), "ou_bot", feishu.FromApp},
		"direct chat, unknown bot":         {a, nil, "", ""},
		"group, mentioned":                 {a, inGroup("ou_c", "ou_bot"), "ou_bot", ""},
		"group, others mentioned":          {a, inGroup("ou_c"), "ou_bot", feishu.NotMentioned},
		"group, nobody mentioned":          {a, inGroup(), "ou_bot", feishu.NotMentioned},
		"group, unknown bot":               {a, inGroup("ou_bot"), "", feishu.BotUnknown},
		"topic group, mentioned":           {a, both(inGroup("ou_bot"), topics), "ou_bot", ""},
		"topic group, not mentioned":       {a, both(inGroup(), topics), "ou_bot", feishu.NotMentioned},
		"group, mentioned by a stranger":   {a, both(inGroup("ou_bot"), from("ou_b")), "ou_bot", feishu.NotAllowed},
		"all messages, not mentioned":      {all, inGroup(), "ou_bot", ""},
		"all messages, unknown bot":        {all, inGroup(), "", ""},
		"all messages, from a stranger":    {all, both(inGroup(), from("ou_b")), "ou_bot", feishu.NotAllowed},
		"a chat of a type to come, silent": {a, func(in *feishu.Incoming) { in.ChatType = "hall" }, "ou_bot", feishu.NotMentioned},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ok, why := test.access.Admit(asked(test.change), test.self)
			if why != test.want || ok != (test.want == "") {
				t.Errorf("got %v %q, want %q", ok, why, test.want)
			}
		})
	}
}

func TestMessagesBecomeFacts(t *testing.T) {
	r := feishu.Receiver{Access: feishu.Access{AllowUsers: []string{"ou_a"}, Admins: []string{"ou_admin"}, GroupMode: feishu.AllMessages}}
	said := func(text string) func(*feishu.Incoming) {
		return func(in *feishu.Incoming) { in.Text = text }
	}
	text := func(s string) transitions.Fact {
		return transitions.MessageReceived{Message: "om_1", Sender: "ou_a", Text: s, Created: 1700000000000}
	}
	stop := transitions.StopRequested{Message: "om_1", Sender: "ou_a", Created: 1700000000000, Entitled: true}
	fresh := transitions.NewRequested{Message: "om_1", Sender: "ou_a", Created: 1700000000000, Entitled: true}
	inGroup := func(sender, text string) func(*feishu.Incoming) {
		return func(in *feishu.Incoming) { in.ChatType, in.SenderOpenID, in.Text = feishu.Group, sender, text }
	}
	topic := func(in *feishu.Incoming) { in.ThreadID = "omt_7" }
	reply := func(text, to string) func(*feishu.Incoming) {
		return func(in *feishu.Incoming) { in.Text, in.ParentID = text, to }
	}
	stale := func(run bool, about string) transitions.Fact {
		return transitions.StaleAnswered{Message: "om_1", About: about, By: "ou_a", Run: run, Entitled: true}
	}
	resume := func(number int) transitions.Fact {
		return transitions.ResumeRequested{Message: "om_1", Sender: "ou_a", Created: 1700000000000, Number: number, Entitled: true}
	}
	tests := map[string]struct {
		change       func(*feishu.Incoming)
		conversation string
		fact         transitions.Fact
		ignored      feishu.Reason
		detail       string
	}{
		"text":                     {nil, "oc_1", text("hello"), "", ""},
		"in a topic":               {topic, "oc_1:omt_7", text("hello"), "", ""},
		"stop":                     {said("/stop"), "oc_1", stop, "", ""},
		"stop in capitals":         {said("/Stop"), "oc_1", stop, "", ""},
		"stop in Chinese":          {said("/停止"), "oc_1", stop, "", ""},
		"new":                      {said("/new"), "oc_1", fresh, "", ""},
		"new in Chinese":           {said("／新对话"), "oc_1", fresh, "", ""},
		"stop, full-width slash":   {said("／停止"), "oc_1", stop, "", ""},
		"stop in a group":          {inGroup("ou_a", "/stop"), "oc_1", transitions.StopRequested{Message: "om_1", Sender: "ou_a", Created: 1700000000000}, "", ""},
		"new in a group":           {inGroup("ou_a", "/new"), "oc_1", transitions.NewRequested{Message: "om_1", Sender: "ou_a", Created: 1700000000000}, "", ""},
		"an admin in a group":      {inGroup("ou_admin", "/stop"), "oc_1", transitions.StopRequested{Message: "om_1", Sender: "ou_admin", Created: 1700000000000, Entitled: true}, "", ""},
		"run":                      {said("/run"), "oc_1", stale(true, ""), "", ""},
		"run, as a reply":          {reply("/run", "om_0"), "oc_1", stale(true, "om_0"), "", ""},
		"drop in Chinese":          {said("／放弃"), "oc_1", stale(false, ""), "", ""},
		"run in a topic":           {func(in *feishu.Incoming) { reply("/执行", "om_root")(in); topic(in) }, "oc_1:omt_7", stale(true, ""), "", ""},
		"threads":                  {said("/threads"), "oc_1", transitions.ThreadsRequested{Message: "om_1", Sender: "ou_a"}, "", ""},
		"threads in Chinese":       {said("／对话"), "oc_1", transitions.ThreadsRequested{Message: "om_1", Sender: "ou_a"}, "", ""},
		"resume":                   {said("/resume 2"), "oc_1", resume(2), "", ""},
		"resume in capitals":       {said("/Resume  10"), "oc_1", resume(10), "", ""},
		"resume in Chinese":        {said("／接着3"), "oc_1", resume(3), "", ""},
		"resume, wide digits":      {said("/接着　１２"), "oc_1", resume(12), "", ""},
		"resume, no number":        {said("/resume"), "oc_1", resume(0), "", ""},
		"resume, no number at all": {said("/resume login"), "oc_1", resume(0), "", ""},
		"resume, too large":        {said("/resume 99999999999999999999"), "oc_1", resume(0), "", ""},
		"resume and more":          {said("/resume 2 and go on"), "oc_1", text("/resume 2 and go on"), "", ""},
		"resumes":                  {said("/resume2"), "oc_1", text("/resume2"), "", ""},
		"resume in a group":        {inGroup("ou_a", "/resume 1"), "oc_1", transitions.ResumeRequested{Message: "om_1", Sender: "ou_a", Created: 1700000000000, Number: 1}, "", ""},
		"stop and more":            {said("/stop it"), "oc_1", text("/stop it"), "", ""},
		"without the slash":        {said("stop"), "oc_1", text("stop"), "", ""},
		"another command":          {said("/status"), "oc_1", text("/status"), "", ""},
		"nothing":                  {said(""), "oc_1", nil, feishu.NoText, ""},
		"an image":                 {func(in *feishu.Incoming) { in.Kind, in.Type, in.Text = feishu.Unsupported, "image", "" }, "oc_1", nil, feishu.UnsupportedType, "image"},
		"a stranger's image":       {func(in *feishu.Incoming) { in.Kind, in.SenderOpenID = feishu.Unsupported, "ou_b" }, "oc_1", nil, feishu.NotAllowed, ""},
		"a stranger's stop":        {func(in *feishu.Incoming) { in.Text, in.SenderOpenID = "/stop", "ou_b" }, "oc_1", nil, feishu.NotAllowed, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := asked(test.change)
			want := feishu.Decision{Conversation: test.conversation, Fact: test.fact, Ignored: test.ignored, Detail: test.detail, Incoming: in}
			if diff := cmp.Diff(want, r.Decide(in, "ou_bot")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEventsAreDecidedFromTheirJSON(t *testing.T) {
	r := feishu.Receiver{Access: feishu.Access{AllowUsers: []string{"ou_a"}, GroupMode: feishu.MentionOnly}}
	got := r.Receive([]byte(groupText), "ou_bot")
	want := transitions.MessageReceived{Message: "om_2", Sender: "ou_a", Text: "ask @B, please", Created: 1700000000123}
	if diff := cmp.Diff(want, got.Fact); diff != "" || got.Conversation != "oc_1:omt_1" {
		t.Errorf("%s: %s", got.Conversation, diff)
	}
	if got := r.Receive([]byte(groupText), ""); got.Ignored != feishu.BotUnknown || got.Fact != nil || !got.Again() {
		t.Errorf("without the bot's identity: %+v", got)
	}
	bad := r.Receive([]byte(`{"header":{"event_id":"ev_9"}}`), "ou_bot")
	if bad.Ignored != feishu.Malformed || bad.Fact != nil || bad.Detail == "" || bad.Incoming.EventID != "ev_9" || bad.Again() {
		t.Errorf("malformed: %+v", bad)
	}
}

func TestOnlyAnUnknownBotIsWorthAnotherDelivery(t *testing.T) {
	again := slices.DeleteFunc(feishu.Reasons(), func(r feishu.Reason) bool { return !feishu.Decision{Ignored: r}.Again() })
	if diff := cmp.Diff([]feishu.Reason{feishu.BotUnknown}, again); diff != "" {
		t.Error(diff)
	}
}
