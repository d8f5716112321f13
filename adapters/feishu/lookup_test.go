package feishu_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/feishu"
	"deskbridge/transitions"
)

// stale is an attempt that nobody knows the first one's outcome of, two hours later.
func stale(number int) transitions.Attempt {
	return transitions.Attempt{Number: number, First: start.Add(-2 * time.Hour), Sent: true}
}

// questioned is the answer to the question for the message replied to.
func questioned(thread string) feishu.Response {
	return feishu.Response{HTTPStatus: 200, Messages: []feishu.Listed{{
		MessageID: "om_1", ChatID: "oc_1", ThreadID: thread, Created: created(-3 * time.Hour),
	}}}
}

// repliedIn is a question that came into a topic as a reply.
func repliedIn(thread string) feishu.Response {
	r := questioned(thread)
	r.Messages[0].RootID = "om_0"
	return r
}

// page is a page of the list, of messages of others; next is the token of the one
// after it.
func page(next string, times ...time.Duration) feishu.Response {
	r := feishu.Response{HTTPStatus: 200, HasMore: next != "", PageToken: next}
	for i, after := range times {
		r.Messages = append(r.Messages, feishu.Listed{MessageID: fmt.Sprint("om_", 100+i), Created: created(after)})
	}
	return r
}

// standing is the page with the answer.
func standing() feishu.Response {
	r := page("")
	r.Messages = []feishu.Listed{{
		MessageID: "om_9", ParentID: "om_1", MsgType: "text", Content: `{"text":"done"}`, Own: true, Created: created(-2 * time.Hour),
	}}
	return r
}

func TestLookupReadsThePlaceOfTheMessage(t *testing.T) {
	t.Parallel()
	get := feishu.GetMessage{MessageID: "om_1"}
	// The first request of a list is made a second after the attempt began.
	list := feishu.ListMessages{ChatID: "oc_1", From: start.Add(-3 * time.Hour), To: start.Add(time.Second + 10*time.Minute)}
	topic := list
	topic.ThreadID = "omt_1"
	then := func(l feishu.ListMessages, token string, after time.Duration) feishu.ListMessages {
		l.PageToken, l.To = token, l.To.Add(after)
		return l
	}
	absent := verdict{Again: true, Absent: true}
	newest := -time.Minute
	for name, test := range map[string]struct {
		answers []feishu.Response
		asked   []feishu.Request
		want    verdict
	}{
		"a chat, there":  {[]feishu.Response{questioned(""), standing()}, []feishu.Request{get, list}, confirmed},
		"a chat, absent": {[]feishu.Response{questioned(""), page("", newest)}, []feishu.Request{get, list}, absent},
		"a chat in pages": {[]feishu.Response{questioned(""), page("p", newest), page("q"), standing()},
			[]feishu.Request{get, list, then(list, "p", time.Second), then(list, "q", 2*time.Second)}, confirmed},
		"a topic, there": {[]feishu.Response{questioned("omt_1"), standing()}, []feishu.Request{get, topic}, confirmed},
		"a topic as far back as the question, and its chat": {[]feishu.Response{questioned("omt_1"), page("p", newest, -time.Hour), page("q", -2*time.Hour, -4*time.Hour), page("", newest)},
			[]feishu.Request{get, topic, then(topic, "p", time.Second), then(list, "", 2*time.Second)}, absent},
		"from before the topic": {[]feishu.Response{questioned("omt_1"), page("", newest), standing()},
			[]feishu.Request{get, topic, then(list, "", time.Second)}, confirmed},
		"a reply in a topic":           {[]feishu.Response{repliedIn("omt_1"), page("", newest)}, []feishu.Request{get, topic}, absent},
		"no question":                  {[]feishu.Response{deleted}, []feishu.Request{get}, unknown},
		"no scope":                     {[]feishu.Response{questioned(""), noScope}, []feishu.Request{get, list}, unknown},
		"no scope for the second page": {[]feishu.Response{questioned(""), page("p"), noScope}, []feishu.Request{get, list, then(list, "p", time.Second)}, unknown},
		"limited":                      {[]feishu.Response{questioned(""), limited}, []feishu.Request{get, list}, verdict{Again: true, Sent: true, After: 7 * time.Second}},
		"never reached":                {[]feishu.Response{unsent}, []feishu.Request{get}, againSent},
		"lost":                         {[]feishu.Response{questioned(""), lost}, []feishu.Request{get, list}, againSent},
		"credentials":                  {[]feishu.Response{badSecret}, []feishu.Request{get}, againSent},
		"more, but where":              {[]feishu.Response{questioned(""), {HTTPStatus: 200, HasMore: true}}, []feishu.Request{get, list}, againSent},
		"another message":              {[]feishu.Response{{HTTPStatus: 200, Messages: []feishu.Listed{{MessageID: "om_2"}}}}, []feishu.Request{get}, againSent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, test.answers...)
			var undecided []string
			sender := feishu.NewSender(s.time, s, feishu.SenderOptions{Undecided: func(d string, why error) { undecided = append(undecided, d+": "+why.Error()) }})
			if diff := cmp.Diff(test.want, verdictOf(s.attempt(sender, answer, stale(2)))); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.asked, s.got); diff != "" {
				t.Error(diff)
			}
			if (len(undecided) == 1) != (cmp.Equal(test.want, unknown)) || len(undecided) > 1 {
				t.Errorf("the operator was told: %q", undecided)
			}
		})
	}
}

func TestLookupIsGivenUpAfterItsTries(t *testing.T) {
	t.Parallel()
	for number, want := range map[int]verdict{1439: againSent, 1440: unknown} {
		s := newScript(t, questioned(""), unsent)
		sender := feishu.NewSender(s.time, s, feishu.SenderOptions{})
		if diff := cmp.Diff(want, verdictOf(s.attempt(sender, answer, stale(number)))); diff != "" {
			t.Errorf("attempt %d: %s", number, diff)
		}
	}
}

func TestLookupReadsABoundedPartOfAChat(t *testing.T) {
	t.Parallel()
	s := newScript(t, questioned(""))
	for range 40 {
		s.answers = append(s.answers, page("p", -time.Minute))
	}
	var why string
	sender := feishu.NewSender(s.time, s, feishu.SenderOptions{Undecided: func(_ string, err error) { why = err.Error() }})
	if diff := cmp.Diff(unknown, verdictOf(s.attempt(sender, answer, stale(2)))); diff != "" || len(s.got) != 41 {
		t.Errorf("%d requests %s", len(s.got), diff)
	}
	if why != "feishu: the chat holds more messages than are read" {
		t.Errorf("the operator was told: %s", why)
	}
}
