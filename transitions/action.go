package transitions

import (
	"cmp"
	"slices"
)

func (d *Data) moveMessage(id string, move Move, emit func(Effect)) {
	m := d.message(id)
	if m == nil {
		return // settled, and in the ledger's rows only
	}
	res := step(d, d.small().Messages, m.State, *m, move)
	if res.Ignored {
		return
	}
	*m = res.Data
	m.State = res.State
	emit(RecordMessage{Message: *m, Entry: res.Entry})
	d.deliver(res.Effects, "", emit)
	d.Messages = slices.DeleteFunc(d.Messages, func(m Message) bool { return m.over() })
}

// moveTurn moves a turn and takes it off the track when it is over.
func (d *Data) moveTurn(i int, move Move, emit func(Effect)) {
	t := &d.Turns[i]
	res := step(d, d.small().Turns, t.State, *t, move)
	if res.Ignored {
		return
	}
	*t = res.Data
	t.State = res.State
	if t.ID != "" {
		emit(RecordTurn{Turn: *t, Entry: res.Entry})
	}
	id := t.ID
	if t.State != TurnUnknown && t.State != TurnInFlight {
		d.Turns = slices.Delete(d.Turns, i, i+1)
		// The flag was about the turn that was active; a start may not have been.
		d.Waiting = d.Waiting && id == "" && len(d.Turns) > 0
		d.killRequests(func(r *Request) bool { return r.Turn == id }, emit)
		if id != "" {
			d.Closed = last(d.Closed, id)
		}
	}
	d.deliver(res.Effects, id, emit)
}

func (d *Data) moveDelivery(id string, move Move, emit func(Effect)) {
	del := d.delivery(id)
	res := step(d, d.small().Deliveries, del.State, *del, move)
	if res.Ignored {
		return
	}
	*del = res.Data
	del.State = res.State
	emit(RecordDelivery{Delivery: *del, Entry: res.Entry})
	for _, e := range res.Effects {
		emit(e)
	}
	d.Deliveries = slices.DeleteFunc(d.Deliveries, func(o Delivery) bool {
		notice := o.Kind == Notice && (o.State == DeliveryInDoubt || o.State == DeliveryFailed && !o.Body.Sentence.lasts())
		return o.State == DeliveryShown || o.State == DeliveryArchived || notice
	})
	d.forgetNotices()
}

// forgetNotices keeps the last of the notices that were refused and are true for good:
// they are sent again if the chat is opened again.
func (d *Data) forgetNotices() {
	refused := 0
	for i := len(d.Deliveries) - 1; i >= 0; i-- {
		if o := &d.Deliveries[i]; o.Kind == Notice && o.State == DeliveryFailed {
			if refused++; refused > lastKept {
				d.Deliveries = slices.Delete(d.Deliveries, i, i+1)
			}
		}
	}
}

// deliver passes the small machines' effects on and keeps their deliveries, each
// once.
func (d *Data) deliver(effects []Effect, turn string, emit func(Effect)) {
	for _, e := range effects {
		del, ok := e.(Deliver)
		switch {
		case !ok:
			emit(e)
		case d.delivery(del.Delivery) == nil:
			kept := Delivery{ID: del.Delivery, Kind: del.Kind, State: DeliveryReady, Turn: turn, ReplyTo: del.ReplyTo, Body: del.Body}
			d.Deliveries = append(d.Deliveries, kept)
			emit(RecordDelivery{Delivery: kept})
			emit(del)
		}
	}
}

var (
	keepMessage = action{
		Term:  term("keep_message", "The message is written down."),
		Emits: []string{"record_message", "show_receipt"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			r := f.(MessageReceived)
			m := r.message()
			if r.From == "" { // who writes is admitted
				d.readmit(r.Sender, r.Created)
			}
			d.Messages = append(d.Messages, m)
			d.keepBehind(r)
			emit(RecordMessage{Message: m})
			emit(ShowReceipt{Message: m.ID})
		},
	}
	holdQueue = action{
		Term:  term("hold_queue", "What waits is held."),
		Emits: []string{"record_message"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			for _, m := range d.waiting() {
				d.moveMessage(m.ID, Move{Kind: moveHold}, emit)
			}
		},
	}
	tellShut = action{
		Term:  term("tell_shut", "Who wrote what is held since the track is closed to sending is told so, once for each reason."),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			sentence := SaidClosed
			if slices.Contains(d.Shut, ClosedByPolicy) {
				sentence = SaidLooser
			}
			d.tell(d.shutOut(), sentence, emit)
		},
	}
	tellHeld    = tellWaiting("tell_held", "Who wrote what is held for a visible request is told so, once.", SaidHeld, (*Data).queue)
	tellUnknown = tellWaiting("tell_unknown", "Who wrote what waits behind a start that will have no answer is told so, once.", SaidUnknown, (*Data).behindLost)
	tellDeaf    = tellWaiting("tell_deaf", "Who wrote what is held since the turn takes no text is told so, once.", SaidDeaf, (*Data).queue)
	openThread  = action{
		Term:  term("ask_for_thread", "A Codex thread is asked for."),
		Emits: []string{"open_thread"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			d.Opening = true
			emit(OpenThread{Rebuild: d.Rebuild, Policy: d.Policy})
		},
	}
	bindThread = action{
		Term:  term("bind_thread", "The track is bound to the thread."),
		Emits: []string{"record_thread"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			o := f.(ThreadOpened)
			d.Thread, d.Opening, d.Rebuilt = o.Thread, false, o.Transcript == TranscriptGiven
			d.CreatedBy, d.ResumedBy = o.Version, o.Version
			d.tighten(o.Policy)
			emit(RecordThread{Thread: d.Thread})
		},
	}
	refuseQueue = action{
		Term:  term("refuse_queue", "There is no thread, and who waits for it learns why."),
		Emits: []string{"record_message", "deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.Opening = false
			for _, m := range slices.Clone(d.Messages) {
				if m.waits() {
					d.moveMessage(m.ID, Move{Kind: moveRefuse, Said: f.(ThreadRefused).Said}, emit)
				}
			}
		},
	}
	startNext = action{
		Term:  term("start_next", "The oldest waiting message starts a turn; the others wait for its answer."),
		Emits: []string{"start_turn", "record_message"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			next := *d.queue()[0]
			d.Turns = append(d.Turns, Turn{State: TurnUnknown, Start: next.ID})
			d.moveMessage(next.ID, Move{Kind: moveOffer}, emit)
			emit(StartTurn{
				Thread: d.Thread, Message: next.ID, Text: next.Text, Files: next.Files, Model: d.Model,
				Created: next.Created, Confirmed: next.Confirmed,
			})
			for _, m := range d.queue() {
				d.moveMessage(m.ID, Move{Kind: moveHold}, emit)
			}
		},
	}
	steerQueue = action{
		Term:  term("steer_queue", "What waits is steered into the running turn, in order."),
		Emits: []string{"steer_turn", "record_message"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			t := d.active()
			for _, m := range d.queue() {
				steer := SteerTurn{
					Thread: d.Thread, Turn: t.ID, Message: m.ID, Text: m.Text, Files: m.Files,
					Created: m.Created, Confirmed: m.Confirmed,
				}
				d.moveMessage(m.ID, Move{Kind: moveOffer, Turn: t.ID}, emit)
				emit(steer)
			}
		},
	}
	acceptStart = action{
		Term:  term("accept_start", "The turn of the start is known by its id."),
		Emits: []string{"record_turn", "record_message"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			a := f.(TurnStartAccepted)
			d.mergeKnown(a.Message, a.Turn)
			i := slices.IndexFunc(d.Turns, func(t Turn) bool { return t.ID == "" && t.Start == a.Message })
			d.moveTurn(i, Move{Kind: moveIdentify, Turn: a.Turn}, emit)
			if m := d.message(a.Message); m != nil {
				m.Turn = a.Turn
			}
			d.moveMessage(a.Message, Move{Kind: moveAccept}, emit)
		},
	}
	refuseStart = action{
		Term:  term("refuse_start", "There is no such turn, and the sender learns why."),
		Emits: []string{"record_message", "deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			r := f.(TurnStartRefused)
			d.dropTaken(f, emit)
			d.moveMessage(r.Message, Move{Kind: moveRefuse, Said: r.Said}, emit)
		},
	}
	loseStart = action{
		Term:  term("lose_start", "The start has no turn: its message waits again, or goes back to its sender."),
		Emits: []string{"record_message", "deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.dropTaken(f, emit)
			d.moveMessage(messageOf(f), Move{Kind: moveLose}, emit)
		},
	}
	leaveThread = action{
		Term:  term("leave_thread", "The thread is gone, and its turns with it: its messages wait again, or go back."),
		Emits: []string{"record_message", "record_turn", "record_request", "close_request", "deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.Lost = cmp.Or(saidOf(f), "not found")
			d.vanish(f, emit)
			d.moveMessage(messageOf(f), Move{Kind: moveLose}, emit)
		},
	}
	tellNewThread = action{
		Term:  term("tell_new_thread", "Who wrote the oldest text that goes on is told that the earlier conversation is lost."),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			for i := range d.Messages {
				if m := &d.Messages[i]; m.kept() {
					d.deliver([]Effect{notice(m.ID, SaidNewThread)}, "", emit)
					return
				}
			}
		},
	}
	tellRebuilt   = tellWaiting("tell_rebuilt", "Who wrote the oldest text is told that Codex was given what was said before, and what it may not know.", SaidRebuilt, (*Data).oldest)
	tellForgotten = tellWaiting("tell_forgotten", "Who wrote the oldest text is told that Codex knows nothing of what was said before.", SaidForgotten, (*Data).oldest)
	noteResumed   = action{
		Term: term("note_resumed", "Which version took the thread up is noted, and what it reports the thread to run under."),
		Do: func(d *Data, f Fact, _ func(Effect)) {
			r := f.(ThreadResumed)
			d.ResumedBy, d.CreatedBy = cmp.Or(r.Version, d.ResumedBy), cmp.Or(d.CreatedBy, r.Created)
			d.tighten(r.Policy)
		},
	}
	doubtStart = action{
		Term:  term("doubt_start", "No answer to the start will come; what carried it is noted."),
		Emits: []string{"record_message"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			t := d.startOf(messageOf(f))
			t.Lost = true
			if u, ok := f.(TurnStartUnknown); ok {
				t.Link = u.Link
			}
			d.moveMessage(messageOf(f), Move{Kind: moveDoubt}, emit)
		},
	}
	acceptSteer = moveOf("accept_steer", "The steer was accepted, which proves nothing.", moveAccept, "record_message")
	doubtSteer  = moveOf("doubt_steer", "No answer to the steer will come.", moveDoubt, "record_message")
	loseMessage = moveOf("lose_message", "No turn has the message: it waits again, or goes back to its sender.", moveLose, "record_message", "deliver", "record_delivery")
	refuseSteer = action{
		Term:  term("refuse_message", "The sender learns why Codex did not take the message."),
		Emits: []string{"record_message", "deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.moveMessage(messageOf(f), Move{Kind: moveRefuse, Said: f.(SteerRefused).Said}, emit)
		},
	}
	doubtTurn = action{
		Term:  term("doubt_turn", "Whether the turn is over, a read has to tell."),
		Emits: []string{"record_turn"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			i := slices.IndexFunc(d.Turns, func(t Turn) bool { return t.ID == turnOf(f) })
			d.moveTurn(i, Move{Kind: moveDoubt}, emit)
		},
	}
	pull = action{
		Term:  term("pull_now", "A read is asked for."),
		Emits: []string{"pull"},
		Do:    func(d *Data, _ Fact, emit func(Effect)) { emit(Pull{Thread: d.Thread}) },
	}
)

// message is what the track keeps of a message that it receives.
func (f MessageReceived) message() Message {
	return Message{
		ID: f.Message, Sender: f.Sender, Text: f.Text, Created: f.Created, Files: f.Files, Confirmed: f.Confirmed, Told: f.Told,
		State: MessageKept,
	}
}

// shutOut returns the messages that wait because the track is closed to sending, if
// there is anybody to tell, not in a chat that is closed, and anything: a /resume takes
// no longer than its answer.
func (d *Data) shutOut() []*Message {
	if len(lasting(d.Shut)) == 0 || slices.Contains(d.Shut, ClosedByChat) {
		return nil
	}
	return d.waiting()
}

// oldest returns the message that waits longest to be offered to Codex, if there is one.
func (d *Data) oldest() []*Message { return d.waiting()[:min(1, len(d.waiting()))] }

// behindLost returns the messages that wait until it is known what became of a start
// that will have no answer.
func (d *Data) behindLost() []*Message {
	if !slices.ContainsFunc(d.Turns, func(t Turn) bool { return t.Lost }) {
		return nil
	}
	return d.queue()
}

// tellWaiting makes the action that says to the senders of these messages what they
// wait for, each once.
func tellWaiting(name, doc string, sentence SentenceID, held func(*Data) []*Message) action {
	return action{
		Term:  term(name, doc),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			d.tell(held(d), sentence, emit)
		},
	}
}

// tell says the sentence to the messages' senders, once for each.
func (d *Data) tell(messages []*Message, sentence SentenceID, emit func(Effect)) {
	for _, m := range messages {
		if !m.told(sentence) {
			m.Told = append(slices.Clip(m.Told), sentence)
			d.deliver([]Effect{notice(m.ID, sentence)}, "", emit)
		}
	}
}

// tighten takes over what the server reports a thread to run under, unless that is
// looser: then the former one stays what is compared with.
func (d *Data) tighten(p Policy) {
	if p != (Policy{}) && len(p.LooserThan(d.Policy)) == 0 {
		d.Policy = p
	}
}

// moveOf makes the action that moves the fact's message.
func moveOf(name, doc, move string, emits ...string) action {
	return action{
		Term:  term(name, doc),
		Emits: emits,
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.moveMessage(messageOf(f), Move{Kind: move}, emit)
		},
	}
}

// mergeKnown makes one of a start and the turn that it turns out to be, where
// that one was seen before it was known whose it is, or the text was folded into
// it. A stop recorded for either is recorded for both.
func (d *Data) mergeKnown(message, turn string) {
	start, known := d.startOf(message), d.turn(turn)
	if start == nil || known == nil {
		return
	}
	start.StopBy, start.Cut, start.Interrupting = cmp.Or(start.StopBy, known.StopBy), start.Cut || known.Cut, known.Interrupting
	start.Begun, start.ToldSilent, start.ToldWaiting = known.Begun, known.ToldSilent, known.ToldWaiting
	d.Turns = slices.DeleteFunc(d.Turns, func(t Turn) bool { return t.ID == turn })
}

// dropTaken takes away the turns that the fact ends or disproves, without an
// outcome: nothing of ours was in them.
func (d *Data) dropTaken(f Fact, emit func(Effect)) {
	for _, i := range slices.Backward(d.takenBy(f)) {
		d.moveTurn(i, Move{Kind: moveVanish, Turn: d.Turns[i].ID}, emit)
	}
}
