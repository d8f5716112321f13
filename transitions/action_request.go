package transitions

import "slices"

// moveRequest moves a request and takes it off the track when it is over.
func (d *Data) moveRequest(id string, move Move, emit func(Effect)) {
	r := d.request(id)
	res := step(d, d.small().Requests, r.State, *r, move)
	if res.Ignored {
		return
	}
	*r = res.Data
	r.State = res.State
	emit(RecordRequest{Request: *r, Entry: res.Entry})
	if r.State == RequestEnded {
		d.Settled = last(d.Settled, id)
	}
	d.deliver(res.Effects, "", emit)
	d.Requests = slices.DeleteFunc(d.Requests, func(r Request) bool {
		return r.State == RequestEnded || r.State == RequestDead
	})
}

// killRequests takes away the requests that nobody has to answer any more.
func (d *Data) killRequests(dead func(*Request) bool, emit func(Effect)) {
	for _, r := range slices.Clone(d.Requests) {
		if dead(&r) {
			d.moveRequest(r.ID, Move{Kind: moveDie}, emit)
		}
	}
}

var (
	keepRequest = action{
		Term:  term("keep_request", "The request is written down, and shown."),
		Emits: []string{"record_request", "show_request"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			o := f.(RequestOpened)
			r := Request{ID: o.Request, Kind: o.Kind, Turn: o.Turn, Generation: o.Generation, State: RequestHidden}
			d.Requests = append(d.Requests, r)
			d.begin(o.Turn)
			emit(RecordRequest{Request: r})
			emit(ShowRequest{Request: r.ID, Kind: r.Kind, Turn: r.Turn})
		},
	}
	repeatRequest = requestMove("repeat_request", "A decision that the server did not get is sent again.", moveRepeat, "record_request", "answer_request")
	seeRequest    = requestMove("see_request", "The request is proven visible.", moveShow, "record_request", "close_request")
	missRequest   = requestMove("miss_request", "The request cannot be shown, and that is said.", moveUnshow, "record_request", "deliver", "record_delivery")
	endRequest    = requestMove("end_request", "Codex waits for the request no longer.", moveResolve, "record_request", "close_request")
	buryRequest   = requestMove("bury_request", "The request is dead.", moveDie, "record_request", "close_request")
	decideRequest = requestMove("decide_request", "The decision is written down, and goes to Codex.", moveDecide, "record_request", "answer_request")
	closeLate     = action{
		Term:  term("close_late_card", "A card that came after its request was over is closed."),
		Emits: []string{"close_request"},
		Do:    func(_ *Data, f Fact, emit func(Effect)) { emit(CloseRequest{Request: requestOf(f)}) },
	}
	dropGeneration = action{
		Term:  term("drop_generation", "What the former server process asked is dead, and its flags are."),
		Emits: []string{"record_request", "close_request"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.Waiting = false
			d.killRequests(f.(GenerationChanged).asks, emit)
		},
	}
	noteWaiting = action{
		Term: term("note_waiting", "The thread's flag is noted."),
		Do:   func(d *Data, f Fact, _ func(Effect)) { d.Waiting = f.(ThreadStatusChanged).waits() },
	}
	expectReplay = action{
		Term:  term("expect_replay", "What is open has to be sent again, or is dead."),
		Emits: []string{"record_request"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			resume := Move{Kind: moveResume, Connection: f.(ThreadResumed).Connection}
			for _, r := range slices.Clone(d.Requests) {
				d.moveRequest(r.ID, resume, emit)
			}
		},
	}
	tellUnarrived = tellOfTurn("tell_unarrived", "The chat learns, once, that Codex waits on something that has not arrived.", SaidWaiting, func(t *Turn) *bool { return &t.ToldWaiting })
)

// requestMove makes the action that moves the fact's request.
func requestMove(name, doc, kind string, emits ...string) action {
	return action{
		Term:  term(name, doc),
		Emits: emits,
		Do: func(d *Data, f Fact, emit func(Effect)) {
			move := Move{Kind: kind}
			switch f := f.(type) {
			case RequestVisible:
				move.Shown, move.Form = f.Shown, f.Form
			case RequestAnswered:
				move.By, move.Decision = f.By, f.Decision
			}
			if t := d.turn(d.request(requestOf(f)).Turn); t != nil {
				move.AnswerTo = d.answerTo(t)
			}
			d.moveRequest(requestOf(f), move, emit)
		},
	}
}
