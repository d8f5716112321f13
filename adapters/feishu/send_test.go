package feishu_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/feishu"
	"deskbridge/transitions"
)

var answer = transitions.Deliver{
	Delivery: "d_1", ReplyTo: "om_1", UUID: "u_1", Kind: transitions.Outcome, Body: transitions.Body{Text: "done"},
}

// verdict is a report as a test compares it.
type verdict struct {
	Facts []transitions.Fact
	Again bool
	Sent  bool
	// Absent is as in a report.
	Absent bool
	After  time.Duration
	Done   int
}

func verdictOf(r transitions.Report) verdict {
	v := verdict{Facts: r.Facts, Done: r.Done}
	if r.Again != nil {
		v.Again, v.Sent, v.Absent, v.After = true, r.Again.Sent, r.Again.Absent, r.Again.After
	}
	return v
}

func facts(f ...transitions.Fact) verdict { return verdict{Facts: f} }

var (
	confirmed = facts(transitions.DeliveryConfirmed{Delivery: "d_1", Shown: "om_9"})
	refused   = facts(transitions.DeliveryRefused{Delivery: "d_1", Code: 230011, Said: "The message was withdrawn."})
	unknown   = facts(transitions.DeliveryUnknown{Delivery: "d_1"})
	again     = verdict{Again: true}
	againSent = verdict{Again: true, Sent: true}
)

// created is a time of the platform's, that long after the beginning.
func created(after time.Duration) transitions.Millis {
	return transitions.Millis(start.Add(after).UnixMilli())
}

func TestDeliveryIsSettledByWhatFeishuProves(t *testing.T) {
	// step is an attempt, this long after the one before; its request and those of a
	// lookup have these answers.
	type step struct {
		after   time.Duration
		answers []feishu.Response
		want    verdict
	}
	one := func(r feishu.Response) []feishu.Response { return []feishu.Response{r} }
	later := verdict{Again: true, After: 7 * time.Second}
	// What the chat shows since the question, two hours before the end.
	chat := func(messages ...feishu.Listed) []feishu.Response {
		return []feishu.Response{
			{HTTPStatus: 200, Messages: []feishu.Listed{{MessageID: "om_1", ChatID: "oc_1", Created: created(-time.Minute)}}},
			{HTTPStatus: 200, Messages: messages},
		}
	}
	then := func(r feishu.Response, more []feishu.Response) []feishu.Response { return append(one(r), more...) }
	standing := feishu.Listed{MessageID: "om_9", ChatID: "oc_1", ParentID: "om_1", MsgType: "text", Content: `{"text":"done"}`, Own: true, Created: created(time.Second)}
	standingLater := standing
	standingLater.Created = created(2 * time.Hour)
	absent := verdict{Again: true, Absent: true}
	wait := func(d time.Duration) verdict { return verdict{Again: true, Sent: true, After: d} }
	tests := map[string][]step{
		"confirmed":                       {{0, one(shown), confirmed}},
		"refused":                         {{0, one(withdrawn), refused}},
		"refused without words":           {{0, one(feishu.Response{HTTPStatus: 413, Err: errReset}), facts(transitions.DeliveryRefused{Delivery: "d_1", Said: "HTTP 413"})}},
		"too long for a short one":        {{0, one(tooLong), facts(transitions.DeliveryRefused{Delivery: "d_1", Code: 230025, Said: "The length of the message content reaches its limit."})}},
		"limited, then confirmed":         {{0, one(limited), later}, {time.Minute, one(shown), confirmed}},
		"limited for hours":               {{0, one(limited), later}, {5 * time.Hour, one(limited), later}, {5 * time.Hour, one(shown), confirmed}},
		"bad credentials for hours":       {{0, one(badSecret), again}, {5 * time.Hour, one(badSecret), again}, {5 * time.Hour, one(shown), confirmed}},
		"bad tokens for hours":            {{0, one(badToken), again}, {5 * time.Hour, one(shown), confirmed}},
		"never reached, for hours":        {{0, one(unsent), again}, {5 * time.Hour, one(unsent), again}, {5 * time.Hour, one(withdrawn), refused}},
		"lost, then confirmed":            {{0, one(lost), againSent}, {54 * time.Minute, one(shown), confirmed}},
		"lost late, after it was limited": {{0, one(limited), later}, {5 * time.Hour, one(lost), againSent}, {time.Minute, one(shown), confirmed}},
		"lost, then limited":              {{0, one(lost), againSent}, {time.Minute, one(limited), later}, {time.Minute, one(shown), confirmed}},
		"lost again and again, and there": {{0, one(lost), againSent}, {54 * time.Minute, one(lost), againSent}, {time.Minute, chat(standing), confirmed}},
		"lost again and again, and absent": {
			{0, one(lost), againSent}, {54 * time.Minute, one(lost), againSent}, {time.Minute, chat(), absent}, {time.Minute, one(shown), confirmed}},
		"absent, then lost, and there": {
			{0, one(lost), againSent}, {time.Hour, chat(), absent}, {time.Hour, one(lost), againSent}, {time.Hour, chat(standingLater), confirmed}},
		"lost, then refused, and there":   {{0, one(lost), againSent}, {time.Minute, then(withdrawn, chat(standing)), confirmed}},
		"lost, then refused, and no chat": {{0, one(lost), againSent}, {time.Minute, then(withdrawn, one(deleted)), unknown}},
		"lost, then refused, and absent": {
			{0, one(lost), againSent}, {time.Minute, then(withdrawn, chat()), wait(56 * time.Second)}, {56 * time.Second, then(withdrawn, chat()), refused}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t)
			sender := feishu.NewSender(s.time, s, feishu.SenderOptions{Language: transitions.Chinese})
			var a transitions.Attempt
			for i, step := range steps {
				s.time.Advance(step.after)
				s.answers = step.answers
				a.Number++
				if !a.Sent {
					a.First = s.time.Now()
				}
				got := verdictOf(s.attempt(sender, answer, a))
				a.Sent = !got.Absent && (a.Sent || got.Sent)
				if diff := cmp.Diff(step.want, got); diff != "" || len(s.answers) > 0 {
					t.Errorf("attempt %d: %d answers are left %s", i+1, len(s.answers), diff)
				}
			}
			want := feishu.Reply{MessageID: "om_1", MsgType: "text", Content: `{"text":"done"}`, UUID: "u_1"}
			for i, req := range s.sent() {
				if diff := cmp.Diff(want, req); diff != "" {
					t.Errorf("reply %d: %s", i+1, diff)
				}
			}
		})
	}
}

func TestDeliveryOlderThanTheUUIDIsNotSentAgain(t *testing.T) {
	for name, age := range map[string]time.Duration{
		"two hours":                   2 * time.Hour,
		"fifty-five minutes":          55 * time.Minute,
		"the clock was set back":      -time.Second,
		"the clock was set back far":  -1000 * time.Hour,
		"the clock was set on by far": 1000 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, noScope)
			sender := feishu.NewSender(s.time, s, feishu.SenderOptions{})
			got := verdictOf(s.attempt(sender, answer, transitions.Attempt{Number: 2, First: start.Add(-age), Sent: true}))
			if diff := cmp.Diff(unknown, got); diff != "" || len(s.sent()) != 0 {
				t.Errorf("%d replies %s", len(s.sent()), diff)
			}
		})
	}
}

// After its tries a delivery is a visible failure, if it is proven that it does not
// stand in the chat.
func TestWhatNeverSucceedsIsGivenUp(t *testing.T) {
	failed := func(code int, said string) verdict {
		return facts(transitions.DeliveryRefused{Delivery: "d_1", Code: code, Said: said})
	}
	parent := feishu.Response{HTTPStatus: 200, Messages: []feishu.Listed{{MessageID: "om_1", ChatID: "oc_1"}}}
	empty := feishu.Response{HTTPStatus: 200}
	for name, test := range map[string]struct {
		number  int
		sent    bool
		answers []feishu.Response
		want    verdict
	}{
		"limited":                 {1439, false, []feishu.Response{limited}, verdict{Again: true, After: 7 * time.Second}},
		"limited for a day":       {1440, false, []feishu.Response{limited}, failed(99991400, "given up after 1440 tries; the last: feishu reply: 99991400 frequency limit (HTTP 429)")},
		"never reached":           {1440, false, []feishu.Response{unsent}, failed(0, "given up after 1440 tries; the last: feishu reply: connection reset")},
		"credentials":             {1440, false, []feishu.Response{badSecret}, failed(10014, "given up after 1440 tries; the last: feishu reply: 10014 app secret invalid (HTTP 200)")},
		"more tries than a day":   {2000, false, []feishu.Response{unsent}, failed(0, "given up after 2000 tries; the last: feishu reply: connection reset")},
		"lost at last":            {1440, false, []feishu.Response{lost, parent, empty}, verdict{Again: true, Sent: true, After: 2*time.Minute - 3*time.Second}},
		"lost before and at last": {1440, true, []feishu.Response{lost, parent, empty}, failed(0, "given up after 1440 tries; the last: feishu reply: connection reset")},
		"lost, and no list":       {1440, true, []feishu.Response{lost, parent, noScope}, unknown},
		"lost, and no list yet":   {1440, true, []feishu.Response{lost, parent, limited}, unknown},
		"limited, lost before":    {1440, true, []feishu.Response{limited, parent, empty}, failed(99991400, "given up after 1440 tries; the last: feishu reply: 99991400 frequency limit (HTTP 429)")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, test.answers...)
			sender := feishu.NewSender(s.time, s, feishu.SenderOptions{})
			a := transitions.Attempt{Number: test.number, First: start, Sent: test.sent}
			if test.sent {
				a.First = start.Add(-10 * time.Minute)
			}
			if diff := cmp.Diff(test.want, verdictOf(s.attempt(sender, answer, a))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReportsSayWhyForTheOperator(t *testing.T) {
	s := newScript(t, limited)
	sender := feishu.NewSender(s.time, s, feishu.SenderOptions{})
	got := s.attempt(sender, answer, transitions.Attempt{Number: 1, First: start})
	const want = "feishu reply: 99991400 frequency limit (HTTP 429)"
	if got.Again == nil || got.Again.Err.Error() != want {
		t.Errorf("got %+v, want %s", got.Again, want)
	}
}

func TestReceiptIsShownOrDropped(t *testing.T) {
	receipt := transitions.ShowReceipt{Message: "om_1"}
	dropped := func(said string) verdict {
		return facts(transitions.EffectDropped{Effect: "show_receipt", Subject: "om_1", Said: said})
	}
	tests := map[string]struct {
		number int
		answer feishu.Response
		want   verdict
	}{
		"shown":          {1, reacted, facts(transitions.ReceiptShown{Message: "om_1", Reaction: "r_1"})},
		"limited":        {1, limited, verdict{Again: true, After: 7 * time.Second}},
		"never reached":  {2, unsent, again},
		"no credentials": {2, badSecret, again},
		"limited thrice": {3, limited, dropped("feishu react: 99991400 frequency limit (HTTP 429)")},
		"refused":        {1, withdrawn, dropped("feishu react: 230011 The message was withdrawn. (HTTP 400)")},
		"lost":           {1, lost, dropped("feishu react: connection reset")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, test.answer)
			sender := feishu.NewSender(s.time, s, feishu.SenderOptions{})
			got := verdictOf(s.attempt(sender, receipt, transitions.Attempt{Number: test.number, First: start}))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]feishu.Request{feishu.React{MessageID: "om_1", Emoji: "OnIt"}}, s.got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReceiptsEmojiIsAnOption(t *testing.T) {
	s := newScript(t, reacted)
	sender := feishu.NewSender(s.time, s, feishu.SenderOptions{Receipt: "THUMBSUP"})
	s.attempt(sender, transitions.ShowReceipt{Message: "om_1"}, transitions.Attempt{Number: 1, First: start})
	if got := s.got[0].(feishu.React).Emoji; got != "THUMBSUP" {
		t.Errorf("got %s", got)
	}
}

// deliver sends a body and returns the text that Feishu is given.
func deliver(t *testing.T, lang transitions.Language, body transitions.Body) string {
	t.Helper()
	s := newScript(t, shown)
	e := answer
	e.Body = body
	s.attempt(feishu.NewSender(s.time, s, feishu.SenderOptions{Language: lang}), e, transitions.Attempt{Number: 1, First: start})
	var content struct{ Text string }
	if err := json.Unmarshal([]byte(s.got[0].(feishu.Reply).Content), &content); err != nil {
		t.Fatal(err)
	}
	return content.Text
}

func TestSentencesAreSaidInTheLanguageAskedFor(t *testing.T) {
	stopped := transitions.Body{Sentence: transitions.SaidStopped}
	for _, lang := range []transitions.Language{transitions.Chinese, transitions.English} {
		if got := deliver(t, lang, stopped); got != stopped.Say(lang) {
			t.Errorf("%s: %q", lang, got)
		}
	}
}

func TestWhatOthersWroteMentionsNobody(t *testing.T) {
	const gap = "\u200b"
	for in, want := range map[string]string{
		`hi <at user_id="all">all</at>!`: `hi <` + gap + `at user_id="all">all<` + gap + `/at>!`,
		`<AT user_id='ou_a'></At >`:      `<` + gap + `AT user_id='ou_a'><` + gap + `/At >`,
		"<at\nid=x>":                     "<" + gap + "at\nid=x>",
		"< at>< / at>":                   "<" + gap + " at><" + gap + " / at>",
		"<at":                            "<" + gap + "at",
		"<at/>":                          "<" + gap + "at/>",
		"<<at id=x>":                     "<<" + gap + "at id=x>",
		"a <atom> b < attic && c<at2":    "a <atom> b < attic && c<at2",
		"x := <-at; if a<b {}":           "x := <-at; if a<b {}",
		"**bold** [x](y) \"q\" \\ & é 好": "**bold** [x](y) \"q\" \\ & é 好",
	} {
		if got := deliver(t, transitions.Chinese, transitions.Body{Text: in}); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	refusedBy := transitions.Body{Sentence: transitions.SaidRefused, Args: []string{`<at user_id="all">`}}
	if got := deliver(t, transitions.English, refusedBy); strings.Contains(got, "<at") || !strings.Contains(got, "user_id") {
		t.Errorf("an argument of a sentence mentions: %q", got)
	}
}

func TestSenderSaysWhichEffectsItExecutes(t *testing.T) {
	s := newScript(t)
	sender := feishu.NewSender(s.time, s, feishu.SenderOptions{})
	for _, e := range []transitions.Effect{answer, transitions.ShowReceipt{}} {
		if !sender.Executes(e) {
			t.Errorf("%s is not executed", e.EffectName())
		}
	}
	if sender.Executes(transitions.OpenThread{}) {
		t.Error("a call to Codex is executed")
	}
	defer func() {
		if recover() == nil {
			t.Error("an effect that is not for the chat was taken")
		}
	}()
	sender.Execute(transitions.OpenThread{}, transitions.Attempt{Number: 1}, func(transitions.Report) {})
}
