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
	After time.Duration
}

func verdictOf(r transitions.Report) verdict {
	v := verdict{Facts: r.Facts}
	if r.Again != nil {
		v.Again, v.Sent, v.After = true, r.Again.Sent, r.Again.After
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

// TestASetBackClockProlongsNoWindow tries again what another life sent, after the clock
// was set back by an hour in between. It was sent for an hour more than the platform
// recognises it, and stood in the chat twice.
func TestASetBackClockProlongsNoWindow(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	sender := feishu.NewSender(s.time, s, feishu.SenderOptions{Language: transitions.Chinese})
	a := transitions.Attempt{Number: 2, Sent: true, First: s.time.Now().Add(time.Hour)}
	if diff := cmp.Diff(unknown, verdictOf(s.attempt(sender, answer, a))); diff != "" || len(s.got) > 0 {
		t.Errorf("%d requests, %s", len(s.got), diff)
	}
}

func TestDeliveryIsSettledByWhatFeishuProves(t *testing.T) {
	// step is an attempt, this long after the one before.
	type step struct {
		after  time.Duration
		answer feishu.Response
		want   verdict
	}
	later := verdict{Again: true, After: 7 * time.Second}
	tests := map[string][]step{
		"confirmed":                       {{0, shown, confirmed}},
		"refused":                         {{0, withdrawn, refused}},
		"refused without words":           {{0, feishu.Response{HTTPStatus: 413, Err: errReset}, facts(transitions.DeliveryRefused{Delivery: "d_1", Said: "HTTP 413"})}},
		"limited, then confirmed":         {{0, limited, later}, {time.Minute, shown, confirmed}},
		"limited for hours":               {{0, limited, later}, {5 * time.Hour, limited, later}, {5 * time.Hour, shown, confirmed}},
		"bad credentials for hours":       {{0, badSecret, again}, {5 * time.Hour, badSecret, again}, {5 * time.Hour, shown, confirmed}},
		"bad tokens for hours":            {{0, badToken, again}, {5 * time.Hour, shown, confirmed}},
		"never reached, for hours":        {{0, unsent, again}, {5 * time.Hour, unsent, again}, {5 * time.Hour, withdrawn, refused}},
		"lost, then confirmed":            {{0, lost, againSent}, {54 * time.Minute, shown, confirmed}},
		"lost again and again":            {{0, lost, againSent}, {30 * time.Minute, lost, againSent}, {25*time.Minute - 3*time.Second, lost, unknown}},
		"lost late, after it was limited": {{0, limited, later}, {5 * time.Hour, lost, againSent}, {time.Minute, shown, confirmed}},
		"lost, then refused":              {{0, lost, againSent}, {time.Minute, withdrawn, unknown}},
		"lost, then limited":              {{0, lost, againSent}, {time.Minute, limited, later}, {time.Minute, shown, confirmed}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t)
			sender := feishu.NewSender(s.time, s, feishu.SenderOptions{Language: transitions.Chinese})
			var a transitions.Attempt
			for i, step := range steps {
				s.time.Advance(step.after)
				s.answers = []feishu.Response{step.answer}
				a.Number++
				if !a.Sent {
					a.First = s.time.Now()
				}
				got := verdictOf(s.attempt(sender, answer, a))
				a.Sent = a.Sent || got.Sent
				if diff := cmp.Diff(step.want, got); diff != "" {
					t.Errorf("attempt %d: %s", i+1, diff)
				}
			}
			want := feishu.Reply{MessageID: "om_1", MsgType: "text", Content: `{"text":"done"}`, UUID: "u_1"}
			for i, req := range s.got {
				if diff := cmp.Diff(feishu.Request(want), req); diff != "" {
					t.Errorf("request %d: %s", i+1, diff)
				}
			}
		})
	}
}

func TestDeliveryOlderThanTheUUIDIsNotSentAgain(t *testing.T) {
	tests := map[string]struct {
		age  time.Duration
		want verdict
		sent int
	}{
		"two hours":   {2 * time.Hour, unknown, 0},
		"ten minutes": {10 * time.Minute, confirmed, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, shown)
			s.time.Advance(test.age)
			sender := feishu.NewSender(s.time, s, feishu.SenderOptions{})
			got := verdictOf(s.attempt(sender, answer, transitions.Attempt{Number: 2, First: start, Sent: true}))
			if diff := cmp.Diff(test.want, got); diff != "" || len(s.got) != test.sent {
				t.Errorf("%d requests %s", len(s.got), diff)
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
