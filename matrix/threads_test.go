package matrix_test

import (
	"path/filepath"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/model/modeltest"
	"deskbridge/matrix"
)

// TestWorkThatWasBegunAtTheDeskGoesOnInTheChat: another client begins a thread directly
// on the app-server; it is listed in the chat, chosen, and what the chat says goes on
// with it.
func TestWorkThatWasBegunAtTheDeskGoesOnInTheChat(t *testing.T) {
	d := startDesk(t, matrix.Options{})
	d.Say("hello")
	chat := []string{`A: hello [OnIt]`, `Desk re "hello": reply to: hello`}
	d.AwaitChat(chat...)
	desktop := d.Client()
	defer desktop.Close()
	var started struct{ Thread struct{ ID string } }
	desktop.Call("thread/start", map[string]any{"cwd": filepath.Join(d.Work, "shop")}).Decode(t, &started)
	desktop.Call("turn/start", map[string]any{"threadId": started.Thread.ID, "input": []map[string]any{{"type": "text", "text": "repair the login page"}}})
	desktop.Await("the turn's end", func(f modeltest.Frame) bool {
		return f.Method == "turn/completed" && strings.Contains(string(f.Params), started.Thread.ID)
	})

	d.Say("/threads")
	list := "最近的对话：\n1. repair the login page（刚刚用过）\n2. hello（刚刚用过，就是现在这个）\n要接着某一个，回复 /resume 加它的编号，例如 /resume 2。"
	chat = append(chat, `A: /threads`, `Desk re "/threads": `+list)
	d.AwaitChat(chat...)
	d.Say("/resume 1")
	chat = append(chat, `A: /resume 1`, `Desk re "/resume 1": 好的，从这里开始接着这个对话：repair the login page。之前如果还有任务在进行，会让它停下来。`)
	d.AwaitChat(chat...)
	d.Say("what did you find?")
	a := d.Finish(append(chat, `A: what did you find? [OnIt]`, `Desk re "what did you find?": reply to: what did you find?`)...)
	for _, turn := range a.Turns {
		if turn.Thread == started.Thread.ID && len(turn.Messages) == 1 {
			same(t, "what the chat wrote", []string{"what did you find?"}, turn.Texts)
			records := d.Model.Records()
			same(t, "what the model saw", []string{"repair the login page", "what did you find?"}, records[len(records)-1].Texts)
			return
		}
	}
	t.Errorf("no turn of the thread has the chat's message: %+v", a.Turns)
}
