package feishu_test

import (
	"errors"
	"testing"
	"time"

	"deskbridge/adapters/feishu"
	"deskbridge/adapters/sched"
	"deskbridge/transitions"
)

// start is the virtual present at which every test begins.
var start = time.UnixMilli(1_700_000_000_000)

// script is an API that answers what it is told to, one answer a request, each
// after a second.
type script struct {
	t       *testing.T
	time    *sched.Virtual
	answers []feishu.Response
	got     []feishu.Request
}

var _ feishu.API = (*script)(nil)

func newScript(t *testing.T, answers ...feishu.Response) *script {
	return &script{t: t, time: sched.NewVirtual(start), answers: answers}
}

func (s *script) Do(req feishu.Request, done func(feishu.Response)) {
	s.got = append(s.got, req)
	if len(s.answers) == 0 {
		s.t.Errorf("request %d was not expected: %+v", len(s.got), req)
		return
	}
	r := s.answers[0]
	s.answers = s.answers[1:]
	s.time.After(time.Second, func() { done(r) })
}

// attempt makes one attempt and returns its report.
func (s *script) attempt(sender *feishu.Sender, e transitions.Effect, a transitions.Attempt) transitions.Report {
	s.t.Helper()
	var reports []transitions.Report
	sender.Execute(e, a, func(r transitions.Report) { reports = append(reports, r) })
	if len(reports) > 0 {
		s.t.Error("reported before Execute returned")
	}
	s.time.AdvanceUntil(time.Hour, func() bool { return len(reports) > 0 })
	if len(reports) != 1 {
		s.t.Fatalf("%d reports", len(reports))
	}
	return reports[0]
}

// sent are the replies among the requests.
func (s *script) sent() (all []feishu.Reply) {
	for _, req := range s.got {
		if r, ok := req.(feishu.Reply); ok {
			all = append(all, r)
		}
	}
	return all
}

var errReset = errors.New("connection reset")

// The answers.
var (
	shown     = feishu.Response{HTTPStatus: 200, MessageID: "om_9"}
	reacted   = feishu.Response{HTTPStatus: 200, ReactionID: "r_1"}
	lost      = feishu.Response{Sent: true, Err: errReset}
	unsent    = feishu.Response{Err: errReset}
	limited   = feishu.Response{HTTPStatus: 429, Code: 99991400, Msg: "frequency limit", RetryAfter: 7 * time.Second}
	withdrawn = feishu.Response{HTTPStatus: 400, Code: 230011, Msg: "The message was withdrawn."}
	badSecret = feishu.Response{HTTPStatus: 200, Code: 10014, Msg: "app secret invalid"}
	tooLong   = feishu.Response{HTTPStatus: 400, Code: 230025, Msg: "The length of the message content reaches its limit."}
	noScope   = feishu.Response{HTTPStatus: 400, Code: 230027, Msg: "Lack of necessary permissions."}
	deleted   = feishu.Response{HTTPStatus: 400, Code: 230110, Msg: "Action unavailable as the message has been deleted."}
	badToken  = feishu.Response{HTTPStatus: 400, Code: 99991663, Msg: "invalid access token"}
)
