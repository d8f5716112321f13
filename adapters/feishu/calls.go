package feishu

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"
	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"

	"deskbridge/transitions"
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
	case GetMessage:
		return c.getMessage(ctx, req, token)
	case ListMessages:
		return c.listMessages(ctx, req, token)
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
	if resp.Data != nil {
		out.MessageID = said(resp.Data.MessageId)
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
	if resp.Data != nil {
		out.ReactionID = said(resp.Data.ReactionId)
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

func (c *Client) getMessage(ctx context.Context, req GetMessage, token larkcore.RequestOptionFunc) (Response, error) {
	resp, err := c.im.Message.Get(ctx, larkim.NewGetMessageReqBuilder().MessageId(req.MessageID).Build(), token)
	if err != nil {
		return Response{}, err
	}
	out := Response{Code: resp.Code, Msg: resp.Msg}
	if resp.Data != nil {
		out.Messages, out.Err = c.listed(resp.Data.Items)
	}
	return out, nil
}

// pageSize is the platform's largest.
const pageSize = 50

func (c *Client) listMessages(ctx context.Context, req ListMessages, token larkcore.RequestOptionFunc) (Response, error) {
	query := larkim.NewListMessageReqBuilder().SortType("ByCreateTimeDesc").PageSize(pageSize)
	if req.ThreadID != "" {
		query.ContainerIdType("thread").ContainerId(req.ThreadID)
	} else {
		query.ContainerIdType("chat").ContainerId(req.ChatID).
			StartTime(strconv.FormatInt(req.From.Unix(), 10)).EndTime(strconv.FormatInt(req.To.Unix(), 10))
	}
	if req.PageToken != "" {
		query.PageToken(req.PageToken)
	}
	resp, err := c.im.Message.List(ctx, query.Build(), token)
	if err != nil {
		return Response{}, err
	}
	out := Response{Code: resp.Code, Msg: resp.Msg}
	if resp.Data != nil {
		out.HasMore = resp.Data.HasMore != nil && *resp.Data.HasMore
		out.PageToken = said(resp.Data.PageToken)
		out.Messages, out.Err = c.listed(resp.Data.Items)
	}
	return out, nil
}

// listed reads the SDK's messages.
func (c *Client) listed(items []*larkim.Message) ([]Listed, error) {
	var all []Listed
	for _, m := range items {
		if m == nil {
			return nil, errors.New("the answer names a message that is none")
		}
		created, err := strconv.ParseInt(said(m.CreateTime), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the time of message %s is no number", said(m.MessageId))
		}
		l := Listed{
			MessageID: said(m.MessageId), ChatID: said(m.ChatId),
			ThreadID: said(m.ThreadId), RootID: said(m.RootId), ParentID: said(m.ParentId),
			MsgType: said(m.MsgType), Created: transitions.Millis(created),
			Own:      m.Sender != nil && said(m.Sender.Id) == c.config.AppId,
			Recalled: m.Deleted != nil && *m.Deleted,
		}
		if m.Body != nil && !l.Recalled {
			l.Content = said(m.Body.Content)
		}
		all = append(all, l)
	}
	return all, nil
}

// said is what the platform said; empty if nothing.
func said(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
