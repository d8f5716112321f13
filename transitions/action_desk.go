package transitions

import "slices"

// Actions on what people take back, on files, and on a track that is closed to
// sending.
var (
	fetchFiles = action{
		Term:  term("ask_for_files", "The message's files are asked for."),
		Emits: []string{"record_message", "fetch_files"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			r := f.(MessageReceived)
			d.moveMessage(r.Message, Move{Kind: moveFetch}, emit)
			emit(FetchFiles{Message: r.Message, Files: r.Files})
		},
	}
	takeFiles = action{
		Term:  term("take_files", "The message has its files, as far as they could be fetched."),
		Emits: []string{"record_message"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			move := Move{Kind: moveReady}
			switch f := f.(type) {
			case AttachmentsReady:
				move.Files = f.Files
			case AttachmentsFailed:
				move.Files = f.Files
			}
			d.moveMessage(messageOf(f), move, emit)
		},
	}
	askStale = action{
		Term:  term("ask_stale", "The call was held back, and the sender is asked."),
		Emits: []string{"record_message", "deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.dropTaken(f, emit)
			d.moveMessage(messageOf(f), Move{Kind: moveAsk}, emit)
		},
	}
	reviveStale  = moveAbout("revive_stale", "The message waits again.", moveWant)
	dropStale    = moveAbout("drop_stale", "The message is not sent.", moveRecall)
	takeBack     = moveTaken("take_back", "What was taken back is not sent, if it is not with Codex yet.", moveRecall)
	expel        = moveTaken("expel", "What the person wrote is not sent, if it is not with Codex yet; they are told.", moveExpel)
	withdrawText = action{
		Term:  term("withdraw_text", "What is in the outbox and carries text to Codex is taken out; what may be sent is sent again."),
		Emits: []string{"withdraw"},
		Do:    func(_ *Data, _ Fact, emit func(Effect)) { emit(Withdraw{}) },
	}
	shutTrack = action{
		Term: term("shut_track", "Nothing more is sent to Codex."),
		Do: func(d *Data, f Fact, _ func(Effect)) {
			d.Shut = append(d.Shut, closingOf(f))
			d.find(f)
		},
	}
	noteFound = action{
		Term: term("note_found", "Which policy is reported now is noted, where that is the reason."),
		Do:   func(d *Data, f Fact, _ func(Effect)) { d.find(f) },
	}
	openTrack = action{
		Term: term("open_to_sending", "The reason to send nothing is gone."),
		Do: func(d *Data, f Fact, _ func(Effect)) {
			d.Shut = slices.DeleteFunc(d.Shut, func(c Closing) bool { return c == closingOf(f) })
			if o, ok := f.(TrackOpened); ok && o.Why == ClosedByPolicy {
				d.Found = Policy{}
				if o.Policy != (Policy{}) {
					d.Policy = o.Policy
				}
			}
		},
	}
	cutTurns = action{
		Term: term("cut_turns", "The turns that were asked for here are to end, since nobody would hear of them."),
		Do: func(d *Data, _ Fact, _ func(Effect)) {
			for i := range d.Turns {
				t := &d.Turns[i]
				t.Cut = t.Cut || d.answerTo(t) != ""
			}
		},
	}
	declineOurs = action{
		Term:  term("decline_ours", "What those turns ask is declined."),
		Emits: []string{"record_request", "answer_request"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			for _, r := range slices.Clone(d.Requests) {
				if d.ours(r.Turn) {
					d.moveRequest(r.ID, Move{Kind: moveDecide, Decision: Decline}, emit)
				}
			}
		},
	}
	askAgain = action{
		Term:  term("ask_again", "Who is asked about a stale message, and may not have seen the question, is asked again."),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			for i := range d.Messages {
				if m := &d.Messages[i]; m.State == MessageAsked && m.Question == "" {
					d.deliver([]Effect{notice(m.ID, SaidStale)}, "", emit)
				}
			}
		},
	}
	spareTurns = action{
		Term: term("spare_turns", "The turns that nobody has interrupted yet may go on."),
		Do: func(d *Data, _ Fact, _ func(Effect)) {
			for i := range d.Turns {
				t := &d.Turns[i]
				t.Cut = t.Cut && t.Interrupting
			}
		},
	}
	noteRecall = action{
		Term: term("note_recall", "The recall is remembered for when the message comes from the former track."),
		Do:   func(d *Data, f Fact, _ func(Effect)) { d.Recalled = last(d.Recalled, f.(MessageRecalled).Message) },
	}
	noteDismissal = action{
		Term: term("note_dismissal", "The dismissal is remembered for what comes from the former track."),
		Do:   func(d *Data, f Fact, _ func(Effect)) { d.dismiss(f.(SenderDismissed).Sender) },
	}
	takeArrived  = moveArrived("take_arrived", "The message is written down, and not sent.", moveRecall)
	expelArrived = moveArrived("expel_arrived", "The message is written down, and not sent; its sender is told.", moveExpel)
	tellUnsent   = action{
		Term:  term("tell_unreachable", "The sender is told, once, that the message is kept and not sent yet."),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			m := d.message(messageOf(f))
			m.Told = append(slices.Clip(m.Told), SaidUnreachable)
			d.deliver([]Effect{notice(m.ID, SaidUnreachable)}, "", emit)
		},
	}
	resend = action{
		Term:  term("resend_refused", "What the chat refused is sent again."),
		Emits: []string{"record_delivery", "deliver"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			for _, del := range slices.Clone(d.Deliveries) {
				d.moveDelivery(del.ID, Move{Kind: moveResend}, emit)
			}
		},
	}
	noteModel = action{
		Term: term("note_model", "The next turns run on the model."),
		Do:   func(d *Data, f Fact, _ func(Effect)) { d.Model = f.(ModelRequested).Model },
	}
	sayModel = action{
		Term:  term("say_model_chosen", "The sender is told which model was chosen."),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			m := f.(ModelRequested)
			d.deliver([]Effect{notice(m.Message, SaidModel, m.Model)}, "", emit)
		},
	}
	showProgress = action{
		Term:  term("note_progress", "What Codex says on the way is shown, if there is time for that."),
		Emits: []string{"show_progress"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			a := f.(AgentMessageCompleted)
			d.begin(a.Turn)
			emit(ShowProgress{Turn: a.Turn, ReplyTo: d.answerTo(d.turn(a.Turn)), Item: a.Item, Text: a.Text})
		},
	}
	pullLater = action{
		Term:  term("pull_later", "Another read is asked for, a while later."),
		Emits: []string{"pull"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			emit(Pull{Thread: d.Thread, After: f.(PullImpossible).After})
		},
	}
	tellSilent = tellOfTurn("tell_silent", "Who waits for the turn is told, once, that nothing is heard of it.", SaidSilent, func(t *Turn) *bool { return &t.ToldSilent })
)

// moveAbout makes the action that moves the message which an answer is about.
func moveAbout(name, doc, move string) action {
	return action{
		Term:  term(name, doc),
		Emits: []string{"record_message"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.moveMessage(d.about(f).ID, Move{Kind: move}, emit)
		},
	}
}

// moveTaken makes the action that moves the messages which the fact takes back.
func moveTaken(name, doc, move string) action {
	return action{
		Term:  term(name, doc),
		Emits: []string{"record_message", "deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			for _, m := range slices.Clone(d.Messages) {
				if takesBack(f, &m) {
					d.moveMessage(m.ID, Move{Kind: move}, emit)
				}
			}
		},
	}
}

// moveArrived makes the action that writes down a message that is not to be sent.
func moveArrived(name, doc, move string) action {
	return action{
		Term:  term(name, doc),
		Emits: []string{"record_message", "deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			m := f.(MessageReceived).message()
			d.Messages = append(d.Messages, m)
			d.moveMessage(m.ID, Move{Kind: move}, emit)
		},
	}
}

// tellOfTurn makes the action that says a sentence about the fact's turn, once: told
// is where the turn remembers it.
func tellOfTurn(name, doc string, sentence SentenceID, told func(*Turn) *bool) action {
	return action{
		Term:  term(name, doc),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			t := d.turn(turnOf(f))
			if was := told(t); !*was {
				*was = true
				d.deliver([]Effect{noticeAbout(t.ID, d.answerTo(t), sentence)}, "", emit)
			}
		},
	}
}

// find notes the looser policy for which a track is closed.
func (d *Data) find(f Fact) {
	if c, ok := f.(TrackClosed); ok && c.Why == ClosedByPolicy {
		d.Found = c.Policy
	}
}
