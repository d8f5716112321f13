package transitions

import "deskbridge/fsm"

// RequestState is the state of one request of Codex to a person.
type RequestState string

// The states of a request.
const (
	// RequestHidden: in the ledger; its card is not proven sent.
	RequestHidden RequestState = "pending_visibility"
	// RequestShown: its message id is in the ledger.
	RequestShown RequestState = "visible"
	// RequestUnshown: no form of it could be sent in time.
	RequestUnshown RequestState = "failed_visibility"
	// RequestDecided: an entitled person decided, and Codex is being told.
	RequestDecided RequestState = "decided"
	// RequestEnded: Codex waits for it no longer.
	RequestEnded RequestState = "resolved"
	// RequestDead: its turn, or the server process that asked, is gone.
	RequestDead RequestState = "dead"
)

// Request is one request of Codex: an approval, a question, an elicitation.
type Request struct {
	// ID identifies it for good: thread, turn, item, the server's process and a
	// digest of its parameters, never the server's own number alone, which another
	// process counts from 0 again.
	ID    string       `json:"id"`
	Kind  string       `json:"kind"`
	Turn  string       `json:"turn"`
	State RequestState `json:"state"`
	// Generation is the server process that asked; empty where it is not known.
	Generation string `json:"generation,omitempty"`
	// Shown is the id of its message in the chat, once visible; Form is what that
	// shows, if it is poorer than the card.
	Shown string `json:"shown,omitempty"`
	Form  string `json:"form,omitempty"`
	// Unreplayed is the connection on which the thread was resumed last, while the
	// request was not sent again on it.
	Unreplayed string `json:"unreplayed,omitempty"`
	// By and Decision are who decided here, and what.
	By       string `json:"by,omitempty"`
	Decision string `json:"decision,omitempty"`
}

// visible says that a person can act on it, and nobody has.
func (r *Request) visible() bool { return r.State == RequestShown }

// hidden says that nobody can act on it yet.
func (r *Request) hidden() bool { return r.State == RequestHidden || r.State == RequestUnshown }

// The moves of a request.
const (
	moveShow    = "show"
	moveUnshow  = "unshow"
	moveDecide  = "decide"
	moveRepeat  = "repeat"
	moveResolve = "resolve"
	moveDie     = "die"
	moveResume  = "resume"
)

type (
	requestRow    = fsm.Row[RequestState, Request, Move, Effect]
	requestAction = fsm.Action[Request, Move, Effect]
)

var (
	noteCard = requestAction{
		Term: term("note_card", "The request remembers its message in the chat."),
		Do:   func(r *Request, f Move, _ func(Effect)) { r.Shown, r.Form = f.Shown, f.Form },
	}
	noteReplay = requestAction{
		Term: term("note_replay", "The request is known to be open still."),
		Do:   func(r *Request, _ Move, _ func(Effect)) { r.Unreplayed = "" },
	}
	noteResume = requestAction{
		Term: term("note_resume", "The request has to be sent again, or is dead."),
		Do:   func(r *Request, f Move, _ func(Effect)) { r.Unreplayed = f.Connection },
	}
	noteDecision = requestAction{
		Term: term("note_decision", "The request remembers who decided, and what."),
		Do:   func(r *Request, f Move, _ func(Effect)) { r.By, r.Decision = f.By, f.Decision },
	}
	tellCodex = requestAction{
		Term:  term("tell_codex", "The decision goes to Codex."),
		Emits: []string{"answer_request"},
		Do: func(r *Request, _ Move, emit func(Effect)) {
			emit(AnswerRequest{Request: r.ID, Decision: r.Decision})
		},
	}
	tellUnshown = requestAction{
		Term:  term("tell_unshown", "The chat learns that Codex waits on something that cannot be shown here."),
		Emits: []string{"deliver"},
		Do: func(r *Request, f Move, emit func(Effect)) {
			if f.AnswerTo != "" {
				emit(noticeAbout(r.ID, f.AnswerTo, SaidUnshowable))
			}
		},
	}
	closeCard = requestAction{
		Term:  term("close_card", "The card says what became of the request, and loses its buttons."),
		Emits: []string{"close_request"},
		Do: func(r *Request, _ Move, emit func(Effect)) {
			emit(CloseRequest{Request: r.ID})
		},
	}
)

// RequestMachine declares what can become of one request.
func RequestMachine() fsm.Declaration[RequestState, Request, Move, Effect] {
	return fsm.Declaration[RequestState, Request, Move, Effect]{
		Term:    term("request", "One request of Codex to a person, from its arrival to its end."),
		Initial: RequestHidden,
		States: []fsm.State[RequestState]{
			{Name: RequestHidden, Doc: "In the ledger; its card is not proven sent."},
			{Name: RequestShown, Doc: "Its message id is in the ledger."},
			{Name: RequestUnshown, Doc: "No form of it could be sent in time."},
			{Name: RequestDecided, Doc: "An entitled person decided, and Codex is being told."},
			{Name: RequestEnded, Doc: "Codex waits for it no longer.", Settled: true},
			{Name: RequestDead, Doc: "Its turn, or the server process that asked, is gone.", Settled: true},
		},
		Facts: []fsm.Term{
			term(moveShow, "Feishu answered the card, or a poorer form of it, with a message id."),
			term(moveUnshow, "No form could be sent, or the time for it is over."),
			term(moveDecide, "An entitled person decided on this very request."),
			term(moveRepeat, "The server sent the request again, after a resume."),
			term(moveResolve, "The server says that it is resolved, by whomever."),
			term(moveResume, "The thread was resumed, after which what is open is sent again."),
			term(moveDie, "Its turn is over, or another server process answers."),
		},
		Effects: []fsm.Term{
			term("answer_request", "Answers the server's request."),
			term("close_request", "Takes the buttons off the request's card."),
			term("deliver", "Says something in the chat."),
		},
		Rows:  requestRows(),
		Clone: func(r Request) Request { return r },
	}
}

func requestRows() []requestRow {
	hidden := in(RequestHidden, RequestUnshown)
	waiting := in(RequestHidden, RequestUnshown, RequestShown)
	over := in(RequestEnded, RequestDead)
	do := func(a ...requestAction) []requestAction { return a }
	rows := []requestRow{
		{In: hidden, On: moveShow, To: RequestShown, Do: do(noteCard), Why: "A message id from the platform proves that it can be seen; only then does it hold text."},
		{In: in(RequestShown), On: moveShow, Ignore: true, Why: "It is visible already."},
		{In: in(RequestDecided), On: moveShow, Do: do(noteCard, closeCard), Why: "The card came after the decision: it is closed at once."},

		{In: in(RequestHidden), On: moveUnshow, To: RequestUnshown, Do: do(tellUnshown), Why: "What cannot be shown is said by what still works; /stop is the way out."},
		{In: in(RequestUnshown), On: moveUnshow, Ignore: true, Why: "It is said once."},
		{In: in(RequestShown, RequestDecided), On: moveUnshow, Ignore: true, Why: "It was seen, and a proof stands."},

		{In: waiting, On: moveDecide, To: RequestDecided, Do: do(noteDecision, tellCodex), Why: "One decision of one entitled person goes to Codex."},
		{In: in(RequestDecided), On: moveDecide, Ignore: true, Why: "It is decided once; the first decision stands."},

		{In: append(in(RequestDecided), waiting...), On: moveResume, Do: do(noteResume), Why: "If it is open still, the server sends it again; else it is dead."},
		{In: waiting, On: moveRepeat, Do: do(noteReplay), Why: "It waits for a person; the card stands."},
		{In: in(RequestDecided), On: moveRepeat, Do: do(noteReplay, tellCodex), Why: "The server did not get the decision: the very same one is sent again."},

		{In: in(RequestHidden, RequestUnshown), On: moveResolve, To: RequestEnded, Why: "Resolved before anybody saw it."},
		{In: in(RequestShown, RequestDecided), On: moveResolve, To: RequestEnded, Do: do(closeCard), Why: "Codex waits no longer; the card says who decided here, or that it ended elsewhere."},

		{In: in(RequestHidden, RequestUnshown), On: moveDie, To: RequestDead, Why: "Nobody saw it, and nobody needs to."},
		{In: in(RequestShown, RequestDecided), On: moveDie, To: RequestDead, Do: do(closeCard), Why: "A decision on a dead request would go to nobody; its card says so."},
	}
	for _, move := range []string{moveShow, moveUnshow, moveDecide, moveRepeat, moveResolve, moveDie, moveResume} {
		rows = append(rows, requestRow{In: over, On: move, Ignore: true, Why: "It is over; what comes late changes nothing."})
	}
	return rows
}
