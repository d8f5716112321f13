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
| ['locked'](#turnstile-locked) | Nobody gets through. | initial; may rest here |
| ['unlocked' 开着](#turnstile-unlocked) | One person gets through. |  |

| fact | meaning |
|---|---|
| 'coin' | A coin, or a &lt;token> \| a pass, was put in. |
| 'push' | Somebody pushed. |

| effect | meaning |
|---|---|
| 'greet' | Greets a person. |
| 'ring_bell' | Calls the guard. |

| from | to | on |
|---|---|---|
| 'locked' | 'unlocked' | 'coin' |
| 'unlocked' | 'locked' | 'push' |

'→' goes to another state · '•' stays and acts or notes · '·' is ignored, for a reason

| fact | ['locked'](#turnstile-locked) | ['unlocked'](#turnstile-unlocked) |
|---|:-:|:-:|
| 'coin' | → | · |
| 'push' | • | →• |

<a id="turnstile-locked"></a>

### turnstile: 'locked'

Nobody gets through.

| row | if | goes to | does | may emit | because |
|---|---|---|---|---|---|
| 'coin.1' |  | 'unlocked' | 'keep_coin' |  | A coin buys one passage. |
| 'push.1' |  | stays | 'ring' | 'ring_bell' | Without a coin nobody gets through. |

<a id="turnstile-unlocked"></a>

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

// TestTheMovesHaveAllOfTheirFacts holds for an arrow that pictures shorten, and
// for a machine that cannot move.
func TestTheMovesHaveAllOfTheirFacts(t *testing.T) {
	t.Parallel()
	want := strings.ReplaceAll(`| from | to | on |
|---|---|---|
| 'state_number_0' | 'state_number_1' | 'fact_number_1', 'fact_number_2', 'fact_number_3', 'fact_number_4' |
| 'state_number_1' | 'state_number_0' | 'fact_number_1', 'fact_number_2', 'fact_number_3', 'fact_number_4' |

`, "'", "`")
	if diff := cmp.Diff(want, dense(2, 4).MarkdownMoves()); diff != "" {
		t.Error(diff)
	}
	if got := dense(1, 4).MarkdownMoves(); got != "" {
		t.Errorf("got %s", got)
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
