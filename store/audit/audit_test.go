package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/store"
	"deskbridge/store/storetest"
	tr "deskbridge/transitions"
)

// sound is the sound conversation's books.
func sound(t *testing.T) *Books {
	t.Helper()
	l := storetest.New(t)
	l.Sound()
	return &Conversations(l.Books())[0].Books
}

func TestASoundLedgerIsSoundAtEachMoment(t *testing.T) {
	t.Parallel()
	b := sound(t)
	if problems := Check(b); problems != nil {
		t.Errorf("%q", problems)
	}
	if len(b.Journal) < 20 || len(b.Messages) != 4 || len(b.Turns) != 2 || len(b.Requests) != 1 || len(b.Deliveries) != 5 || len(b.Tracks) != 2 {
		t.Errorf("the books are short: %+v", b)
	}
}

// TestWhatALedgerTellsAgainstItself spoils the books of the sound conversation, and
// holds that the audit says what is wrong, with its id.
func TestWhatALedgerTellsAgainstItself(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spoil func(*Books)
		says  string
	}{
		{"two ends", func(b *Books) { b.Deliveries[2].ReplyTo = "om_1" }, "invariant 1, Nothing lost in: om_1 has 2 ends"},
		{"no outcome", func(b *Books) { b.Deliveries = slices.Delete(b.Deliveries, 1, 2) }, "invariant 3, Nothing lost out: A ended as completed with a message of ours in it, and has no outcome"},
		{"two outcomes", func(b *Books) {
			b.Deliveries = append(b.Deliveries, tr.Delivery{ID: "again", Kind: tr.Outcome, Turn: "A"})
		}, "invariant 4, Nothing twice out: A has more than one outcome"},
		{"stopped without a /stop", func(b *Books) { b.Turns[1].StopBy = "" }, "invariant 5, Nothing invented: outcome:B says stopped to om_6, but no /stop is recorded for that turn"},
		{"held by nothing", func(b *Books) { b.Messages[3].State = tr.MessageHeld }, "invariant 6, Nothing falsely held: om_7 waits (held), and nothing holds it"},
		{"decided by who may not", func(b *Books) { b.Requests[0].By = "ou_other" }, "invariant 7, Nothing approved by mistake: request r1 was decided by ou_other, who may not"},

		{"a row that no step wrote", func(b *Books) { b.Messages[0].Text, b.Messages[0].Sender = "other", "ou_other" }, "the table of messages is not what the steps have written: om_1: another sender and text"},
		{"a row that is gone", func(b *Books) { b.Turns = b.Turns[:1] }, "the table of turns is not what the steps have written: B: it is not there"},
		{"a row too many", func(b *Books) { b.Requests = append(b.Requests, tr.Request{ID: "r2"}) }, "the table of requests is not what the steps have written: r2: no step wrote it"},
		{"a row twice", func(b *Books) { b.Deliveries = append(b.Deliveries, b.Deliveries[0]) }, "the table of deliveries is not what the steps have written: something is there twice"},
		{"another track", func(b *Books) { b.Tracks[0].State = tr.Idle }, "the table of tracks is not what the steps have written: oc_1/1: another state"},
		{"a step that is gone", func(b *Books) { b.Journal = slices.Delete(slices.Clone(b.Journal), 4, 5) }, "step 6 of oc_1/1 (request_visible): the journal has 6"},
		{"a beginning that is gone", func(b *Books) { b.Journal = b.Journal[1:] }, "step 2 of oc_1/1 (thread_opened): the journal has 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := sound(t)
			c.spoil(b)
			if problems := Check(b); !slices.ContainsFunc(problems, func(p string) bool { return strings.HasPrefix(p, c.says) }) {
				t.Errorf("the audit says %q", problems)
			}
		})
	}
}

// TestWhoClickedIsBelievedOnlyIfNobodyKnowsBetter holds that the ledger's own word on
// who may decide counts where no list is given.
func TestWhoClickedIsBelievedOnlyIfNobodyKnowsBetter(t *testing.T) {
	t.Parallel()
	b := sound(t)
	for _, c := range []struct {
		deciders []string
		sound    bool
	}{{nil, true}, {[]string{storetest.Admin}, true}, {[]string{}, false}, {[]string{storetest.Owner}, false}} {
		h := Follow(b, c.deciders, tr.Standard().Step)
		if (h.Problems == nil) != c.sound {
			t.Errorf("with deciders %#v: %q", c.deciders, h.Problems)
		}
	}
}

// TestWhatIsTwiceAcrossQuietTimesIsSeen holds that rows which are put away once all
// is quiet are still held against what comes later.
func TestWhatIsTwiceAcrossQuietTimesIsSeen(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	for i := range 20 {
		l.Answered("oc_1/1", fmt.Sprint("om_", i), fmt.Sprint("turn_", i))
	}
	b := &Conversations(l.Books())[0].Books
	h := Follow(b, nil, tr.Standard().Step)
	if h.Problems != nil || len(h.known.recent.Messages) > 0 || len(h.known.past.Messages) != 20 {
		t.Errorf("%q; %d recent, %d past", h.Problems, len(h.known.recent.Messages), len(h.known.past.Messages))
	}
	if problems := Check(b); problems != nil {
		t.Errorf("the audit says %q", problems)
	}
	b.Deliveries[19].Turn = "turn_0"
	if problems := Check(b); !slices.Contains(problems, "invariant 4, Nothing twice out: turn_0 has more than one outcome") {
		t.Errorf("the audit says %q", problems)
	}
}

// TestWhatLingersIsStillHeldAgainstTheRest leaves an outcome in doubt, begins the
// journal there, as pruning does, and spoils what is left.
func TestWhatLingersIsStillHeldAgainstTheRest(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Tell("oc_1/1",
		tr.MessageReceived{Message: "om_1", Sender: storetest.Owner, Text: "text"}, tr.ThreadOpened{Thread: "th"},
		tr.TurnStartAccepted{Message: "om_1", Turn: "A"},
		tr.TurnEnded{Turn: "A", Status: tr.EndCompleted, Messages: []string{"om_1"}, Reply: "long"},
		tr.DeliveryUnknown{Delivery: "outcome:A"},
	)
	l.Settle()
	for _, c := range []struct {
		name  string
		spoil func(*Books)
		says  string
	}{
		{"nothing", func(*Books) {}, ""},
		{"no message", func(b *Books) { b.Messages = nil }, "the table of messages is not what the steps have written: om_1: it is not there"},
		{"no delivery", func(b *Books) { b.Deliveries = nil }, "invariant 3, Nothing lost out: A ended as completed with a message of ours in it, and has no outcome"},
		{"no turn", func(b *Books) { b.Turns = nil }, "invariant 3, Nothing lost out: outcome:A is the outcome of a turn that the ledger does not know to be over"},
		{"something else", func(b *Books) { b.Turns = append(b.Turns, tr.Turn{ID: "B", State: tr.TurnFailed}) }, "the table of turns is not what the steps have written: B: no step wrote it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := &Conversations(l.Books())[0].Books
			b.Starts, b.Journal = b.Tracks, nil
			c.spoil(b)
			problems := Check(b)
			if c.says == "" && problems != nil || c.says != "" && !slices.Contains(problems, c.says) {
				t.Errorf("the audit says %q", problems)
			}
		})
	}
}

// TestWhatIsOpenIsNamed holds when tracks are quiet, and what lingers then.
func TestWhatIsOpenIsNamed(t *testing.T) {
	t.Parallel()
	refused := tr.Delivery{ID: "outcome:A", Kind: tr.Outcome, State: tr.DeliveryFailed, Turn: "A"}
	proven := tr.Message{ID: "om_1", State: tr.MessageProven, Turn: "A"}
	for _, c := range []struct {
		name string
		data tr.Data
		left Lingering
		open string
	}{
		{"nothing", tr.Data{}, Lingering{}, ""},
		{"a refused outcome", tr.Data{Deliveries: []tr.Delivery{refused}, Messages: []tr.Message{proven}},
			Lingering{Messages: []string{"om_1"}, Turns: []string{"A"}, Deliveries: []string{"outcome:A"}}, ""},
		{"a message beside it", tr.Data{Deliveries: []tr.Delivery{refused}, Messages: []tr.Message{proven, {ID: "om_2", State: tr.MessageHeld}}}, Lingering{}, "message om_2 is held"},
		{"a message in another turn", tr.Data{Deliveries: []tr.Delivery{refused}, Messages: []tr.Message{{ID: "om_2", State: tr.MessageProven, Turn: "B"}}}, Lingering{}, "message om_2 is proven"},
		{"a delivery on its way", tr.Data{Deliveries: []tr.Delivery{refused, {ID: "d", State: tr.DeliveryReady}}}, Lingering{}, "delivery d is ready"},
		{"a request", tr.Data{Requests: []tr.Request{{ID: "r", State: tr.RequestShown}}}, Lingering{}, "request r is visible"},
		{"a turn", tr.Data{Turns: []tr.Turn{{ID: "A", State: tr.TurnInFlight}}}, Lingering{}, `turn "A" is running`},
	} {
		left, open := Quiet([]store.Track{{}, {Snapshot: store.Snapshot{Data: c.data}}})
		if open != c.open || !cmp.Equal(left, c.left) {
			t.Errorf("%s: %q, %+v", c.name, open, left)
		}
	}
}

func TestTheBooksOfEachConversationAreItsOwn(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Answered("oc_2/1", "om_1", "A")
	l.Answered("oc_1/1", "om_2", "B")
	l.Answered("oc_2/1", "om_3", "C")
	all := Conversations(l.Books())
	var names []string
	entries := 0
	for _, c := range all {
		names = append(names, c.ID)
		entries += len(c.Journal)
		if problems := Check(&c.Books); problems != nil {
			t.Errorf("of %s the audit says %q", c.ID, problems)
		}
		if slices.ContainsFunc(c.Tracks, func(tr store.Track) bool { return !strings.HasPrefix(tr.ID, c.ID+"/") }) {
			t.Errorf("%s has the tracks of others", c.ID)
		}
	}
	if !slices.Equal(names, []string{"oc_1", "oc_2"}) || entries != len(l.Books().Journal) {
		t.Errorf("conversations %q with %d entries", names, entries)
	}
}

// TestTheNextTrackBeginsAsItsStepSays: one that was stepped on again began as an empty
// one, without the model that was chosen or the thread that was found.
func TestTheNextTrackBeginsAsItsStepSays(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Tell("oc_1/1",
		tr.ModelRequested{Message: "om_1", Sender: storetest.Owner, Model: "small"},
		tr.ThreadsListed{Message: "om_2", Threads: []tr.DeskThread{{Thread: "th"}}},
		tr.ResumeRequested{Message: "om_3", Sender: storetest.Owner, Number: 1}, tr.ThreadFound{Message: "om_3", Thread: "th"},
	)
	l.Tell("oc_1/2", tr.MessageReceived{Message: "om_4", Sender: storetest.Owner, Text: "text"}, tr.TurnStartAccepted{Message: "om_4", Turn: "A"})
	b := &Conversations(l.Books())[0].Books
	h := Follow(b, nil, tr.Standard().Step)
	if h.Diverged || h.Problems != nil || h.Tracks[1].Data.Model != "small" || h.Tracks[1].Data.Thread != "th" {
		t.Errorf("diverged: %t, %q, %+v", h.Diverged, h.Problems, h.Tracks)
	}
}
