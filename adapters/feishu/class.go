package feishu

import "net/http"

// Class is what an answer of the platform means for the request.
type Class string

// The classes.
const (
	// Done: it took effect, and the answer names what it made or was asked for.
	Done Class = "done"
	// Later: it took no effect, because of too many requests; asked again after a
	// while it may succeed.
	Later Class = "later"
	// Unreachable: it never reached the platform.
	Unreachable Class = "unreachable"
	// Token: it took no effect, because of the access token; a new token may help.
	Token Class = "token"
	// Credentials: it took no effect, and will not until an operator acts.
	Credentials Class = "credentials"
	// TooLong: it took no effect, because of its length.
	TooLong Class = "too_long"
	// Refused: it took no effect, and never will.
	Refused Class = "refused"
	// Ambiguous: it may have taken effect or not.
	Ambiguous Class = "ambiguous"
)

// Classes returns all classes.
func Classes() []Class {
	return []Class{Done, Later, Unreachable, Token, Credentials, TooLong, Refused, Ambiguous}
}

// codeClass is the one table of the platform's error codes, from its tables of
// error codes for messages, replies, reactions and tokens. A code that is not
// here is judged by the HTTP status.
var codeClass = map[int]Class{
	230020:   Later, // frequency limit of a chat or message
	99991400: Later, // frequency limit of the app
	11232:    Later, // message limit of the tenant; reported by third parties

	230049: Ambiguous, // the message is still being sent

	99991663: Token, // tenant access token invalid
	99991664: Token, // app access token invalid
	99991671: Token, // access token invalid

	10003:    Credentials, // app_id unknown
	10014:    Credentials, // app secret wrong
	99991661: Credentials, // access token missing
	99991668: Credentials, // user access token invalid: we send none

	230025: TooLong, // the content's length reaches its limit

	230001: Refused, // parameter
	230002: Refused, // the bot is not in the group
	230006: Refused, // the app has no bot
	230011: Refused, // the message was recalled
	230013: Refused, // the user is outside the app's range
	230018: Refused, // the group's settings forbid it
	230022: Refused, // sensitive content
	230027: Refused, // permission; for the messages of a group, the scope im:message.group_msg
	230028: Refused, // content stopped by data loss prevention
	230031: Refused, // older than 14 days
	230035: Refused, // muted or blocked
	230038: Refused, // not for this kind of chat
	230050: Refused, // the message is invisible to the bot
	230054: Refused, // the message type does not allow it
	230055: Refused, // the file's type does not fit
	230099: Refused, // the card was not accepted
	230110: Refused, // the message was deleted
	231001: Refused, // no such emoji
	231003: Refused, // no such message
	232009: Refused, // the group was dissolved
}

// Classify says what a response means for its request.
func Classify(req Request, r Response) Class {
	if r.Err != nil && r.HTTPStatus == 0 {
		if r.Sent {
			return Ambiguous
		}
		return Unreachable
	}
	if class, known := codeClass[r.Code]; known {
		return class
	}
	switch {
	case r.HTTPStatus == http.StatusTooManyRequests:
		return Later
	case r.HTTPStatus >= 500 || r.HTTPStatus == http.StatusRequestTimeout:
		return Ambiguous // a gateway gave up; the platform may still be at it
	case r.HTTPStatus == http.StatusRequestEntityTooLarge:
		return TooLong
	case r.Code != 0:
		return Refused
	case r.HTTPStatus >= 300:
		return Unreachable // not the platform's words: something in between
	case r.Err != nil || !r.answers(req):
		return Ambiguous // success, but nothing proves it
	}
	return Done
}

// answers reports whether a success names what the request made or asked for.
func (r Response) answers(req Request) bool {
	switch req := req.(type) {
	case Reply:
		return r.MessageID != ""
	case React:
		return r.ReactionID != ""
	case BotInfo:
		return r.Bot.OpenID != ""
	case GetMessage:
		return len(r.Messages) > 0 && r.Messages[0].MessageID == req.MessageID
	case ListMessages:
		return !r.HasMore || r.PageToken != ""
	}
	return false
}
