package transitions

import "slices"

var (
	supersede = action{
		Term:  term("supersede", "The conversation goes on in its next track."),
		Emits: []string{"open_track"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			d.supersede("", emit)
		},
	}
	declineRequests = action{
		Term:  term("decline_requests", "The open requests are declined."),
		Emits: []string{"record_request", "answer_request"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			for _, r := range slices.Clone(d.Requests) {
				d.moveRequest(r.ID, Move{Kind: moveDecide, Decision: Decline}, emit)
			}
		},
	}
	declineNew = action{
		Term:  term("decline_new_request", "The request is written down and declined, not shown."),
		Emits: []string{"record_request", "answer_request"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			o := f.(RequestOpened)
			d.Requests = append(d.Requests, Request{ID: o.Request, Kind: o.Kind, Turn: o.Turn, Generation: o.Generation, State: RequestHidden})
			d.moveRequest(o.Request, Move{Kind: moveDecide, Decision: Decline}, emit)
		},
	}
	handOverQueue = action{
		Term:  term("hand_over_queue", "What waits goes to the next track, in order."),
		Emits: []string{"record_message", "hand_over"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			for _, m := range slices.Clone(d.Messages) {
				if m.kept() {
					d.moveMessage(m.ID, Move{Kind: moveOn}, emit)
					emit(m.handOver())
				}
			}
		},
	}
	passOn = action{
		Term:  term("pass_on", "The message goes to the next track."),
		Emits: []string{"hand_over"},
		Do: func(_ *Data, f Fact, emit func(Effect)) {
			m := f.(MessageReceived).message()
			emit(m.handOver())
		},
	}
	sendBack    = moveArrived("send_back", "The message is written down, and goes back to its sender.", moveFence)
	archiveTurn = action{
		Term:  term("archive_turn", "The turn is over: its messages are proven, those it lacks go back, its outcome is kept and not pushed."),
		Emits: []string{"record_request", "close_request", "record_turn", "record_message", "deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.archive(emit, func(emit func(Effect)) { d.end(f.(TurnEnded), emit) })
		},
	}
	archiveVanished = action{
		Term:  term("archive_vanished", "The turns do not exist; what is to be said of them is kept and not pushed."),
		Emits: []string{"record_request", "close_request", "record_turn", "record_message", "deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.archive(emit, func(emit func(Effect)) { d.vanish(f, emit) })
		},
	}
)

// handOver gives the message on. The next track fetches its files for itself.
func (m *Message) handOver() HandOver {
	return HandOver{Message: m.ID, Sender: m.Sender, Text: m.Text, Created: m.Created, Files: m.Files, Confirmed: m.Confirmed, Told: m.Told}
}

// Decline is the decision on the requests of a superseded track. Where declining
// is not offered, the adapter cancels.
const Decline = "decline"

// archive does what makes outcomes, and keeps these from the chat: they are
// written down as archived, and what they answer is answered.
func (d *Data) archive(emit func(Effect), do func(emit func(Effect))) {
	var kept []Delivery
	do(func(e Effect) {
		if del, ok := e.(Deliver); ok && del.Kind == Outcome {
			kept = append(kept, *d.delivery(del.Delivery))
			return
		}
		emit(e)
	})
	for _, del := range kept {
		d.moveDelivery(del.ID, Move{Kind: moveArchive}, emit)
		d.answer(del, emit)
	}
}
