package matrix_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/matrix"
	"deskbridge/matrix/audit"
	"deskbridge/store"
	"deskbridge/transitions"
)

// slowly answers texts with "slow" in them when the gate is opened, and all others
// at once.
func slowly(gate *model.Gate) model.Script {
	return func(r model.Request) model.Reply {
		reply := model.Echo(r)
		if slices.Contains(slowTexts, r.LastText()) {
			return reply.Held(gate)
		}
		return reply
	}
}

// slowTexts are what the tests write to have a turn that goes on.
var slowTexts = []string{"slow", "slow too"}

// same compares two values and shows how they differ.
func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestOneMessageIsOneTurnAndOneAnswer(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	id := d.Say("hello")
	a := d.Finish(
		`A: hello [OnIt]`,
		`Desk re "hello": reply to: hello`,
	)
	same(t, "the model's requests", []string{"hello: answered"}, d.Requests())
	request := d.Model.Records()[0]
	same(t, "Codex's turns", []audit.Turn{{
		Thread: request.Thread, ID: request.Turn, Status: "completed",
		Messages: []string{id}, Texts: []string{"hello"}, Reply: "reply to: hello",
	}}, a.Turns)
}

func TestAFollowUpDuringATurnIsSteeredIntoIt(t *testing.T) {
	d := startDesk(t, matrix.Options{Script: slowly(model.NewGate())})
	first := d.Say("slow")
	d.AwaitModel("slow", model.Waiting)
	second := d.Say("and this")
	a := d.Finish(
		`A: slow [OnIt]`,
		`A: and this [OnIt]`,
		`Desk re "and this": reply to: and this`,
	)
	same(t, "the model's requests", []string{"slow: cancelled", "and this: answered"}, d.Requests())
	request := d.Model.Records()[1]
	same(t, "what the model saw", []string{"slow", "and this"}, request.Texts)
	turn := request.Turn
	same(t, "Codex's turns", []audit.Turn{{
		Thread: request.Thread, ID: turn, Status: "completed",
		Messages: []string{first, second}, Texts: []string{"slow", "and this"}, Reply: "reply to: and this",
	}}, a.Turns)
	var rows []string
	for _, m := range a.Books.Messages {
		rows = append(rows, m.Text+" "+string(m.State)+" "+m.Turn)
	}
	same(t, "the ledger's messages", []string{"slow answered " + turn, "and this answered " + turn}, rows)
	if !slices.ContainsFunc(a.Books.Journal, func(e store.JournalEntry) bool {
		f, ok := e.Fact.(transitions.SteerAccepted)
		return ok && f == transitions.SteerAccepted{Message: second, Turn: turn}
	}) {
		t.Error("the follow-up did not go out as turn/steer")
	}
}

func TestStopEndsTheTurnAndSaysSoOnce(t *testing.T) {
	gate := model.NewGate()
	d := startDesk(t, matrix.Options{Script: slowly(gate)})
	d.Say("slow")
	d.AwaitModel("slow", model.Waiting)
	d.Say("/stop")
	d.AwaitModel("slow", model.Cancelled)
	gate.Open()
	a := d.Finish(
		`A: slow [OnIt]`,
		`A: /stop`,
		`Desk re "slow": 当前任务已停止。`,
	)
	same(t, "the model's requests", []string{"slow: cancelled"}, d.Requests())
	same(t, "the turns' ends", []string{"interrupted"}, statuses(a))
}

func TestNewGoesOnInANewThreadAndEndsTheTurn(t *testing.T) {
	gate := model.NewGate()
	d := startDesk(t, matrix.Options{Script: slowly(gate)})
	d.Say("slow")
	d.AwaitModel("slow", model.Waiting)
	d.Say("/new")
	d.AwaitModel("slow", model.Cancelled)
	gate.Open()
	d.AwaitChat(`A: slow [OnIt]`, `A: /new`, `Desk re "/new": 从这里开始是一个新的对话；之前如果还有任务在进行，会让它停下来。`)
	d.Say("hello")
	a := d.Finish(
		`A: slow [OnIt]`,
		`A: /new`,
		`Desk re "/new": 从这里开始是一个新的对话；之前如果还有任务在进行，会让它停下来。`,
		`A: hello [OnIt]`,
		`Desk re "hello": reply to: hello`,
	)
	same(t, "the model's requests", []string{"slow: cancelled", "hello: answered"}, d.Requests())
	same(t, "the turns' ends", []string{"interrupted", "completed"}, statuses(a))
	if a.Turns[0].Thread == a.Turns[1].Thread {
		t.Errorf("both turns are of thread %s", a.Turns[0].Thread)
	}
}

// statuses are the ends of Codex's turns.
func statuses(a audit.Account) []string {
	var all []string
	for _, turn := range a.Turns {
		all = append(all, turn.Status)
	}
	return all
}

func TestAMessageDeliveredThriceIsOneTurn(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	var event string
	again := func(p *feishu.Platform) { p.Redeliver(event) }
	d.OnPlatform(func(p *feishu.Platform) {
		// At the same time, before the first is acknowledged.
		event = p.EventsOf(d.SayOn(p, "hello"))[0]
		again(p)
	})
	chat := []string{`A: hello [OnIt]`, `Desk re "hello": reply to: hello`}
	d.AwaitChat(chat...)
	// And late. What comes after it is answered after it.
	d.OnPlatform(again)
	d.Say("next")
	a := d.Finish(append(chat, `A: next [OnIt]`, `Desk re "next": reply to: next`)...)
	same(t, "deliveries of the event", 3, a.Events[0].Deliveries)
	same(t, "the model's requests", []string{"hello: answered", "next: answered"}, d.Requests())
	same(t, "the turns' ends", []string{"completed", "completed"}, statuses(a))
}
