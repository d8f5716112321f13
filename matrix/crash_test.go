package matrix_test

import (
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/matrix"
)

func TestAKilledBridgeDeliversTheTurnItLeftRunning(t *testing.T) {
	gate := model.NewGate()
	d := startDesk(t, matrix.Options{Script: slowly(gate)})
	d.Say("slow")
	d.AwaitModel("slow", model.Waiting)
	d.Kill()
	d.Start()
	gate.Open()
	a := d.Finish(
		`A: slow [OnIt]`,
		`Desk re "slow": reply to: slow`,
	)
	same(t, "the model's requests", []string{"slow: answered"}, d.Requests())
	same(t, "the turns' ends", []string{"completed"}, statuses(a))
}

func TestATurnThatEndsWhileTheBridgeIsDownIsDeliveredAtTheNextStart(t *testing.T) {
	gate := model.NewGate()
	d := startDesk(t, matrix.Options{Script: slowly(gate)})
	d.Say("slow")
	request := d.AwaitModel("slow", model.Waiting)
	d.Kill()
	gate.Open()
	d.AwaitModel("slow", model.Answered)
	if stored := d.AwaitTurnStored(request.Thread, request.Turn); stored.Status != "completed" {
		t.Fatalf("the turn ended %s", stored.Status)
	}
	d.Start()
	a := d.Finish(
		`A: slow [OnIt]`,
		`Desk re "slow": reply to: slow`,
	)
	same(t, "the model's requests", []string{"slow: answered"}, d.Requests())
	same(t, "the turns' ends", []string{"completed"}, statuses(a))
}

func TestABridgeThatIsAskedToEndLeavesTheTurnToTheNextStart(t *testing.T) {
	gate := model.NewGate()
	d := startDesk(t, matrix.Options{Script: slowly(gate)})
	d.Say("slow")
	d.AwaitModel("slow", model.Waiting)
	d.Terminate()
	gate.Open()
	d.AwaitModel("slow", model.Answered)
	d.Start()
	a := d.Finish(
		`A: slow [OnIt]`,
		`Desk re "slow": reply to: slow`,
	)
	same(t, "the model's requests", []string{"slow: answered"}, d.Requests())
	same(t, "the turns' ends", []string{"completed"}, statuses(a))
}

func TestAKilledAppServerInterruptsTheTurnAndTheNextMessageIsAnswered(t *testing.T) {
	d := startDesk(t, matrix.Options{Script: slowly(model.NewGate())})
	d.Say("slow")
	d.AwaitModel("slow", model.Waiting)
	d.KillCodex()
	interrupted := []string{
		`A: slow [OnIt]`,
		`Desk re "slow": 任务中断了，没有完成。可以再发一次消息继续。`,
	}
	d.AwaitChat(interrupted...)
	d.Say("next")
	a := d.Finish(append(interrupted,
		`A: next [OnIt]`,
		`Desk re "next": reply to: next`,
	)...)
	same(t, "the model's requests", []string{"slow: cancelled", "next: answered"}, d.Requests())
	same(t, "the turns' ends", []string{"interrupted", "completed"}, statuses(a))
}

func TestABridgeThatDiesBeforeItHearsOfItsAnswerShowsItOnce(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	d.OnPlatform(func(p *feishu.Platform) {
		// The answer stands in the chat, and the bridge never hears so.
		p.Inject(feishu.Fault{
			Match: feishu.Match{Method: "POST", Path: "/open-apis/im/v1/messages/*/reply"},
			Kind:  feishu.Slow, Delay: time.Hour,
		})
	})
	chat := []string{`A: hello [OnIt]`, `Desk re "hello": reply to: hello`}
	d.Say("hello")
	d.AwaitChat(chat...)
	d.Kill()
	d.Start()
	var sends int
	d.AwaitPlatform("it is sent again", func(p *feishu.Platform) bool {
		sends = 0
		for _, c := range p.Calls() {
			if strings.HasSuffix(c.Path, "/reply") {
				sends++
			}
		}
		return sends == 2
	})
	d.Finish(chat...)
}
