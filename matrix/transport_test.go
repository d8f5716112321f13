package matrix_test

import (
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/model"
	"deskbridge/matrix"
)

// childSays is what a bridge says at its start whose Codex ends with it.
const childSays = "a task that is running when the bridge ends is interrupted"

func TestAMessageIsAnsweredByACodexOnTheNetwork(t *testing.T) {
	d := startDesk(t, matrix.Options{Transport: "ws"})
	d.Say("hello")
	d.AwaitChat(`A: hello [OnIt]`, `Desk re "hello": reply to: hello`)
	if log := d.Log(); strings.Contains(log, "a-token-of-the-desk") || strings.Contains(log, childSays) {
		t.Errorf("the log holds what it should not:\n%s", log)
	}
	a := d.Finish(`A: hello [OnIt]`, `Desk re "hello": reply to: hello`)
	same(t, "the model's requests", []string{"hello: answered"}, d.Requests())
	same(t, "the turns' ends", []string{"completed"}, statuses(a))
}

func TestAMessageIsAnsweredByACodexThatIsAChild(t *testing.T) {
	d := startDesk(t, matrix.Options{Transport: "stdio"})
	d.AwaitLog(childSays)
	d.Say("hello")
	a := d.Finish(`A: hello [OnIt]`, `Desk re "hello": reply to: hello`)
	same(t, "the model's requests", []string{"hello: answered"}, d.Requests())
	same(t, "the turns' ends", []string{"completed"}, statuses(a))
}

// TestATurnOfAChildEndsWithTheBridgeAndItsSenderIsTold kills the bridge, and with it
// ends its Codex.
func TestATurnOfAChildEndsWithTheBridgeAndItsSenderIsTold(t *testing.T) {
	d := startDesk(t, matrix.Options{Transport: "stdio", Script: slowly(model.NewGate())})
	d.Say("slow")
	d.AwaitModel("slow", model.Waiting)
	d.Kill()
	d.AwaitModel("slow", model.Cancelled)
	d.Start()
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
