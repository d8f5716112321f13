package feishu_test

import (
	"encoding/json"
	"testing"

	"deskbridge/adapters/sandbox/feishu"

	"github.com/google/go-cmp/cmp"
)

func TestMessageEventHasThePlatformsShape(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	c := d.connect("cli_a")
	d.Say("oc_1", "ou_1", "看 <b> & \"x\"\n2")
	want := `{"schema":"2.0","header":{"event_id":"ev_1","event_type":"im.message.receive_v1",` +
		`"create_time":"1700000000000","token":"","app_id":"cli_a","tenant_key":"tenant_1"},` +
		`"event":{"sender":{"sender_id":{"union_id":"on_ou_1","user_id":null,"open_id":"ou_1"},` +
		`"sender_type":"user","tenant_key":"tenant_1"},` +
		`"message":{"message_id":"om_1","create_time":"1700000000000","update_time":"1700000000000",` +
		`"chat_id":"oc_1","chat_type":"p2p","message_type":"text",` +
		`"content":"{\"text\":\"看 <b> & \\\"x\\\"\\n2\"}","user_agent":"stand-in"}}}`
	if len(c.got) != 1 {
		t.Fatalf("deliveries: %v", c.events())
	}
	if diff := cmp.Diff(want, string(c.got[0].Body)); diff != "" {
		t.Error(diff)
	}
}

// place is where a message stands, as the event tells it.
type place struct {
	ID     string `json:"message_id"`
	Chat   string `json:"chat_type"`
	Root   string `json:"root_id"`
	Parent string `json:"parent_id"`
	Thread string `json:"thread_id"`
	Text   string `json:"content"`
	Type   string `json:"message_type"`
}

func places(t *testing.T, c *client) []place {
	t.Helper()
	var all []place
	for _, got := range c.got {
		var body struct {
			Event struct {
				Message place `json:"message"`
			} `json:"event"`
		}
		if err := json.Unmarshal(got.Body, &body); err != nil {
			t.Fatal(err)
		}
		all = append(all, body.Event.Message)
	}
	return all
}

func TestRepliesAndTopicsCarryTheirIDs(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	topics := d.AddGroup(feishu.TopicGroup, []string{"cli_a"}, "ou_1")
	c := d.connect("cli_a")
	nobody := []string{}

	d.Say("oc_1", "ou_1", "a")                                                                   // om_1
	d.SayWith("oc_1", "ou_1", "b", feishu.SayOpts{ParentID: "om_1"})                             // om_2
	d.SayWith("oc_1", "ou_1", "c", feishu.SayOpts{ParentID: "om_2"})                             // om_3
	d.SayWith("oc_1", "ou_1", "d", feishu.SayOpts{ParentID: "om_2", InThread: true})             // om_4
	d.SayWith("oc_1", "ou_1", "e", feishu.SayOpts{ParentID: "om_4"})                             // om_5
	d.SayWith("oc_1", "ou_1", "", feishu.SayOpts{Type: "image", Content: `{"image_key":"i_1"}`}) // om_6
	d.Say(topics, "ou_1", "f")                                                                   // om_7
	d.SayWith(topics, "ou_1", "g", feishu.SayOpts{ParentID: "om_7"})                             // om_8
	d.SayWith(topics, "ou_1", "h", feishu.SayOpts{Mentions: nobody})                             // om_9, not for the bot

	want := []place{
		{"om_1", "p2p", "", "", "", `{"text":"a"}`, "text"},
		{"om_2", "p2p", "om_1", "om_1", "", `{"text":"b"}`, "text"},
		{"om_3", "p2p", "om_1", "om_2", "", `{"text":"c"}`, "text"},
		{"om_4", "p2p", "om_2", "om_2", "omt_1", `{"text":"d"}`, "text"},
		{"om_5", "p2p", "om_2", "om_2", "omt_1", `{"text":"e"}`, "text"},
		{"om_6", "p2p", "", "", "", `{"image_key":"i_1"}`, "image"},
		{"om_7", "topic_group", "", "", "omt_2", `{"text":"@_user_1 f"}`, "text"},
		{"om_8", "topic_group", "om_7", "om_7", "omt_2", `{"text":"@_user_1 g"}`, "text"},
	}
	if diff := cmp.Diff(want, places(t, c)); diff != "" {
		t.Error(diff)
	}
}

func TestGroupMessagesReachTheBotsTheyAreFor(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		say  feishu.SayOpts
		want map[string]int // app → events
	}{
		"by default the first bot is mentioned": {
			feishu.SayOpts{}, map[string]int{"cli_a": 1, "cli_b": 0, "cli_all": 1}},
		"the bot that is named": {
			feishu.SayOpts{Mentions: []string{"ou_bot_2"}}, map[string]int{"cli_a": 0, "cli_b": 1, "cli_all": 1}},
		"both": {
			feishu.SayOpts{Mentions: []string{"ou_bot_1", "ou_bot_2"}}, map[string]int{"cli_a": 1, "cli_b": 1, "cli_all": 1}},
		"only who has the scope hears what is for a person": {
			feishu.SayOpts{Mentions: []string{"ou_2"}}, map[string]int{"cli_a": 0, "cli_b": 0, "cli_all": 1}},
		"only who has the scope hears what is for nobody": {
			feishu.SayOpts{Mentions: []string{}}, map[string]int{"cli_a": 0, "cli_b": 0, "cli_all": 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{})
			d.AddApp(feishu.App{ID: "cli_b", Name: "B"})
			d.AddApp(feishu.App{ID: "cli_all", AllGroupMessages: true})
			d.AddApp(feishu.App{ID: "cli_elsewhere", AllGroupMessages: true})
			d.AddUser("B")
			group := d.AddGroup(feishu.Group, []string{"cli_a", "cli_b", "cli_all"}, "ou_1", "ou_2")
			d.SayWith(group, "ou_1", "hi", test.say)
			got := map[string]int{"cli_a": 0, "cli_b": 0, "cli_all": 0}
			for _, ev := range d.Events() {
				got[ev.AppID]++
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMentionsAreToldInTheEvent(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.AddUser("B")
	group := d.AddGroup(feishu.Group, []string{"cli_a"}, "ou_1", "ou_2")
	c := d.connect("cli_a")
	d.SayWith(group, "ou_1", "@_user_1 ask @_user_2", feishu.SayOpts{Mentions: []string{"ou_bot_1", "ou_2"}})
	var body struct {
		Event struct {
			Message struct {
				Content  string
				Mentions json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(c.got[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	want := `[{"key":"@_user_1","id":{"union_id":"on_ou_bot_1","user_id":null,"open_id":"ou_bot_1"},"name":"Desk","mentioned_type":"bot","tenant_key":"tenant_1"},` +
		`{"key":"@_user_2","id":{"union_id":"on_ou_2","user_id":null,"open_id":"ou_2"},"name":"B","mentioned_type":"user","tenant_key":"tenant_1"}]`
	if diff := cmp.Diff(want, string(body.Event.Message.Mentions)); diff != "" {
		t.Error(diff)
	}
	if want := `{"text":"@_user_1 ask @_user_2"}`; body.Event.Message.Content != want {
		t.Errorf("content %s, want %s", body.Event.Message.Content, want)
	}
}

func TestOneDirectChatForEachPair(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.AddUser("B")
	d.AddApp(feishu.App{ID: "cli_b"})
	got := []string{
		d.AddP2P("cli_a", "ou_1"), d.AddP2P("cli_a", "ou_2"), d.AddP2P("cli_b", "ou_1"), d.AddP2P("cli_a", "ou_2"),
	}
	if diff := cmp.Diff([]string{"oc_1", "oc_2", "oc_3", "oc_2"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMessagesAreCopies(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	group := d.AddGroup(feishu.Group, []string{"cli_a"}, "ou_1")
	d.Say(group, "ou_1", "hi")
	first := d.Messages(group)
	first[0].Mentions[0].Name, first[0].Content = "changed", "changed"
	if got := d.Messages(group)[0]; got.Mentions[0].Name != "Desk" || got.Text() != "@_user_1 hi" {
		t.Errorf("the platform's message was changed through a copy: %+v", got)
	}
}

func TestChangesAreToldOnceForEachStep(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.time.Settle()
	told, other := 0, 0
	var stop func()
	stop = d.OnChange(func() { told++; stop() })
	stopOther := d.OnChange(func() { other++ })
	d.Say("oc_1", "ou_1", "a")
	d.Say("oc_1", "ou_1", "b")
	d.time.Settle()
	d.Say("oc_1", "ou_1", "c")
	d.time.Settle()
	stopOther()
	d.Say("oc_1", "ou_1", "d")
	d.time.Settle()
	if told != 1 || other != 2 {
		t.Errorf("told %d and %d times, want 1 and 2", told, other)
	}
}

func TestScriptsThatNameWhatIsNotTherePanic(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.AddUser("B")
	for name, script := range map[string]func(){
		"chat":          func() { d.Say("oc_9", "ou_1", "x") },
		"user":          func() { d.Say("oc_1", "ou_9", "x") },
		"not a member":  func() { d.Say("oc_1", "ou_2", "x") },
		"parent":        func() { d.SayWith("oc_1", "ou_1", "x", feishu.SayOpts{ParentID: "om_9"}) },
		"event":         func() { d.Redeliver("ev_9") },
		"app":           func() { d.AddP2P("cli_9", "ou_1") },
		"app twice":     func() { d.AddApp(feishu.App{ID: "cli_a"}) },
		"group of two":  func() { d.AddGroup(feishu.P2P, nil) },
		"fault kind":    func() { d.Inject(feishu.Fault{Kind: "x"}) },
		"fault pattern": func() { d.Inject(feishu.Fault{Kind: feishu.Hang, Match: feishu.Match{Path: "["}}) },
		"event hangs":   func() { d.Inject(feishu.Fault{Kind: feishu.Hang, Match: feishu.Match{Method: feishu.EventMethod}}) },
		"request twice": func() { d.Inject(feishu.Fault{Kind: feishu.Duplicate}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			script()
		})
	}
}
