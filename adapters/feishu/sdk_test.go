package feishu_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/feishu"
	sandbox "deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sched"
	"deskbridge/transitions"
)

const (
	secret    = "planted-app-secret"
	tokenCall = "/open-apis/auth/v3/tenant_access_token/internal"
	replyCall = "/open-apis/im/v1/messages/*/reply"
)

// platform is a stand-in with one app, one person, their direct chat and a message
// in it, and a client of the app on a scheduler of its own.
type platform struct {
	t      *testing.T
	server *sandbox.Server
	loop   *sched.Loop
	client *feishu.Client
	ctx    context.Context // ends a test that waits for what does not come

	clients []*feishu.Client // all that were made

	app, chat, question, bot string
}

func newPlatform(t *testing.T) *platform {
	t.Helper()
	p := &platform{t: t, app: "cli_" + t.Name()}
	server, err := sandbox.Start(sandbox.ServerOptions{Setup: func(core *sandbox.Platform) sandbox.Page {
		p.bot = core.AddApp(sandbox.App{ID: p.app, Secret: secret, Name: "Desk"})
		user := core.AddUser("A")
		p.chat = core.AddP2P(p.app, user)
		p.question = core.Say(p.chat, user, "hello")
		return sandbox.Page{}
	}})
	if err != nil {
		t.Fatal(err)
	}
	p.server = server
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	p.ctx = ctx
	t.Cleanup(func() {
		cancel()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	p.run()
	p.client = p.connect(feishu.ClientOptions{AppID: p.app, AppSecret: secret, BaseURL: server.URL() + "/"})
	p.do(func(*sandbox.Platform) {}) // the setup has run
	return p
}

// run starts the scheduler; at the end it is stopped, and then the clients closed.
func (p *platform) run() {
	p.loop = sched.NewLoop()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		p.loop.Run(ctx)
		close(ended)
	}()
	p.t.Cleanup(func() {
		cancel()
		<-ended
		for _, client := range p.clients {
			if err := client.Close(p.ctx); err != nil {
				p.t.Error(err)
			}
		}
	})
}

// connect makes a client on the platform's scheduler.
func (p *platform) connect(o feishu.ClientOptions) *feishu.Client {
	client := feishu.NewClient(p.loop, o)
	p.clients = append(p.clients, client)
	return client
}

func (p *platform) do(f func(*sandbox.Platform)) {
	p.t.Helper()
	if err := p.server.Do(f); err != nil {
		p.t.Fatal(err)
	}
}

func (p *platform) inject(path string, f sandbox.Fault) {
	p.t.Helper()
	f.Path = path
	p.do(func(core *sandbox.Platform) { core.Inject(f) })
}

// call makes a call and waits for its response.
func (p *platform) call(api feishu.API, req feishu.Request) feishu.Response {
	p.t.Helper()
	got := make(chan feishu.Response, 1)
	p.loop.Post(func() { api.Do(req, func(r feishu.Response) { got <- r }) })
	select {
	case r := <-got:
		return r
	case <-p.ctx.Done():
		p.t.Fatalf("%s is not answered", req.Op())
		panic("unreachable")
	}
}

func (p *platform) reply(uuid string) feishu.Reply {
	return feishu.Reply{MessageID: p.question, MsgType: "text", Content: `{"text":"done"}`, UUID: uuid}
}

// calls counts the requests to a path.
func (p *platform) calls(path string) (n int) {
	p.t.Helper()
	p.do(func(core *sandbox.Platform) {
		for _, c := range core.Calls() {
			if c.Path == path {
				n++
			}
		}
	})
	return n
}

// answers are the messages that the bot has sent.
func (p *platform) answers() (all []sandbox.Message) {
	p.t.Helper()
	p.do(func(core *sandbox.Platform) {
		for _, m := range core.Messages(p.chat) {
			if m.Sender.Type == "app" {
				all = append(all, m)
			}
		}
	})
	return all
}

func TestCallsReachThePlatform(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	reply := p.call(p.client, p.reply("u_1"))
	if reply.Code != 0 || reply.Err != nil || reply.HTTPStatus != 200 || feishu.Classify(feishu.Reply{}, reply) != feishu.Done {
		t.Errorf("reply: %+v", reply)
	}
	sent := p.answers()
	if len(sent) != 1 || sent[0].ID != reply.MessageID || sent[0].Text() != "done" || sent[0].ParentID != p.question || sent[0].UUID != "u_1" || sent[0].ThreadID != "" {
		t.Errorf("sent: %+v", sent)
	}
	if react := p.call(p.client, feishu.React{MessageID: p.question, Emoji: "OnIt"}); feishu.Classify(feishu.React{}, react) != feishu.Done {
		t.Errorf("react: %+v", react)
	}
	if info := p.call(p.client, feishu.BotInfo{}); info.Bot != (feishu.Bot{OpenID: p.bot, Name: "Desk"}) {
		t.Errorf("bot info: %+v", info)
	}
	inThread := p.reply("u_2")
	inThread.InThread = true
	p.call(p.client, inThread)
	if sent := p.answers(); len(sent) != 2 || sent[1].ThreadID == "" {
		t.Errorf("in a topic: %+v", sent)
	}
	if n := p.calls(tokenCall); n != 1 {
		t.Errorf("%d tokens for four calls", n)
	}
}

func TestRefusalsAndLimitsAreRead(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.inject(replyCall, sandbox.Fault{Kind: sandbox.Refuse, Code: 230011, Match: sandbox.Match{}})
	if r := p.call(p.client, p.reply("u_1")); r.Code != 230011 || r.Msg == "" || r.HTTPStatus != 400 || r.Err != nil {
		t.Errorf("refused: %+v", r)
	}
	p.inject(replyCall, sandbox.Fault{Kind: sandbox.Refuse, Code: 99991400, Header: http.Header{"x-ogw-ratelimit-reset": {"7"}}})
	if r := p.call(p.client, p.reply("u_1")); r.Code != 99991400 || r.HTTPStatus != 429 || r.RetryAfter != 7*time.Second {
		t.Errorf("limited: %+v", r)
	}
	p.inject(replyCall, sandbox.Fault{Kind: sandbox.Gateway, Status: 429, Header: http.Header{"Retry-After": {"1e9"}}})
	if r := p.call(p.client, p.reply("u_1")); r.HTTPStatus != 429 || r.RetryAfter != 10*time.Minute || feishu.Classify(feishu.Reply{}, r) != feishu.Later {
		t.Errorf("limited by a gateway: %+v", r)
	}
	for _, status := range []int{502, 504} {
		p.inject(replyCall, sandbox.Fault{Kind: sandbox.Gateway, Status: status})
		r := p.call(p.client, p.reply("u_1"))
		if r.HTTPStatus != status || r.Err == nil || strings.Contains(r.Err.Error(), "<html>") || feishu.Classify(feishu.Reply{}, r) != feishu.Ambiguous {
			t.Errorf("gateway %d: %+v", status, r)
		}
	}
	if sent := p.answers(); len(sent) != 0 {
		t.Errorf("sent: %+v", sent)
	}
}

func TestInvalidTokenIsFetchedAgainOnce(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.call(p.client, feishu.BotInfo{})
	p.do(func(core *sandbox.Platform) { core.RevokeTokens(p.app) })
	if r := p.call(p.client, p.reply("u_1")); r.MessageID == "" {
		t.Errorf("with a revoked token: %+v", r)
	}
	if n := p.calls(tokenCall); n != 2 {
		t.Errorf("%d fetches", n)
	}
	// A platform that accepts no token at all is asked twice, not for ever.
	p.inject(replyCall, sandbox.Fault{Kind: sandbox.Refuse, Code: 99991663, Match: sandbox.Match{Times: -1}})
	if r := p.call(p.client, p.reply("u_2")); r.Code != 99991663 {
		t.Errorf("without any valid token: %+v", r)
	}
	if n := p.calls("/open-apis/im/v1/messages/" + p.question + "/reply"); n != 4 {
		t.Errorf("%d replies, of which the first two are one call", n)
	}
}

func TestConcurrentCallsShareAToken(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	const n = 30 // more than may be under way at once
	got := make(chan feishu.Response, n)
	p.loop.Post(func() {
		for range n {
			p.client.Do(feishu.BotInfo{}, func(r feishu.Response) { got <- r })
		}
	})
	for range n {
		select {
		case r := <-got:
			if r.Bot.OpenID != p.bot {
				t.Errorf("%+v", r)
			}
		case <-p.ctx.Done():
			t.Fatal("not all calls were answered")
		}
	}
	if n := p.calls(tokenCall); n != 1 {
		t.Errorf("%d tokens", n)
	}
}

func TestRefusedCredentialsAreToldAndMended(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	var told []int
	watched := feishu.NewWatched(p.client, func(tr feishu.Trouble) {
		told = append(told, tr.Code)
		if strings.Contains(tr.Sentence, secret) {
			t.Errorf("the secret was told: %s", tr.Sentence)
		}
	})
	p.inject(tokenCall, sandbox.Fault{Kind: sandbox.Refuse, Code: 10014, Status: 200, Match: sandbox.Match{Times: 2}})
	for range 2 {
		r := p.call(watched, p.reply("u_1"))
		if r.Code != 10014 || r.Sent || feishu.Classify(feishu.Reply{}, r) != feishu.Credentials || strings.Contains(r.Error(feishu.Reply{}).Error(), secret) {
			t.Errorf("with a wrong secret: %+v", r)
		}
	}
	if r := p.call(watched, p.reply("u_1")); r.MessageID == "" {
		t.Errorf("with the cause gone: %+v", r)
	}
	if diff := cmp.Diff([]int{10014, 0}, told); diff != "" {
		t.Error(diff)
	}
}

func TestTokenThatCannotBeHadIsNoVerdictOnTheMessage(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	for name, f := range map[string]sandbox.Fault{
		"gateway":        {Kind: sandbox.Gateway},
		"forbidden":      {Kind: sandbox.Gateway, Status: 403},
		"closed":         {Kind: sandbox.LostAfter},
		"a code to come": {Kind: sandbox.Refuse, Code: 239999},
	} {
		p.inject(tokenCall, f)
		if r := p.call(p.client, p.reply("u_1")); r.Sent || r.Err == nil || feishu.Classify(feishu.Reply{}, r) != feishu.Unreachable {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := p.call(p.client, p.reply("u_1")); r.MessageID == "" {
		t.Errorf("afterwards: %+v", r)
	}
}

// attempt makes one attempt at an effect and waits for its report.
func (p *platform) attempt(sender *feishu.Sender, e transitions.Effect, a transitions.Attempt) transitions.Report {
	p.t.Helper()
	got := make(chan transitions.Report, 1)
	p.loop.Post(func() { sender.Execute(e, a, func(r transitions.Report) { got <- r }) })
	select {
	case r := <-got:
		return r
	case <-p.ctx.Done():
		p.t.Fatal("no report")
		panic("unreachable")
	}
}

// deliver is an answer to the question.
func (p *platform) deliver(text string) transitions.Deliver {
	return transitions.Deliver{Delivery: "d_1", ReplyTo: p.question, UUID: "u_1", Kind: transitions.Outcome, Body: transitions.Body{Text: text}}
}

func TestLostAnswerIsRepeatedWithTheSameUUIDAndMakesOneMessage(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.call(p.client, feishu.BotInfo{}) // a token
	p.inject(replyCall, sandbox.Fault{Kind: sandbox.LostAfter})
	sender := feishu.NewSender(p.loop, p.client, feishu.SenderOptions{Language: transitions.Chinese})
	first := time.Now()
	var reports []verdict
	for n := 1; n <= 2; n++ {
		reports = append(reports, verdictOf(p.attempt(sender, p.deliver("done"), transitions.Attempt{Number: n, First: first, Sent: n > 1})))
	}
	sent := p.answers()
	if len(sent) != 1 || sent[0].UUID != "u_1" {
		t.Fatalf("sent: %+v", sent)
	}
	want := []verdict{againSent, facts(transitions.DeliveryConfirmed{Delivery: "d_1", Shown: sent[0].ID})}
	if diff := cmp.Diff(want, reports); diff != "" {
		t.Error(diff)
	}
}

func TestAnAnswerOfAMegabyteReachesTheChatInParts(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	sender := feishu.NewSender(p.loop, p.client, feishu.SenderOptions{})
	const piece = "a line with <b>, & and \"quotes\" \\ in it, 中文，👨\u200d👩\u200d👧 and\ta tab.\n"
	text := strings.Repeat(piece, 1<<20/len(piece)) + "end"
	a := transitions.Attempt{Number: 1, First: time.Now()}
	var parts int
	for {
		r := p.attempt(sender, p.deliver(text), a)
		if r.Again != nil {
			t.Fatalf("part %d: %v", parts+1, r.Again.Err)
		}
		parts++
		if _, ok := r.Facts[0].(transitions.DeliveryConfirmed); ok {
			break
		}
		a.Done = r.Done
	}
	sent := p.answers()
	var got strings.Builder
	for _, m := range sent {
		got.WriteString(m.Text())
		if m.ParentID != p.question {
			t.Errorf("%s replies to %s", m.ID, m.ParentID)
		}
	}
	if len(sent) != parts || got.String() != text {
		t.Errorf("%d messages of %d parts hold %d bytes of %d", len(sent), parts, got.Len(), len(text))
	}
	if parts < 8 || parts > 12 {
		t.Errorf("%d parts", parts)
	}
}

// What is older than the uuid is looked up in the chat, through the real client.
func TestALostAnswerIsFoundInTheChatOrProvenAbsent(t *testing.T) {
	t.Parallel()
	hours := transitions.Attempt{Number: 3, First: time.Now().Add(-2 * time.Hour), Sent: true}
	for name, test := range map[string]struct {
		inTopic bool
		before  int // messages of others in between, more than a page
		fault   sandbox.FaultKind
		there   bool
	}{
		"there":              {false, 0, sandbox.LostAfter, true},
		"absent":             {false, 0, sandbox.LostBefore, false},
		"there, pages back":  {false, 120, sandbox.LostAfter, true},
		"absent, many pages": {false, 120, sandbox.LostBefore, false},
		"there, in a topic":  {true, 60, sandbox.LostAfter, true},
		"absent, in a topic": {true, 60, sandbox.LostBefore, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t)
			user := "ou_1"
			if test.inTopic {
				p.do(func(core *sandbox.Platform) {
					p.question = core.SayWith(p.chat, user, "and?", sandbox.SayOpts{ParentID: p.question, InThread: true})
				})
			}
			p.call(p.client, feishu.BotInfo{}) // a token
			p.inject(replyCall, sandbox.Fault{Kind: test.fault})
			sender := feishu.NewSender(p.loop, p.client, feishu.SenderOptions{})
			effect := p.deliver("two <b>lines</b>\n\nand more")
			if got := verdictOf(p.attempt(sender, effect, transitions.Attempt{Number: 1, First: time.Now()})); !got.Sent {
				t.Fatalf("%+v", got)
			}
			p.do(func(core *sandbox.Platform) {
				for range test.before {
					core.SayWith(p.chat, user, "meanwhile", sandbox.SayOpts{ParentID: p.question})
				}
			})
			got := verdictOf(p.attempt(sender, effect, hours))
			want := verdict{Again: true, Absent: true}
			sent := p.answers()
			if test.there {
				want = facts(transitions.DeliveryConfirmed{Delivery: "d_1", Shown: sent[0].ID})
			}
			if diff := cmp.Diff(want, got); diff != "" || (len(sent) == 1) != test.there {
				t.Errorf("%d messages %s", len(sent), diff)
			}
		})
	}
}

// TestAnAnswerFromBeforeATopicIsNotSentAgain: somebody opened a topic on the question
// after the answer had come to stand in the chat, where nobody looked for it.
func TestAnAnswerFromBeforeATopicIsNotSentAgain(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.call(p.client, feishu.BotInfo{}) // a token
	p.inject(replyCall, sandbox.Fault{Kind: sandbox.LostAfter})
	sender := feishu.NewSender(p.loop, p.client, feishu.SenderOptions{})
	effect := p.deliver("two lines and more")
	if got := verdictOf(p.attempt(sender, effect, transitions.Attempt{Number: 1, First: time.Now()})); !got.Sent {
		t.Fatalf("%+v", got)
	}
	p.do(func(core *sandbox.Platform) {
		core.SayWith(p.chat, "ou_1", "and?", sandbox.SayOpts{ParentID: p.question, InThread: true})
	})
	got := verdictOf(p.attempt(sender, effect, transitions.Attempt{Number: 3, First: time.Now().Add(-2 * time.Hour), Sent: true}))
	want := facts(transitions.DeliveryConfirmed{Delivery: "d_1", Shown: p.answers()[0].ID})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMessagesAreReadAsThePlatformTellsThem(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	shown := p.call(p.client, p.reply("u_1")).MessageID
	taken := p.call(p.client, p.reply("u_2")).MessageID
	var token string
	p.do(func(core *sandbox.Platform) {
		core.Handle(sandbox.Request{Method: "POST", Path: tokenCall, Body: []byte(`{"app_id":"` + p.app + `","app_secret":"` + secret + `"}`)},
			func(r sandbox.Response) {
				var answer struct {
					Token string `json:"tenant_access_token"`
				}
				if err := json.Unmarshal(r.Body, &answer); err != nil {
					t.Error(err)
				}
				token = answer.Token
			})
		core.Handle(sandbox.Request{Method: "DELETE", Path: "/open-apis/im/v1/messages/" + taken, Header: http.Header{"Authorization": {"Bearer " + token}}}, func(sandbox.Response) {})
	})
	got := p.call(p.client, feishu.ListMessages{ChatID: p.chat, From: time.Now().Add(-time.Minute), To: time.Now().Add(time.Minute)}).Messages
	want := []feishu.Listed{
		{MessageID: taken, ChatID: p.chat, RootID: p.question, ParentID: p.question, MsgType: "text", Own: true, Recalled: true},
		{MessageID: shown, ChatID: p.chat, RootID: p.question, ParentID: p.question, MsgType: "text", Content: `{"text":"done"}`, Own: true},
		{MessageID: p.question, ChatID: p.chat, MsgType: "text", Content: `{"text":"hello"}`},
	}
	for i := range got {
		if age := time.Since(time.UnixMilli(int64(got[i].Created))); age < 0 || age > time.Minute {
			t.Errorf("%s was created %s ago", got[i].MessageID, age)
		}
		got[i].Created = 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if one := p.call(p.client, feishu.GetMessage{MessageID: shown}); len(one.Messages) != 1 || one.Messages[0].MessageID != shown {
		t.Errorf("%+v", one)
	}
}

func TestListsAreAskedForAsThePlatformDemands(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.call(p.client, feishu.ListMessages{ChatID: p.chat, From: time.Unix(1, 5), To: time.Unix(3, 0)})
	p.call(p.client, feishu.ListMessages{ChatID: p.chat, ThreadID: "omt_9", From: time.Unix(1, 0), To: time.Unix(3, 0), PageToken: "p"})
	var got []url.Values
	p.do(func(core *sandbox.Platform) {
		for _, c := range core.Calls() {
			if c.Method == "GET" && c.Path == "/open-apis/im/v1/messages" {
				got = append(got, c.Query)
			}
		}
	})
	want := []url.Values{
		{"container_id_type": {"chat"}, "container_id": {p.chat}, "start_time": {"1"}, "end_time": {"3"}, "page_size": {"50"}, "sort_type": {"ByCreateTimeDesc"}},
		{"container_id_type": {"thread"}, "container_id": {"omt_9"}, "page_size": {"50"}, "page_token": {"p"}, "sort_type": {"ByCreateTimeDesc"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutTheScopeAGroupDoesNotTell(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.do(func(core *sandbox.Platform) {
		group := core.AddGroup(sandbox.Group, []string{p.app}, "ou_1")
		p.question = core.Say(group, "ou_1", "hello")
	})
	var why string
	sender := feishu.NewSender(p.loop, p.client, feishu.SenderOptions{Undecided: func(_ string, err error) { why = err.Error() }})
	got := verdictOf(p.attempt(sender, p.deliver("done"), transitions.Attempt{Number: 2, First: time.Now().Add(-2 * time.Hour), Sent: true}))
	if diff := cmp.Diff(unknown, got); diff != "" || why != "feishu list messages: 230027 Lack of necessary permissions. (HTTP 400)" {
		t.Errorf("%s %s", why, diff)
	}
}

func TestUnreachablePlatformWasSentNothing(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	gone := httptest.NewServer(nil)
	gone.Close()
	client := p.connect(feishu.ClientOptions{AppID: p.app, AppSecret: secret, BaseURL: gone.URL})
	r := p.call(client, p.reply("u_1"))
	if r.Sent || r.Err == nil || feishu.Classify(feishu.Reply{}, r) != feishu.Unreachable || strings.Contains(r.Err.Error(), secret) {
		t.Errorf("%+v", r)
	}
}

// A redirect would carry the app's secret to whoever is named there.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	var followed atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	defer elsewhere.Close()
	redirect := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	}))
	defer redirect.Close()
	client := p.connect(feishu.ClientOptions{AppID: p.app, AppSecret: secret, BaseURL: redirect.URL})
	if r := p.call(client, p.reply("u_1")); r.Err == nil || followed.Load() {
		t.Errorf("followed: %v, %+v", followed.Load(), r)
	}
}

func TestCallsUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.call(p.client, feishu.BotInfo{})
	client := p.connect(feishu.ClientOptions{AppID: p.app, AppSecret: secret, BaseURL: p.server.URL(), Concurrency: 2})
	p.inject("/open-apis/bot/v3/info", sandbox.Fault{Kind: sandbox.Hang, Match: sandbox.Match{Times: -1}})
	p.loop.Post(func() {
		for range 5 {
			client.Do(feishu.BotInfo{}, func(feishu.Response) {})
		}
	})
	hanging := func(core *sandbox.Platform) (n int) {
		for _, c := range core.Calls() {
			if c.Ending == sandbox.Open {
				n++
			}
		}
		return n
	}
	if err := p.server.Wait(p.ctx, func(core *sandbox.Platform) bool { return hanging(core) == 2 }); err != nil {
		t.Fatal(err)
	}
	// A call of another client, made later, is through: so the others wait.
	if r := p.call(p.client, p.reply("u_1")); r.MessageID == "" {
		t.Errorf("%+v", r)
	}
	p.do(func(core *sandbox.Platform) {
		if n := hanging(core); n != 2 {
			t.Errorf("%d calls under way", n)
		}
	})
}

func TestCloseEndsWhatHangs(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.inject(replyCall, sandbox.Fault{Kind: sandbox.Hang})
	p.loop.Post(func() { p.client.Do(p.reply("u_1"), func(feishu.Response) {}) })
	if err := p.server.Wait(p.ctx, func(core *sandbox.Platform) bool {
		calls := core.Calls()
		return len(calls) > 0 && calls[len(calls)-1].Fault == sandbox.Hang
	}); err != nil {
		t.Fatal(err)
	}
	// The clean-up closes the client, and fails if it cannot.
}
