package feishu

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// Request is a request to the platform's HTTP API.
type Request struct {
	Method string
	Path   string // with its leading slash, without query
	Query  url.Values
	Header http.Header // Authorization is what is read
	Body   []byte
}

// Response is what becomes of a request.
type Response struct {
	// Closed means that no answer comes: the connection was closed. The other
	// fields are then empty.
	Closed bool
	Status int
	Header http.Header
	Body   []byte // JSON, or the HTML of a gateway

	code int // the platform code in the body
}

// Handle takes a request and calls reply once: at once, later, or never (a fault
// that hangs). reply is called from functions that the scheduler runs.
func (p *Platform) Handle(req Request, reply func(Response)) {
	entry := p.record(req)
	answer := func(r Response) {
		p.finish(entry, r)
		reply(r)
	}
	f, faulty := p.takeFault(req.Method, req.Path)
	if !faulty {
		answer(p.serve(req))
		return
	}
	entry.Fault = f.Kind
	switch f.Kind {
	case Hang:
	case Refuse:
		answer(p.faultRefusal(f))
	case Gateway:
		answer(gateway(f))
	case LostBefore:
		answer(Response{Closed: true})
	case LostAfter:
		p.serve(req)
		answer(Response{Closed: true})
	case Slow:
		r := p.serve(req)
		p.sched.After(f.Delay, func() { answer(r) })
	case RevokeTokens:
		for _, a := range p.appOrder {
			p.RevokeTokens(a.ID)
		}
		answer(p.serve(req))
	}
}

// route is one operation of the API. The pattern's segments that begin with a colon
// match any one segment, and are handed to the handler.
type route struct {
	method, pattern string
	open            bool // needs no tenant token
	handle          func(*Platform, *call) Response
}

// call is a request on its way to its handler.
type call struct {
	Request
	app    *app // nil on open routes
	params map[string]string
}

var routes = []route{
	{method: "POST", pattern: "/open-apis/auth/v3/tenant_access_token/internal", open: true, handle: (*Platform).issueToken},
	{method: "POST", pattern: "/callback/ws/endpoint", open: true, handle: (*Platform).endpoint},
	{method: "GET", pattern: connectPath, open: true, handle: (*Platform).handshake},
	{method: "GET", pattern: "/open-apis/bot/v3/info", handle: (*Platform).botInfo},
	{method: "POST", pattern: "/open-apis/im/v1/messages", handle: (*Platform).createMessage},
	{method: "GET", pattern: "/open-apis/im/v1/messages", handle: (*Platform).listMessages},
	{method: "GET", pattern: "/open-apis/im/v1/messages/:message_id", handle: (*Platform).getMessage},
	{method: "DELETE", pattern: "/open-apis/im/v1/messages/:message_id", handle: (*Platform).recallMessage},
	{method: "POST", pattern: "/open-apis/im/v1/messages/:message_id/reply", handle: (*Platform).replyMessage},
	{method: "POST", pattern: "/open-apis/im/v1/messages/:message_id/reactions", handle: (*Platform).createReaction},
	{method: "DELETE", pattern: "/open-apis/im/v1/messages/:message_id/reactions/:reaction_id", handle: (*Platform).deleteReaction},
}

// serve carries a request out.
func (p *Platform) serve(req Request) Response {
	for _, r := range routes {
		params, ok := matchPath(r.pattern, req.Path)
		if !ok || r.method != req.Method {
			continue
		}
		c := &call{Request: req, params: params}
		if !r.open {
			var refusal *Response
			if c.app, refusal = p.authorize(req.Header); refusal != nil {
				return *refusal
			}
		}
		return r.handle(p, c)
	}
	return p.refuse(http.StatusNotFound, codeNotFound, "")
}

func matchPath(pattern, path string) (params map[string]string, ok bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	for i, w := range want {
		name, isParam := strings.CutPrefix(w, ":")
		switch {
		case isParam && got[i] != "":
			if params == nil {
				params = map[string]string{}
			}
			params[name] = got[i]
		case w != got[i]:
			return nil, false
		}
	}
	return params, true
}

// Platform codes that this stand-in gives by itself, with the messages of the
// platform's error tables; [Refuse] can give any.
const (
	codeNotFound         = 404
	codeAppID            = 10003
	codeAppSecret        = 10014
	codeParameter        = 230001
	codeBotOutside       = 230002
	codeWithdrawn        = 230011
	codeFrequency        = 230020
	codeTooLong          = 230025
	codeNotYours         = 230026
	codePermission       = 230027
	codeDeleted          = 230110
	codeReactionType     = 231001
	codeReactionMessage  = 231003
	codeReactionOwner    = 231007
	codeReactionNotThere = 231011
	codeAppRate          = 99991400
	codeTokenMissing     = 99991661
	codeTokenInvalid     = 99991663
	codeConnectionLimit  = 1000040350
)

func codeMessage(code int) string {
	switch code {
	case codeNotFound:
		return "404 page not found"
	case codeAppID:
		return "invalid param"
	case codeAppSecret:
		return "app secret invalid"
	case codeParameter:
		return "Your request contains an invalid request parameter."
	case codeBotOutside:
		return "The bot can not be outside the group."
	case codeWithdrawn:
		return "The message was withdrawn."
	case codeFrequency:
		return "This operation triggers the frequency limit."
	case codeTooLong:
		return "The length of the message content reaches its limit."
	case codeNotYours:
		return "No permission to recall this message."
	case codePermission:
		return "Lack of necessary permissions."
	case codeDeleted:
		return "Action unavailable as the message has been deleted."
	case codeReactionType:
		return "reaction type is invalid."
	case codeReactionMessage:
		return "The message is not found, maybe not exist or deleted."
	case codeReactionOwner:
		return "The operator has no permission to delete the reaction."
	case codeReactionNotThere:
		return "The reaction does not exist."
	case codeAppRate:
		return "request trigger frequency limit"
	case codeTokenMissing:
		return "Missing access token for authorization. Please make a request with token attached."
	case codeTokenInvalid:
		return "Invalid access token for authorization. Please make a test attempt with the correct token."
	case codeConnectionLimit:
		return "the number of connections exceeded the limit"
	}
	return "refused"
}

type answerBody struct {
	Code int    `json:"code"`
	Msg  string `json:"msg"`
	Data any    `json:"data,omitempty"`
}

type refusalBody struct {
	Code  int          `json:"code"`
	Msg   string       `json:"msg"`
	Error refusalError `json:"error"`
}

type refusalError struct {
	LogID string `json:"log_id"`
}

// ok answers with code 0 and data under "data".
func (p *Platform) ok(data any) Response {
	return p.json(http.StatusOK, 0, answerBody{Msg: "success", Data: data}, p.id("log"))
}

// refuse answers with a platform code; detail is put behind "ext=", where the
// platform names the offending parameter.
func (p *Platform) refuse(status, code int, detail string) Response {
	msg := codeMessage(code)
	if detail != "" {
		msg += ", ext=" + detail
	}
	return p.refuseMsg(status, code, msg)
}

func (p *Platform) refuseMsg(status, code int, msg string) Response {
	id := p.id("log")
	return p.json(status, code, refusalBody{Code: code, Msg: msg, Error: refusalError{LogID: id}}, id)
}

// badParameter is the most frequent refusal.
func (p *Platform) badParameter(detail string) Response {
	return p.refuse(http.StatusBadRequest, codeParameter, detail)
}

func (p *Platform) json(status, code int, body any, logID string) Response {
	return Response{
		Status: status,
		Header: http.Header{
			"Content-Type": {"application/json; charset=utf-8"},
			"X-Tt-Logid":   {logID},
		},
		Body: encode(body),
		code: code,
	}
}

func (p *Platform) faultRefusal(f Fault) Response {
	status := f.Status
	if status == 0 {
		status = http.StatusBadRequest
		if f.Code == codeAppRate {
			status = http.StatusTooManyRequests
		}
	}
	msg := f.Msg
	if msg == "" {
		msg = codeMessage(f.Code)
	}
	r := p.refuseMsg(status, f.Code, msg)
	addHeader(r.Header, f.Header)
	return r
}

func gateway(f Fault) Response {
	status := f.Status
	if status == 0 {
		status = http.StatusBadGateway
	}
	text := http.StatusText(status)
	r := Response{
		Status: status,
		Header: http.Header{"Content-Type": {"text/html"}},
		Body:   []byte("<html><head><title>" + text + "</title></head><body><h1>" + text + "</h1></body></html>\n"),
	}
	addHeader(r.Header, f.Header)
	return r
}

func addHeader(to, from http.Header) {
	for key, values := range from {
		to[http.CanonicalHeaderKey(key)] = append([]string(nil), values...)
	}
}

// decode reads a JSON body; what it does not know it ignores, as the platform does.
func decode[T any](body []byte) (T, bool) {
	var v T
	err := json.Unmarshal(body, &v)
	return v, err == nil
}
