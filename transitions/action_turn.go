package transitions

import (
	"cmp"
	"slices"
)

var (
	identifyTurn = action{
		Term:  term("identify_turn", "The unknown turn is running under this id."),
		Emits: []string{"record_turn"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			named := d.identified(f)
			id, start := named.ID, named.Start
			if id == "" {
				d.mergeKnown(start, turnOf(f))
			}
			i := slices.IndexFunc(d.Turns, func(t Turn) bool { return t.State == TurnUnknown && t.ID == id && t.Start == start })
			d.moveTurn(i, Move{Kind: moveIdentify, Turn: turnOf(f)}, emit)
		},
	}
	noteForeign = action{
		Term:  term("note_foreign_turn", "A turn that we did not start is running."),
		Emits: []string{"record_turn"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.Turns = append(d.Turns, Turn{State: TurnUnknown})
			d.moveTurn(len(d.Turns)-1, Move{Kind: moveIdentify, Turn: turnOf(f)}, emit)
		},
	}
	proveMessages = action{
		Term:  term("prove_messages", "Our messages among the turn's items are proven."),
		Emits: []string{"record_message"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			r := f.(TurnRunning)
			d.begin(r.Turn)
			for _, id := range r.Messages {
				d.moveMessage(id, Move{Kind: moveProve, Turn: r.Turn}, emit)
			}
		},
	}
	endTurn = action{
		Term:  term("end_turn", "The turn is over: its messages are proven, those it lacks are lost, its outcome is sent."),
		Emits: []string{"record_request", "close_request", "record_turn", "record_message", "deliver", "record_delivery"},
		Do:    func(d *Data, f Fact, emit func(Effect)) { d.end(f.(TurnEnded), emit) },
	}
	vanishTurns = action{
		Term:  term("vanish_turns", "The turns do not exist: what they were asked to do is offered again, what was proven in them is said to be lost."),
		Emits: []string{"record_request", "close_request", "record_turn", "record_message", "deliver", "record_delivery"},
		Do:    func(d *Data, f Fact, emit func(Effect)) { d.vanish(f, emit) },
	}
	noteMissing = action{
		Term:  term("note_missing", "The turns without a trace are remembered, and read for again."),
		Emits: []string{"pull"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			p := f.(PullAnswered)
			for i := range d.Turns {
				if d.Turns[i].newlyMissing(p) {
					d.Turns[i].Missing = p.At
				}
			}
			emit(Pull{Thread: d.Thread, After: p.Settle})
		},
	}
	forgetMissing = action{
		Term: term("forget_missing", "A turn that shows itself, or a thread that is busy, ends the suspicion."),
		Do: func(d *Data, f Fact, _ func(Effect)) {
			p := f.(PullAnswered)
			for i := range d.Turns {
				if !d.Turns[i].missing(p) {
					d.Turns[i].Missing = 0
				}
			}
		},
	}
	recordStop = recordEnd("record_stop", "The /stop is recorded for each turn that is not over, and that the person may stop.", (*Data).mayStop)
	recordNew  = recordEnd("record_new", "The /new is recorded for each turn that is not over.", func(*Data, Fact, *Turn) bool { return true })
	raiseFence = action{
		Term:  term("raise_fence", "What came before the /stop and is in no turn is never sent afterwards."),
		Emits: []string{"record_message", "deliver", "record_delivery", "withdraw"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.FencedAt = max(d.FencedAt, commandedAt(f))
			for _, m := range slices.Clone(d.Messages) {
				d.moveMessage(m.ID, Move{Kind: moveFence}, emit)
			}
			emit(Withdraw{})
		},
	}
	noteFence = action{
		Term: term("note_fence", "What is on its way from the former track is behind the /stop."),
		Do:   func(d *Data, f Fact, _ func(Effect)) { d.FencedAt = max(d.FencedAt, commandedAt(f)) },
	}
	interruptTurns = action{
		Term:  term("interrupt", "The turns that are to stop are interrupted, each once."),
		Emits: []string{"interrupt_turn"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			for i := range d.Turns {
				t := &d.Turns[i]
				if t.mustEnd() && t.State == TurnInFlight && !t.Interrupting {
					t.Interrupting = true
					emit(InterruptTurn{Thread: d.Thread, Turn: t.ID})
				}
			}
		},
	}
	interruptOver = action{
		Term: term("interrupt_over", "The interrupt counts no longer; if the turn runs on, it is repeated."),
		Do: func(d *Data, f Fact, _ func(Effect)) {
			d.turn(turnOf(f)).Interrupting = false
		},
	}
	confirmDelivery = action{
		Term:  term("confirm_delivery", "The delivery stands in the chat; what it answers is answered."),
		Emits: []string{"record_delivery", "record_message"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			c := f.(DeliveryConfirmed)
			del := *d.delivery(c.Delivery)
			d.noteQuestion(&del, c.Shown)
			d.moveDelivery(c.Delivery, Move{Kind: moveConfirm, Shown: c.Shown}, emit)
			d.answer(del, emit)
		},
	}
	showPart = action{
		Term:  term("show_part", "The part stands in the chat, and is not sent again."),
		Emits: []string{"record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			p := f.(DeliveryPartShown)
			d.moveDelivery(p.Delivery, Move{Kind: movePart, UpTo: p.UpTo}, emit)
		},
	}
	refuseDelivery = action{
		Term:  term("refuse_delivery", "Feishu's refusal is kept, to be seen."),
		Emits: []string{"record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			r := f.(DeliveryRefused)
			d.moveDelivery(r.Delivery, Move{Kind: moveRefuse, Code: r.Code, Said: r.Said}, emit)
		},
	}
	tellFailed = action{
		Term:  term("tell_failed", "Whom the outcome answers is told, once, that it could not be posted."),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			del := d.delivery(deliveryOf(f))
			del.ToldFailed = true
			d.deliver([]Effect{noticeAbout(del.Turn, del.ReplyTo, SaidNotPosted)}, "", emit)
		},
	}
	doubtDelivery = action{
		Term:  term("doubt_delivery", "Whether it stands in the chat is not known."),
		Emits: []string{"record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.moveDelivery(deliveryOf(f), Move{Kind: moveDoubt}, emit)
		},
	}
)

// recordEnd makes the action that records the command as what ends these turns.
func recordEnd(name, doc string, meant func(*Data, Fact, *Turn) bool) action {
	return action{
		Term: term(name, doc),
		Do: func(d *Data, f Fact, _ func(Effect)) {
			for i := range d.Turns {
				if t := &d.Turns[i]; t.StopBy == "" && meant(d, f, t) {
					t.StopBy = messageOf(f)
				}
			}
		},
	}
}

// end closes a turn with all that its items prove.
func (d *Data) end(f TurnEnded, emit func(Effect)) {
	taken := d.takenBy(f)
	if len(taken) == 0 {
		d.Turns = append(d.Turns, Turn{State: TurnUnknown, ID: f.Turn})
		taken = []int{len(d.Turns) - 1}
	}
	answer := d.outcomeFor(f)
	var lost []string
	for i := range d.Messages {
		if m := &d.Messages[i]; m.handed() && m.Turn == f.Turn && !slices.Contains(f.Messages, m.ID) {
			lost = append(lost, m.ID)
		}
	}
	for _, id := range f.Messages {
		d.moveMessage(id, Move{Kind: moveProve, Turn: f.Turn}, emit)
	}
	for _, i := range slices.Backward(taken) {
		// Of two entries for one turn, a start folded into a known one, the
		// first alone speaks for it.
		first := &d.Turns[taken[0]]
		first.StopBy = cmp.Or(first.StopBy, d.Turns[i].StopBy)
		move := Move{Kind: moveVanish}
		if i == taken[0] {
			move = Move{Kind: endMove[f.Status], Turn: f.Turn, Said: f.Said, Reply: f.Reply, AnswerTo: answer}
		}
		d.moveTurn(i, move, emit)
	}
	for _, id := range lost {
		d.moveMessage(id, Move{Kind: moveLose}, emit)
	}
}

// vanish closes the turns that the fact proves not to exist. What was handed to one
// that Codex was seen at work on may have been executed; what was handed to one that
// is not known to have begun is offered again. Of a thread that is lost nothing can be
// known.
func (d *Data) vanish(f Fact, emit func(Effect)) {
	was := d.Clone()
	for _, i := range slices.Backward(d.takenBy(f)) {
		t := d.Turns[i]
		fate := moveLose
		if was.mayHaveBegun(&t, f) || lostThread(f) {
			fate = moveStrand
		}
		d.moveTurn(i, Move{Kind: moveVanish, Turn: t.ID, AnswerTo: d.vanished(&t)}, emit)
		for _, m := range slices.Clone(d.Messages) {
			if m.handed() && t.carried(&m) && m.ID != messageOf(f) {
				d.moveMessage(m.ID, Move{Kind: fate}, emit)
			}
		}
	}
}

// mayHaveBegun says that Codex was seen at work on the turn, or, if its id is not known,
// on one that is lost and may be it.
func (d *Data) mayHaveBegun(t *Turn, f Fact) bool {
	pull, read := f.(PullAnswered)
	return d.began(t) || t.ID == "" && read && slices.ContainsFunc(d.Turns, func(o Turn) bool {
		return o.ID != "" && o.Start == "" && d.began(&o) && o.missing(pull)
	})
}

// began says that Codex was seen at work on the turn.
func (d *Data) began(t *Turn) bool { return t.Begun || d.provenIn(t) != "" }

// begin notes that Codex was.
func (d *Data) begin(turn string) {
	if t := d.turn(turn); t != nil {
		t.Begun = true
	}
}

// lostThread says that the fact is about the thread, not about its turns.
func lostThread(f Fact) bool {
	switch f := f.(type) {
	case ThreadLost:
		return true
	case TurnStartRefused:
		return f.Refusal == ThreadGone
	}
	return false
}

// answer marks what a delivered outcome answers.
func (d *Data) answer(del Delivery, emit func(Effect)) {
	if del.Kind != Outcome {
		return
	}
	d.Answered = true
	for _, m := range slices.Clone(d.Messages) {
		if m.Turn == del.Turn {
			d.moveMessage(m.ID, Move{Kind: moveAnswer}, emit)
		}
	}
}

// say makes the action that answers a command with a sentence.
func say(sentence SentenceID) action {
	return action{
		Term:  term("say_"+string(sentence), "The sender is told: "+string(sentence)+"."),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.deliver([]Effect{notice(messageOf(f), sentence)}, "", emit)
		},
	}
}

// noteQuestion remembers which message in the chat asks about a stale one, so that a
// reply to it is an answer.
func (d *Data) noteQuestion(del *Delivery, shown string) {
	if m := d.message(del.ReplyTo); m != nil && del.Body.Sentence == SaidStale {
		m.Question = shown
	}
}
