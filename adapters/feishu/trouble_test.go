package feishu_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/feishu"
)

func TestTroubleIsToldOncePerChange(t *testing.T) {
	unknownApp := feishu.Response{HTTPStatus: 200, Code: 10003, Msg: "invalid param"}
	s := newScript(t, shown, badSecret, badSecret, unsent, lost, limited, unknownApp, badToken, badToken, withdrawn, shown, badSecret, tooLong)
	var told []int
	var said []string
	w := feishu.NewWatched(s, func(tr feishu.Trouble) {
		told = append(told, tr.Code)
		said = append(said, tr.Sentence)
	})
	answered := 0
	for range len(s.answers) {
		w.Do(feishu.Reply{}, func(feishu.Response) { answered++ })
		s.time.Advance(time.Second)
	}
	if diff := cmp.Diff([]int{10014, 10003, 99991663, 0, 10014, 0}, told); diff != "" || answered != 13 {
		t.Errorf("%d answers %s", answered, diff)
	}
	for i, remedy := range []string{"feishu.app_secret", "feishu.app_id", "enabled and published", "accepts the app's credentials again"} {
		if !strings.Contains(said[i], remedy) || strings.Count(said[i], ".\n") > 0 {
			t.Errorf("%q does not speak of %s", said[i], remedy)
		}
	}
}
