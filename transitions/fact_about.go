package transitions

// What a fact is about, by sort. A fact that is about none of the sort gives the
// empty string.

// messageOf is the message that the fact is about, or that brought it.
func messageOf(f Fact) string {
	switch f := f.(type) {
	case MessageReceived:
		return f.Message
	case StopRequested:
		return f.Message
	case NewRequested:
		return f.Message
	case ModelRequested:
		return f.Message
	case AttachmentsReady:
		return f.Message
	case AttachmentsFailed:
		return f.Message
	case MessageRecalled:
		return f.Message
	case MessageStale:
		return f.Message
	case StaleAnswered:
		return f.Message
	case SendOverdue:
		return f.Message
	case TurnStartAccepted:
		return f.Message
	case TurnStartRefused:
		return f.Message
	case TurnStartUnknown:
		return f.Message
	case TurnStartWithdrawn:
		return f.Message
	case SteerAccepted:
		return f.Message
	case SteerRefused:
		return f.Message
	case SteerUnknown:
		return f.Message
	case SteerWithdrawn:
		return f.Message
	case RequestAnswered:
		return f.Message
	case ThreadsRequested:
		return f.Message
	case ThreadsListed:
		return f.Message
	case ThreadsUnlisted:
		return f.Message
	case ResumeRequested:
		return f.Message
	case ThreadFound:
		return f.Message
	case ThreadUnavailable:
		return f.Message
	}
	return ""
}

// saidOf is the server's reason, of a fact that tells of a thread's loss.
func saidOf(f Fact) string {
	switch f := f.(type) {
	case ThreadLost:
		return f.Said
	case TurnStartRefused:
		return f.Said
	}
	return ""
}

// Written says that a person wrote the fact's message just now.
func Written(f Fact) bool {
	switch f := f.(type) {
	case MessageReceived:
		return f.From == ""
	case StopRequested, NewRequested, ModelRequested, StaleAnswered, ThreadsRequested, ResumeRequested:
		return true
	}
	return false
}

// commandedAt is when the person wrote the command.
func commandedAt(f Fact) Millis {
	switch f := f.(type) {
	case StopRequested:
		return f.Created
	case NewRequested:
		return f.Created
	}
	return 0
}

func turnOf(f Fact) string {
	switch f := f.(type) {
	case TurnStartAccepted:
		return f.Turn
	case SteerAccepted:
		return f.Turn
	case SteerRefused:
		return f.Turn
	case SteerUnknown:
		return f.Turn
	case SteerWithdrawn:
		return f.Turn
	case InterruptAccepted:
		return f.Turn
	case InterruptRefused:
		return f.Turn
	case InterruptUnknown:
		return f.Turn
	case TurnRunning:
		return f.Turn
	case TurnEnded:
		return f.Turn
	case RequestOpened:
		return f.Turn
	case AgentMessageCompleted:
		return f.Turn
	case MessageStale:
		return f.Turn
	case WaitingOverdue:
		return f.Turn
	case TurnSilent:
		return f.Turn
	}
	return ""
}

func deliveryOf(f Fact) string {
	switch f := f.(type) {
	case DeliveryConfirmed:
		return f.Delivery
	case DeliveryPartShown:
		return f.Delivery
	case DeliveryRefused:
		return f.Delivery
	case DeliveryUnknown:
		return f.Delivery
	}
	return ""
}

func requestOf(f Fact) string {
	switch f := f.(type) {
	case RequestOpened:
		return f.Request
	case RequestResolved:
		return f.Request
	case RequestVisible:
		return f.Request
	case RequestUnshowable:
		return f.Request
	case VisibilityOverdue:
		return f.Request
	case ReplayOverdue:
		return f.Request
	case RequestAnswered:
		return f.Request
	case DecisionWritten:
		return f.Request
	case DecisionUnknown:
		return f.Request
	}
	return ""
}

// asked are the messages that a person's answer may be about: their senders are
// being asked whether they are still to be sent.
func (d *Data) asked(f Fact) (all []*Message) {
	a, ok := f.(StaleAnswered)
	if !ok {
		return nil
	}
	for i := range d.Messages {
		m := &d.Messages[i]
		named := a.About == m.ID || a.About != "" && a.About == m.Question
		if m.State == MessageAsked && (named || a.About == "" && a.By == m.Sender) {
			all = append(all, m)
		}
	}
	return all
}

// about is the message that a person answers about, if there is one and it is clear
// which.
func (d *Data) about(f Fact) *Message {
	if all := d.asked(f); len(all) == 1 {
		return all[0]
	}
	return nil
}

// commander is who gives a command, and whether they may whoever wrote to the turn.
func commander(f Fact) (by string, entitled bool) {
	switch f := f.(type) {
	case StopRequested:
		return f.Sender, f.Entitled
	case NewRequested:
		return f.Sender, f.Entitled
	case ModelRequested:
		return f.Sender, f.Entitled
	case ResumeRequested:
		return f.Sender, f.Entitled
	}
	return "", false
}

// closingOf is the reason that comes or goes with the fact.
func closingOf(f Fact) Closing {
	switch f := f.(type) {
	case TrackClosed:
		return f.Why
	case TrackOpened:
		return f.Why
	case ChatClosed, ChatReopened:
		return ClosedByChat
	case ThreadFound, ThreadUnavailable:
		return ClosedByResume
	}
	return ""
}
