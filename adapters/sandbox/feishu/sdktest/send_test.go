package sdktest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"deskbridge/adapters/sandbox/feishu"

	"github.com/google/go-cmp/cmp"
	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"
	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"
)

const (
	tokenPath   = "/open-apis/auth/v3/tenant_access_token/internal"
	messagePath = "/open-apis/im/v1/messages"
)

func text(s string) string {
	b, err := json.Marshal(map[string]string{"text": s})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (d *desk) reply(parent, s, uuid string) (*larkim.ReplyMessageResp, error) {
	return d.im.Message.Reply(d.ctx, larkim.NewReplyMessageReqBuilder().MessageId(parent).
		Body(larkim.NewReplyMessageReqBodyBuilder().MsgType("text").Content(text(s)).Uuid(uuid).Build()).Build())
}

func (d *desk) create(ctx context.Context, s, uuid string) (*larkim.CreateMessageResp, error) {
	return d.im.Message.Create(ctx, larkim.NewCreateMessageReqBuilder().ReceiveIdType("chat_id").
		Body(larkim.NewCreateMessageReqBodyBuilder().ReceiveId(d.chat).MsgType("text").Content(text(s)).Uuid(uuid).Build()).Build())
}

// texts are the texts that the chat shows.
func (d *desk) texts() []string {
	d.t.Helper()
	all := []string{}
	d.do(func(p *feishu.Platform) {
		for _, m := range p.Messages(d.chat) {
			all = append(all, m.Text())
		}
	})
	return all
}

func TestRepliesWithOneUUIDGiveOneMessage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	parent := d.say("hi")
	var ids []string
	for range 2 {
		resp, err := d.reply(parent, "yes", "u-1")
		if err != nil || !resp.Success() {
			t.Fatalf("%v %+v", err, resp)
		}
		if *resp.Data.ParentId != parent || *resp.Data.RootId != parent || *resp.Data.ChatId != d.chat || resp.RequestId() == "" {
			t.Errorf("%+v", resp.Data)
		}
		ids = append(ids, *resp.Data.MessageId)
	}
	if ids[0] != ids[1] {
		t.Errorf("ids %v", ids)
	}
	if diff := cmp.Diff([]string{"hi", "yes"}, d.texts()); diff != "" {
		t.Error(diff)
	}
	if n := d.calls(tokenPath); n != 1 {
		t.Errorf("%d token calls, want 1", n)
	}
}

func TestReplyInAThreadOpensATopic(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	parent := d.say("hi")
	resp, err := d.im.Message.Reply(d.ctx, larkim.NewReplyMessageReqBuilder().MessageId(parent).
		Body(larkim.NewReplyMessageReqBodyBuilder().MsgType("text").Content(text("yes")).ReplyInThread(true).Build()).Build())
	if err != nil || !resp.Success() || resp.Data.ThreadId == nil || *resp.Data.ThreadId != "omt_1" {
		t.Errorf("%v %+v", err, resp)
	}
}

func TestMessagesAreReadListedAndRecalled(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	var want []string
	for range 5 {
		want = append(want, d.say("hi"))
	}
	resp, err := d.create(d.ctx, "mine", "")
	if err != nil || !resp.Success() {
		t.Fatalf("%v %+v", err, resp)
	}
	mine := *resp.Data.MessageId
	want = append(want, mine)

	var got []string
	token := ""
	for {
		req := larkim.NewListMessageReqBuilder().ContainerIdType("chat").ContainerId(d.chat).PageSize(4)
		if token != "" {
			req.PageToken(token)
		}
		page, err := d.im.Message.List(d.ctx, req.Build())
		if err != nil || !page.Success() {
			t.Fatalf("%v %+v", err, page)
		}
		for _, m := range page.Data.Items {
			got = append(got, *m.MessageId)
		}
		if !*page.Data.HasMore {
			break
		}
		token = *page.Data.PageToken
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	read, err := d.im.Message.Get(d.ctx, larkim.NewGetMessageReqBuilder().MessageId(mine).Build())
	if err != nil || !read.Success() || len(read.Data.Items) != 1 {
		t.Fatalf("%v %+v", err, read)
	}
	m := read.Data.Items[0]
	values := []string{*m.MsgType, *m.Sender.Id, *m.Sender.IdType, *m.Sender.SenderType, *m.Body.Content, *m.ChatId}
	if diff := cmp.Diff([]string{"text", d.app, "app_id", "app", `{"text":"mine"}`, d.chat}, values); diff != "" {
		t.Error(diff)
	}

	deleted, err := d.im.Message.Delete(d.ctx, larkim.NewDeleteMessageReqBuilder().MessageId(mine).Build())
	if err != nil || !deleted.Success() {
		t.Errorf("%v %+v", err, deleted)
	}
	again, err := d.reply(mine, "yes", "")
	if err != nil || again.Success() || again.Code != 230011 {
		t.Errorf("%v %+v", err, again)
	}
}

func TestReactionIsPutAndRemoved(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	id := d.say("hi")
	put, err := d.im.MessageReaction.Create(d.ctx, larkim.NewCreateMessageReactionReqBuilder().MessageId(id).
		Body(larkim.NewCreateMessageReactionReqBodyBuilder().
			ReactionType(larkim.NewEmojiBuilder().EmojiType("OnIt").Build()).Build()).Build())
	if err != nil || !put.Success() {
		t.Fatalf("%v %+v", err, put)
	}
	shown := func() (all []string) {
		d.do(func(p *feishu.Platform) {
			for _, r := range p.Messages(d.chat)[0].Reactions {
				all = append(all, r.Emoji)
			}
		})
		return all
	}
	if diff := cmp.Diff([]string{"OnIt"}, shown()); diff != "" {
		t.Error(diff)
	}
	removed, err := d.im.MessageReaction.Delete(d.ctx,
		larkim.NewDeleteMessageReactionReqBuilder().MessageId(id).ReactionId(*put.Data.ReactionId).Build())
	if err != nil || !removed.Success() || shown() != nil {
		t.Errorf("%v %+v %v", err, removed, shown())
	}
}

func TestBotInfoIsRead(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	resp, err := larkcore.Request(d.ctx, &larkcore.ApiReq{
		HttpMethod: http.MethodGet, ApiPath: "/open-apis/bot/v3/info",
		SupportedAccessTokenTypes: []larkcore.AccessTokenType{larkcore.AccessTokenTypeTenant},
	}, d.config())
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Bot struct {
			OpenID string `json:"open_id"`
		}
	}
	if err := json.Unmarshal(resp.RawBody, &body); err != nil || body.Bot.OpenID != "ou_bot_1" {
		t.Errorf("%v %s", err, resp.RawBody)
	}
}

func TestRevokedTokenIsRefusedUntilANewOneIsUsed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	send := func(options ...larkcore.RequestOptionFunc) int {
		resp, err := d.im.Message.Create(d.ctx, larkim.NewCreateMessageReqBuilder().ReceiveIdType("chat_id").
			Body(larkim.NewCreateMessageReqBodyBuilder().ReceiveId(d.chat).MsgType("text").Content(text("x")).Build()).Build(), options...)
		if err != nil {
			t.Fatal(err)
		}
		return resp.Code
	}
	if code := send(); code != 0 {
		t.Fatalf("code %d", code)
	}
	d.do(func(p *feishu.Platform) { p.RevokeTokens(d.app) })
	if code := send(); code != 99991663 {
		t.Errorf("code %d with a revoked token", code)
	}
	// The SDK goes on with the token of its cache; a bridge fetches its own.
	var fresh struct {
		Token string `json:"tenant_access_token"`
	}
	d.do(func(p *feishu.Platform) {
		p.Handle(feishu.Request{Method: "POST", Path: tokenPath, Body: []byte(`{"app_id":"` + d.app + `","app_secret":"` + secret + `"}`)},
			func(r feishu.Response) {
				if err := json.Unmarshal(r.Body, &fresh); err != nil {
					t.Error(err)
				}
			})
	})
	if code := send(larkcore.WithTenantAccessToken(fresh.Token)); code != 0 {
		t.Errorf("code %d with a new token", code)
	}
}

func TestFaultsAsTheSDKReportsThem(t *testing.T) {
	t.Parallel()
	type outcome struct {
		Code   int  // of an answer, 0 for an error
		Failed bool // err was not nil
		Shown  int  // messages in the chat afterwards
	}
	for name, test := range map[string]struct {
		fault feishu.Fault
		want  outcome
	}{
		"Frequency":  {feishu.Fault{Kind: feishu.Refuse, Code: 230020}, outcome{Code: 230020}},
		"AppRate":    {feishu.Fault{Kind: feishu.Refuse, Code: 99991400}, outcome{Code: 99991400}},
		"BadGateway": {feishu.Fault{Kind: feishu.Gateway}, outcome{Failed: true}},
		"Timeout504": {feishu.Fault{Kind: feishu.Gateway, Status: 504}, outcome{Failed: true}},
		"LostBefore": {feishu.Fault{Kind: feishu.LostBefore}, outcome{Failed: true}},
		"LostAfter":  {feishu.Fault{Kind: feishu.LostAfter}, outcome{Failed: true, Shown: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, feishu.Options{})
			test.fault.Match = feishu.Match{Path: messagePath}
			d.do(func(p *feishu.Platform) { p.Inject(test.fault) })
			resp, err := d.create(d.ctx, "x", "u-1")
			got := outcome{Failed: err != nil, Shown: len(d.texts())}
			if err == nil {
				got.Code = resp.Code
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%v: %s", err, diff)
			}
			// Whatever it was, the same uuid again leaves one message in the chat.
			resp, err = d.create(d.ctx, "x", "u-1")
			if err != nil || !resp.Success() {
				t.Fatalf("%v %+v", err, resp)
			}
			if diff := cmp.Diff([]string{"x"}, d.texts()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHangingRequestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	d := newDesk(t, feishu.Options{})
	d.do(func(p *feishu.Platform) {
		p.Inject(feishu.Fault{Kind: feishu.Hang, Match: feishu.Match{Path: messagePath}})
	})
	ctx, cancel := context.WithCancel(d.ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := d.create(ctx, "x", "")
		done <- err
	}()
	d.wait(func(p *feishu.Platform) bool {
		calls := p.Calls()
		return len(calls) > 0 && calls[len(calls)-1].Fault == feishu.Hang
	})
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
