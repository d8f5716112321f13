package codex

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

func TestTheVersionTellsWhatCanBeDone(t *testing.T) {
	t.Parallel()
	tests := map[string][]Capability{
		"0.99.0":  {CanInterrupt, CanListLoaded},
		"0.121.0": {CanInterrupt, CanListLoaded, CanReadThread, CanSteer},
		"0.136.0": {CanEchoClientIDs, CanInterrupt, CanListLoaded, CanListTurns, CanReadThread, CanResumeWithoutTurns, CanSteer},
		"0.155.0": {CanEchoClientIDs, CanInterrupt, CanListLoaded, CanListTurns, CanNameActiveTurn, CanReadThread, CanResumeWithoutTurns, CanSteer},
		"0.171.0": {CanEchoClientIDs, CanInterrupt, CanListLoaded, CanListTurns, CanNameActiveTurn, CanReadThread, CanRefuseInterrupt, CanResumeWithoutTurns, CanSteer},
		"next":    {CanEchoClientIDs, CanInterrupt, CanListLoaded, CanListTurns, CanNameActiveTurn, CanReadThread, CanRefuseInterrupt, CanResumeWithoutTurns, CanSteer},
	}
	for version, want := range tests {
		var got []Capability
		for _, s := range Capabilities() {
			if supports(version, s.Capability) {
				got = append(got, s.Capability)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
	}
	if supports("0.171.0", "no such thing") {
		t.Error("what is not declared is there")
	}
}

func TestEveryCapabilityIsDeclaredOnceAndCompletely(t *testing.T) {
	t.Parallel()
	seen := map[Capability]bool{}
	for _, s := range Capabilities() {
		if seen[s.Capability] || s.Entrance == "" || s.Instead == "" {
			t.Errorf("%+v", s)
		}
		seen[s.Capability] = true
		if _, ok := parseVersion(s.Since); !ok {
			t.Errorf("%s is there since %q", s.Capability, s.Since)
		}
		if v, ok := parseVersion(s.Plain); s.Plain != "" && (!ok || v.before(s.Since)) {
			t.Errorf("%s is plain since %q", s.Capability, s.Plain)
		}
	}
}

// missingMethod is a refusal as the server words it.
func missingMethod(method string) reaction {
	return refuses(-32600, "Invalid request: unknown variant `"+method+"`, expected one of `initialize`")
}

// ran are two turns as the server lists them, newest first.
var ran = []any{
	aTurn("turn-2", "inProgress", userItem("om_2")),
	aTurn("turn-1", "completed", userItem("om_1"), agentItem(phaseFinal, "one")),
}

func TestWithoutAWayToListTurnsTheThreadIsReadWhole(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]reaction{
		"unknown":      missingMethod(methodList),
		"experimental": refuses(-32600, "thread/turns/list requires experimentalApi capability"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newDesk(t)
			e.d.generation = "g1"
			e.d.auto[methodList] = refusal
			e.d.auto[methodRead] = func(raw json.RawMessage) (any, *refuse) {
				answer := threadIs("active")
				var p readParams
				if err := json.Unmarshal(raw, &p); err != nil {
					t.Error(err)
				}
				if p.IncludeTurns {
					answer["thread"].(map[string]any)["turns"] = []any{ran[1], ran[0]} // oldest first
				}
				return answer, nil
			}
			e.watch(true)
			e.start()
			told := []transitions.Fact{
				transitions.TurnEnded{Turn: "turn-1", Status: transitions.EndCompleted, Messages: []string{"om_1"}, Reply: "one"},
				transitions.TurnRunning{Turn: "turn-2", Messages: []string{"om_2"}},
			}
			e.facts(append(told, e.snapshot(false, "turn-2", "turn-1"))...)
			e.conn().called("initialize", "initialized", methodResume, methodList, methodRead, methodRead)
			if diff := cmp.Diff([]Capability{CanListTurns}, e.c.Status().Lacking); diff != "" {
				t.Errorf("lacking (-want +got):\n%s", diff)
			}

			// It is not asked again what it does not have; another server is.
			e.d.auto[methodList] = answers(listOf(ran...))
			listed := func() bool { return slices.Contains(e.conn().log, methodList) }
			e.v.Advance(time.Minute)
			e.conn().drop()
			e.v.Advance(time.Second)
			if e.d.dials != 2 || listed() || !slices.Contains(e.conn().log, methodRead) {
				t.Errorf("%d dials; called %q", e.d.dials, e.conn().log)
			}
			e.d.generation = "g2"
			e.conn().drop()
			e.v.Advance(time.Second)
			if e.d.dials != 3 || !listed() {
				t.Errorf("%d dials; called %q", e.d.dials, e.conn().log)
			}
		})
	}
}

func TestAThreadReadWholeIsReadInFullOrNotAtAll(t *testing.T) {
	t.Parallel()
	got, err := decodeTurns(json.RawMessage(`{"thread":{"id":"x","turns":[{"id":"a","items":[]},{"id":"b","items":[]}]}}`))
	if err != nil || !cmp.Equal(ids(got), []string{"b", "a"}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{``, `{}`, `{"thread":{}}`, `{"thread":{"turns":null}}`, `{"thread":{"turns":{}}}`, `{"thread":{"turns":[{"id":"a","items":[]},5]}}`} {
		if got, err := decodeTurns(json.RawMessage(bad)); err == nil {
			t.Errorf("%s: %v, want an error", bad, got)
		}
	}
}

func TestAServerThatCannotBeReadIsATroubleAndNothingIsTold(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.auto[methodList], e.d.auto[methodRead] = answers(listOf()), missingMethod(methodRead)
	e.watch(true)
	e.start()
	e.v.Advance(time.Minute)
	e.facts()
	if len(e.troubles) != 1 || e.c.Status().Trouble.Kind != TooOld || !e.c.Status().Connected {
		t.Errorf("troubles %q", e.troubles)
	}
}

func TestAResumeThatCannotLeaveTheTurnsOutTakesThem(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.generation = "g1"
	var params []string
	e.d.auto[methodResume] = func(raw json.RawMessage) (any, *refuse) {
		params = append(params, string(raw))
		if strings.Contains(string(raw), "excludeTurns") {
			return nil, &refuse{-32600, "thread/resume.excludeTurns requires experimentalApi capability"}
		}
		return threadIs("idle"), nil
	}
	e.d.auto[methodList], e.d.auto[methodRead] = answers(listOf()), answers(threadIs("idle"))
	e.watch(true)
	e.start()
	e.facts(e.snapshot(true))
	e.conn().drop()
	e.v.Advance(time.Second)
	want := []string{`{"threadId":"thread-1","excludeTurns":true}`, `{"threadId":"thread-1"}`, `{"threadId":"thread-1"}`}
	if diff := cmp.Diff(want, params); diff != "" {
		t.Errorf("resumed with (-want +got):\n%s", diff)
	}
}

func TestAServerThatCannotSteerHasTheTextWait(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.d.auto[methodSteer] = missingMethod(methodSteer)
	e.execute(steer)
	e.settled(transitions.SteerRefused{
		Message: "om_2", Turn: "turn-1", Refusal: transitions.NotSteerable,
		Said: "Invalid request: unknown variant `turn/steer`, expected one of `initialize`",
	})
	e.reports = nil
	e.execute(steer)
	e.settled(transitions.SteerRefused{Message: "om_2", Turn: "turn-1", Refusal: transitions.NotSteerable, Said: "Codex 0.171.0 has no turn/steer"})
	e.conn().called("initialize", "initialized", methodResume, methodSteer)
}

func TestAServerThatCannotInterruptRefusesAStop(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.d.auto[methodInterrupt] = missingMethod(methodInterrupt)
	e.execute(interrupt)
	e.settled(transitions.InterruptRefused{Turn: "turn-1", Said: "Invalid request: unknown variant `turn/interrupt`, expected one of `initialize`"})
	e.reports = nil
	e.execute(interrupt)
	e.settled(transitions.InterruptRefused{Turn: "turn-1", Said: "Codex 0.171.0 has no turn/interrupt"})
	e.conn().called("initialize", "initialized", methodInterrupt)
}

// TestARefusedValueIsNoMissingMethod: the words are the same.
func TestARefusedValueIsNoMissingMethod(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.d.auto[methodSteer] = refuses(-32600, "Invalid request: unknown variant `on-failure`, expected one of `untrusted`")
	for range 2 {
		e.execute(steer)
	}
	e.conn().called("initialize", "initialized", methodResume, methodSteer, methodSteer)
	if lacking := e.c.Status().Lacking; lacking != nil {
		t.Errorf("lacking %v", lacking)
	}
}

// TestAThreadThatAnotherServerHoldsIsNotBelieved: a turn that ran in another process on
// the same state folder read as interrupted here, and was told to have ended.
func TestAThreadThatAnotherServerHoldsIsNotBelieved(t *testing.T) {
	t.Parallel()
	e := newDesk(t)
	e.d.auto[methodResume] = refuses(-32600, "thread thread-1 already has an active writer")
	e.d.auto[methodList] = answers(listOf(aTurn("turn-1", "interrupted", userItem("om_1"))))
	e.d.auto[methodRead] = answers(threadIs("notLoaded"))
	e.watch(true, "turn-1")
	e.start()
	e.v.Advance(time.Minute)
	e.facts()
	e.execute(start)
	e.again(false)
	if slices.Contains(e.conn().log, methodStart) {
		t.Error("a text was sent to a thread that another server holds")
	}

	e.d.auto[methodResume] = answers(threadIs("idle"))
	e.v.Advance(2 * time.Minute)
	if len(e.emitted) == 0 {
		t.Error("the thread is not read once it is free")
	}
}
