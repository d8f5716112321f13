package matrix

import (
	"strings"
	"testing"
	"time"

	platform "deskbridge/adapters/sandbox/feishu"
)

// TestALostAnswerIsSettledByTheChatUnderVirtualTime loses the platform's word on an
// answer and then the bridge, until the uuid is forgotten: the chat tells whether the
// answer stands there, and in the end it does, once.
func TestALostAnswerIsSettledByTheChatUnderVirtualTime(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault   platform.FaultKind
		replies int // requests that carried the answer
	}{
		"it stands there": {platform.LostAfter, 1},
		"it does not":     {platform.LostBefore, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, boot := start(t)
			w.Platform.Inject(platform.Fault{Kind: test.fault, Match: platform.Match{Path: "/open-apis/im/v1/messages/*/reply"}})
			w.Say("hello")
			w.Rest(200 * time.Millisecond) // less than the first backoff
			kill(t, w)
			w.Rest(2 * time.Hour)
			boot()
			w.Rest(5 * time.Minute)
			replies, answers := w.replies(), 0
			for _, m := range w.Platform.Messages(w.Chat) {
				if m.Sender.Type == "app" {
					answers++
				}
			}
			if replies != test.replies || answers != 1 {
				t.Errorf("%d replies were sent, and %d answers stand in the chat", replies, answers)
			}
			if got := w.Transcript(); !strings.Contains(got, "delivery_confirmed") {
				t.Errorf("not confirmed:\n%s", got)
			}
			finish(t, w)
		})
	}
}
