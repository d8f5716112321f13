package feishu_test

import (
	"fmt"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"

	"github.com/google/go-cmp/cmp"
)

// listed walks all pages of a list and returns the message ids, page by page; while
// the pages are read, more is written.
func (d *desk) listed(token, query string, between func()) [][]string {
	d.t.Helper()
	var pages [][]string
	next := ""
	for {
		a := d.call(token, "GET", messagePath+"?"+query+next, "")
		if a.Code != 0 {
			d.t.Fatalf("%s: %+v", query, a)
		}
		page := []string{}
		for _, it := range a.Data.Items {
			page = append(page, fmt.Sprint(it["message_id"]))
		}
		pages = append(pages, page)
		if !a.Data.HasMore {
			if a.Data.PageToken != "" {
				d.t.Error("a page token without more pages")
			}
			return pages
		}
		next = "&page_token=" + a.Data.PageToken
		between()
	}
}

func TestListPages(t *testing.T) {
	t.Parallel()
	const chat = "container_id_type=chat&container_id=oc_1"
	tests := map[string]struct {
		query string
		want  [][]string
	}{
		"oldest first, with what arrives meanwhile": {
			chat + "&page_size=2", [][]string{{"om_1", "om_2"}, {"om_3", "om_4"}, {"om_5", "om_6"}, {"om_7", "om_8"}}},
		"newest first, without what arrives meanwhile": {
			chat + "&page_size=2&sort_type=ByCreateTimeDesc", [][]string{{"om_5", "om_4"}, {"om_3", "om_2"}, {"om_1"}}},
		"a full last page": {chat + "&page_size=5&sort_type=ByCreateTimeAsc", [][]string{{"om_1", "om_2", "om_3", "om_4", "om_5"}}},
		"usual size":       {chat, [][]string{{"om_1", "om_2", "om_3", "om_4", "om_5"}}},
		"from":             {chat + "&start_time=1700000003", [][]string{{"om_4", "om_5"}}},
		"to":               {chat + "&end_time=1700000001", [][]string{{"om_1", "om_2"}}},
		"from and to":      {chat + "&start_time=1700000001&end_time=1700000002", [][]string{{"om_2", "om_3"}}},
		"nothing":          {chat + "&start_time=1800000000", [][]string{{}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{})
			token := d.token()
			say := func() {
				d.Say("oc_1", "ou_1", "x")
				d.time.Advance(time.Second)
			}
			for range 5 {
				say()
			}
			if diff := cmp.Diff(test.want, d.listed(token, test.query, say)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestListOfAChatHoldsOnlyTheFirstMessageOfATopic(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.AddApp(feishu.App{ID: "cli_all", Secret: "all", AllGroupMessages: true})
	token := d.call("", "POST", tokenPath, `{"app_id":"cli_all","app_secret":"all"}`).Token
	group := d.AddGroup(feishu.Group, []string{"cli_all"}, "ou_1")
	topics := d.AddGroup(feishu.TopicGroup, []string{"cli_all"}, "ou_1")
	d.Say(group, "ou_1", "a")                                                         // om_1
	d.SayWith(group, "ou_1", "b", feishu.SayOpts{ParentID: "om_1", InThread: true})   // om_2
	d.Say(group, "ou_1", "c")                                                         // om_3
	d.Say(topics, "ou_1", "d")                                                        // om_4
	d.call(token, "POST", messagePath+"/om_4/reply", draft("", "e", ""))              // om_5
	d.call(token, "POST", messagePath+"/om_3/reply", draft("", "f, no topic", "u-1")) // om_6
	never := func() { t.Error("there is no second page") }
	got := [][][]string{
		d.listed(token, "container_id_type=chat&container_id="+group, never),
		d.listed(token, "container_id_type=thread&container_id=omt_1", never),
		d.listed(token, "container_id_type=chat&container_id="+topics, never),
		d.listed(token, "container_id_type=thread&container_id=omt_2", never),
	}
	want := [][][]string{
		{{"om_1", "om_3", "om_6"}}, {{"om_1", "om_2"}}, {{"om_4", "om_5"}}, {{"om_4", "om_5"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRefusedLists(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	token := d.token()
	d.AddGroup(feishu.Group, nil, "ou_1")
	d.SayWith("oc_1", "ou_1", "topic", feishu.SayOpts{ParentID: d.Say("oc_1", "ou_1", "hi"), InThread: true})
	const chat = "container_id_type=chat&container_id=oc_1"
	for query, code := range map[string]int{
		"": 230001,
		"container_id_type=user&container_id=oc_1":                 230001,
		"container_id_type=chat&container_id=oc_9":                 230001,
		"container_id_type=chat&container_id=oc_2":                 230002,
		"container_id_type=thread&container_id=":                   230001,
		"container_id_type=thread&container_id=omt_9":              230001,
		"container_id_type=thread&container_id=omt_1":              0,
		"container_id_type=thread&container_id=omt_1&start_time=1": 230001,
		chat + "&page_size=50":                                     0,
		chat + "&page_size=51":                                     230001,
		chat + "&page_size=0":                                      230001,
		chat + "&page_size=x":                                      230001,
		chat + "&page_token=x":                                     230001,
		chat + "&sort_type=x":                                      230001,
		chat + "&start_time=x":                                     230001,
		chat + "&start_time=2&end_time=1":                          230001,
	} {
		if got := d.call(token, "GET", messagePath+"?"+query, "").Code; got != code {
			t.Errorf("%s: code %d, want %d", query, got, code)
		}
	}
}

// Without the scope im:message.group_msg a bot reads its direct chats only.
func TestAGroupIsListedOnlyForWhoMayReadAllOfIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	token := d.token()
	group := d.AddGroup(feishu.Group, []string{"cli_a"}, "ou_1")
	d.SayWith(group, "ou_1", "b", feishu.SayOpts{ParentID: d.Say(group, "ou_1", "a"), InThread: true})
	for query, code := range map[string]int{
		"container_id_type=chat&container_id=" + group: 230027,
		"container_id_type=thread&container_id=omt_1":  230027,
		"container_id_type=chat&container_id=oc_1":     0,
	} {
		if got := d.call(token, "GET", messagePath+"?"+query, ""); got.Code != code || len(got.Data.Items) > 0 {
			t.Errorf("%s: %+v", query, got)
		}
	}
}
