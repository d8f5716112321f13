package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/store"
	tr "deskbridge/transitions"
	"deskbridge/transitions/invariant"
)

// TestWhatIsHandedOverWaitsForTheNextTrack holds that a message on its way between
// tracks is held by that, and by nothing once the next track has it.
func TestWhatIsHandedOverWaitsForTheNextTrack(t *testing.T) {
	t.Parallel()
	told := newTale(nil)
	hold := func() invariant.Hold {
		m := invariant.Message{Message: tr.Message{ID: "om_1"}}
		told.ofMessage(&m)
		return m.Hold
	}
	told.note(&invariant.Ledger{}, tr.Superseded, tr.MessageReceived{Message: "om_1"}, []tr.Effect{tr.HandOver{Message: "om_1"}})
	if got := hold(); got != invariant.HeldByHandOver {
		t.Errorf("on its way it is held by %q", got)
	}
	told.note(&invariant.Ledger{}, tr.Idle, tr.MessageReceived{Message: "om_1", From: "oc_1/1"}, nil)
	if got := hold(); got != "" {
		t.Errorf("in the next track it is held by %q", got)
	}
}

const admin = "ou_admin"

// TestWhatIsOnItsWayIsBehindAFenceIfItWasWrittenBefore: events came in another order than they
// were written in, and what was written after a /new was said to be behind it.
func TestWhatIsOnItsWayIsBehindAFenceIfItWasWrittenBefore(t *testing.T) {
	t.Parallel()
	told := newTale(nil)
	var rows invariant.Ledger
	for i, id := range []string{"om_1", "om_2", "om_3"} {
		written := tr.Millis(10 * (i + 1))
		rows.Messages = append(rows.Messages, invariant.Message{Message: tr.Message{ID: id}})
		told.note(&rows, tr.Superseded, tr.MessageReceived{Message: id, Created: written}, []tr.Effect{tr.HandOver{Message: id, Created: written}})
	}
	told.note(&rows, tr.Idle, tr.NewRequested{Message: "om_4", Created: 20}, nil)
	told.note(&rows, tr.Idle, tr.PullAnswered{}, []tr.Effect{tr.StartTurn{Message: "om_1"}, tr.StartTurn{Message: "om_2"}, tr.StartTurn{Message: "om_3"}})
	if diff := cmp.Diff(map[string]bool{"om_1": true, "om_2": true}, told.behind); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsBehindAFence(t *testing.T) {
	t.Parallel()
	rows := invariant.Ledger{Messages: []invariant.Message{{Message: tr.Message{ID: "om_1"}}, {Message: tr.Message{ID: "om_2"}}}}
	seen := tr.TurnRunning{Turn: "A", Messages: []string{"om_1"}}
	ended := tr.TurnEnded{Turn: "A", Messages: []string{"om_1"}}
	stop, fresh := tr.StopRequested{Message: "om_3"}, tr.NewRequested{Message: "om_3"}
	for _, c := range []struct {
		name   string
		state  tr.State
		facts  []tr.Fact
		behind map[string]bool
	}{
		{"no fence", tr.Steerable, []tr.Fact{seen}, map[string]bool{}},
		{"a /stop", tr.Steerable, []tr.Fact{stop}, map[string]bool{"om_1": true, "om_2": true}},
		{"a /new", tr.Steerable, []tr.Fact{fresh}, map[string]bool{"om_1": true, "om_2": true}},
		{"what runs in a turn", tr.Steerable, []tr.Fact{seen, stop}, map[string]bool{"om_2": true}},
		{"what was in a turn", tr.Steerable, []tr.Fact{ended, stop}, map[string]bool{"om_2": true}},
		{"what is seen too late", tr.Steerable, []tr.Fact{stop, seen}, map[string]bool{"om_1": true, "om_2": true}},
		{"a /stop to a former track", tr.Superseded, []tr.Fact{stop}, map[string]bool{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			told := newTale(nil)
			for _, f := range c.facts {
				told.note(&rows, c.state, f, nil)
			}
			told.note(&rows, c.state, tr.PullAnswered{}, []tr.Effect{tr.StartTurn{Message: "om_1"}, tr.SteerTurn{Message: "om_2"}, tr.StartTurn{Message: "om_4"}})
			if diff := cmp.Diff(c.behind, told.behind); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhoMayDecide(t *testing.T) {
	t.Parallel()
	message := func(id, sender, turn string, state tr.MessageState) invariant.Message {
		return invariant.Message{Message: tr.Message{ID: id, Sender: sender, Turn: turn, State: state}}
	}
	rows := invariant.Ledger{
		Turns: []tr.Turn{{ID: "A", Start: "om_1"}, {ID: "B", Start: "om_3"}, {Start: "om_6"}},
		Messages: []invariant.Message{
			message("om_1", "ou_started", "", tr.MessageAccepted),
			message("om_2", "ou_steered", "A", tr.MessageProven),
			message("om_3", "ou_other", "B", tr.MessageProven),
			message("om_4", "ou_tried", "A", tr.MessageOffered),
			message("om_5", "ou_before", "A", tr.MessageAnswered),
			message("om_6", "ou_started", "", tr.MessageOffered),
		},
	}
	told := newTale([]string{admin})
	for _, c := range []struct {
		turn string
		want []string
	}{
		{"A", []string{admin, "ou_started", "ou_steered", "ou_before"}},
		{"B", []string{admin, "ou_other"}},
		{"", []string{admin}},
	} {
		if diff := cmp.Diff(c.want, told.mayDecide(&rows, c.turn)); diff != "" {
			t.Errorf("on turn %q (-want +got):\n%s", c.turn, diff)
		}
	}
}

// TestTheClickOfADecision holds that a click counts for what was known as it came.
func TestTheClickOfADecision(t *testing.T) {
	t.Parallel()
	rows := invariant.Ledger{
		Requests: []tr.Request{{ID: "r1", Turn: "A"}, {ID: "r2", Turn: "B"}},
		Messages: []invariant.Message{{Message: tr.Message{ID: "om_1", Sender: "ou_a", Turn: "B", State: tr.MessageProven}}},
	}
	told := newTale([]string{admin})
	told.note(&rows, tr.WaitingVisible, tr.RequestAnswered{Request: "r1", By: "ou_a", Decision: "accept"}, nil)
	told.note(&rows, tr.WaitingVisible, tr.RequestAnswered{Request: "r2", By: "ou_a", Decision: "cancel"}, nil)
	told.note(&rows, tr.WaitingVisible, tr.RequestAnswered{Request: "r2", By: admin, Decision: "accept"}, nil)
	told.note(&rows, tr.WaitingVisible, tr.RequestAnswered{Request: "r1", By: "ou_b", Decision: "accept"}, nil)
	told.note(&rows, tr.WaitingVisible, tr.RequestAnswered{Request: "r1", By: admin, Decision: "accept"}, nil)
	type decided struct {
		Card     string
		Entitled bool
	}
	for _, c := range []struct {
		name    string
		request tr.Request
		want    decided
	}{
		{"by nobody", tr.Request{ID: "r1"}, decided{}},
		{"on its card", tr.Request{ID: "r1", By: admin, Decision: "accept"}, decided{"r1", true}},
		{"on its card, by who may not", tr.Request{ID: "r1", By: "ou_b", Decision: "accept"}, decided{"r1", false}},
		{"on its card, by who wrote to another turn", tr.Request{ID: "r1", By: "ou_a", Decision: "accept"}, decided{"r1", false}},
		{"on its card, by who wrote to the turn", tr.Request{ID: "r2", By: "ou_a", Decision: "cancel"}, decided{"r2", true}},
		{"on another card", tr.Request{ID: "r3", By: "ou_b", Decision: "accept"}, decided{"r1", false}},
		{"on no card", tr.Request{ID: "r1", By: admin, Decision: "cancel"}, decided{}},
	} {
		r := invariant.Request{Request: c.request}
		told.ofRequest(&invariant.View{}, &r)
		if diff := cmp.Diff(c.want, decided{r.Card, r.Entitled}); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestWhetherItIsToldThatARequestCannotBeShown(t *testing.T) {
	t.Parallel()
	told := newTale(nil)
	v := invariant.View{Deliveries: []tr.Delivery{
		{ID: "notice:r1:request_not_showable", Body: tr.Body{Sentence: tr.SaidUnshowable}},
		{ID: "notice:r2:turn_vanished", Body: tr.Body{Sentence: tr.SaidVanished}},
	}}
	for id, want := range map[string]bool{"r1": true, "r2": false, "r": false} {
		r := invariant.Request{Request: tr.Request{ID: id}}
		if told.ofRequest(&v, &r); r.Told != want {
			t.Errorf("of %s: %t", id, r.Told)
		}
	}
}
func TestTracksAreInTheOrderOfTheirMaking(t *testing.T) {
	t.Parallel()
	track := func(id string) store.Track {
		return store.Track{ID: id, Snapshot: store.Snapshot{Data: tr.Data{Track: id}}}
	}
	byID := []store.Track{track("oc_1/1"), track("oc_1/10"), track("oc_1/2")}
	var order []string
	for _, d := range inOrder(byID) {
		order = append(order, d.Data.Track)
	}
	if diff := cmp.Diff([]string{"oc_1/1", "oc_1/2", "oc_1/10"}, order); diff != "" {
		t.Error(diff)
	}
	if byID[1].ID != "oc_1/10" {
		t.Error("the tracks given were moved")
	}
}
