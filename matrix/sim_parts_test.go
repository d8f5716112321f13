package matrix

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/appserver"
	platform "deskbridge/adapters/sandbox/feishu"
)

// paragraphs is an answer that fits in no one message: 600 kB, of which no part is like
// another.
var paragraphs = func() string {
	var text strings.Builder
	for i := range 600 {
		fmt.Fprintf(&text, "%d. %s\n", i, strings.Repeat(string(rune('一'+i)), 333))
	}
	return text.String()
}()

// TestALongAnswerGoesOnWhereTheBridgeDiedUnderVirtualTime ends the bridge while a part
// of an answer is on its way: the ledger knows the parts before it, and the platform
// knows the one whose answer nobody heard. Nothing stands in the chat twice, and
// nothing lacks.
func TestALongAnswerGoesOnWhereTheBridgeDiedUnderVirtualTime(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault platform.FaultKind
		away  time.Duration // how long the bridge is dead
		sends int           // requests that carried parts
	}{
		"a part that stands there, at once":      {platform.LostAfter, 0, 6},
		"a part that does not, at once":          {platform.LostBefore, 0, 6},
		"a part that stands there, hours later":  {platform.LostAfter, 2 * time.Hour, 5},
		"a part that does not, hours later":      {platform.LostBefore, 2 * time.Hour, 6},
		"nothing is lost and the bridge is well": {platform.Slow, 0, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, boot := start(t)
			w.model.script = func(appserver.Ask) []appserver.Step { return []appserver.Step{appserver.Say(paragraphs)} }
			w.Platform.Inject(platform.Fault{Kind: test.fault, Match: platform.Match{Path: "/open-apis/im/v1/messages/*/reply", Nth: 3}})
			w.Say("hello")
			w.Rest(200 * time.Millisecond) // less than the first backoff
			if test.fault != platform.Slow {
				kill(t, w)
				w.Rest(test.away)
				boot()
			}
			w.Rest(5 * time.Minute)
			sends := w.replies()
			var answer strings.Builder
			for _, m := range w.Platform.Messages(w.Chat) {
				if m.Sender.Type == "app" {
					answer.WriteString(m.Text())
				}
			}
			if answer.String() != paragraphs || sends != test.sends {
				t.Errorf("%d bytes stand in the chat, of %d, after %d sends", answer.Len(), len(paragraphs), sends)
			}
			finish(t, w)
		})
	}
}
