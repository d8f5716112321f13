package feishu

import (
	"context"
	"fmt"
	"net/http"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"
	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"
)

// send makes one call through the SDK. It fills in the platform's verdict and
// what the call gave; the error is that of a call without verdict.
func (c *Client) send(ctx context.Context, req Request, token larkcore.RequestOptionFunc) (Response, error) {
	switch req := req.(type) {
	case Reply:
		return c.reply(ctx, req, token)
	case React:
		return c.react(ctx, req, token)
	case BotInfo:
		return c.botInfo(ctx, token)
	}
	panic(fmt.Sprintf("feishu: no call for a request of type %T", req))
}

func (c *Client) reply(ctx context.Context, req Reply, token larkcore.RequestOptionFunc) (Response, error) {
	body := larkim.NewReplyMessageReqBodyBuilder().
		Content(req.Content).MsgType(req.MsgType).ReplyInThread(req.InThread).Uuid(req.UUID).Build()
	resp, err := c.im.Message.Reply(ctx, larkim.NewReplyMessageReqBuilder().MessageId(req.MessageID).Body(body).Build(), token)
	if err != nil {
		return Response{}, err
	}
	out := Response{Code: resp.Code, Msg: resp.Msg}
	if resp.Data != nil && resp.Data.MessageId != nil {
		out.MessageID = *resp.Data.MessageId
	}
	return out, nil
}

func (c *Client) react(ctx context.Context, req React, token larkcore.RequestOptionFunc) (Response, error) {
	body := larkim.NewCreateMessageReactionReqBodyBuilder().
		ReactionType(larkim.NewEmojiBuilder().EmojiType(req.Emoji).Build()).Build()
	resp, err := c.im.MessageReaction.Create(ctx, larkim.NewCreateMessageReactionReqBuilder().MessageId(req.MessageID).Body(body).Build(), token)
	if err != nil {
		return Response{}, err
	}
	out := Response{Code: resp.Code, Msg: resp.Msg}
	if resp.Data != nil && resp.Data.ReactionId != nil {
		out.ReactionID = *resp.Data.ReactionId
	}
	return out, nil
}

// botInfo is not wrapped by the SDK, and answers beside the usual "data".
func (c *Client) botInfo(ctx context.Context, token larkcore.RequestOptionFunc) (Response, error) {
	resp, err := larkcore.Request(ctx, &larkcore.ApiReq{
		HttpMethod:                http.MethodGet,
		ApiPath:                   "/open-apis/bot/v3/info",
		SupportedAccessTokenTypes: []larkcore.AccessTokenType{larkcore.AccessTokenTypeTenant},
	}, c.config, token)
	if err != nil {
		return Response{}, err
	}
	var answer struct {
		Code int    `json:"code"`
		Msg  string `json:"msg"`
		Bot  struct {
			OpenID string `json:"open_id"`
			Name   string `json:"app_name"`
		} `json:"bot"`
	}
	if err := resp.JSONUnmarshalBody(&answer, c.config); err != nil {
		return Response{}, err
	}
	return Response{Code: answer.Code, Msg: answer.Msg, Bot: Bot{OpenID: answer.Bot.OpenID, Name: answer.Bot.Name}}, nil
}
