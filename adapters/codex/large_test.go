package codex

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

// limitOf is how many turns a list was asked for.
func limitOf(t *testing.T, call sent) int {
	t.Helper()
	var params listParams
	if err := json.Unmarshal(call.Params, &params); err != nil {
		t.Fatal(err)
	}
	return params.Limit
}

// TestAPageThatIsTooLargeIsReadTurnByTurn: the connection was dropped with it, and the
// same page asked for again for ever.
func TestAPageThatIsTooLargeIsReadTurnByTurn(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.watch(true, "turn-1", "turn-2")
	e.v.Advance(time.Second)
	e.conn().tooLarge(methodList)
	call := e.conn().answer(methodList, map[string]any{
		"data": []any{aTurn("turn-2", "completed", userItem("om_2"))}, "nextCursor": "older",
	})
	if got := limitOf(t, call); got != 1 {
		t.Errorf("%d turns are asked for", got)
	}
	e.conn().answer(methodList, listOf(aTurn("turn-1", "completed", userItem("om_1"))))
	e.conn().answer(methodRead, threadIs("idle"))
	e.facts(
		transitions.TurnEnded{Turn: "turn-1", Status: transitions.EndCompleted, Messages: []string{"om_1"}},
		transitions.TurnEnded{Turn: "turn-2", Status: transitions.EndCompleted, Messages: []string{"om_2"}},
		e.snapshot(true, "turn-2", "turn-1"),
	)
	if got := e.c.Status(); !got.Connected || got.Counts.Connections != 1 || got.Counts.Cut != 1 {
		t.Errorf("status %+v", got)
	}
}

// TestATurnThatIsTooLargeIsSaidOnceAndNothingIsMadeUp holds what can be told beside it,
// and that it is not asked for in a hurry.
func TestATurnThatIsTooLargeIsSaidOnceAndNothingIsMadeUp(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e := connected(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	e.watch(true, "turn-1", "turn-2")
	e.v.Advance(time.Second)
	e.conn().tooLarge(methodList)
	newer := map[string]any{"data": []any{aTurn("turn-2", "completed", userItem("om_2"))}, "nextCursor": "older"}
	e.conn().answer(methodList, newer)
	e.conn().tooLarge(methodList)
	told := transitions.TurnEnded{Turn: "turn-2", Status: transitions.EndCompleted, Messages: []string{"om_2"}}
	e.facts(told)
	e.conn().called("initialize", "initialized", methodResume, methodList, methodList, methodList)

	e.v.Advance(e.c.PollMax - time.Second)
	e.conn().called()
	e.v.Advance(time.Second)
	e.conn().answer(methodList, newer)
	e.conn().tooLarge(methodList)
	e.facts(told) // again: nothing was remembered, since there is no snapshot
	if got := strings.Count(log.String(), "too large to be read"); got != 1 {
		t.Errorf("said %d times:\n%s", got, log.String())
	}
}

// TestAnAnswerThatIsTooLargeLeavesItsCallUnknown holds it for a call that has an effect.
func TestAnAnswerThatIsTooLargeLeavesItsCallUnknown(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.execute(transitions.StartTurn{Thread: thread1, Message: "om_1", Text: "hello", Confirmed: true})
	link := transitions.Link{Connection: "run-1"}
	e.conn().tooLarge(methodStart)
	e.settled(transitions.TurnStartUnknown{Message: "om_1", Link: link})
	if e.c.Status().Connected {
		t.Error("the connection goes on, on which it can never be proven that there was no turn")
	}
}

func TestTheBeginningOfAMessageTellsWhatItIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]frame{
		`{"id":7,"result":{"data":[{"id":"a`:  {Kind: frameAnswer, Number: 7},
		`{"id":7,"error":{"message":"x`:       {Kind: frameAnswer, Number: 7},
		`{"method":"m","id":"x","params":{"a`: {Kind: frameRequest, Method: "m", ID: json.RawMessage(`"x"`)},
		`{"method":"m","params":{"a`:          {Kind: frameNotification, Method: "m"},
		`{"id":7,"params":{"a`:                {},
		`{"result":{"a`:                       {},
		`{"id":"x","result":{"a`:              {},
		`{"id":7`:                             {},
		`[{"id":7`:                            {},
		``:                                    {},
		strings.Repeat(" ", headSize):         {},
	} {
		got := decodeHead([]byte(text))
		if got.Kind == 0 {
			got = frame{} // what else was read does not matter
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestARequestThatIsTooLargeIsDeclined: its turn would wait for ever.
func TestARequestThatIsTooLargeIsDeclined(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.v.Post(func() {
		e.conn().h.Cut([]byte(`{"method":"item/fileChange/requestApproval","id":3,"params":{"diff":"`), 2*maxFrame)
	})
	e.v.Settle()
	want := []sent{{ID: json.RawMessage(`3`), Error: &refuse{-32601, "not supported by this client"}}}
	if diff := cmp.Diff(want, e.conn().replies); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}
