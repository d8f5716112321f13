package fsm_test

import (
	"strings"
	"testing"

	"deskbridge/fsm"
	"github.com/google/go-cmp/cmp"
)

func TestTheMarkdownShowsEveryCellWithItsReason(t *testing.T) {
	t.Parallel()
	d := turnstile()
	d.Facts[0].Doc = "A coin, or a <token> | a pass, was put in."
	o := fsm.MustNew(d).Outline()
	o.States[1].Label = "开着"
	want := strings.ReplaceAll(`## turnstile

Lets one person through for each coin.

| state | meaning | |
|---|---|---|
| 'locked' | Nobody gets through. | initial; may rest here |
| 'unlocked' 开着 | One person gets through. |  |
| 'broken' | Nothing moves. | reserved: entered once it can break |

| fact | meaning |
|---|---|
| 'coin' | A coin, or a &lt;token> \| a pass, was put in. |
| 'push' | Somebody pushed. |

| effect | meaning |
|---|---|
| 'greet' | Greets a person. |
| 'ring_bell' | Calls the guard. |

'→' goes to another state · '•' stays and acts or notes · '·' is ignored, for a reason

| fact | 'locked' | 'unlocked' | 'broken' |
|---|:-:|:-:|:-:|
| 'coin' | → | · |  |
| 'push' | • | →• |  |

### turnstile: 'locked'

Nobody gets through.

| row | if | goes to | does | may emit | because |
|---|---|---|---|---|---|
| 'coin.1' |  | 'unlocked' | 'keep_coin' |  | A coin buys one passage. |
| 'push.1' |  | stays | 'ring' | 'ring_bell' | Without a coin nobody gets through. |

### turnstile: 'unlocked' 开着

One person gets through.

| row | if | goes to | does | may emit | because |
|---|---|---|---|---|---|
| 'coin.1' |  | ignored |  |  | It is open already, and gives the coin back. |
| 'push.1' | 'welcome' | 'locked' | 'let_through' | 'greet' | The passage is used. |
| 'push.2' | 'not_welcome' | stays | 'ring' | 'ring_bell' | A stranger is kept out, and the coin stays good. |

| guard | meaning |
|---|---|
| 'welcome' | The person is no stranger. |
| 'not_welcome' | Not: The person is no stranger. |

| action | meaning | may emit |
|---|---|---|
| 'keep_coin' | The coin is kept. |  |
| 'ring' | The bell rings. | 'ring_bell' |
| 'let_through' | The person goes through and is greeted. | 'greet' |

`, "'", "`")
	if diff := cmp.Diff(want, o.Markdown()); diff != "" {
		t.Error(diff)
	}
}

func TestTheMarkSaysWhatACellMayDo(t *testing.T) {
	t.Parallel()
	for want, rows := range map[string][]fsm.OutlineRow{
		"→":   {{Target: "b"}, {Target: "c"}},
		"•":   {{Target: "a"}},
		"·":   {{Target: "a", Ignore: true}},
		"→•·": {{Target: "a", Ignore: true}, {Target: "a"}, {Target: "b"}},
	} {
		if got := (fsm.OutlineCell{State: "a", Rows: rows}).Mark(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
