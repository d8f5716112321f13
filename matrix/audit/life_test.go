package audit

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/store"
	"deskbridge/store/audit"
	tr "deskbridge/transitions"
)

const (
	app   = "cli_a"
	owner = "ou_owner"
	admin = "ou_admin"
	first = "oc_1/1"
)

// life is a conversation that is told facts, with a real ledger: the tables step,
// and the store writes, as they do in the daemon. The chat shows what it is said
// to show.
type life struct {
	t      *testing.T
	step   audit.Stepper
	dir    string
	ledger *store.Ledger
	unsent []tr.Deliver
	Account
}

func newLife(t *testing.T, step audit.Stepper) *life {
	t.Helper()
	l := &life{t: t, step: step, dir: t.TempDir(), Account: Account{App: app, Deciders: []string{owner, admin}}}
	var err error
	l.ledger, err = store.Open(t.Context(), l.dir)
	l.must(err)
	return l
}

// tell journals facts of the first track, one after the other.
func (l *life) tell(facts ...tr.Fact) {
	l.t.Helper()
	for _, f := range facts {
		tx, err := l.ledger.Begin()
		l.must(err)
		before, err := tx.Load(first)
		l.must(err)
		res, _, err := l.step(before.State, before.Data, f)
		l.must(err)
		var records []tr.Effect
		for _, e := range res.Effects {
			if tr.Handle(e).Record {
				records = append(records, e)
			}
			if d, ok := e.(tr.Deliver); ok {
				l.unsent = append(l.unsent, d)
			}
		}
		l.must(tx.Append(store.Entry{
			Instance: first, Fact: f, Key: f.FactKey(), At: time.UnixMilli(1),
			From: before.State, Result: res, Steps: before.Steps + 1,
		}, records))
		l.must(tx.Commit())
	}
}

// write lets a person write a text, and journals what becomes of it.
func (l *life) write(id, text string, f tr.Fact) {
	l.t.Helper()
	l.Said = append(l.Said, id)
	l.Events = append(l.Events, feishu.EventStatus{MessageID: id, Acknowledged: true})
	l.show(feishu.Message{ID: id, Sender: feishu.Sender{ID: owner}, Type: "text", Content: content(l.t, text)})
	l.tell(f)
}

// text lets a person write ordinary text.
func (l *life) text(id, text string) {
	l.t.Helper()
	l.write(id, text, tr.MessageReceived{Message: id, Sender: owner, Text: text, Created: 1})
}

// sends puts the oldest delivery that is not sent into the chat.
func (l *life) sends(id string) {
	l.t.Helper()
	d := l.unsent[0]
	l.unsent = l.unsent[1:]
	l.show(feishu.Message{
		ID: id, Sender: feishu.Sender{ID: app}, ParentID: d.ReplyTo, UUID: d.UUID,
		Type: "text", Content: content(l.t, d.Body.Say(tr.Chinese)),
	})
	l.tell(tr.DeliveryConfirmed{Delivery: d.Delivery, Shown: id})
}

func (l *life) show(m feishu.Message) { l.Chat = append(l.Chat, m) }

// account ends the life.
func (l *life) account() Account {
	l.t.Helper()
	l.must(l.ledger.Close())
	var err error
	l.Books, err = Read(l.t.Context(), l.dir)
	l.must(err)
	return l.Account
}

func (l *life) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func content(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// sound is a scenario in which all accounts agree. In turn A a request is shown,
// decided by an admin and over, and holds a text meanwhile, which is steered into
// A then. In turn B a text is on its way as /stop comes, and goes back. At last
// /new opens another track.
func sound(t *testing.T, step audit.Stepper) Account {
	t.Helper()
	l := newLife(t, step)
	l.text("om_1", "do it")
	l.tell(
		tr.ThreadOpened{Thread: "th_1"},
		tr.TurnStartAccepted{Message: "om_1", Turn: "A"},
		tr.TurnRunning{Turn: "A", Messages: []string{"om_1"}},
		tr.RequestOpened{Request: "r1", Kind: "approval", Turn: "A", Generation: "g1"},
	)
	l.show(feishu.Message{ID: "om_2", Sender: feishu.Sender{ID: app}, ParentID: "om_1", Type: "interactive", Content: "{}"})
	l.tell(tr.RequestVisible{Request: "r1", Shown: "om_2"})
	l.text("om_3", "and this")
	l.sends("om_4")
	l.tell(
		tr.RequestAnswered{Request: "r1", By: admin, Decision: "accept", Message: "om_2", Entitled: true},
		tr.DecisionWritten{Request: "r1"},
		tr.RequestResolved{Request: "r1"},
		tr.SteerAccepted{Message: "om_3", Turn: "A"},
		tr.TurnEnded{Turn: "A", Status: tr.EndCompleted, Messages: []string{"om_1", "om_3"}, Reply: "done"},
	)
	l.sends("om_5")
	l.text("om_6", "slow")
	l.tell(tr.TurnStartAccepted{Message: "om_6", Turn: "B"}, tr.TurnRunning{Turn: "B", Messages: []string{"om_6"}})
	l.text("om_7", "too late")
	l.write("om_8", "/stop", tr.StopRequested{Message: "om_8", Sender: owner, Created: 2})
	l.tell(tr.SteerWithdrawn{Message: "om_7", Turn: "B"})
	l.sends("om_9")
	l.tell(tr.InterruptAccepted{Turn: "B"}, tr.TurnEnded{Turn: "B", Status: tr.EndInterrupted, Messages: []string{"om_6"}})
	l.sends("om_10")
	l.write("om_11", "/new", tr.NewRequested{Message: "om_11", Sender: owner, Created: 3})
	l.sends("om_12")
	l.Turns = []Turn{
		{Thread: "th_1", ID: "A", Status: "completed", Messages: []string{"om_1", "om_3"}, Texts: []string{"do it", "and this"}, Reply: "done"},
		{Thread: "th_1", ID: "B", Status: "interrupted", Messages: []string{"om_6"}, Texts: []string{"slow"}},
	}
	l.Told = []string{"do it", "and this", "slow"}
	return l.account()
}

// clone copies what a test may change in place.
func clone(a Account) Account {
	a.Books.Journal = slices.Clone(a.Books.Journal)
	a.Books.Tracks = slices.Clone(a.Books.Tracks)
	a.Books.Messages = slices.Clone(a.Books.Messages)
	a.Books.Turns = slices.Clone(a.Books.Turns)
	a.Books.Deliveries = slices.Clone(a.Books.Deliveries)
	a.Books.Requests = slices.Clone(a.Books.Requests)
	a.Chat = slices.Clone(a.Chat)
	a.Events = slices.Clone(a.Events)
	a.Turns = slices.Clone(a.Turns)
	return a
}
