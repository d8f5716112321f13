package feishuws

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	larkevent "github.com/larksuite/oapi-sdk-go/v3/event"
	"github.com/larksuite/oapi-sdk-go/v3/event/dispatcher"

	"deskbridge/adapters/feishu"
)

// acknowledged are the events that an app of this kind is often subscribed to and
// that mean nothing to the bridge. The SDK answers an event without a handler with
// an error, and the platform would bring it again for hours.
var acknowledged = []string{
	"im.message.message_read_v1",
	"im.message.reaction.created_v1",
	"im.message.reaction.deleted_v1",
	"im.message.recalled_v1",
	"im.chat.member.bot.added_v1",
	"im.chat.member.bot.deleted_v1",
	"im.chat.access_event.bot_p2p_chat_entered_v1",
}

// newDispatcher registers all handlers, as it must be done before the connection
// is opened.
func newDispatcher(log redactor, receive func(context.Context, feishu.Event) error) *dispatcher.EventDispatcher {
	d := silently(func() *dispatcher.EventDispatcher {
		// Token and encryption key are for events by HTTP.
		return dispatcher.NewEventDispatcher("", "")
	})
	d.Config.Logger = log
	d.OnCustomizedEvent(feishu.MessageReceivedType, func(ctx context.Context, req *larkevent.EventReq) error {
		return receive(ctx, feishu.Event{Type: feishu.MessageReceivedType, Body: req.Body})
	})
	for _, t := range acknowledged {
		d.OnCustomizedEvent(t, func(context.Context, *larkevent.EventReq) error { return nil })
	}
	return d
}

var stdout sync.Mutex

// silently keeps standard output free while f runs: the SDK's dispatcher prints a
// line there before it can be given a logger, and a command of the bridge may have
// its output read by a program. Whoever writes to standard output at that very
// moment loses a line, which is why sources are made first.
func silently[T any](f func() T) T {
	stdout.Lock()
	defer stdout.Unlock()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return f() // a line too many is better than no source
	}
	before := os.Stdout
	os.Stdout = null
	defer func() {
		os.Stdout = before
		null.Close() // nothing of value was written to it
	}()
	return f()
}

// receive hands an event to the handler. The SDK's context ends when the source is
// told to stop; a commit under way is not broken off by that, but it is bounded.
func (s *Source) receive(ctx context.Context, e feishu.Event) (err error) {
	// The SDK recovers too, and answers nothing then: what is an error is answered,
	// logged, and brought again.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the handler panicked: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handlerBound)
	defer cancel()
	return s.opts.Handler(ctx, e)
}
