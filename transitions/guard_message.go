package transitions

import (
	"slices"

	"deskbridge/fsm"
)

// Guards about what people write, take back and may do.
var (
	hasFiles = guard{
		Term: term("has_files", "The message has files."),
		Holds: func(_ *Data, f Fact) bool {
			r, ok := f.(MessageReceived)
			return ok && len(r.Files) > 0
		},
	}
	filesAwaited = guard{
		Term: term("files_awaited", "The message waits for its files."),
		Holds: func(d *Data, f Fact) bool {
			m := d.message(messageOf(f))
			return m != nil && m.State == MessageFetching
		},
	}
	recalledBefore = guard{
		Term: term("recalled_before", "Its sender took the message back before it came here."),
		Holds: func(d *Data, f Fact) bool {
			r, ok := f.(MessageReceived)
			return ok && slices.Contains(d.Recalled, r.Message)
		},
	}
	dismissedBefore = guard{
		Term: term("dismissed_before", "Its sender was dismissed while the message was on its way from the former track."),
		Holds: func(d *Data, f Fact) bool {
			r, ok := f.(MessageReceived)
			return ok && r.From != "" && d.dismissedBefore(r)
		},
	}
	messageKnown = guard{
		Term:  term("message_known", "The track has the message."),
		Holds: func(d *Data, f Fact) bool { return d.message(messageOf(f)) != nil },
	}
	takesAny = guard{
		Term: term("takes_any_back", "A message that is meant is not proven to be with Codex."),
		Holds: func(d *Data, f Fact) bool {
			return slices.ContainsFunc(d.Messages, func(m Message) bool { return takesBack(f, &m) && m.State != MessageProven })
		},
	}
	takesLast = guard{
		Term: term("takes_last_back", "No other message waits to be offered to Codex, or for its files."),
		Holds: func(d *Data, f Fact) bool {
			return !d.keeps(func(m *Message) bool { return !takesBack(f, m) })
		},
	}
	senderAsked = guard{
		Term:  term("sender_asked", "The sender of the message is being asked whether it is still to be sent."),
		Holds: func(d *Data, f Fact) bool { return d.about(f) != nil },
	}
	severalAsked = guard{
		Term:  term("several_asked", "The person is being asked about several messages, and did not say which."),
		Holds: func(d *Data, f Fact) bool { return len(d.asked(f)) > 1 },
	}
	bySender = guard{
		Term: term("by_sender", "The person wrote the message, or may decide for others."),
		Holds: func(d *Data, f Fact) bool {
			a, ok := f.(StaleAnswered)
			m := d.about(f)
			return ok && m != nil && (a.Entitled || a.By == m.Sender)
		},
	}
	wanted = guard{
		Term: term("wanted", "The message is to be sent all the same."),
		Holds: func(_ *Data, f Fact) bool {
			a, ok := f.(StaleAnswered)
			return ok && a.Run
		},
	}
	unsent = guard{
		Term: term("unsent", "The message is in no turn that we know of, and its sender was not told why."),
		Holds: func(d *Data, f Fact) bool {
			m := d.message(messageOf(f))
			return m != nil && d.unsent(m)
		},
	}
	mayCommand = guard{
		Term: term("may_command", "No turn is in flight, or the person wrote to one, or may command anyway."),
		Holds: func(d *Data, f Fact) bool {
			return len(d.Turns) == 0 || slices.ContainsFunc(d.Turns, func(t Turn) bool { return d.mayStop(f, &t) })
		},
	}
)

// Guards about a track that is closed to sending.
var (
	shut = guard{
		Term:  term("shut", "The track is closed to sending."),
		Holds: func(d *Data, _ Fact) bool { return d.shut() },
	}
	open = fsm.Not(shut)
	// shutSo says that the track is closed for the very reason of the fact.
	shutSo = guard{
		Term:  term("shut_so", "The track is closed for this reason."),
		Holds: func(d *Data, f Fact) bool { return slices.Contains(d.Shut, closingOf(f)) },
	}
	shutOtherwise = guard{
		Term: term("shut_otherwise", "The track is closed for another reason too."),
		Holds: func(d *Data, f Fact) bool {
			return slices.ContainsFunc(d.Shut, func(c Closing) bool { return c != closingOf(f) })
		},
	}
)

// textWaits says that text waits, whether or not it may be sent just now.
var textWaits = guard{
	Term:  term("text_waits", "A message waits to be offered to Codex, now or once the track is open to sending."),
	Holds: func(d *Data, _ Fact) bool { return d.keeps((*Message).waits) },
}

// wroteTo says that the person asked for the turn, or wrote a message that is proven
// in it.
func (d *Data) wroteTo(by string, t *Turn) bool {
	return slices.ContainsFunc(d.Messages, func(m Message) bool {
		return m.Sender == by && (m.ID == t.Start || m.State == MessageProven && t.ID != "" && m.Turn == t.ID)
	})
}

// mayStop says that whoever gives the command wrote to the turn, or may anyway.
func (d *Data) mayStop(f Fact, t *Turn) bool {
	by, entitled := commander(f)
	return entitled || d.wroteTo(by, t)
}

// takesBack says that the fact takes the message back.
func takesBack(f Fact, m *Message) bool {
	switch f := f.(type) {
	case MessageRecalled:
		return m.ID == f.Message
	case SenderDismissed:
		return m.Sender == f.Sender
	}
	return false
}
