package transitions

// RequestOpened: Codex asks a person, or asks again after a resume: one of
// item/commandExecution/requestApproval, item/fileChange/requestApproval,
// item/permissions/requestApproval, item/tool/requestUserInput and
// mcpServer/elicitation/request.
type RequestOpened struct {
	Request string `json:"request"` // see [Request.ID]
	Kind    string `json:"kind"`
	Turn    string `json:"turn"`
	// Generation is the server process that asks.
	Generation string `json:"generation,omitempty"`
}

// RequestResolved: serverRequest/resolved, whoever answered, or nobody.
type RequestResolved struct {
	Request string `json:"request"`
}

// RequestVisible: Feishu answered the request's card, or a poorer form of it,
// with a message id (ledger fact).
type RequestVisible struct {
	Request string `json:"request"`
	Shown   string `json:"shown"` // the id of the message in the chat
	// Form is what was shown if it is poorer than the card: post, or text.
	Form string `json:"form,omitempty"`
}

// RequestUnshowable: Feishu refused every form of the request for good (ledger
// fact).
type RequestUnshowable struct {
	Request string `json:"request"`
	Said    string `json:"said"`
}

// VisibilityOverdue: the request was not proven visible in limits.visibility
// (ledger fact).
type VisibilityOverdue struct {
	Request string `json:"request"`
}

// ReplayOverdue: after a resume the server did not send the request again in
// limits.replay (ledger fact).
type ReplayOverdue struct {
	Request    string `json:"request"`
	Connection string `json:"connection"` // on which the thread was resumed
}

// WaitingOverdue: Codex waits on a person in that turn, and what it asks has not
// arrived in limits.visibility (ledger fact).
type WaitingOverdue struct {
	Turn string `json:"turn"`
}

// RequestAnswered: a person decided on a request, by a click or a command (ledger
// fact, from Feishu's card.action.trigger or im.message.receive_v1).
type RequestAnswered struct {
	Request  string `json:"request"`
	By       string `json:"by"` // open_id
	Decision string `json:"decision"`
	// Message is the click's or command's message, to be replied to.
	Message string `json:"message"`
	// Entitled says that the person may decide whoever wrote to the turn: an
	// admin, or the owner of a direct chat.
	Entitled bool `json:"entitled,omitempty"`
}

// DecisionWritten: the answer to the server's request was written, which the
// server does not confirm: that it took effect, RequestResolved says.
type DecisionWritten struct {
	Request string `json:"request"`
}

// DecisionUnknown: the answer to the server's request may have been written or
// not; if the server sends the request again, the very same decision is repeated
// (ledger fact).
type DecisionUnknown struct {
	Request string `json:"request"`
}
