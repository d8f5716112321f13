package feishu

import (
	"strings"
	"testing"
	"time"

	"deskbridge/transitions"
)

var noon = time.UnixMilli(1_700_000_000_000)

func TestOnlyAListThatDecidesIsBelieved(t *testing.T) {
	t.Parallel()
	const answer = "The **second** half is in `a/b.go`, line 7.\n\nDone."
	question := Listed{MessageID: "om_1", ChatID: "oc_1"}
	inTopic := Listed{MessageID: "om_1", ChatID: "oc_1", ThreadID: "omt_1", RootID: "om_0", ParentID: "om_0"}
	// text is a message of ours in reply to the question, a second after the first
	// attempt, but for what is changed.
	text := func(says string, change ...func(*Listed)) Listed {
		m := Listed{
			MessageID: "om_9", ParentID: "om_1", MsgType: "text", Content: textContent(says), Own: true,
			Created: transitions.Millis(noon.Add(time.Second).UnixMilli()),
		}
		for _, f := range change {
			f(&m)
		}
		return m
	}
	// there is in the topic, whose first message is the parent of all.
	there := func(m *Listed) { m.ParentID, m.ThreadID = "om_0", inTopic.ThreadID }
	of := func(parent string) func(*Listed) { return func(m *Listed) { m.ParentID = parent } }
	foreign := func(m *Listed) { m.Own = false }
	recalled := func(m *Listed) { m.Recalled, m.Content = true, "" }
	kind := func(msgType, content string) func(*Listed) {
		return func(m *Listed) { m.MsgType, m.Content = msgType, content }
	}
	after := func(d time.Duration) func(*Listed) {
		return func(m *Listed) { m.Created = transitions.Millis(noon.Add(d).UnixMilli()) }
	}
	tests := map[string]struct {
		parent  Listed
		listed  []Listed
		change  func(*search)
		partial bool
		want    verdict
	}{
		"it stands there":                  {question, []Listed{text(answer)}, nil, false, found},
		"and so does more of ours":         {question, []Listed{text("Received."), text(answer), text("Something else.")}, nil, false, found},
		"and the list goes on":             {question, []Listed{text(answer)}, nil, true, found},
		"trimmed":                          {question, []Listed{text(strings.TrimSpace(strings.ReplaceAll(answer, "\n\n", "\n")))}, nil, false, found},
		"by a clock that is behind":        {question, []Listed{text(answer, after(-9*time.Minute))}, nil, false, found},
		"by a clock that is ahead":         {question, []Listed{text(answer, after(9*time.Minute))}, nil, false, found},
		"long before":                      {question, []Listed{text(answer, after(-11*time.Minute))}, nil, false, unclear},
		"twice":                            {question, []Listed{text(answer), text(answer)}, nil, false, unclear},
		"nothing":                          {question, nil, nil, false, absent},
		"nothing so far":                   {question, nil, nil, true, unclear},
		"in reply to another":              {question, []Listed{text(answer, of("om_2"))}, nil, false, absent},
		"in reply to none":                 {question, []Listed{text(answer, of(""))}, nil, false, absent},
		"somebody else's":                  {question, []Listed{text(answer, foreign)}, nil, false, absent},
		"something else":                   {question, []Listed{text("Another answer altogether.")}, nil, false, absent},
		"a word of it":                     {question, []Listed{text("Done.")}, nil, false, absent},
		"a picture":                        {question, []Listed{text("", kind("image", `{"image_key":"img_1"}`))}, nil, false, absent},
		"a card":                           {question, []Listed{text("", kind("interactive", answer))}, nil, false, absent},
		"recalled":                         {question, []Listed{text(answer, recalled)}, nil, false, unclear},
		"not to be read":                   {question, []Listed{text("", kind("text", "…"))}, nil, false, unclear},
		"without its markup":               {question, []Listed{text("The second half is in a/b.go, line 7. Done.")}, nil, false, unclear},
		"shortened by the platform":        {question, []Listed{text("The **second** half is in `a/b.go`")}, nil, false, unclear},
		"with the clock set back":          {question, nil, func(s *search) { s.now = noon.Add(-time.Second) }, false, unclear},
		"there, with the clock set back":   {question, []Listed{text(answer, after(-time.Hour))}, func(s *search) { s.now = noon.Add(-time.Second) }, false, found},
		"as a part of it says":             {question, []Listed{text(answer)}, func(s *search) { s.shown = "x " + answer + " y" }, false, unclear},
		"in the topic":                     {inTopic, []Listed{text(answer, there)}, nil, false, found},
		"in the topic, by its parent":      {inTopic, []Listed{text(answer, there, of("om_1"))}, nil, false, found},
		"in the topic, a moment before":    {inTopic, []Listed{text(answer, there, after(-time.Second))}, nil, false, unclear},
		"in the topic, a notice":           {inTopic, []Listed{text(answer, there)}, func(s *search) { s.outcome = false }, false, unclear},
		"in the topic, with clock back":    {inTopic, []Listed{text(answer, there)}, func(s *search) { s.now = noon.Add(-time.Second) }, false, unclear},
		"in the topic, something else":     {inTopic, []Listed{text("Another answer altogether.", there)}, nil, false, absent},
		"in the topic, somebody else's":    {inTopic, []Listed{text(answer, there, foreign)}, nil, false, absent},
		"in the topic, recalled":           {inTopic, []Listed{text(answer, there, recalled)}, nil, false, unclear},
		"in the chat of the topic":         {inTopic, []Listed{text(answer)}, func(s *search) { s.outcome = false }, false, found},
		"in the chat, to another":          {inTopic, []Listed{text(answer, of("om_2"))}, nil, false, absent},
		"only an emoji of ours to compare": {question, []Listed{text("👍")}, func(s *search) { s.parts[0].text = "🎉" }, false, unclear},
	}
	for name, test := range tests {
		s := search{parts: []part{{text: answer, upTo: len(answer)}}, outcome: true, first: noon, now: noon.Add(time.Hour)}
		if test.change != nil {
			test.change(&s)
		}
		got := s.judge(test.parent, test.listed, !test.partial)
		if got.verdict != test.want || (got.why != "") != (test.want == unclear) || (got.message == "om_9") != (test.want == found) {
			t.Errorf("%s: got %+v, want %s", name, got, test.want)
		}
	}
}

func TestAMessageIsSoughtInEveryLengthItMayHave(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 20_000)
	d := delivery{Deliver: transitions.Deliver{Kind: transitions.Outcome}, text: text, from: 0}
	s := d.search(noon)
	question := Listed{MessageID: "om_1"}
	for limit, want := range []int{140_000, 70_000, 35_000, 17_500, 8_750, 4_375} {
		m := Listed{MessageID: "om_9", ParentID: "om_1", MsgType: "text", Content: textContent(text[:want]), Own: true}
		if got := s.judge(question, []Listed{m}, true); got.verdict != found || got.part.upTo != want {
			t.Errorf("limit %d: %s, up to %d", limit, got.verdict, got.part.upTo)
		}
	}
	short := delivery{text: "short"}
	if got := short.search(noon).parts; len(got) != 1 {
		t.Errorf("a short text is sought %d times", len(got))
	}
}

func TestATopicIsReadBackToTheQuestion(t *testing.T) {
	t.Parallel()
	page := func(times ...transitions.Millis) []Listed {
		var all []Listed
		for _, ms := range times {
			all = append(all, Listed{Created: ms})
		}
		return all
	}
	for name, test := range map[string]struct {
		page []Listed
		want bool
	}{
		"newer":                      {page(9, 8, 7), false},
		"up to it":                   {page(9, 8, 5), false},
		"beyond it":                  {page(9, 5, 4), true},
		"all before it":              {page(4, 3, 2), true},
		"oldest first, contrary":     {page(2, 3, 4), false},
		"in no order":                {page(9, 2, 3), false},
		"one message":                {page(2), false},
		"messages of one moment":     {page(2, 2), false},
		"nothing":                    {nil, false},
		"some of one moment, beyond": {page(9, 9, 2, 2), true},
	} {
		if got := reaches(test.page, 5); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
