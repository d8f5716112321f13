package matrix

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	platform "deskbridge/adapters/sandbox/feishu"
	"deskbridge/matrix/audit"
)

// TestAClockSetBackBetweenTwoLivesUnderVirtualTime sets the clock back by two hours while
// the bridge is down. The answer stands in the chat and the bridge has not heard so; it
// was sent again for two hours more than the platform recognises it. What comes then is
// answered.
func TestAClockSetBackBetweenTwoLivesUnderVirtualTime(t *testing.T) {
	t.Parallel()
	w, boot := start(t)
	w.Platform.Inject(platform.Fault{
		Match: platform.Match{Method: "POST", Path: "/open-apis/im/v1/messages/*/reply"},
		Kind:  platform.Slow, Delay: time.Hour,
	})
	w.Say("hello")
	w.Rest(2 * time.Second)
	kill(t, w)
	w.Rest(65 * time.Minute) // the platform remembers what was sent for an hour
	w.SetClockBack(2 * time.Hour)
	boot()
	w.Rest(5 * time.Second)
	w.Say("next")
	w.Rest(5 * time.Second)
	kill(t, w)
	if diff := cmp.Diff([]string{"hello", "reply to: hello", "next", "reply to: next"}, w.texts()); diff != "" {
		t.Error(diff)
	}
	if transcript := w.Transcript(); !strings.Contains(transcript, "delivery_unknown") {
		t.Errorf("nobody said that it is not known whether the answer stands there:\n%s", transcript)
	}
	// All that is left open is that one delivery, where nobody finds out about it.
	a, err := w.Account()
	if err != nil {
		t.Fatal(err)
	}
	open := []string{
		"message om_1 is proven in 01a00000-0000-7000-8000-000000000002, and not answered at the end",
		"delivery outcome:01a00000-0000-7000-8000-000000000002 is unknown at the end",
		"track oc_1/1 is idle with 2 things open at the end",
	}
	for _, problem := range audit.Check(a) {
		if !slices.Contains(open, problem) {
			t.Error(problem)
		}
	}
}
