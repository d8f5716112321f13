package feishu_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/feishu"
	"deskbridge/transitions"
)

// long is an answer of about 300 KB: three parts.
var long = transitions.Deliver{
	Delivery: "d_1", ReplyTo: "om_1", UUID: "u_1", Kind: transitions.Outcome,
	Body: transitions.Body{Text: strings.Repeat("One of many lines, with some “quotes” and 中文.\n", 6000) + "The end."},
}

// saying is what a reply says.
func saying(t *testing.T, r feishu.Reply) string {
	t.Helper()
	var content struct{ Text string }
	if err := json.Unmarshal([]byte(r.Content), &content); err != nil {
		t.Fatal(err)
	}
	return content.Text
}

func said(t *testing.T, replies []feishu.Reply) (text string, uuids []string) {
	t.Helper()
	for _, r := range replies {
		text += saying(t, r)
		uuids = append(uuids, r.UUID)
	}
	return text, uuids
}

// shownAs is the platform's answer that a message stands in the chat.
func shownAs(n int) feishu.Response {
	return feishu.Response{HTTPStatus: 200, MessageID: fmt.Sprint("om_", n)}
}

// carryOut makes attempts from one on until the delivery is settled, each at what
// the one before left, and returns what they report.
func (s *script) carryOut(sender *feishu.Sender, e transitions.Deliver, a transitions.Attempt) (all []verdict) {
	s.t.Helper()
	for {
		s.answers = []feishu.Response{shownAs(10 + len(all))}
		got := verdictOf(s.attempt(sender, e, a))
		if all = append(all, got); got.Done == 0 {
			return all
		}
		a = transitions.Attempt{Number: 1, First: s.time.Now(), Done: got.Done}
	}
}

func TestALongAnswerIsOneDeliveryOfOrderedParts(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	sender := feishu.NewSender(s.time, s, feishu.SenderOptions{})
	got := s.carryOut(sender, long, transitions.Attempt{Number: 1, First: start})
	partly := func(n, upTo int) verdict {
		return verdict{Facts: []transitions.Fact{transitions.DeliveryPartShown{Delivery: "d_1", Shown: fmt.Sprint("om_", n), UpTo: upTo}}, Done: upTo}
	}
	// A line has 54 bytes, and takes two more of the request, for its escape.
	want := []verdict{partly(10, 2500*54), partly(11, 5000*54), facts(transitions.DeliveryConfirmed{Delivery: "d_1", Shown: "om_12"})}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	text, uuids := said(t, s.sent())
	if text != long.Body.Text {
		t.Errorf("%d bytes are said of %d", len(text), len(long.Body.Text))
	}
	seen := map[string]bool{}
	for i, r := range s.sent() {
		if r.MessageID != "om_1" || r.MsgType != "text" || len(r.UUID) > 50 || r.UUID == "" || seen[r.UUID] {
			t.Errorf("part %d: reply to %s, uuid %s", i+1, r.MessageID, r.UUID)
		}
		seen[r.UUID] = true
	}
	if uuids[0] != "u_1" || uuids[1] != feishu.PartUUID("u_1", 2500*54, 5000*54) {
		t.Errorf("uuids %q", uuids)
	}
}

// What is said after a restart, wherever the bridge was stopped, is what would have
// been said without, under the same uuids.
func TestABridgeStoppedBetweenTwoPartsGoesOn(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.carryOut(feishu.NewSender(s.time, s, feishu.SenderOptions{}), long, transitions.Attempt{Number: 1, First: start})
	whole := s.sent()
	first, second := len(saying(t, whole[0])), len(saying(t, whole[0]))+len(saying(t, whole[1]))
	from := func(n int) transitions.Deliver {
		e := long
		e.From = n
		return e
	}
	later := start.Add(time.Minute)
	for name, test := range map[string]struct {
		effect transitions.Deliver
		a      transitions.Attempt
		want   []feishu.Reply
	}{
		"after the first part":             {long, transitions.Attempt{Number: 1, First: later, Done: first}, whole[1:]},
		"after the second":                 {long, transitions.Attempt{Number: 1, First: later, Done: second}, whole[2:]},
		"during the first":                 {long, transitions.Attempt{Number: 2, First: start, Sent: true}, whole},
		"during the second":                {long, transitions.Attempt{Number: 2, First: start, Sent: true, Done: first}, whole[1:]},
		"sent again from the second on":    {from(first), transitions.Attempt{Number: 1, First: later}, whole[1:]},
		"sent again, and after the second": {from(first), transitions.Attempt{Number: 1, First: later, Done: second}, whole[2:]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t)
			s.time.Advance(2 * time.Minute)
			s.carryOut(feishu.NewSender(s.time, s, feishu.SenderOptions{}), test.effect, test.a)
			if !cmp.Equal(test.want, s.sent()) {
				_, want := said(t, test.want)
				_, got := said(t, s.sent())
				t.Errorf("got %d parts, %q, want %d, %q", len(got), got, len(want), want)
			}
		})
	}
}

func TestALostPartIsLookedUpAndTheNextOneSaid(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	sender := feishu.NewSender(s.time, s, feishu.SenderOptions{})
	s.carryOut(sender, long, transitions.Attempt{Number: 1, First: start})
	parts := s.sent()
	done := len(saying(t, parts[0]))
	listed := standing()
	listed.Messages[0].Content = parts[1].Content
	s.answers = []feishu.Response{questioned(""), listed}
	got := verdictOf(s.attempt(sender, long, transitions.Attempt{Number: 2, First: start.Add(-2 * time.Hour), Sent: true, Done: done}))
	upTo := done + len(saying(t, parts[1]))
	// The lines are alike, so that the list cannot tell one part from another.
	if diff := cmp.Diff(unknown, got); diff != "" {
		t.Errorf("of parts that say the same: %s", diff)
	}
	unlike := long
	unlike.Body.Text = long.Body.Text[:done] + "2" + long.Body.Text[done+1:]
	listed.Messages[0].Content = strings.Replace(parts[1].Content, "One", "2ne", 1)
	s.answers = []feishu.Response{questioned(""), listed}
	got = verdictOf(s.attempt(sender, unlike, transitions.Attempt{Number: 2, First: start.Add(-2 * time.Hour), Sent: true, Done: done}))
	want := verdict{Facts: []transitions.Fact{transitions.DeliveryPartShown{Delivery: "d_1", Shown: "om_9", UpTo: upTo}}, Done: upTo}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAPartThatThePlatformFindsTooLongIsHalved(t *testing.T) {
	t.Parallel()
	s := newScript(t, tooLong, tooLong, shown)
	sender := feishu.NewSender(s.time, s, feishu.SenderOptions{})
	got := verdictOf(s.attempt(sender, long, transitions.Attempt{Number: 1, First: start}))
	const upTo = 625 * 54 // a quarter of what was tried first
	want := verdict{Facts: []transitions.Fact{transitions.DeliveryPartShown{Delivery: "d_1", Shown: "om_9", UpTo: upTo}}, Done: upTo}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, before := said(t, s.sent())
	// A crash before the report: what is said again is the same, in the same order.
	s.got, s.answers = nil, []feishu.Response{tooLong, tooLong, shown}
	s.attempt(sender, long, transitions.Attempt{Number: 2, First: start, Sent: true})
	_, again := said(t, s.sent())
	if diff := cmp.Diff(before, again); diff != "" || before[0] == before[1] || before[1] == before[2] || before[0] == before[2] {
		t.Errorf("uuids %q, then %q", before, again)
	}
}

func TestWhatIsTooLongInAnyLengthIsRefused(t *testing.T) {
	t.Parallel()
	s := newScript(t, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong)
	sender := feishu.NewSender(s.time, s, feishu.SenderOptions{})
	got := verdictOf(s.attempt(sender, long, transitions.Attempt{Number: 1, First: start}))
	want := facts(transitions.DeliveryRefused{Delivery: "d_1", Code: 230025, Said: "The length of the message content reaches its limit."})
	if diff := cmp.Diff(want, got); diff != "" || len(s.sent()) != 6 {
		t.Errorf("%d replies %s", len(s.sent()), diff)
	}
}

// A sentence of the bridge in parts may be shorter in the language of the next life.
func TestWhatIsLeftOfATextThatIsNotThereIsUnknown(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	var why string
	sender := feishu.NewSender(s.time, s, feishu.SenderOptions{Undecided: func(_ string, err error) { why = err.Error() }})
	for _, done := range []int{len("done"), 1000} {
		why = ""
		got := verdictOf(s.attempt(sender, answer, transitions.Attempt{Number: 1, First: start, Done: done}))
		if diff := cmp.Diff(unknown, got); diff != "" || why == "" || len(s.got) > 0 {
			t.Errorf("%q, %d requests %s", why, len(s.got), diff)
		}
	}
}
